SELECT due.turn FROM vector_due AS due
LEFT JOIN belief ON due.kind = 'belief' AND belief.seq = due.item AND belief.status = 'active'
LEFT JOIN work_entry ON work_entry.seq = due.item AND work_entry.kind = due.kind
WHERE belief.seq IS NULL AND work_entry.seq IS NULL
