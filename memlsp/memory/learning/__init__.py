"""Find statements that exist already (documents, comments, commits, prompts, other programs) and keep them as
proposals; read the git history. It may import `curation`, `ingest` and `judging`. Begin with `proposals`."""
