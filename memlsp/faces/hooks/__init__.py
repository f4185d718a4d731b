"""Agents' hooks: one short process for each event, which stores the event and may give the agent a context. It has 40
ms, so that it imports the standard library's smallest modules, `memlsp.agents` and `memory.ingest` alone. Begin with
`process.py`, then `hook_event.py`, which reads a payload by the agent's dialect."""
