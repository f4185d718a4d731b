"""Patterns as in a `.gitignore`, matched without regular expressions, which a hook has no time to compile.

Matching ignores case, and a pattern for a folder also matches a file of that name: rather ignore too much than too
little.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

_DEEPEST = 64


def matches(patterns: Iterable[str], path: str) -> bool:
    """Return True when the last pattern that matches `path` (with either slash) or a folder above it has no `!`."""
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
        return any(matches_name(part, pattern) for part in parts)
    segments = [segment for segment in pattern.split("/") if segment]
    reached = {0}
    for segment in segments:
        if segment == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {place + 1 for place in reached if place < len(parts) and matches_name(parts[place], segment)}
        if not reached:
            return False
    return True


def matches_name(text: str, pattern: str) -> bool:
    """Match a whole name against a pattern of `*`, `?` and `[...]`. Linear except for backtracking to the last `*`."""
    first, last = pattern[:1], pattern[-1:]
    if (first not in "*?[\\" and first != text[:1]) or (last not in "*?]\\" and last != text[-1:]):
        return False  # most names, cheaply: a hook asks thousands of times
    place = at = 0
    star = resume = -1
    while place < len(text):
        length = _element_length(pattern, at, text[place]) if at < len(pattern) else 0
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


def _element_length(pattern: str, at: int, letter: str) -> int:
    """Return the length of the pattern element at `at` if it matches this one character, else 0."""
    if pattern[at] == "?":
        return 1
    close = pattern.find("]", at + 2) if pattern[at] == "[" else -1
    if close < 0:
        if pattern[at] == "\\" and at + 1 < len(pattern):
            return 2 if pattern[at + 1] == letter else 0
        return 1 if pattern[at] == letter and letter != "*" else 0
    inside = pattern[at + 1 : close]
    other = inside[:1] in "!^" and len(inside) > 1
    inside = inside[other:]
    found = False
    for number, each in enumerate(inside):
        if each == "-" and 0 < number < len(inside) - 1:
            found = found or inside[number - 1] <= letter <= inside[number + 1]
        else:
            found = found or each == letter
    return close - at + 1 if found != other else 0
