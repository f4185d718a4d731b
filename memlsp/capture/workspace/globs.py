"""Patterns as in a `.gitignore`, without regular expressions: the hook has no time to compile them.

Case is not told apart, and a folder's pattern covers a file of that name too: what is kept out should rather be more.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

_DEEPEST = 64


def covered(patterns: Iterable[str], path: str) -> bool:
    """True when the last pattern that fits `path` (with either slash), or a folder above it, has no `!` before it."""
    parts = [part for part in path.replace("\\", "/").lower().split("/") if part not in {"", "."}][-_DEEPEST:]
    result = False
    for pattern in patterns:
        takes_back = pattern.startswith("!")
        if result == takes_back and _fits(pattern[takes_back:].lower(), parts):
            result = not takes_back
    return result


def _fits(pattern: str, parts: list[str]) -> bool:
    pattern = pattern.rstrip("/")
    if "/" not in pattern:
        return any(like(part, pattern) for part in parts)
    segments = [segment for segment in pattern.split("/") if segment]
    reached = {0}
    for segment in segments:
        if segment == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {place + 1 for place in reached if place < len(parts) and like(parts[place], segment)}
        if not reached:
            return False
    return True


def like(text: str, pattern: str) -> bool:
    """True when one name fits a pattern of `*`, `?` and `[...]`, as a whole. Linear but for what stars repeat."""
    first, last = pattern[:1], pattern[-1:]
    if (first not in "*?[\\" and first != text[:1]) or (last not in "*?]\\" and last != text[-1:]):
        return False  # most of them, for a hook asks thousands of times
    place = at = 0
    star = resume = -1
    while place < len(text):
        length = _sign(pattern, at, text[place]) if at < len(pattern) else 0
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, place
            at += 1
        elif length:
            at += length
            place += 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return not pattern[at:].strip("*")


def _sign(pattern: str, at: int, sign: str) -> int:
    """How long the part of the pattern is that stands for this one sign; 0 when it does not."""
    if pattern[at] == "?":
        return 1
    close = pattern.find("]", at + 2) if pattern[at] == "[" else -1
    if close < 0:
        if pattern[at] == "\\" and at + 1 < len(pattern):
            return 2 if pattern[at + 1] == sign else 0
        return 1 if pattern[at] == sign and sign != "*" else 0
    inside = pattern[at + 1 : close]
    other = inside[:1] in "!^" and len(inside) > 1
    inside = inside[other:]
    found = False
    for number, each in enumerate(inside):
        if each == "-" and 0 < number < len(inside) - 1:
            found = found or inside[number - 1] <= sign <= inside[number + 1]
        else:
            found = found or each == sign
    return close - at + 1 if found != other else 0
