"""Compiled code and facts of a regular expression, for `pattern_cache` and `detectors` to store.

Uses the private modules of `re`, as they are since Python 3.11; where they differ, it raises ImportError,
AttributeError or TypeError, and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

_SPACELESS = {"CATEGORY_DIGIT", "CATEGORY_WORD"}
_WIDTHLESS = {"ASSERT", "ASSERT_NOT", "AT"}


def code_of(pattern: str, flags: int) -> tuple[int, list[int], int, dict[str, int], tuple[str | None, ...]]:
    """Return what `re.compile` passes to the engine after the pattern: flags, code, number of groups, their names."""
    parsed = parsed_pattern(pattern, flags)
    code: list[int] = import_module("re._compiler")._code(parsed, flags)
    names: dict[str, int] = dict(parsed.state.groupdict)
    by_number: list[str | None] = [None] * int(parsed.state.groups)
    for name, number in names.items():
        by_number[number] = name
    return int(flags | parsed.state.flags), [int(each) for each in code], len(by_number) - 1, names, tuple(by_number)


def parsed_pattern(pattern: str, flags: int) -> Any:
    """Parse a pattern to a sequence of (operation, argument), with its width and state."""
    return import_module("re._parser").parse(pattern, flags)


def fixed_parts(items: Iterable[Any]) -> tuple[str, ...]:
    """Return a set of texts such that every match contains one of them; () when there is none. Of the runs of
    characters and of alternatives, chooses the set whose shortest text is longest."""
    candidates: list[tuple[str, ...]] = []
    run = ""
    for operation, argument in items:
        named = repr(operation)
        if named == "LITERAL":
            run += chr(argument)
            continue
        candidates.append((run,))
        run = ""
        if named == "SUBPATTERN":
            candidates.append(fixed_parts(argument[-1]))
        elif named == "MAX_REPEAT" and argument[0] > 0:
            candidates.append(fixed_parts(argument[2]))
        elif named == "BRANCH":
            branches = [fixed_parts(branch) for branch in argument[1]]
            candidates.append(tuple(part for branch in branches for part in branch) if all(branches) else ())
    useful = [found for found in [*candidates, (run,)] if found and all(found)]
    return max(useful, key=lambda found: min(map(len, found)), default=())


def may_hold_space(items: Iterable[Any]) -> bool:
    """Return False when no match can contain white space, so that every match lies within a word."""
    return any(_holds_space(repr(operation), argument) for operation, argument in items)


def _holds_space(operation: str, argument: Any) -> bool:
    if operation == "LITERAL":
        return chr(argument).isspace()
    if operation == "RANGE":
        return any(chr(number).isspace() for number in range(argument[0], argument[1] + 1))
    if operation == "CATEGORY":
        return repr(argument) not in _SPACELESS
    if operation in {"MAX_REPEAT", "MIN_REPEAT"}:
        return may_hold_space(argument[2])
    if operation == "SUBPATTERN":
        return may_hold_space(argument[-1])
    if operation == "BRANCH":
        return any(may_hold_space(branch) for branch in argument[1])
    return may_hold_space(argument) if operation == "IN" else operation not in _WIDTHLESS
