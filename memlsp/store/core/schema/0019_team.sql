-- The lines of a team's exchange. A line whose belief was forgotten stays without its text, so that it never comes back.
CREATE TABLE team_line (
    key TEXT PRIMARY KEY,
    act TEXT NOT NULL,
    belief TEXT NOT NULL,
    clock TEXT NOT NULL,
    writer TEXT NOT NULL,
    parents TEXT NOT NULL, -- JSON, keys
    author TEXT NOT NULL,
    text TEXT, -- as it travels; null once forgotten
    state TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX team_line_belief ON team_line (belief);
CREATE INDEX team_line_new ON team_line (state) WHERE state != 'taken';
-- A colleague's word ranks below that of a person at this machine and above an agent's.
UPDATE belief SET authority_rank = authority_rank + 1 WHERE authority IN ('agent', 'mined', 'proposed');
