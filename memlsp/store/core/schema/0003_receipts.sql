CREATE TABLE receipt (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    asker TEXT NOT NULL,
    query TEXT NOT NULL,
    served TEXT NOT NULL, -- JSON: ids
    left_out TEXT NOT NULL, -- JSON: [id, reason] pairs
    tokens INTEGER NOT NULL,
    as_of TEXT NOT NULL -- the commit or date that was asked about, empty for now
) STRICT;

-- Derived: may be emptied at any time.
CREATE TABLE history (
    key TEXT NOT NULL UNIQUE,
    value BLOB NOT NULL, -- text through zlib
    used INTEGER PRIMARY KEY -- larger is more recently written
) STRICT;
