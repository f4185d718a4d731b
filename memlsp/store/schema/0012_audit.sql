-- Who changed what. Rows are only ever added; no text of a belief stands in it.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    author TEXT NOT NULL,
    author_kind TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT NOT NULL,
    targets TEXT NOT NULL, -- JSON: ids
    note TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
