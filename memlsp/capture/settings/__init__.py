"""Settings and switches: what is captured, redacted and limited in a workspace.

The room may import `memlsp.store.core` for private files and locks. Begin with `settings`, then `schema`, which has
every setting of `config.toml`.
"""
