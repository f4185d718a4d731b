-- CROSS JOIN keeps the order: the planner would go through all active beliefs for the sake of thirty.
WITH wanted AS (SELECT value ->> 0 AS kind, value ->> 1 AS item FROM json_each(?))
SELECT wanted.kind, wanted.item, belief.id FROM wanted
CROSS JOIN belief ON belief.seq = wanted.item AND belief.status = 'active' WHERE wanted.kind = 'belief'
UNION ALL
SELECT wanted.kind, wanted.item, work_entry.id FROM wanted
CROSS JOIN work_entry ON work_entry.seq = wanted.item AND work_entry.kind = wanted.kind
WHERE wanted.kind <> 'belief'
