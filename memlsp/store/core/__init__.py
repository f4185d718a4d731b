"""The file of a store: opening, migrating and locking it, the spool beside it, and translating values to columns.

May import the model; the modules of the hook path (`hook_connection`, `spool`, `file_handles`) import nothing slow.
Begin with `store_file`, then `transactions`, on which every repository is built.
"""
