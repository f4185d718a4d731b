"""Splits identifiers into words."""

from __future__ import annotations

import re
from functools import lru_cache

# A run of capitals before a word (HTTPServer), a word, a run of capitals, a number, or letters that have no case.
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=65536)
def words(name: str) -> tuple[str, ...]:
    """The lower-case words of an identifier in any convention: `fetchUserById` gives fetch, user, by, id."""
    return tuple(word.lower() for word in _WORD.findall(name))
