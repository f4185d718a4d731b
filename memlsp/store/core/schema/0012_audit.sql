-- Who changed what. Rows are only ever added; no text of a belief stands in it.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    author TEXT NOT NULL,
    author_kind TEXT NOT NULL,
    source TEXT NOT NULL,
    session TEXT NOT NULL,
    targets TEXT NOT NULL, -- JSON: ids
    note TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
-- What forgetting has to take out of the log (a name, a session, a note) may be emptied, and nothing else be changed.
CREATE TRIGGER audit_is_not_rewritten BEFORE UPDATE ON audit
WHEN NEW.author NOT IN ('', OLD.author) OR NEW.source NOT IN ('', OLD.source)
    OR NEW.session NOT IN ('', OLD.session) OR NEW.note NOT IN ('', OLD.note)
    OR NEW.id != OLD.id OR NEW.at != OLD.at OR NEW.action != OLD.action
    OR NEW.author_kind != OLD.author_kind OR NEW.targets != OLD.targets
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_is_not_shortened BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE INDEX revision_failed ON revision (belief, number) WHERE action = 'failed';
