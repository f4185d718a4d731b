-- What texts mean, by one model: derived, and may be emptied at any time.
CREATE TABLE vector (
    turn INTEGER PRIMARY KEY AUTOINCREMENT, -- moves forward with every row, so that what is new is found at the end
    kind TEXT NOT NULL, -- belief, episode or commit
    item INTEGER NOT NULL, -- the row that it was made of
    digest BLOB NOT NULL, -- of the text that it was made of
    scale REAL NOT NULL, -- what the numbers are multiplied with
    data BLOB NOT NULL, -- one signed byte for each dimension
    UNIQUE (kind, item)
) STRICT;
-- of which model the vectors are, and how many have gone
CREATE TABLE vector_state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    model TEXT NOT NULL, -- its name and version, "" before the first
    removals INTEGER NOT NULL
) STRICT;
INSERT INTO vector_state VALUES (1, '', 0);
-- What has no vector yet, or one of another text. Entries of rows that are gone are passed over.
CREATE TABLE vector_due (
    turn INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    item INTEGER NOT NULL,
    UNIQUE (kind, item)
) STRICT;
CREATE TRIGGER vector_gone AFTER DELETE ON vector BEGIN
    UPDATE vector_state SET removals = removals + 1;
    INSERT OR REPLACE INTO vector_due (kind, item) VALUES (old.kind, old.item);
END;
CREATE TRIGGER vector_of_new_belief AFTER INSERT ON belief WHEN new.status = 'active' BEGIN
    INSERT OR REPLACE INTO vector_due (kind, item) VALUES ('belief', new.seq);
END;
CREATE TRIGGER vector_of_changed_belief AFTER UPDATE OF text, keywords, status ON belief
WHEN new.text IS NOT old.text OR new.keywords IS NOT old.keywords OR new.status IS NOT old.status BEGIN
    DELETE FROM vector WHERE kind = 'belief' AND item = new.seq;
    INSERT OR REPLACE INTO vector_due (kind, item) VALUES ('belief', new.seq);
END;
CREATE TRIGGER vector_of_gone_belief AFTER DELETE ON belief BEGIN
    DELETE FROM vector WHERE kind = 'belief' AND item = old.seq;
END;
INSERT INTO vector_due (kind, item) SELECT 'belief', seq FROM belief WHERE status = 'active' ORDER BY seq;
