CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    name TEXT NOT NULL, -- as its program calls it, "" for sources without sessions
    began INTEGER NOT NULL, -- milliseconds since 1970, UTC, as all times here
    last INTEGER NOT NULL,
    ended INTEGER,
    events INTEGER NOT NULL, -- how many were kept, for the cap
    UNIQUE (source, name)
) STRICT;

CREATE TABLE event (
    id INTEGER PRIMARY KEY, -- in order of arrival
    key BLOB NOT NULL UNIQUE, -- the same observation has the same key, so that it is kept once
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES session (id),
    settled INTEGER NOT NULL DEFAULT 0, -- 1 when everything was drawn from it
    episode TEXT, -- its episode, null before it has one
    text TEXT, -- null when it stands in a passage, or was dropped with age
    words INTEGER REFERENCES passage (id), -- the text, when it is long
    output INTEGER REFERENCES passage (id), -- what came of it, null for nothing
    tree INTEGER REFERENCES event_tree (id), -- the checkout that it was seen in, null where nobody said
    body BLOB, -- the rest, JSON, through zlib where that makes it smaller
    changes BLOB -- what it did to symbols, in the same way
) STRICT;
CREATE INDEX event_unsettled ON event (id) WHERE settled = 0;
CREATE INDEX event_by_episode ON event (episode, id) WHERE episode IS NOT NULL;
CREATE INDEX event_by_time ON event (at);
CREATE INDEX event_by_session ON event (session, id);

-- a long text, kept once however many events have it
CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    data BLOB NOT NULL -- through zlib
) STRICT;

CREATE TABLE event_file (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE event_path (
    file INTEGER NOT NULL REFERENCES event_file (id),
    event INTEGER NOT NULL REFERENCES event (id) ON DELETE CASCADE,
    PRIMARY KEY (file, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_path_by_event ON event_path (event);

CREATE TABLE tally (
    source TEXT NOT NULL,
    what TEXT NOT NULL,
    reason TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (source, what, reason)
) STRICT, WITHOUT ROWID;

-- how many were kept on a day of arrival, for the cap, and the first of them, for their age
CREATE TABLE event_day (
    day INTEGER PRIMARY KEY, -- days since 1970, UTC
    events INTEGER NOT NULL,
    first INTEGER NOT NULL -- the id of an event; those from it on came on this day or later
) STRICT;

-- a checkout whose files are followed: worktrees and clones share one memory
CREATE TABLE event_tree (
    id INTEGER PRIMARY KEY,
    root TEXT NOT NULL UNIQUE,
    base TEXT, -- the commit that its files were last compared with, "" for none; null before the first look
    mark TEXT NOT NULL DEFAULT '' -- how far its git logs were read
) STRICT;
-- a file as it was when its edits were last told, while that is another state than in `base`
CREATE TABLE event_state (
    tree INTEGER NOT NULL REFERENCES event_tree (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    digest BLOB NOT NULL, -- as git would name its bytes; empty when it was gone
    at INTEGER NOT NULL,
    data BLOB, -- redacted, through zlib; null where the digest alone is known
    PRIMARY KEY (tree, path)
) STRICT, WITHOUT ROWID;
