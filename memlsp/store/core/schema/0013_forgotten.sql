-- What was forgotten, without what it was.
CREATE TABLE forgotten (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    author TEXT NOT NULL,
    author_kind TEXT NOT NULL,
    selector TEXT NOT NULL, -- belief, query, session, file, person, workspace, user: never what was given for it
    removed TEXT NOT NULL, -- JSON: what and how many
    searched INTEGER NOT NULL,
    left_over TEXT NOT NULL -- JSON: names of files
) STRICT;
-- ids that may not come back, by import or by a writer that had them in hand
CREATE TABLE forgotten_id (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Whoever read a belief before it was forgotten may still be about to write what it said. It is refused here, where
-- nobody can come between: a belief loudly, what is derived from one without a word.
CREATE TRIGGER belief_was_forgotten BEFORE INSERT ON belief
WHEN EXISTS (SELECT 1 FROM forgotten_id WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'it was forgotten'); END;
CREATE TRIGGER note_of_what_was_forgotten BEFORE INSERT ON note
WHEN EXISTS (SELECT 1 FROM forgotten_id WHERE id = NEW.belief)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER conflict_with_what_was_forgotten BEFORE INSERT ON conflict
WHEN EXISTS (SELECT 1 FROM forgotten_id WHERE id IN (NEW.first, NEW.second))
BEGIN SELECT RAISE(IGNORE); END;
