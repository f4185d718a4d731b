-- A receipt says on which surface (recall, start, prompt, act, note, ...) and to which session something was told.
ALTER TABLE receipt ADD COLUMN surface TEXT NOT NULL DEFAULT 'recall';
ALTER TABLE receipt ADD COLUMN session TEXT NOT NULL DEFAULT ''; -- the program and its name for the session
CREATE INDEX receipt_by_session ON receipt (session) WHERE session != '';

-- The beliefs that a session is told at its start, in order. The newest of equal authority come first.
CREATE INDEX belief_at_start ON belief (scope, authority_rank, created_at DESC)
WHERE status = 'active' AND kind IN ('rule', 'preference', 'decision');

-- A line for a session's next hook: for the person, or for the agent where its prompt takes no context.
CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL, -- the program and its name for the session
    audience TEXT NOT NULL, -- person or agent
    belief TEXT NOT NULL, -- the id of the belief that it quotes
    line TEXT NOT NULL,
    at INTEGER NOT NULL -- milliseconds since 1970, UTC
) STRICT;
CREATE INDEX notice_by_session ON notice (session, audience);

-- The acts that a belief speaks of, found by one of their words. Derived: may be emptied at any time.
CREATE TABLE act (
    term TEXT NOT NULL,
    belief INTEGER NOT NULL REFERENCES belief (seq) ON DELETE CASCADE,
    clause TEXT NOT NULL, -- as `beliefs/acts` writes it
    PRIMARY KEY (term, belief, clause)
) STRICT, WITHOUT ROWID;
CREATE INDEX act_by_belief ON act (belief);

-- The latest judgement of a belief that depends on files, for hooks. Derived: may be emptied at any time.
CREATE TABLE judgement (
    belief INTEGER PRIMARY KEY REFERENCES belief (seq) ON DELETE CASCADE,
    revised TEXT NOT NULL, -- when the belief was last revised: valid only until it is again
    standing TEXT NOT NULL, -- empty while it waits to be judged
    reason TEXT NOT NULL,
    files TEXT NOT NULL -- the files that it depends on, with their stamps: valid only while they are the same
) STRICT;
CREATE TRIGGER notice_of_what_was_forgotten BEFORE INSERT ON notice
WHEN EXISTS (SELECT 1 FROM forgotten_id WHERE id = NEW.belief)
BEGIN SELECT RAISE(IGNORE); END;
