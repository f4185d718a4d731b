-- What was forgotten, without what it was.
CREATE TABLE forgotten (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    author TEXT NOT NULL,
    author_kind TEXT NOT NULL,
    selector TEXT NOT NULL, -- belief, query, session, file, person, workspace: never what was given for it
    removed TEXT NOT NULL, -- JSON: what and how many
    searched INTEGER NOT NULL,
    left_over TEXT NOT NULL -- JSON: names of files
) STRICT;
-- ids that may not come back, by import or by a writer that had them in hand
CREATE TABLE forgotten_id (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
