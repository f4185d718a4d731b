-- Exports and backups that were written: what forgetting has to look into.
CREATE TABLE copy (
    path TEXT PRIMARY KEY, -- absolute
    kind TEXT NOT NULL, -- jsonl, vault or backup
    at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
