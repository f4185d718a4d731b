"""Code and paths inside a sentence, so that nothing in them can act on the markdown around them."""

from __future__ import annotations

import re
import unicodedata

_CODE = 40  # characters of one piece of code in a clause
_PLAIN = re.compile(r"-?\d[\d_]*(?:\.\d+)?%?")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9./-]|_(?=[A-Za-z0-9]))*")


def code(text: str, longest: int = _CODE) -> str:
    """`text` in a code span that it cannot break out of, shortened in the middle to `longest` characters."""
    folded = " ".join("".join(_visible(character) for character in text).split()).replace("`", "'")
    if len(folded) > longest:
        ahead = (longest - 1) * 2 // 3
        folded = f"{folded[:ahead].rstrip()}…{folded[len(folded) - (longest - 1 - ahead) :].lstrip()}"
    return f"`{folded}`" if folded else "nothing"


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") else character


def path_text(path: str) -> str:
    """A path as plain text where markdown reads it as such, else in a code span."""
    if len(path) <= 60 and _PLAIN_PATH.fullmatch(path):
        return path
    return code(path, 60)


def value_text(text: str | None) -> str:
    """A value: numbers as they are, everything else in a code span."""
    if text is None:
        return "nothing"
    return text if _PLAIN.fullmatch(text) and len(text) <= 20 else code(text, 32)
