"""Personal data: e-mail addresses, telephone numbers and payment cards, each taken out only where a setting says so.

Off by default: a repository's history is full of addresses, and what a test does with a card's number is no secret.
"""

from __future__ import annotations

from memlsp.capture.redaction.compiled_patterns import DOORWAY
from memlsp.capture.redaction.spans import Secret

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EMAIL = DOORWAY.pattern(
    r"(?<![\w.%+/@-])[A-Za-z0-9][\w.%+-]{0,63}+@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w@:/-])"
)
_INTERNATIONAL = DOORWAY.pattern(r"(?<![\w+.])(?:\+[1-9]|00[1-9][0-9]{0,2}[ ./(-])[0-9 ()./-]{6,24}")
_AMERICAN = DOORWAY.pattern(
    r"(?<![\w.+-])(?:1[-. ])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[-. ])[2-9][0-9]{2}[-. ][0-9]{4}(?![\w.-])"
)
_SAID = DOORWAY.pattern(
    r"(?i)\b(?:tel(?:ephone|efon)?|phone|mobile|cell|fax|handy|call|dial)\b"
    r"(?:[ .:#/-]|\b(?:me|us|at|is|no|nr|number|on)\b){0,8}(?P<number>\(?[0-9][0-9 ()./-]{5,20}[0-9])"
)
_CARD = DOORWAY.pattern(
    r"(?<![\w.+#-])[2-6][0-9]{3}"
    r"(?:[0-9]{9,15}|(?:[ -][0-9]{4}){3}(?:[ -]?[0-9]{1,3})?|[ -][0-9]{6}[ -][0-9]{4,5})(?![\w-])"
)
_ROBOTS = ("git", "noreply", "no-reply", "root", "hg", "svn")


def personal_data(text: str, kinds: Sequence[str]) -> Iterator[Secret]:
    """What `kinds` (`email`, `phone`, `card`) names, not in order."""
    if "email" in kinds and "@" in text:
        for found in _EMAIL.finditer(text):
            if found[0].partition("@")[0].lower() not in _ROBOTS:
                yield Secret(*found.span(), "email")
    if "card" in kinds:
        for found in _CARD.finditer(text):
            if _is_card("".join(filter(str.isdigit, found[0]))):
                yield Secret(*found.span(), "card")
    if "phone" in kinds:
        for pattern in (_INTERNATIONAL, _AMERICAN):
            for found in pattern.finditer(text):
                number = found[0].rstrip(" ()./-")
                end = found.start() + len(number)
                if 8 <= sum(map(str.isdigit, number)) <= 15 and not text[end : end + 1].isalnum():
                    yield Secret(found.start(), end, "phone")
        for found in _SAID.finditer(text):
            if 6 <= sum(map(str.isdigit, found["number"])) <= 15:
                yield Secret(*found.span("number"), "phone")


def _is_card(digits: str) -> bool:
    """True for a number that an issuer could have given (ISO/IEC 7812) and whose last digit is right (Luhn)."""
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
