CREATE TABLE thread (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    mark TEXT NOT NULL, -- tells it from others of its kind at its place
    opened INTEGER NOT NULL, -- milliseconds since 1970, UTC
    closed INTEGER,
    body BLOB NOT NULL -- the whole thread with the symbol that holds it, JSON through zlib
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_open ON thread (path, opened) WHERE closed IS NULL;
CREATE INDEX thread_by_mark ON thread (kind, mark);
CREATE INDEX thread_by_path ON thread (path) WHERE closed IS NOT NULL;

-- Remarks and stubs of long standing that a file lost since the last commit: what stands elsewhere now was moved there,
-- and is not new. Emptied at every commit.
CREATE TABLE thread_lost (
    kind TEXT NOT NULL,
    mark TEXT NOT NULL,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    PRIMARY KEY (kind, mark, path, symbol)
) STRICT, WITHOUT ROWID;

-- of a plain folder, where no commit tells what was there before: what a file held when it was last looked at
CREATE TABLE thread_stood (
    path TEXT PRIMARY KEY,
    body BLOB NOT NULL -- [kind, mark, symbol, line], JSON through zlib
) STRICT, WITHOUT ROWID;

-- moves with every change of what is open
CREATE TABLE thread_generation (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL) STRICT;
INSERT INTO thread_generation VALUES (1, 0);
