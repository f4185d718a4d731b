SELECT {columns} FROM (
    SELECT rowid AS seq, rank AS score FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT ?
) AS found
JOIN {joined} USING (seq) ORDER BY found.score, 4, 2 LIMIT ?
