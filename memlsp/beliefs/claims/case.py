"""A change of code beside the statement that it is weighed for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from memlsp.beliefs.claims.claims import Claims, claims_of
from memlsp.beliefs.claims.symbol_state import SymbolState, label_of, simple, symbol_state
from memlsp.beliefs.reasons import ReasonCode
from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import BODY, Dependency, Symbol

_NAME = re.compile(r"\d+(?:\.\d+)+|\w+")
_SAYS_NOTHING = frozenset({DetailKind.DOCS, DetailKind.HINT})


@frozen
class Case:
    """A change to weigh: the statement, the symbol before and after, and what is different."""

    claims: Claims
    old: Symbol
    new: Symbol
    before: SymbolState
    after: SymbolState
    details: tuple[Detail, ...]
    subject: frozenset[str]  # names of the symbol itself, which claim nothing about it
    moved: frozenset[str] = frozenset()  # the words of functions that it calls and did not call before

    def has_moved(self, lost: Detail | str) -> bool:
        """True for code that is gone and stands in a function that the symbol calls now and did not call before. It may
        do there what it did itself."""
        names = _NAME.findall(lost if isinstance(lost, str) else "" if lost.new else lost.old or "")
        return bool(names) and self.moved.issuperset(names)

    @property
    def label(self) -> str:
        """The symbol as the subject of a sentence."""
        return label_of(self.new)


def case_of(
    text: str,
    old: Symbol,
    new: Symbol,
    details: Sequence[Detail],
    old_depends: Sequence[Dependency] = (),
    new_depends: Sequence[Dependency] = (),
    subject: frozenset[str] = frozenset(),
) -> Case:
    """Collect everything that the claim checks need. `subject` are further names of the symbol."""
    called = {(each.path, each.symbol) for each in old_depends if each.name.endswith(BODY)}
    texts = [d.value for d in new_depends if d.name.endswith(BODY) and (d.path, d.symbol) not in called]
    own = subject | {part for symbol in (old, new) for part in symbol.name.split(".") if part}
    return Case(
        claims_of(text),
        old,
        new,
        symbol_state(old, without_bodies(old_depends)),
        symbol_state(new, without_bodies(new_depends)),
        tuple(detail for detail in details if detail.kind not in _SAYS_NOTHING),
        own,
        _names_in(texts),
    )


def with_helpers(case: Case, added: Sequence[Symbol]) -> Case:
    """The case of a symbol that may call one of these new functions of its file."""
    called = (each for each in added if simple(each.name) in case.new.facts.tokens)
    return evolve(case, moved=case.moved | _names_in(" ".join(each.facts.tokens) for each in called))


def _names_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(_NAME.findall("\n".join(texts)))


def without_bodies(depends: Sequence[Dependency]) -> tuple[Dependency, ...]:
    """What a symbol uses, without the bodies of what it calls: they are compared, and bear out no claim."""
    return tuple(each for each in depends if not each.name.endswith(BODY))


@frozen
class Loss:
    """Something that the statement names and the code lost, with the detail that removed it where there is one."""

    said: str
    detail: Detail | None = None
    code: ReasonCode = ReasonCode.BODY_CHANGED
