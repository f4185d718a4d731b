"""The past of symbols: commits read into episodes, and the walk from a symbol back to its birth.

May import the model, `code`, the store and `capture.git`. Begin with `past` for the history of one symbol, and with
`commits` for the episode of one commit, which `history_reader` reads in processes of its own.
"""
