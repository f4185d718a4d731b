"""Move and copy a memory: export, backup, restore, import, relocation. It may import `curation` and
`judging` of `memory`, and everything below. Begin with `copies`."""
