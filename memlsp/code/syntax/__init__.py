"""Reads source text into symbols with facts and fingerprints: parse, flatten, resolve names, build.

It may import model, `code.languages.detection` and the plain values of `code.workspace`. Begin with `outline.outline`,
then `parser.parse`, `nodes.Nodes` and `symbols.file_symbols`; `language.Language` describes a language to all of them.
"""
