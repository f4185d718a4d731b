"""Move and copy a memory: export, vault, backup, restore, import, merge, relocation. It may import `curation` and
`judging` of `memory`, and everything below. Begin with `copies`."""
