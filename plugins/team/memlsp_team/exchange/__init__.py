"""Where the writers of a team leave lines and read those of others: git, PostgreSQL, or a transport of your own.

May import the model, the file lock of `store.core`, psycopg (late) and the standard library. Begin with `exchange`:
its `Exchange` says what a transport has to do.
"""
