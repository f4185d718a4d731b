"""Observes the world and returns values: files, editors, git and its history, settings, transcripts of agents.

It may import `model`, `code` and `store`, and knows no beliefs. Begin with `workspace.worktree` for code as it is,
`git.lineage` for code as it was, and `redaction.redaction`, which every stored text passes.
"""
