"""Compares two states of code: which symbol became which, what changed in it, and one plain sentence for a person.
It may import model and code/{languages,syntax,workspace}; it works on texts and symbols, never on files or git.
Begin with `change_set.diff`, then `comparison.compare` for one symbol and `sentences.sentence` for its words.
"""
