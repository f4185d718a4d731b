CREATE TABLE thread (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    mark TEXT NOT NULL, -- tells it from others of its kind at its place
    opened INTEGER NOT NULL, -- milliseconds since 1970, UTC
    closed INTEGER,
    body BLOB NOT NULL -- the whole thread, JSON through zlib
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_by_place ON thread (path) WHERE closed IS NULL;
