"""The SQLite store of a memory, the only package with SQL.

May import the model and the word splitter of `code`. Begin with `store`, which has the file and its transactions, then
`tables/beliefs`.
"""
