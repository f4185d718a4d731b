"""Data files of redaction: word lists that tell secrets from other names and values, and the table of token shapes."""

from __future__ import annotations

import os


def _text(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def read_table(name: str) -> list[list[str]]:
    """Return the rows of a data file, split at spaces, without comments."""
    return [line.split() for line in _text(name).splitlines() if not line.startswith("#")]


_SECTIONS = (section.partition("]\n") for section in _text("vocabulary.txt").split("\n[")[1:])
_LISTS = {name: words.split() for name, _, words in _SECTIONS}

SECRET_ENDINGS = {word: kind for kind, _, word in (each.partition(":") for each in _LISTS["SECRET_ENDINGS"])}
"""Ends of words (names are run together: `pgpassword`) with the kind of secret that each makes, in a fixed order."""
KEY_OWNERS = frozenset(_LISTS["KEY_OWNERS"])
"""Words before `key` that make it a secret."""
PASS_OWNERS = frozenset(_LISTS["PASS_OWNERS"])
"""Words before `pass` that make it a password."""
HARMLESS_LAST = frozenset(_LISTS["HARMLESS_LAST"])
"""Last words of a name that is about a secret without holding one."""
HARMLESS_BEFORE = frozenset(_LISTS["HARMLESS_BEFORE"])
"""First words of a name for a piece of text, a cursor or a signal."""
PLAIN_VALUES = frozenset(_LISTS["PLAIN_VALUES"])
"""Values written instead of a secret."""
DESCRIBING = frozenset(_LISTS["DESCRIBING"])
"""Values that describe a secret."""
TYPES = frozenset(_LISTS["TYPES"])
"""Names of types."""
PROSE = frozenset(_LISTS["PROSE"])
"""Words that show that a text is a sentence, not a passphrase."""
