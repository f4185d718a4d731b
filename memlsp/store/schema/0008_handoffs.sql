CREATE TABLE handoff (
    id TEXT PRIMARY KEY,
    created INTEGER NOT NULL, -- milliseconds since 1970, UTC, as all times here
    expires INTEGER NOT NULL,
    claimed INTEGER,
    session TEXT NOT NULL,
    body BLOB NOT NULL -- the whole handoff, JSON through zlib
) STRICT, WITHOUT ROWID;
CREATE INDEX handoff_by_time ON handoff (created);

-- What a hook may say at once, worked out beforehand. Derived: may be emptied at any time.
CREATE TABLE note (
    path TEXT NOT NULL, -- the file it is said about
    position INTEGER NOT NULL, -- in order of weight
    symbol TEXT NOT NULL,
    sentence TEXT NOT NULL,
    belief TEXT NOT NULL,
    stamp TEXT NOT NULL, -- of the file as it was: said only while the file is the same
    PRIMARY KEY (path, position)
) STRICT, WITHOUT ROWID;
-- a command that failed, and what made it work
CREATE TABLE remedy (
    command TEXT NOT NULL, -- its skeleton: without paths and numbers
    failure TEXT NOT NULL, -- a digest of how it failed, without paths and numbers
    sentence TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (command, failure)
) STRICT, WITHOUT ROWID;
-- what is said at the start of a session
CREATE TABLE briefing (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    made INTEGER NOT NULL,
    stamp TEXT NOT NULL, -- of what it was made from
    text TEXT NOT NULL
) STRICT;
