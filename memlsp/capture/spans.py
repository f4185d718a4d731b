"""Where in a text something is that must not be kept."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from attrs import frozen

_CLASSES = re.compile(r"[a-z]+|[A-Z]+|[0-9]+|[^a-zA-Z0-9]+")

_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@frozen
class Secret:
    """A half-open range of characters, and what sort of secret it is."""

    start: int
    end: int
    kind: str


def merged(secrets: Iterable[Secret]) -> list[Secret]:
    """In order and without overlap: those that touch the same characters become one, of the kind that began first."""
    result: list[Secret] = []
    for secret in sorted(secrets, key=lambda found: (found.start, -found.end)):
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
    total = len(text)
    return -sum(count / total * math.log2(count / total) for count in Counter(text).values()) if total else 0.0
