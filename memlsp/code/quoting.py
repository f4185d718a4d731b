"""Code and paths inside a sentence, so that nothing in them can act on the markdown around them."""

from __future__ import annotations

import re
import unicodedata

_VALUE = 32
_CODE = 40  # characters of one piece of code in a clause
_CUT_MARK = re.compile(r"… ?[0-9a-f]{16}$")  # facts that were cut end with a digest of the whole
_PLAIN = re.compile(r"-?\d[\d_]*(?:\.\d+)?%?")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9./-]|_(?=[A-Za-z0-9]))*")


def code(text: str, longest: int = _CODE) -> str:
    """`text` in a code span that it cannot break out of, shortened in the middle to `longest` characters."""
    folded = " ".join("".join(_visible(character) for character in text).split()).replace("`", "'")
    folded = _CUT_MARK.sub("…", folded)
    if len(folded) > longest:
        ahead = (longest - 1) * 2 // 3
        folded = f"{folded[:ahead].rstrip()}…{folded[len(folded) - (longest - 1 - ahead) :].lstrip()}"
    return f"`{folded}`" if folded else "nothing"


def code_pair(old: str, new: str, longest: int = _CODE) -> tuple[str, str]:
    """Two versions of one piece of code in code spans, shortened where they are equal so that the difference shows."""
    left, right = code(old, 10_000), code(new, 10_000)
    if max(len(left), len(right)) - 2 <= longest or "`" not in (left[0], right[0]):
        return code(old, longest), code(new, longest)
    left, right = left.strip("`"), right.strip("`")
    ahead = _common(left, right)
    behind = _common(left[ahead:][::-1], right[ahead:][::-1])
    spare = max(6, (longest - max(len(left), len(right)) + ahead + behind) // 2)
    start = max(0, ahead - spare)
    end = max(0, behind - spare)
    return _window(left, start, end, longest), _window(right, start, end, longest)


def _common(left: str, right: str) -> int:
    """How many characters two texts begin with in common."""
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return index
    return min(len(left), len(right))


def _window(text: str, start: int, end: int, longest: int) -> str:
    shown = text[start : len(text) - end]
    return code(f"{'…' if start else ''}{shown}{'…' if end else ''}", longest)


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


def value_pair(old: str, new: str) -> tuple[str, str]:
    """Two values: numbers as they are, everything else in code spans that show where they differ."""
    plain_old, plain_new = value_text(old), value_text(new)
    if "`" not in (plain_old[0], plain_new[0]) or plain_old[0] != plain_new[0]:
        return plain_old, plain_new
    return code_pair(old, new, _VALUE)


def value_text(text: str | None) -> str:
    """A value: numbers as they are, everything else in a code span."""
    if text is None:
        return "nothing"
    return text if _PLAIN.fullmatch(text) and len(text) <= 20 else code(text, _VALUE)
