"""Recognises sums with the same value: `60 * 60` is 3600, `4 * 5` is 20.

Only where whole numbers alone stand between two things that end an expression, so that no operator around them binds
closer, and only with operators that have one result in every language.
"""

from __future__ import annotations

import re

from memlsp.beliefs.claims.quantities import converted

_STRING = r"(?P<string>\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"
_NUMBER = r"(?:0[xX][0-9a-fA-F_]+|\d[\d_]*)"
_SUM = re.compile(
    rf"{_STRING}"
    rf"|(?P<before>(?:^|[=(,\[{{:;<>?]|\breturn|\byield|=>|->)\s*)"
    rf"(?P<sum>{_NUMBER}(?:\s*(?:\*\*|<<|[*+-])\s*{_NUMBER})+)"
    r"(?=\s*(?:$|[),\]}:;#<>=?]|\n))",
    re.DOTALL | re.MULTILINE,
)
_INNER = re.compile(
    rf"{_STRING}|(?P<before>[*+=(,-]\s*)\(\s*(?P<sum>{_NUMBER}(?:\s*(?:\*\*|<<|[*+-])\s*{_NUMBER})+)\s*\)", re.DOTALL
)
_PIECE = re.compile(rf"{_NUMBER}|\*\*|<<|[*+-]")
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

    return _SUM.sub(fold, _INNER.sub(fold, text))


_JOINED = re.compile(
    r"(?<![*%\w'\"])(?P<quote>['\"])(?P<left>(?:\\.|(?!(?P=quote))[^\\\n{$#])*)(?P=quote)\s*(?:\+|\.(?!\w))\s*"
    r"(?P=quote)(?P<right>(?:\\.|(?!(?P=quote))[^\\\n{$#])*)(?P=quote)(?!\s*[.%*\[]\s*\w)"
)


def joined_strings(text: str) -> str:
    """The text with plain strings that are added to one another as one."""
    before = ""
    while before != text:
        before, text = text, _JOINED.sub(r"\g<quote>\g<left>\g<right>\g<quote>", text)
    return text


def same_value(old: str | None, new: str | None) -> bool:
    """True when two texts differ in how they write whole numbers or split strings, and in nothing else."""
    if old is None or new is None:
        return old == new
    return _plain(folded(joined_strings(old))) == _plain(folded(joined_strings(new)))


_STRING_OR_BLANKS = re.compile(rf"{_STRING}|\s+", re.DOTALL)


def _plain(text: str) -> str:
    """The text without its layout; blanks inside of a string are a part of the value."""
    return _STRING_OR_BLANKS.sub(lambda found: _ESCAPED.sub(_unescaped, found["string"] or ""), text)


_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]{1,6})\}|\\(t)")


def _unescaped(found: re.Match[str]) -> str:
    """The character of an escape, unless it is a quote or a backslash."""
    code = found[1] or found[2] or found[3]
    sign = "\t" if code is None else chr(min(int(code, 16), 0x10FFFF))
    return found[0] if sign in "'\"`\\\n" else sign


def _value(text: str) -> int | None:
    """None for a sum that is too large, negative, or mixes operators whose order differs between languages."""
    pieces = _PIECE.findall(text)
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
