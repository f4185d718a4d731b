-- Exports and backups that were written: what forgetting has to look into.
CREATE TABLE copy (
    path TEXT PRIMARY KEY, -- absolute
    kind TEXT NOT NULL, -- jsonl, vault or backup
    at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which revisions an import or a merge brought, so that it can be taken back as one. Ids and numbers alone.
CREATE TABLE brought (
    batch TEXT NOT NULL,
    belief TEXT NOT NULL, -- an id
    first INTEGER NOT NULL, -- the numbers of its first and last revision that came so
    last INTEGER NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (batch, belief)
) STRICT, WITHOUT ROWID;
CREATE INDEX brought_by_belief ON brought (belief);
