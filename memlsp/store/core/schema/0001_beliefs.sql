-- Columns that are read for every candidate of a search stand first, before the texts that may need a further page.
CREATE TABLE belief (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    authority_rank INTEGER NOT NULL, -- 0 is the most trusted
    status TEXT NOT NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    pattern TEXT NOT NULL, -- of a glob scope, else empty
    authority TEXT NOT NULL,
    confidence REAL NOT NULL,
    author TEXT NOT NULL,
    author_kind TEXT NOT NULL,
    source TEXT NOT NULL,
    created_at TEXT NOT NULL, -- all times: UTC, ISO 8601
    updated_at TEXT NOT NULL,
    superseded_by TEXT,
    expires_at TEXT,
    text TEXT NOT NULL,
    conditions TEXT NOT NULL, -- JSON
    refs TEXT NOT NULL, -- JSON
    guards TEXT NOT NULL, -- JSON
    evidence TEXT NOT NULL, -- JSON
    because_of TEXT NOT NULL, -- JSON: ids
    stale_after INTEGER, -- days
    confirmed_at TEXT,
    branch TEXT NOT NULL,
    commit_hash TEXT NOT NULL,
    session TEXT NOT NULL,
    keywords TEXT NOT NULL -- what search finds it by besides its text
) STRICT;
CREATE INDEX belief_by_age ON belief (status, created_at DESC, id);
CREATE INDEX belief_by_guard ON belief (scope) WHERE status = 'active' AND guards != '[]';
CREATE INDEX belief_by_scope ON belief (scope, pattern) WHERE status = 'active';

-- active beliefs of wide scope by what they name: the last part of it, as a symbol has it
CREATE TABLE mention (
    name TEXT NOT NULL,
    belief INTEGER NOT NULL REFERENCES belief (seq) ON DELETE CASCADE,
    PRIMARY KEY (name, belief)
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_by_belief ON mention (belief);

CREATE TABLE anchor (
    belief INTEGER NOT NULL REFERENCES belief (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    active INTEGER NOT NULL, -- 1 while its belief is
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    simple TEXT NOT NULL, -- the last part of the symbol's name, and what the symbol meant: by these a file that
    meaning TEXT NOT NULL, -- it moved to finds it
    value BLOB NOT NULL -- the whole anchor, JSON through zlib
) STRICT;
CREATE UNIQUE INDEX anchor_by_belief ON anchor (belief, position);
CREATE INDEX anchor_by_place ON anchor (path, symbol, belief) WHERE active = 1;
CREATE INDEX anchor_by_name ON anchor (simple, path, symbol) WHERE active = 1 AND simple != '';
CREATE INDEX anchor_by_meaning ON anchor (meaning, path, symbol) WHERE active = 1;

CREATE TABLE revision (
    belief INTEGER NOT NULL REFERENCES belief (seq) ON DELETE CASCADE,
    number INTEGER NOT NULL, -- from 1
    action TEXT NOT NULL,
    author TEXT NOT NULL,
    author_kind TEXT NOT NULL,
    source TEXT NOT NULL,
    at TEXT NOT NULL,
    note TEXT NOT NULL,
    undoes INTEGER,
    session TEXT NOT NULL,
    former BLOB -- the belief as it was before, JSON through zlib; null when it did not exist
) STRICT;
CREATE UNIQUE INDEX revision_by_belief ON revision (belief, number);
CREATE INDEX revision_by_session ON revision (session) WHERE session != '';
CREATE INDEX revision_by_time ON revision (at);

-- which beliefs rest on which
CREATE TABLE rests_on (
    base TEXT NOT NULL, -- an id
    belief INTEGER NOT NULL REFERENCES belief (seq) ON DELETE CASCADE,
    PRIMARY KEY (base, belief)
) STRICT, WITHOUT ROWID;
CREATE INDEX rests_on_by_belief ON rests_on (belief);

CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- moves with every change of a belief, and with nothing else
CREATE TABLE generation (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL) STRICT;
INSERT INTO generation VALUES (1, 0);
