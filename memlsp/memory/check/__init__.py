"""Judges what a repository says of itself: the sentences of AGENTS.md, of rules, guides and READMEs.

It needs git and no store, and may import beliefs and everything below. Begin with `repository_check.py`, which says
what is held against what.
"""
