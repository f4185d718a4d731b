"""Weighs the members of a class or file that a belief speaks of, each by itself.

An anchor keeps the facts of the container alone, so those of its members are read from the snapshot. An added member
alters nothing that was said of the container, unless the statement counts the members, says that there are no others,
or rules out what the new one does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from attrs import evolve, frozen

from memlsp.beliefs.claims.case import Case, case_of, with_helpers
from memlsp.beliefs.claims.claim_check import broken_claims
from memlsp.beliefs.claims.claims import claims_of
from memlsp.beliefs.claims.effects import does_one_of
from memlsp.beliefs.claims.stems import any_form, is_weak, prose_words, stem, stem_sets
from memlsp.beliefs.claims.symbol_state import label_of
from memlsp.beliefs.present.present_code import merged
from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.beliefs.rewording.extraction import extracted_among
from memlsp.beliefs.standing.asides import is_aside
from memlsp.beliefs.standing.related_symbols import is_of_member, members_in, says_the_same
from memlsp.beliefs.standing.relevance_model import relevance, stems_of, weights
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.sentences import sentence
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.outline import outline as outline_of
from memlsp.code.syntax.regions import source_of
from memlsp.model.belief import Anchor
from memlsp.model.change import Detail, DetailKind
from memlsp.model.standing import Reason
from memlsp.model.symbol import CODE_KINDS, Facts, Symbol, SymbolKind

_CLOSED = re.compile(r"\b(?:only|solely|exactly|no other|nothing else|no more|all of)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:every|each|all|any|always)\b(?P<subject>\s+(?:the\s+)?\w+)?", re.IGNORECASE)
_NEEDED = re.compile(r"(?i)\b(?:nobody|no one|nothing|never|not|no)\b(?P<touched>[^.;]*?)\bwithout\b(?P<wanted>[^.;]*)")
_MAKES = re.compile(
    r"(?:__init__|__new__|constructor|init(?:ialize)?$|(?i:new|make|with|from|create|build)(?:_|[A-Z]|$))"
)
_STEMS = stem_sets(__name__)
_DEEPEST = 4


@frozen
class _Container:
    """A class or file with its members, by relative names, before and after the change."""

    text: str  # the statement
    symbol: Symbol
    before: dict[str, Symbol]
    after: dict[str, Symbol]
    sources: tuple[bytes, bytes]  # that the members stand in

    def full(self, name: str) -> str:
        return f"{self.symbol.name}.{name}" if self.symbol.name else name


@frozen
class MemberReasons:
    """The reasons that members give: claims broken, changes that the statement may cover, parts that were extracted."""

    broken: tuple[Reason, ...] = ()
    changed: tuple[Reason, ...] = ()
    extracted: tuple[Reason, ...] = ()
    aside: bool = False  # each member changed in nothing that the statement speaks of
    closing: bool = False  # a member came of which the statement says that there is none, or what all are like


def weigh_members(
    text: str, anchor: Anchor, new: Symbol, outline: Outline, details: Sequence[Detail], source: bytes
) -> MemberReasons:
    """Weigh the members that these details of a container name; `source` is that of its file now."""
    before = _former(anchor.path, anchor.snapshot, anchor.symbol)
    after = members_in(outline.symbols, new.name)
    container = _Container(text, new, before, after, (anchor.snapshot.encode(), source))
    told = list(_told(container, details, "", 0))
    broken = [one for one, weight in told if weight is _Weight.BROKEN]
    extracted = [one for one, weight in told if weight is _Weight.SAME]
    loud = [one for one, weight in told if weight is _Weight.LOUD]
    changed = [one for one, weight in told if weight in {_Weight.LOUD, _Weight.ASIDE}]
    for detail in details:
        if detail.kind is DetailKind.MEMBER_ADDED:
            broken += _ruled_out(container, anchor.verified, detail.name)
    counted = list(_counted(text, before, after, new, details))
    closing = [*_closing(text, new, details), *_unlike_all(text, after, new, details)]
    aside = bool(changed) and not (loud or closing)
    return MemberReasons((*broken, *counted), (*changed, *closing), tuple(extracted), aside, bool(closing))


class _Weight(Enum):
    """How much the change of a member weighs for a statement about its container."""

    BROKEN = 3  # a claim is broken
    LOUD = 2
    ASIDE = 1  # nothing that the statement speaks of
    SAME = 0  # a part was extracted


@lru_cache(maxsize=128)
def _former(path: str, snapshot: str, container: str) -> dict[str, Symbol]:
    symbols = outline_of(path, snapshot.encode()).symbols
    return members_in(symbols, container.rpartition(".")[2])


def _told(
    container: _Container, details: Sequence[Detail], holder: str, depth: int
) -> Iterator[tuple[Reason, _Weight]]:
    """Each reason with its weight."""
    for detail in details:
        name = f"{holder}{detail.name}"
        if detail.kind is DetailKind.MEMBER_CHANGED:
            old, new = container.before.get(name), container.after.get(name)
            if old is None or new is None:
                yield _plain(container.symbol, f"`{container.full(name)}` changed", new), _Weight.LOUD
            else:
                yield from _changed(container, old, new, name, depth)
        elif detail.kind in {DetailKind.MEMBER_REMOVED, DetailKind.MEMBER_RENAMED}:
            yield from _gone(container, detail, container.before.get(f"{holder}{detail.old or detail.name}"))


def _changed(
    container: _Container, old: Symbol, new: Symbol, name: str, depth: int
) -> Iterator[tuple[Reason, _Weight]]:
    change = compare(old, new)
    own = [d for d in change.details if not says_the_same(d) and not is_of_member(d)]
    inner = [d for d in change.details if is_of_member(d)]
    if inner and depth < _DEEPEST:
        yield from _told(container, inner, f"{name}.", depth + 1)
    if not own:
        if not inner and not change.details and old.fingerprint.meaning != new.fingerprint.meaning:
            yield _plain(container.symbol, f"`{container.full(name)}` changed", new), _Weight.LOUD
        return
    added = [symbol for each, symbol in container.after.items() if each not in container.before]
    helpers = extracted_among(old, new, added)
    if helpers:
        names = " and ".join(f"`{helper.name}`" for helper in helpers)
        message = f"`{new.name}` does a part of its work in {names} now, and the same in all"
        yield reason(ReasonCode.BODY_EXTRACTED, message, new.path, new.name), _Weight.SAME
        return
    case = case_of(container.text, old, new, own, subject=_parts(container.symbol))
    broken = broken_claims(with_helpers(case, added))
    yield from ((one, _Weight.BROKEN) for one in broken)
    if not broken:
        message = sentence(evolve(change, details=tuple(own)))
        weight = _Weight.ASIDE if _is_aside(container, case) else _Weight.LOUD
        yield reason(ReasonCode.MEMBER_CHANGED, message.rstrip("."), new.path, new.name), weight


def _is_aside(container: _Container, case: Case) -> bool:
    """True for a function that changed in nothing that the statement speaks of. Of a value nobody can tell which word
    of the statement means it."""
    explained = all(detail.old or detail.new for detail in case.details)
    if case.new.kind not in CODE_KINDS or not explained or relevance(case) >= weights().mark:
        return False
    before, after = container.sources
    return is_aside(case, source_of(case.old, before), source_of(case.new, after))


def _gone(container: _Container, detail: Detail, old: Symbol | None) -> Iterator[tuple[Reason, _Weight]]:
    name = detail.old or detail.name
    named = any(m.parts and m.parts[-1] == name and not m.denied for m in claims_of(container.text).mentions)
    if detail.kind is DetailKind.MEMBER_RENAMED:
        message = f"`{container.full(name)}` is `{detail.new}` now"
    else:
        message = f"`{container.full(name)}` is gone"
        lost = case_of(container.text, container.symbol, container.symbol, [detail])
        named = named or (old is not None and bool(broken_claims(lost)))
    told = _plain(container.symbol, f"{message}; the statement names it" if named else message, None)
    yield told, _Weight.BROKEN if named else _Weight.LOUD


def _ruled_out(container: _Container, old: Symbol, name: str) -> tuple[Reason, ...]:
    """Denials broken by an added member, whose effect nothing in the container had before."""
    text, added = container.text, container.after.get(name)
    if added is None or _MAKES.match(added.simple_name):
        return ()
    added = merged(added, [each for other, each in container.after.items() if other.startswith(f"{name}.")])
    nothing = evolve(
        added,
        facts=Facts(),
        fingerprint=evolve(added.fingerprint, text="", meaning="", signature="", shape="", sketch=(), size=0),
    )
    others = [each for each in container.before.values() if not _MAKES.match(each.simple_name)]
    details, had = compare(nothing, added).details, merged(old, others).facts
    case = case_of(text, evolve(nothing, facts=had), added, details, subject=_parts(container.symbol))
    return tuple(one for one in broken_claims(case) if one.code == ReasonCode.DENIED_NOW_PRESENT.value)


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


def _unlike_all(text: str, after: dict[str, Symbol], new: Symbol, details: Sequence[Detail]) -> Iterator[Reason]:
    """Added functions that have no word of what the statement says of all of them, or lack what it says that none may
    be without."""
    found, needed = _OF_ALL.search(text), _NEEDED.search(text)
    rest = "" if found is None else text.replace(found["subject"] or "", " ")
    said, touched, wanted = (
        frozenset(stem(word) for word in prose_words(part) if not is_weak(word))
        for part in (rest, *((needed["touched"], needed["wanted"]) if needed else ("", "")))
    )
    for detail in details:
        added = after.get(detail.name) if detail.kind is DetailKind.MEMBER_ADDED else None
        if added is None or added.kind not in CODE_KINDS:
            continue
        stems = stems_of((*added.facts.tokens, *added.facts.modifiers))
        without = any_form(touched, stems) and not any_form(wanted, stems) and not does_one_of(wanted, added.facts)
        if without or (said and not any_form(said, stems)):
            yield _plain(new, f"{label_of(new)} gained `{detail.name}`; the statement speaks of all", added)


def _plain(container: Symbol, message: str, member: Symbol | None) -> Reason:
    where = member or container
    return reason(ReasonCode.MEMBER_CHANGED, message, where.path, where.name or None)


def _parts(container: Symbol) -> frozenset[str]:
    return frozenset(part for part in container.name.split(".") if part)
