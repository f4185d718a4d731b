"""Reads from a statement the acts that it speaks of: the commands and edits before which it is told.

Statements become clauses when they are written; a hook holds an act against them. `clause` and `commands` are read by
hooks and import nothing. Begin reading in statements.py (`clauses_of`).
"""
