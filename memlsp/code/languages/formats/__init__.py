"""Describes configuration and document formats, whose keys, stages and headings are symbols.

It may import the other modules of `code.languages` and `code.syntax`. Begin with `json_files.py`, the smallest.
"""
