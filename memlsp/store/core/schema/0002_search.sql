-- Holds the active beliefs alone, rowid = belief.seq. It keeps its own copy of the text, so that an entry can be taken
-- out exactly as it was put in; with secure-delete nothing of it stays behind in the index.
CREATE VIRTUAL TABLE search USING fts5(said, named, tokenize = 'porter unicode61');
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
INSERT INTO search (search, rank) VALUES ('rank', 'bm25(1.0, 0.5)');
CREATE VIRTUAL TABLE search_words USING fts5vocab(search, 'row');
