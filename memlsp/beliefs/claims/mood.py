"""Tells a description of the code from a decision, rule or plan that the code may not follow yet."""

from __future__ import annotations

import re

from memlsp.beliefs.claims.clause_roles import clause_at
from memlsp.beliefs.lifecycle.admission import kind_of
from memlsp.beliefs.vocabulary import patterns
from memlsp.model.belief import BeliefKind

_DESCRIBING = frozenset({BeliefKind.FACT, BeliefKind.GOTCHA})
_SENTENCE = re.compile(r"[.!?](?=\s|$)|\n")


def prescribes(text: str, kind: BeliefKind, said: str) -> bool:
    """True when the words `said` stand in a statement of how the code is to be, and not of how it is.

    A kind that was declared, and that the wording alone would not suggest, decides. Else the clause does, and a date or
    a plan in its sentence.
    """
    if demands(text, kind, said):
        return True
    return kind not in _DESCRIBING and not patterns(__name__)["describing"].search(text)


def demands(text: str, kind: BeliefKind, said: str) -> bool:
    """True where the wording demands or plans what is said, or its kind was declared to."""
    if kind in {BeliefKind.RULE, BeliefKind.DECISION} and kind_of(text) is not kind:
        return True
    found = patterns(__name__)
    at = max(text.lower().find(said.lower()), 0)
    start = max((each.end() for each in _SENTENCE.finditer(text, 0, at)), default=0)
    end = _SENTENCE.search(text, at)
    sentence = text[start : end.start() if end else len(text)]
    clause = clause_at(text, at).strip()
    return bool(found["planning"].search(sentence) or found["prescribing"].search(clause))
