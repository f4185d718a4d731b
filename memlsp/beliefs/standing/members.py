"""Weighs the members of a class or file that a belief speaks of, each by itself.

An anchor keeps the facts of the container alone, so those of its members are read from the snapshot. An added member
alters nothing that was said of the container, unless the statement counts the members, says that there are no others,
or rules out what the new one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from attrs import evolve, frozen

from memlsp.beliefs.claims.case import case_of, with_helpers
from memlsp.beliefs.claims.claim_check import broken_claims
from memlsp.beliefs.claims.claims import claims_of
from memlsp.beliefs.claims.stems import stem_sets
from memlsp.beliefs.claims.symbol_state import label_of
from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.beliefs.rewording.extraction import extracted_among
from memlsp.beliefs.standing.related_symbols import is_of_member, members_in, says_the_same
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.sentences import sentence
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.outline import outline as outline_of
from memlsp.model.belief import Anchor
from memlsp.model.change import Detail, DetailKind
from memlsp.model.standing import Reason
from memlsp.model.symbol import CODE_KINDS, Facts, Symbol, SymbolKind

_CLOSED = re.compile(r"\b(?:only|solely|exactly|no other|nothing else|no more|all of)\b", re.IGNORECASE)
_STEMS = stem_sets(__name__)
_DEEPEST = 4


@frozen
class _Container:
    """A class or file with its members, by relative names, before and after the change."""

    text: str  # the statement
    symbol: Symbol
    before: dict[str, Symbol]
    after: dict[str, Symbol]

    def full(self, name: str) -> str:
        return f"{self.symbol.name}.{name}" if self.symbol.name else name


@frozen
class MemberReasons:
    """The reasons that members give: claims broken, changes that the statement may cover, parts that were extracted."""

    broken: tuple[Reason, ...] = ()
    changed: tuple[Reason, ...] = ()
    extracted: tuple[Reason, ...] = ()


def weigh_members(text: str, anchor: Anchor, new: Symbol, outline: Outline, details: Sequence[Detail]) -> MemberReasons:
    """Weigh the members that these details of a container name."""
    before = _former(anchor.path, anchor.snapshot, anchor.symbol)
    after = members_in(outline.symbols, new.name)
    broken: list[Reason] = []
    changed: list[Reason] = []
    extracted: list[Reason] = []
    for one, is_broken in _told(_Container(text, new, before, after), details, "", 0):
        same = one.code == ReasonCode.BODY_EXTRACTED.value
        (extracted if same else broken if is_broken else changed).append(one)
    for detail in details:
        if detail.kind is DetailKind.MEMBER_ADDED:
            broken += _ruled_out(text, anchor.verified, new, after.get(detail.name))
    counted = list(_counted(text, before, after, new, details))
    closing = _closing(text, new, details)
    return MemberReasons((*broken, *counted), (*changed, *closing), tuple(extracted))


@lru_cache(maxsize=128)
def _former(path: str, snapshot: str, container: str) -> dict[str, Symbol]:
    symbols = outline_of(path, snapshot.encode()).symbols
    return members_in(symbols, container.rpartition(".")[2])


def _told(container: _Container, details: Sequence[Detail], holder: str, depth: int) -> Iterator[tuple[Reason, bool]]:
    """Each reason, and whether it is a broken claim."""
    for detail in details:
        name = f"{holder}{detail.name}"
        if detail.kind is DetailKind.MEMBER_CHANGED:
            old, new = container.before.get(name), container.after.get(name)
            if old is None or new is None:
                yield _plain(container.symbol, f"`{container.full(name)}` changed", new), False
            else:
                yield from _changed(container, old, new, name, depth)
        elif detail.kind in {DetailKind.MEMBER_REMOVED, DetailKind.MEMBER_RENAMED}:
            yield from _gone(container, detail, container.before.get(f"{holder}{detail.old or detail.name}"))


def _changed(container: _Container, old: Symbol, new: Symbol, name: str, depth: int) -> Iterator[tuple[Reason, bool]]:
    change = compare(old, new)
    own = [d for d in change.details if not says_the_same(d) and not is_of_member(d)]
    inner = [d for d in change.details if is_of_member(d)]
    if inner and depth < _DEEPEST:
        yield from _told(container, inner, f"{name}.", depth + 1)
    if not own:
        if not inner and not change.details and old.fingerprint.meaning != new.fingerprint.meaning:
            yield _plain(container.symbol, f"`{container.full(name)}` changed", new), False
        return
    added = [symbol for each, symbol in container.after.items() if each not in container.before]
    helpers = extracted_among(old, new, added)
    if helpers:
        names = " and ".join(f"`{helper.name}`" for helper in helpers)
        message = f"`{new.name}` does a part of its work in {names} now, and the same in all"
        yield reason(ReasonCode.BODY_EXTRACTED, message, new.path, new.name), False
        return
    case = case_of(container.text, old, new, own, subject=_parts(container.symbol))
    broken = broken_claims(with_helpers(case, added))
    yield from ((one, True) for one in broken)
    if not broken:
        message = sentence(evolve(change, details=tuple(own)))
        yield reason(ReasonCode.MEMBER_CHANGED, message.rstrip("."), new.path, new.name), False


def _gone(container: _Container, detail: Detail, old: Symbol | None) -> Iterator[tuple[Reason, bool]]:
    name = detail.old or detail.name
    named = any(m.parts and m.parts[-1] == name and not m.denied for m in claims_of(container.text).mentions)
    if detail.kind is DetailKind.MEMBER_RENAMED:
        message = f"`{container.full(name)}` is `{detail.new}` now"
    else:
        message = f"`{container.full(name)}` is gone"
        lost = case_of(container.text, container.symbol, container.symbol, [detail])
        named = named or (old is not None and bool(broken_claims(lost)))
    yield _plain(container.symbol, f"{message}; the statement names it" if named else message, None), named


def _ruled_out(text: str, old: Symbol, container: Symbol, added: Symbol | None) -> tuple[Reason, ...]:
    """Denials broken by an added member, whose effect nothing in the container had before."""
    if added is None or not claims_of(text).denials:
        return ()
    nothing = evolve(
        added,
        facts=Facts(),
        fingerprint=evolve(added.fingerprint, text="", meaning="", signature="", shape="", sketch=(), size=0),
    )
    details = compare(nothing, added).details
    broken = broken_claims(case_of(text, evolve(nothing, facts=old.facts), added, details, subject=_parts(container)))
    return tuple(one for one in broken if one.code == ReasonCode.DENIED_NOW_PRESENT.value)


def _counted(
    text: str, before: dict[str, Symbol], after: dict[str, Symbol], new: Symbol, details: Sequence[Detail]
) -> Iterator[Reason]:
    """Numbers of members that changed: "has three methods", "two states"."""
    if not any(d.kind in {DetailKind.MEMBER_ADDED, DetailKind.MEMBER_REMOVED} for d in details):
        return
    for amount in claims_of(text).amounts:
        said = amount.quantity
        if said.unit is not None or amount.denied or not amount.near & _STEMS["counted"]:
            continue
        kinds = _kinds_counted(amount.near)
        had, has = _number(before, kinds), _number(after, kinds)
        if said.number == had != has:
            message = f"{label_of(new)} has {has} of them now, {had} before; the statement says {said.text}"
            yield reason(ReasonCode.MEMBERS_COUNTED, message, new.path, new.name or None)
            return


def _kinds_counted(near: frozenset[str]) -> frozenset[SymbolKind]:
    if near & _STEMS["functions"]:
        return CODE_KINDS
    return frozenset({SymbolKind.FIELD, SymbolKind.CONSTANT}) if near & _STEMS["fields"] else frozenset(SymbolKind)


def _number(members: dict[str, Symbol], kinds: frozenset[SymbolKind]) -> int:
    return sum(1 for name, symbol in members.items() if "." not in name and symbol.kind in kinds)


def _closing(text: str, new: Symbol, details: Sequence[Detail]) -> Iterator[Reason]:
    """Additions, where the statement says that there is nothing else."""
    added = [detail.name for detail in details if detail.kind is DetailKind.MEMBER_ADDED]
    if added and _CLOSED.search(text):
        names = ", ".join(f"`{name}`" for name in added[:3])
        yield _plain(new, f"{label_of(new)} gained {names}", None)


def _plain(container: Symbol, message: str, member: Symbol | None) -> Reason:
    where = member or container
    return reason(ReasonCode.MEMBER_CHANGED, message, where.path, where.name or None)


def _parts(container: Symbol) -> frozenset[str]:
    return frozenset(part for part in container.name.split(".") if part)
