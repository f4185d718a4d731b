WITH found AS MATERIALIZED (
    SELECT rowid AS seq, rank AS score FROM {table}
    WHERE {table} MATCH ?1 AND (?2 IS NULL OR +rowid IN (SELECT rowid FROM {table} WHERE {table} MATCH ?2))
)
SELECT {columns} FROM found CROSS JOIN {joined} USING (seq)
WHERE found.score <= coalesce((SELECT score FROM found ORDER BY score LIMIT 1 OFFSET ?3 - 1), 0)
ORDER BY found.score, 4, 2 LIMIT ?3
