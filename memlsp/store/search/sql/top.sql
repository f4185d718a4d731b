SELECT {columns}, found.held
FROM (
    SELECT rowid AS seq, rank AS score, phrases_in({table}) AS held
    FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?
) AS found
JOIN {joined} USING (seq) ORDER BY found.score
