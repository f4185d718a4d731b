"""Take events in, keep them durably, and understand them later: changes to symbols, episodes, threads. `hook_ingest`,
`records`, `hook_log` and `start_worker` run inside a hook, so they import nothing that takes time. Begin with `intake`
for what comes in and `ingest` for what is made of it."""
