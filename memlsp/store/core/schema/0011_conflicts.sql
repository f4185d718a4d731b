-- Two beliefs that contradict each other, and what was decided about it.
CREATE TABLE conflict (
    first TEXT NOT NULL, -- the smaller id
    second TEXT NOT NULL,
    found_at TEXT NOT NULL,
    said BLOB NOT NULL, -- a digest of both wordings and conditions: a settlement holds while it is the same
    settlement TEXT, -- null while nobody decided
    body TEXT NOT NULL, -- JSON
    PRIMARY KEY (first, second)
) STRICT, WITHOUT ROWID;
CREATE INDEX conflict_by_second ON conflict (second);

-- which beliefs were held against the others, by which rules and in which wording
CREATE TABLE conflict_looked (
    belief INTEGER PRIMARY KEY REFERENCES belief (seq) ON DELETE CASCADE,
    said BLOB NOT NULL
) STRICT;
