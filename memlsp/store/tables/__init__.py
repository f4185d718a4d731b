"""The repositories and the functions on rows, a module for each group of tables.

May import the model, `store.core` and the search indexes that rows enter in the same transaction. Begin with `beliefs`,
whose functions `belief_repository` makes methods of the store; `journal` and `hook_notes` are on the hook path.
"""
