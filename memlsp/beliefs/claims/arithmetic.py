"""Recognises sums with the same value: `60 * 60` is 3600, `4 * 5` is 20.

Only where whole numbers alone stand between two things that end an expression, so that no operator around them binds
closer, and only with operators that have one result in every language.
"""

from __future__ import annotations

import re

from memlsp.beliefs.claims.quantities import converted
from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)
_LARGEST = 1 << 63
_MOST_SHIFTED = 62


def folded(text: str) -> str:
    """The text with every sum of whole numbers replaced by its value; quoted texts stay as they are."""
    text = converted(text)
    if not any(sign in text for sign in "*+-<"):
        return text

    def fold(found: re.Match[str]) -> str:
        if found["string"] is not None:
            return found[0]
        value = _value(found["sum"])
        return found[0] if value is None else f"{found['before']}{value}"

    return _RE["sum"].sub(fold, _RE["inner"].sub(fold, text))


def joined_strings(text: str) -> str:
    """The text with plain strings that are added to one another as one."""
    before = ""
    while before != text:
        before, text = text, _RE["joined"].sub(r"\g<quote>\g<left>\g<right>\g<quote>", text)
    return text


def same_value(old: str | None, new: str | None) -> bool:
    """True when two texts differ in how they write whole numbers or split strings, and in nothing else."""
    if old is None or new is None:
        return old == new
    return _plain(folded(joined_strings(old))) == _plain(folded(joined_strings(new)))


def _plain(text: str) -> str:
    """The text without its layout; blanks inside of a string are a part of the value."""
    return _RE["string_or_blanks"].sub(lambda found: _RE["escaped"].sub(_unescaped, found["string"] or ""), text)


def _unescaped(found: re.Match[str]) -> str:
    """The character of an escape, unless it is a quote or a backslash."""
    code = found[1] or found[2] or found[3]
    sign = "\t" if code is None else chr(min(int(code, 16), 0x10FFFF))
    return found[0] if sign in "'\"`\\\n" else sign


def _value(text: str) -> int | None:
    """None for a sum that is too large, negative, or mixes operators whose order differs between languages."""
    pieces = _RE["piece"].findall(text)
    numbers = [int(piece.replace("_", ""), 16 if piece[:2].lower() == "0x" else 10) for piece in pieces[::2]]
    signs = pieces[1::2]
    if any(piece[0] == "0" and piece.isdigit() and len(piece) > 1 for piece in pieces[::2]):
        return None  # octal in some languages
    if ("**" in signs or "<<" in signs) and len(signs) > 1:
        return None
    terms, sign = [numbers[0]], 1
    for operator, number in zip(signs, numbers[1:], strict=True):
        if operator in {"**", "<<"}:
            if number > _MOST_SHIFTED:
                return None
            terms[-1] = terms[-1] ** number if operator == "**" else terms[-1] << number
        elif operator == "*":
            terms[-1] *= number
        else:
            sign = 1 if operator == "+" else -1
            terms.append(sign * number)
    total = sum(terms)
    return total if 0 <= total < _LARGEST else None
