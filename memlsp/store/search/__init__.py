"""Full-text search over beliefs and past work, with SQLite's FTS5.

May import the model, `store.core`, and the tables whose rows are indexed. Begin with `query`, then `index`, which
defines the searched text of a belief.
"""
