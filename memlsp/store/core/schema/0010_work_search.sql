-- Commits that were read and episodes, as search finds them. It keeps its own copy of the text.
CREATE VIRTUAL TABLE work_search USING fts5(said, named, tokenize = 'porter unicode61');
INSERT INTO work_search (work_search, rank) VALUES ('secure-delete', 1);
INSERT INTO work_search (work_search, rank) VALUES ('rank', 'bm25(1.0, 0.5)');
CREATE VIRTUAL TABLE work_search_words USING fts5vocab(work_search, 'row');
-- which row of the index is which
CREATE TABLE work_entry (
    seq INTEGER PRIMARY KEY, -- rowid in work_search
    kind TEXT NOT NULL, -- commit or episode
    id TEXT NOT NULL, -- hash or id
    digest BLOB NOT NULL, -- of the texts, so that an episode that says the same is not written again
    UNIQUE (kind, id)
) STRICT;
-- symbols by the last part of their name, as a question names them
CREATE INDEX past_symbol_by_simple ON past_symbol (lower(substr(name, length(rtrim(name, replace(name, '.', ''))) + 1)));
