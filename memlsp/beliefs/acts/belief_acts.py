"""The acts of a whole belief: those of its statement, and the code that its guards forbid."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.acts.clause import GUARD, NAMED, START, ActClause
from memlsp.beliefs.acts.statements import clauses_of
from memlsp.beliefs.lifecycle.admission import said_kind
from memlsp.beliefs.mining.binding_features import binding_likelihood
from memlsp.code.languages.detection import language_named
from memlsp.code.vocabulary import patterns
from memlsp.model.belief import Authority, Belief, BeliefKind, Guard, GuardEngine, ReferenceKind, ScopeKind

_RE = patterns(__name__)
_DECIDED = frozenset({BeliefKind.RULE, BeliefKind.PREFERENCE, BeliefKind.DECISION})  # which are told by their kind
_GUIDING = frozenset({BeliefKind.RULE, BeliefKind.PREFERENCE, BeliefKind.PROCEDURE})
_GUIDES = 0.35  # likelihood that a statement binds, from which it is told at a start

_VARIABLE = re.compile(r"\$+[A-Z_0-9]*")
_LEAST = 3  # characters of code by which a guard is known


def acts_of(belief: Belief) -> tuple[tuple[str, str], ...]:
    """The terms of a belief's clauses, each with the clause as text, and those that need none."""
    pattern = belief.scope.pattern if belief.scope.kind is ScopeKind.GLOB else ""
    if belief.scope.kind in {ScopeKind.FILE, ScopeKind.SYMBOL} and belief.anchors:
        pattern = belief.anchors[0].path
    clauses = [*clauses_of(belief.text, pattern), *_of_guards(belief, pattern)]
    found = [(term, clause.encoded()) for clause in clauses for term in clause.terms()]
    if belief.scope.kind.is_wide and belief.authority.rank <= Authority.PERSON.rank:
        paths = {each.target for each in belief.references if each.kind is ReferenceKind.PATH}
        if belief.scope.kind is not ScopeKind.USER:  # whose paths are of the one workspace in which it was said
            found += [(f"{NAMED} {path}", "") for path in sorted(paths)]
        if belief.scope.kind is not ScopeKind.GLOB and belief.kind not in _DECIDED and _guides(belief.text):
            found.append((START, ""))
    return tuple(found)


def _guides(text: str) -> bool:
    """True for a statement that says how to work here, whatever its kind, and not only how things are."""
    return said_kind(text) in _GUIDING or _RE["general"].search(text) is not None or binding_likelihood(text) >= _GUIDES


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
