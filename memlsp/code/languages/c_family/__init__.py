"""Describes C and C++, with the conditionals and macros of the preprocessor that C# shares in part.

It may import the other modules of `code.languages`, `code.syntax` and the paths of `code.workspace`. Begin with `c.py`;
`preprocessor.shown` covers what the parser of C and C++ cannot read.
"""
