"""Places of secrets in a text, and tests for text that looks generated."""

from __future__ import annotations

from memlsp.capture.redaction.pattern_cache import PATTERNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_CLASSES = PATTERNS.pattern(r"[a-z]+|[A-Z]+|[0-9]+|[^a-zA-Z0-9]+")
_LETTER = PATTERNS.pattern(r"[^\W\d_]")
_DIGIT = PATTERNS.pattern(r"\d")
_WORDS = PATTERNS.pattern(r"[A-Z]?[a-z]+|[A-Z]+")


class Secret:
    """A half-open range of characters and the kind of secret in it."""

    __slots__ = ("end", "kind", "start")

    def __init__(self, start: int, end: int, kind: str) -> None:
        self.start = start
        self.end = end
        self.kind = kind


def fold(text: str) -> str:
    """Return the text in lower case, with the letters that `re.IGNORECASE` takes for `s` or `i` replaced, so that `in`
    finds what a pattern would. The length may differ."""
    lowered = text.lower()
    return lowered if lowered.isascii() else lowered.replace("\u017f", "s").replace("\u0131", "i")


def merged(secrets: Iterable[Secret]) -> list[Secret]:
    """Sort secrets and join those that overlap; the first one's kind counts."""
    result: list[Secret] = []
    for secret in sorted(secrets, key=lambda found: (found.start, -found.end, found.kind == "generated")):
        if result and secret.start < result[-1].end:
            last = result[-1]
            result[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        elif secret.end > secret.start:
            result.append(secret)
    return result


def is_mixed(text: str) -> bool:
    """Return True for text with both letters and digits."""
    return _LETTER.search(text) is not None and _DIGIT.search(text) is not None


def looks_random(text: str, least: int = 12) -> bool:
    """Return True for text that looks generated: long, letters and digits in many turns, few repetitions."""
    if len(text) < least or not is_mixed(text):
        return False
    words = _WORDS.findall(text[:256])
    readable = sum(map(len, words)) / len(words) >= 4.5 if words else False  # a long name in camel case
    return not readable and len(_CLASSES.findall(text[:256])) >= 5 and entropy(text[:256]) > 3.0


def entropy(text: str) -> float:
    """Return Shannon's entropy in bits per character."""
    from math import log2  # late: an extension module

    total = len(text)
    shares = [text.count(sign) / total for sign in set(text)]
    return -sum(share * log2(share) for share in sorted(shares))
