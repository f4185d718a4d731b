"""Where in a text something is that must not be kept."""

from __future__ import annotations

from memlsp.capture.redaction.compiled_patterns import DOORWAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_CLASSES = DOORWAY.pattern(r"[a-z]+|[A-Z]+|[0-9]+|[^a-zA-Z0-9]+")
_LETTER = DOORWAY.pattern(r"[^\W\d_]")
_DIGIT = DOORWAY.pattern(r"\d")
_WORDS = DOORWAY.pattern(r"[A-Z]?[a-z]+|[A-Z]+")


class Secret:
    """A half-open range of characters, and what sort of secret it is."""

    __slots__ = ("end", "kind", "start")

    def __init__(self, start: int, end: int, kind: str) -> None:
        self.start = start
        self.end = end
        self.kind = kind

    def __repr__(self) -> str:
        return f"Secret({self.start}, {self.end}, {self.kind!r})"


def fold(text: str) -> str:
    """In lower case, and with what a pattern that ignores case takes for an `s` or an `i`: to ask whether a word is in
    the text at all. Not always as long as `text`."""
    lowered = text.lower()
    return lowered if lowered.isascii() else lowered.replace("\u017f", "s").replace("\u0131", "i")


def merged(secrets: Iterable[Secret]) -> list[Secret]:
    """In order and without overlap: those that touch the same characters become one, of the kind that began first."""
    result: list[Secret] = []
    for secret in sorted(secrets, key=lambda found: (found.start, -found.end, found.kind == "generated")):
        if result and secret.start < result[-1].end:
            last = result[-1]
            result[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        elif secret.end > secret.start:
            result.append(secret)
    return result


def is_mixed(text: str) -> bool:
    """True when letters and digits stand together."""
    return _LETTER.search(text) is not None and _DIGIT.search(text) is not None


def looks_random(text: str, least: int = 12) -> bool:
    """True for what a generator made: long, letters and digits in many turns, few repetitions."""
    if len(text) < least or not is_mixed(text):
        return False
    words = _WORDS.findall(text[:256])
    readable = sum(map(len, words)) / len(words) >= 4.5 if words else False  # a long name in camel case
    return not readable and len(_CLASSES.findall(text[:256])) >= 5 and entropy(text[:256]) > 3.0


def entropy(text: str) -> float:
    """Shannon's, in bits per character."""
    from math import log2  # late: a library of its own

    total = len(text)
    shares = [text.count(sign) / total for sign in set(text)]
    return -sum(share * log2(share) for share in sorted(shares))
