-- What was done has vectors as beliefs do: see 0009.
CREATE TRIGGER vector_of_new_work AFTER INSERT ON work_entry BEGIN
    INSERT OR REPLACE INTO vector_due (kind, item) VALUES (new.kind, new.seq);
END;
CREATE TRIGGER vector_of_changed_work AFTER UPDATE ON work_entry BEGIN
    DELETE FROM vector WHERE kind = old.kind AND item = old.seq;
    INSERT OR REPLACE INTO vector_due (kind, item) VALUES (new.kind, new.seq);
END;
CREATE TRIGGER vector_of_gone_work AFTER DELETE ON work_entry BEGIN
    DELETE FROM vector WHERE kind = old.kind AND item = old.seq;
END;
INSERT OR REPLACE INTO vector_due (kind, item) SELECT kind, seq FROM work_entry ORDER BY seq;
