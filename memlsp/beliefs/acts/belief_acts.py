"""The acts of a whole belief: those of its statement, and the code that its guards forbid."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.acts.clause import GUARD, ActClause
from memlsp.beliefs.acts.statements import clauses_of
from memlsp.code.languages.detection import language_named
from memlsp.model.belief import Belief, Guard, GuardEngine, ScopeKind

_VARIABLE = re.compile(r"\$+[A-Z_0-9]*")
_LEAST = 3  # characters of code by which a guard is known


def acts_of(belief: Belief) -> tuple[tuple[str, str], ...]:
    """The terms of a belief's clauses, each with the clause as text."""
    pattern = belief.scope.pattern if belief.scope.kind is ScopeKind.GLOB else ""
    if belief.scope.kind in {ScopeKind.FILE, ScopeKind.SYMBOL} and belief.anchors:
        pattern = belief.anchors[0].path
    clauses = [*clauses_of(belief.text, pattern), *_of_guards(belief, pattern)]
    return tuple((term, clause.encoded()) for clause in clauses for term in clause.terms())


def _of_guards(belief: Belief, pattern: str) -> Iterator[ActClause]:
    for guard in belief.guards:
        code = _literals(guard)
        language = language_named(guard.language)
        if code and not guard.must and language is not None:
            endings = [f"p*{suffix}" for suffix in language.suffixes]
            yield ActClause(
                GUARD, (), [*([f"t{each}"] for each in code[:1]), endings, [f"p{pattern}"] if pattern else []]
            )


def _literals(guard: Guard) -> list[str]:
    """The literal parts of a guard's pattern, the longest first."""
    if guard.engine is GuardEngine.QUERY:
        return []
    parts = [part.strip().rstrip(",") for part in _VARIABLE.split(guard.pattern)]
    return sorted((part for part in parts if sum(char.isalnum() for char in part) >= _LEAST), key=len, reverse=True)
