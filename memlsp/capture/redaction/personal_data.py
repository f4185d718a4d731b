"""Personal data: e-mail addresses, telephone numbers and payment cards, each redacted only where a setting says so.

Off by default: a repository's history is full of addresses, and tests are full of card numbers.
"""

from __future__ import annotations

from memlsp.capture.redaction.spans import Secret
from memlsp.capture.redaction.vocabulary import read_patterns

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_RE = read_patterns("personal_data")
_ROBOTS = ("git", "noreply", "no-reply", "root", "hg", "svn")


def personal_data(text: str, kinds: Sequence[str]) -> Iterator[Secret]:
    """Yield personal data of these kinds (`email`, `phone`, `card`), unordered."""
    for kind, find in (("email", _emails), ("card", _cards), ("phone", _phones)):
        if kind in kinds:
            yield from (Secret(start, end, kind) for start, end in find(text))


def _emails(text: str) -> Iterator[tuple[int, int]]:
    for found in _RE["email"].finditer(text) if "@" in text else ():
        if found[0].partition("@")[0].lower() not in _ROBOTS:
            yield found.span()


def _cards(text: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in _RE["card"].finditer(text) if _is_card("".join(filter(str.isdigit, found[0]))))


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for found in (*_RE["international"].finditer(text), *_RE["american"].finditer(text)):
        number = found[0].rstrip(" ()./-")
        end = found.start() + len(number)
        if 8 <= sum(map(str.isdigit, number)) <= 15 and not text[end : end + 1].isalnum():
            yield found.start(), end
    for found in _RE["after_word"].finditer(text):
        if 6 <= sum(map(str.isdigit, found["number"])) <= 15:
            yield found.span("number")


def _is_card(digits: str) -> bool:
    """Return True for a number with an issuer's prefix (ISO/IEC 7812) and a correct check digit (Luhn)."""
    four, length = int(digits[:4]), len(digits)
    issued = (
        (digits[0] == "4" and length in {13, 16, 19})
        or ((5100 <= four <= 5599 or 2221 <= four <= 2720) and length == 16)
        or (digits[:2] in {"34", "37"} and length == 15)
        or (digits[:2] in {"36", "38"} and length == 14)
        or ((four == 6011 or 6440 <= four <= 6599 or 3528 <= four <= 3589 or digits[:2] == "62") and 16 <= length <= 19)
    )
    if not issued or len(set(digits)) < 2:
        return False
    total = sum(
        int(digit) if place % 2 else sum(divmod(2 * int(digit), 10)) for place, digit in enumerate(digits[::-1], 1)
    )
    return total % 10 == 0
