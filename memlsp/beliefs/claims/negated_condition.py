"""Recognises a test that was turned into its opposite: one negation came or went and nothing else changed.

A negation that comes with swapped branches means the same as before, so any other difference rules this out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlsp.beliefs.claims.case import Case, Loss, common_start
from memlsp.beliefs.claims.stems import any_form, is_telling, is_weak, prose_words, stem
from memlsp.beliefs.claims.symbol_state import names_in
from memlsp.code.syntax.names import words
from memlsp.model.change import Detail, DetailKind

_TESTS = frozenset({DetailKind.CONDITION, DetailKind.RETURN, DetailKind.LOOP, DetailKind.BODY})
_PAIRS = (("==", "!="), ("===", "!=="), ("<", ">="), (">", "<="), ("is", "isnot"), ("in", "notin"))
_OPPOSITES = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_NOT = frozenset({"not", "!"})
_WITHOUT = re.compile(r"^(?:non-?|un|in|im|il|ir|dis)(?=[a-z]{3})")


def negated_tests(case: Case) -> Iterator[Loss]:
    """The turned test, where the statement speaks of what it tests."""
    if not _is_all(case.old.facts.tokens, case.new.facts.tokens):
        return
    said = {stem(word) for word in prose_words(case.claims.text)}
    said |= {stem(_WITHOUT.sub("", word)) for word in prose_words(case.claims.text)}
    said |= {stem(word) for m in case.claims.mentions for part in m.parts for word in words(part)}
    for detail in case.details:
        if detail.kind in _TESTS and detail.old and detail.new:
            spoken = _spoken_of(detail, frozenset(said))
            if spoken:
                yield Loss(_as_said(case.claims.text, spoken), detail)
                return


def _spoken_of(detail: Detail, said: frozenset[str]) -> set[str]:
    telling = {
        word.lower()
        for name in names_in(detail.old or "")
        for word in words(name)
        if is_telling(word) and not is_weak(word) and len(word) > 1
    }
    return {stem(word) for word in telling if any_form((stem(word),), said)}


def _as_said(text: str, stems: set[str]) -> str:
    found = (w for w in re.findall(r"[^\W\d_]+", text) if {stem(w), stem(_WITHOUT.sub("", w.lower()))} & stems)
    return next(found, next(iter(sorted(stems))))


def _is_all(before: Sequence[str], after: Sequence[str]) -> bool:
    """True when the tokens differ in one negation and nothing else."""
    old, new = _joined(before), _joined(after)
    start = common_start(old, new)
    end = common_start(old[start:][::-1], new[start:][::-1])
    gone, came = old[start : len(old) - end], new[start : len(new) - end]
    if len(gone) == len(came) == 1:
        return _OPPOSITES.get(gone[0]) == came[0]
    return (not gone and len(came) == 1 and came[0] in _NOT) or (not came and len(gone) == 1 and gone[0] in _NOT)


def _joined(tokens: Sequence[str]) -> list[str]:
    """The tokens with `is not` and `not in` as one."""
    out: list[str] = []
    for token in tokens:
        if out and (out[-1], token) in {("is", "not"), ("not", "in")}:
            out[-1] += token
        else:
            out.append(token)
    return out
