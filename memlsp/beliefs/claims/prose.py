"""Splits prose: the parts written as code or quoted, and the clauses."""

from __future__ import annotations

import re
from itertools import pairwise

from attrs import frozen

from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)
BACKTICKED = re.compile(r"`([^`\n]+)`")
SETTING = re.compile(r"(?<![\w./@-])(?P<name>[^\W\d]\w*)=(?P<value>[^\s,;`'\"]+|'[^']*'|\"[^\"]*\")")
IDENTIFIER = re.compile(r"^@?[^\W\d]\w*!?(?:(?:\.|::|#|->)[^\W\d]\w*!?)*$")
URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+")

PATH = _RE["path"]
COMMAND = _RE["command"]


@frozen
class CodeSpan:
    """A stretch written as code, or quoted, before its role is known."""

    text: str
    start: int
    end: int
    value: str | None = None
    quoted: bool = False


def codelike(text: str) -> tuple[list[CodeSpan], str]:
    """The stretches written as code or quoted, and the text with those blanked (offsets stay)."""
    found: list[CodeSpan] = []
    masked = text

    def blank(start: int, end: int) -> None:
        nonlocal masked
        masked = masked[:start] + "\x01" * (end - start) + masked[end:]

    for url in URL.finditer(text):
        blank(*url.span())
    for tick in BACKTICKED.finditer(text):
        inner, start = tick[1].strip(), tick.start(1)
        if not (COMMAND.fullmatch(inner) or ("/" in inner and PATH.fullmatch(inner))):
            found.extend(_in_backticks(inner, start))
        blank(*tick.span())
    for quote in _RE["quoted"].finditer(masked):
        content = next(group for group in quote.groups() if group is not None)
        if "\x01" not in content:
            found.append(CodeSpan(content, quote.start(), quote.end(), quoted=True))
            blank(*quote.span())
    for pattern in (SETTING, _RE["codelike"]):
        for code in list(pattern.finditer(masked)):
            name, _, value = code[0].partition("=")
            found.append(CodeSpan(name.removesuffix("()").lstrip("@"), code.start(), code.end(), value or None))
            blank(*code.span())
    found.sort(key=lambda m: m.start)
    return found, masked


def _in_backticks(inner: str, start: int) -> list[CodeSpan]:
    end = start + len(inner)
    if len(inner) >= 2 and inner[0] in "'\"" and inner[-1] == inner[0]:
        return [CodeSpan(inner[1:-1], start, end, quoted=True)]
    setting = SETTING.fullmatch(inner)
    if setting:
        return [CodeSpan(setting["name"], start, end, setting["value"])]
    plain = re.sub(r"\(.*\)$", "", inner).lstrip("@#")
    if IDENTIFIER.match(plain):
        return [CodeSpan(plain, start, end)]
    # Anything else in backticks is an expression: its names and settings count.
    settings = _RE["assigned"].finditer(inner)
    inside = [CodeSpan(m["name"], start + m.start(), start + m.end(), m["value"]) for m in settings]
    taken = [(m.start, m.end) for m in inside]
    for name in re.finditer(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*", inner):
        at = start + name.start()
        if not any(s <= at < e for s, e in taken) and len(name[0]) > 1:
            inside.append(CodeSpan(name[0], at, at + len(name[0])))
    return inside


def clause_spans(masked: str) -> list[tuple[int, int]]:
    """The clauses of the prose, as offsets; a denial ends with its clause. A comma in a list of names ends none."""
    cuts = [0]
    for found in _RE["clause_break"].finditer(masked):
        if found[0] == "," and re.match(r"\s*\x01+\s*(?:,|or\b|and\b|nor\b|[.;]|$)", masked[found.end() :]):
            continue
        cuts.append(found.end() if found[0] in ",;:\n" or found[0][0] in ".!?" else found.start())
    cuts.append(len(masked))
    return [(a, b) for a, b in pairwise(cuts) if b > a]
