CREATE TABLE handoff (
    id TEXT PRIMARY KEY,
    created INTEGER NOT NULL, -- milliseconds since 1970, UTC, as all times here
    expires INTEGER NOT NULL,
    claimed INTEGER,
    successor TEXT, -- the next handoff of the same session, which took its place
    session TEXT NOT NULL, -- the program and its name for the session, with a space between
    body BLOB NOT NULL -- the whole handoff, JSON through zlib
) STRICT, WITHOUT ROWID;
CREATE INDEX handoff_by_time ON handoff (created);
CREATE INDEX handoff_by_session ON handoff (session, created);

-- What a hook may say at once, worked out beforehand. All that follows is derived: it may be emptied at any time.
CREATE TABLE note (
    path TEXT NOT NULL, -- the file it is said about
    position INTEGER NOT NULL, -- in order of weight
    sentence TEXT NOT NULL,
    mark TEXT NOT NULL, -- the belief and its standing: what is said once in a session
    stamp TEXT NOT NULL, -- of the file as it was: said only while the file is the same
    belief TEXT NOT NULL,
    revised TEXT NOT NULL, -- when the belief was last revised: said only until it is again
    PRIMARY KEY (path, position)
) STRICT, WITHOUT ROWID;
-- the files that were looked at, whether or not there is something to say of them
CREATE TABLE noted (
    path TEXT PRIMARY KEY,
    stamp TEXT NOT NULL,
    beliefs TEXT NOT NULL -- how many are tied to it and when the latest was revised
) STRICT, WITHOUT ROWID;
-- a file whose notes depend on what stands in another
CREATE TABLE note_leans (
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (source, path)
) STRICT, WITHOUT ROWID;
-- a command that failed, and what made it work
CREATE TABLE remedy (
    program TEXT NOT NULL,
    failure TEXT NOT NULL, -- a digest of how it failed, without paths and numbers
    sentence TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (program, failure)
) STRICT, WITHOUT ROWID;
-- what is told at the start of a session, and to a session that lost its own context
CREATE TABLE briefing (
    session TEXT NOT NULL, -- "" for whoever is new
    branch TEXT NOT NULL, -- "" for a branch that nothing is known of
    made INTEGER NOT NULL,
    parts TEXT NOT NULL, -- headings and lines, as store/notes.py writes them
    PRIMARY KEY (session, branch)
) STRICT, WITHOUT ROWID;
-- what a session was told already
CREATE TABLE said (
    session TEXT NOT NULL,
    mark TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (session, mark)
) STRICT, WITHOUT ROWID;
