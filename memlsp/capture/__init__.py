"""The world as values: identity, files, git, the watcher, and the redaction in the doorway."""
