SELECT due.turn, due.kind, due.item, belief.text, belief.keywords
FROM vector_due AS due JOIN belief ON belief.seq = due.item AND belief.status = 'active'
WHERE due.kind = 'belief'
UNION ALL
SELECT due.turn, due.kind, due.item, work_search.said, work_search.named
FROM vector_due AS due
JOIN work_entry ON work_entry.seq = due.item AND work_entry.kind = due.kind
JOIN work_search ON work_search.rowid = due.item
WHERE due.kind <> 'belief'
ORDER BY 1 DESC LIMIT ?
