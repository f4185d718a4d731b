-- What the git history was read into. Derived: may be emptied at any time, and is read again then.
CREATE TABLE past_file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE past_symbol (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL REFERENCES past_file (id),
    name TEXT NOT NULL,
    UNIQUE (file, name)
) STRICT;

CREATE TABLE commit_episode (
    seq INTEGER PRIMARY KEY, -- in the order of reading: within one reading the newer commit has the smaller number
    hash BLOB NOT NULL UNIQUE,
    at INTEGER NOT NULL, -- seconds since 1970, UTC
    author TEXT NOT NULL,
    subject TEXT NOT NULL,
    passed_over TEXT NOT NULL, -- why it was not read into changes, else empty
    files INTEGER NOT NULL,
    parsed INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    cosmetic INTEGER NOT NULL,
    more INTEGER NOT NULL,
    state_bytes INTEGER NOT NULL,
    told BLOB NOT NULL -- the changes with their sentences, JSON through zlib
) STRICT;

-- By which symbol a change is found: what it is called after the commit, or was before it when it is gone.
CREATE TABLE past_change (
    symbol INTEGER NOT NULL REFERENCES past_symbol (id),
    episode INTEGER NOT NULL REFERENCES commit_episode (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL, -- in `told`
    former INTEGER, -- what it was called before, where that is something else; null where it is not
    PRIMARY KEY (symbol, episode, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_change_by_episode ON past_change (episode);
CREATE INDEX past_change_by_former ON past_change (former) WHERE former IS NOT NULL;
