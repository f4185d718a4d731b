WITH found AS MATERIALIZED (SELECT rowid AS seq, rank AS score FROM {table} WHERE {table} MATCH ?)
SELECT {columns}, NULL
FROM found CROSS JOIN {joined} USING (seq) WHERE found.score <= ?
ORDER BY found.score, 4, 2 LIMIT ?
