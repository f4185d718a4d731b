"""Resolves names across the files of a workspace: imports, configuration keys, aliases, and dependencies.
It may import model and code/{languages,syntax}; files are reached only through the functions that a caller hands in.
Begin with `dependencies.dependencies`.
"""
