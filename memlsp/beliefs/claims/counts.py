"""Counts the entries of lists, tuples, sets and tables, for statements such as "three zones"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.claims.case import Case, Loss
from memlsp.beliefs.claims.claims import Amount
from memlsp.beliefs.claims.stems import any_form
from memlsp.beliefs.claims.symbol_state import name_stems, simple
from memlsp.model.change import Detail, DetailKind

_VALUED = frozenset({DetailKind.VALUE, DetailKind.DEPENDENCY, DetailKind.BODY, DetailKind.LITERAL, DetailKind.DEFAULT})
_CUT = 155  # a printed value that is longer may lack its end
_LEAST = 2  # one entry is no list that somebody counts
_OPENING, _CLOSING = "([{", ")]}"
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
_MAKER = re.compile(
    r"(?:^|[\s.:=])(?:list|tuple|set|frozenset|dict|of|asList|ofEntries|Set|Map|Array|listOf|setOf|mapOf|arrayOf|from"
    r"|vec\s*!|array|freeze|unmodifiableList|unmodifiableSet|OrderedDict)\s*$"
)


def wrong_counts(case: Case) -> Iterator[Loss]:
    """Numbers of the statement that matched a collection's size before the change and no longer do."""
    amounts = [a for a in case.claims.amounts if a.quantity.unit is None and not a.denied and not a.comparison]
    if not amounts:
        return
    for name, had, has, detail in _counts(case):
        if had is None or has is None or had == has:
            continue
        for amount in amounts:
            if amount.quantity.number == had and (name in case.subject or _is_meant(amount, name)):
                yield Loss(amount.quantity.text, detail)


def _counts(case: Case) -> Iterator[tuple[str, int | None, int | None, Detail]]:
    for detail in case.details:
        if detail.kind not in _VALUED:
            continue
        if not detail.old or not detail.new:
            continue
        if max(len(detail.old), len(detail.new)) < _CUT:
            yield simple(detail.name), entries(detail.old), entries(detail.new), detail
        elif detail.kind is DetailKind.VALUE and detail.name in case.subject:
            yield detail.name, len(case.old.facts.literals), len(case.new.facts.literals), detail


def _is_meant(amount: Amount, name: str) -> bool:
    own = name_stems(name)
    return bool(own) and any(any_form((one,), amount.near) for one in own)


def entries(text: str) -> int | None:
    """The number of entries of the collection that a text writes out; None when it writes none."""
    text = _QUOTED.sub("''", text).strip().rstrip(";").rstrip()
    found = _last_group(text)
    if found is None:
        return None
    before, inside = found
    parts = [part.strip() for part in _parts(inside)]
    if parts and not parts[-1]:
        parts.pop()
    made = bool(_MAKER.search(before))
    if text[len(before)] == "(" and before and not made:
        return None
    if len(parts) == 1 and made and parts[0][:1] in _OPENING:
        return entries(parts[0])
    return len(parts) if len(parts) >= _LEAST else None


def _last_group(text: str) -> tuple[str, str] | None:
    """The text before the bracket group that ends it, and the content of that group."""
    if not text or text[-1] not in _CLOSING:
        return None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] in _CLOSING:
            depth += 1
        elif text[at] in _OPENING:
            depth -= 1
            if not depth:
                return text[:at].rstrip() if text[at] != "(" else text[:at], text[at + 1 : -1]
    return None


def _parts(inside: str) -> list[str]:
    found, depth, begin = list[str](), 0, 0
    for at, sign in enumerate(inside):
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
        elif sign == "," and not depth:
            found.append(inside[begin:at])
            begin = at + 1
    return [*found, inside[begin:]]
