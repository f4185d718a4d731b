-- What texts mean, by one model: derived, and may be emptied at any time.
CREATE TABLE vector (
    model TEXT NOT NULL, -- its name and version: those of another are no use
    kind TEXT NOT NULL, -- belief, episode or commit
    item INTEGER NOT NULL, -- the row that it was made of
    digest BLOB NOT NULL, -- of the text that it was made of
    scale REAL NOT NULL, -- what the numbers are multiplied with
    data BLOB NOT NULL, -- one signed byte for each dimension
    PRIMARY KEY (model, kind, item)
) STRICT, WITHOUT ROWID;
