"""Answers a question with ranked, explained beliefs and work within a token budget; nothing here writes to a store.
It may import model, code, store and capture. Begin with `search.recall`, then `work_search` for commits and episodes.
"""
