"""Describes the languages of the `languages` extra by tag queries alone. It may import `code.syntax` and the size limit
of `formats`. Begin with `descriptions.pack_language`."""
