"""Take a memory elsewhere and back: export, vault, backup, restore, import, merge, move. It may import `curation` and
`judging`. Begin with `copies`."""
