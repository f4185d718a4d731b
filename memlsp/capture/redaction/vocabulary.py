"""Data files of redaction: word lists that tell secrets from other names and values, the table of token shapes, and the
regular expressions. `memlsp.code.vocabulary` reads such files of other modules, but with what takes a hook too long."""

from __future__ import annotations

import os

from memlsp.capture.redaction.pattern_cache import PATTERNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def _text(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def read_table(name: str) -> list[list[str]]:
    """Return the rows of a data file, split at spaces, without comments."""
    return [line.split() for line in _text(name).splitlines() if not line.startswith("#")]


def _sections(name: str) -> dict[str, str]:
    sections = (section.partition("]\n") for section in _text(name).split("\n[")[1:])
    return {head: rest for head, _, rest in sections}


def read_patterns(section: str) -> dict[str, re.Pattern[str]]:
    """Return the regular expressions of a section of `patterns.txt` by their names, each compiled at its first use."""
    texts: dict[str, str] = {}
    name = ""
    for line in _PATTERNS[section].splitlines():
        if line.startswith(" "):
            texts[name] += line.strip()
        elif line and not line.startswith("#"):
            name, _, text = line.partition(" =")
            texts[name] = text.strip()
    for name, text in texts.items():
        for earlier in texts if "<<" in text else ():
            texts[name] = texts[name].replace(f"<<{earlier}>>", texts[earlier])
    return {name: PATTERNS.pattern(text) for name, text in texts.items() if not name.startswith("_")}


_PATTERNS = _sections("patterns.txt")
_LISTS = {name: words.split() for name, words in _sections("vocabulary.txt").items()}

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
