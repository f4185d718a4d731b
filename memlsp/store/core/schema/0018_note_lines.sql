-- An edit is told what is said of the symbols that it touches. Notes are derived: they are made again, with their lines.
DELETE FROM note;
DELETE FROM noted;
ALTER TABLE note ADD COLUMN first INTEGER NOT NULL DEFAULT 0; -- lines of the symbol, from 1; 0 for the whole file
ALTER TABLE note ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
