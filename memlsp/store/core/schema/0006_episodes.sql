CREATE TABLE episode (
    id TEXT PRIMARY KEY,
    began INTEGER NOT NULL, -- milliseconds since 1970, UTC, as all times here
    last INTEGER NOT NULL,
    closed INTEGER,
    outcome TEXT NOT NULL,
    title TEXT NOT NULL,
    body BLOB NOT NULL, -- the whole episode, JSON through zlib
    draft BLOB -- while it is open: what events are weighed against, JSON through zlib
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_by_time ON episode (last);
CREATE INDEX episode_open ON episode (last) WHERE closed IS NULL;

-- which episodes changed a symbol; an empty symbol stands for the file
CREATE TABLE episode_symbol (
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    episode TEXT NOT NULL REFERENCES episode (id) ON DELETE CASCADE,
    PRIMARY KEY (path, symbol, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_symbol_by_episode ON episode_symbol (episode);

CREATE TABLE episode_session (
    session TEXT NOT NULL,
    episode TEXT NOT NULL REFERENCES episode (id) ON DELETE CASCADE,
    PRIMARY KEY (session, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_session_by_episode ON episode_session (episode);
