CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    name TEXT NOT NULL, -- as its program calls it, "" for sources without sessions
    began INTEGER NOT NULL, -- milliseconds since 1970, UTC, as all times here
    last INTEGER NOT NULL,
    ended INTEGER,
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
    text TEXT NOT NULL,
    body BLOB -- the rest, JSON through zlib
) STRICT;
CREATE INDEX event_unsettled ON event (id) WHERE settled = 0;
CREATE INDEX event_by_episode ON event (episode, id) WHERE episode IS NOT NULL;
CREATE INDEX event_by_time ON event (at);
CREATE INDEX event_by_session ON event (session, id);

CREATE TABLE tally (
    source TEXT NOT NULL,
    what TEXT NOT NULL,
    reason TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (source, what, reason)
) STRICT, WITHOUT ROWID;
