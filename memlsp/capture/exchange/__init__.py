"""Where the writers of a team leave lines and read those of others: git, PostgreSQL, or a transport of your own.

May import the model, the file lock of `store.core` and the standard library, and does not know what is in a line. Begin
with `exchange`, whose `Exchange` says what a transport has to do.
"""
