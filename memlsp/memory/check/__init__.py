"""Judges what a repository says of itself: the sentences of AGENTS.md, of rules, guides and READMEs."""
