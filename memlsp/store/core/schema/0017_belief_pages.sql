-- lists are read in this index, whatever they are limited by, and then only the rows that they show
DROP INDEX belief_by_age;
CREATE INDEX belief_by_age ON belief (status, created_at DESC, id, kind, scope, author);
