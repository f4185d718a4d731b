"""Compares an old and a new state of one symbol and returns the differences as typed details.

It needs only facts and fingerprints, so a state stored months ago can be compared with today's code. Facts are compared
only where digests differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from memlsp.code.diff.body_facts import body_details, literal_details
from memlsp.code.diff.signatures import hint_details, signature_details, unpacked
from memlsp.code.diff.similarity import body_similarity, family
from memlsp.code.diff.symbol_relations import grouped, ref_of
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange
from memlsp.model.symbol import Dependency, Facts, Symbol, SymbolKind

_ON_THE_OUTSIDE = ("parameter", "modifier_", "decorator_", "base_")
_KINDS = {
    **{kind: ChangeKind.SIGNATURE for kind in DetailKind if kind.startswith(_ON_THE_OUTSIDE)},
    **dict.fromkeys((DetailKind.TYPE, DetailKind.RETURN_TYPE), ChangeKind.SIGNATURE),
    **dict.fromkeys((DetailKind.DEFAULT, DetailKind.LITERAL, DetailKind.VALUE), ChangeKind.LITERAL),
    DetailKind.DEPENDENCY: ChangeKind.DEPENDENCY,
    DetailKind.DOCS: ChangeKind.DOCS,
    DetailKind.HINT: ChangeKind.COSMETIC,
}
_EXCERPT = 160
_SHOWN = 200  # characters at which a printed value is cut
_STRING = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`")
_WORD = re.compile(r"(?<![\w.])[^\W\d]")


def compare(
    old: Symbol, new: Symbol, old_depends: Sequence[Dependency] = (), new_depends: Sequence[Dependency] = ()
) -> SymbolChange:
    """The change from `old` to `new`; `kinds` is empty when nothing changed. `similarity` is that of the bodies, 0..1.
    Details are ordered as a person would name them."""
    old, new = unpacked(old, new)
    same_meaning = old.fingerprint.meaning == new.fingerprint.meaning
    same_signature = old.fingerprint.signature == new.fingerprint.signature
    renames = _renamed_constants(old, new, old_depends, new_depends)
    if not same_meaning and renames and _same_tokens(old, new, renames):
        same_meaning = True
    if old.simple_name != new.simple_name and old.simple_name:
        renames[old.simple_name] = new.simple_name

    details: list[Detail] = []
    if not (same_meaning and same_signature):
        details += [
            detail
            for detail in signature_details(old, new, same_meaning=same_meaning, renames=renames)
            if detail.kind is not DetailKind.DEFAULT or (detail.old, detail.new) not in renames.items()
        ]
    details += hint_details(old, new)
    if not same_meaning:
        meant = _meaning_details(old, new, renames)
        if not meant and not any(kind_of(detail) not in (ChangeKind.COSMETIC, ChangeKind.DOCS) for detail in details):
            excerpt = _body_excerpt(old, new)
            respelled = old.facts.decorators != new.facts.decorators and f"{excerpt.old or excerpt.new}".endswith(" .")
            meant = [] if respelled else [excerpt]
        details += meant
    details += _dependency_details(new, old_depends, new_depends)
    if old.facts.docs != new.facts.docs:
        details.append(Detail(DetailKind.DOCS, "", old.facts.docs or None, new.facts.docs or None))
    ordered = tuple(dict.fromkeys(details))
    return SymbolChange(
        kinds=_kinds(old, new, ordered),
        old=ref_of(old),
        new=ref_of(new),
        details=ordered,
        similarity=1.0 if same_meaning else round(body_similarity(old, new), 4),
    )


def _kinds(old: Symbol, new: Symbol, details: Sequence[Detail]) -> frozenset[ChangeKind]:
    kinds = {kind_of(detail) for detail in details}
    if old.simple_name != new.simple_name:
        kinds.add(ChangeKind.RENAMED)
    if old.path != new.path or old.container != new.container:
        kinds.add(ChangeKind.MOVED)
    if len(kinds) > 1:
        kinds.discard(ChangeKind.COSMETIC)
    if not kinds and old.fingerprint.text != new.fingerprint.text:
        kinds.add(ChangeKind.COSMETIC)
    return frozenset(kinds)


def kind_of(detail: Detail) -> ChangeKind:
    """The kind of symbol change that one detail makes."""
    if detail.kind is DetailKind.DEFAULT and (detail.old is None or detail.new is None):
        # Callers may now leave the argument out, or no longer may.
        return ChangeKind.SIGNATURE
    return _KINDS.get(detail.kind, ChangeKind.BEHAVIOUR)


# --- the body


def _meaning_details(old: Symbol, new: Symbol, renames: Mapping[str, str]) -> list[Detail]:
    if family(new.kind) == "valued" or new.kind is SymbolKind.KEY:
        return _value_details(old, new, renames)
    if new.kind.is_container:
        members = {name for side in (old, new) for name, _ in side.facts.members}
        own = [d for d in body_details(old.facts, new.facts, renames) if d.name.partition(".")[0] not in members]
        return _member_details(old.facts, new.facts) + own
    return body_details(old.facts, new.facts, renames)


def _value_details(old: Symbol, new: Symbol, renames: Mapping[str, str]) -> list[Detail]:
    before, after = value_of(old), value_of(new)
    details: list[Detail] = []
    if before != after and not (_has_no_value(old) and _has_no_value(new) and _is_declared_otherwise(old, new)):
        details.append(Detail(DetailKind.VALUE, new.simple_name, before, after))
    inner = [detail for detail in literal_details(old.facts, new.facts, renames) if detail.name]
    own = (old.simple_name, new.simple_name, old.name, new.name)
    return details + [detail for detail in inner if detail.name not in own]


def _has_no_value(symbol: Symbol) -> bool:
    facts = symbol.facts
    own = any(value.name in (symbol.simple_name, symbol.name) for value in facts.values)
    return not (own or facts.returns or facts.literals or facts.calls)


def _is_declared_otherwise(old: Symbol, new: Symbol) -> bool:
    """True for `protected $name` in place of `private $name`: a change of its declaration alone."""
    left, right = old.facts, new.facts
    return (left.modifiers, left.return_type, left.decorators) != (right.modifiers, right.return_type, right.decorators)


def value_of(symbol: Symbol) -> str | None:
    """The printed value of a constant, field, enum member or key; None without one."""
    facts = symbol.facts
    for value in facts.values:
        if value.name in (symbol.simple_name, symbol.name):
            return value.value
    if facts.returns:
        return facts.returns[0]
    if facts.tokens:
        return " ".join(facts.tokens[:_EXCERPT])[:_EXCERPT]
    return facts.literals[0] if facts.literals else None


def _member_details(old: Facts, new: Facts) -> list[Detail]:
    before, after = _by_name(old.members), _by_name(new.members)
    lost = [name for name in before if name not in after]
    gained = [name for name in after if name not in before]
    details: list[Detail] = []
    for name in list(lost):
        heirs = [other for other in gained if after[other] == before[name]]
        rivals = [other for other in lost if before[other] == before[name]]
        if len(heirs) == 1 and len(rivals) == 1:
            lost.remove(name)
            gained.remove(heirs[0])
            details.append(Detail(DetailKind.MEMBER_RENAMED, heirs[0], name, heirs[0]))
    details += [Detail(DetailKind.MEMBER_ADDED, name, None, name) for name in gained]
    details += [Detail(DetailKind.MEMBER_REMOVED, name, name, None) for name in lost]
    return details + [
        Detail(DetailKind.MEMBER_CHANGED, name, name, name)
        for name in after
        if name in before and before[name] != after[name]
    ]


def _by_name(members: Sequence[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(sorted(digests)) for name, digests in grouped(members).items()}


def _body_excerpt(old: Symbol, new: Symbol) -> Detail:
    """The difference that no rule names: the replaced tokens, where they lie together."""
    before, after = old.facts.tokens, new.facts.tokens
    codes = SequenceMatcher(None, before[:1000], after[:1000], autojunk=False).get_opcodes() if before and after else []
    blocks = [(a, b, c, d) for kind, a, b, c, d in codes if kind != "equal"]
    a, b, c, d = blocks[0] if len(blocks) == 1 else (0, 0, 0, 0)
    if max(b - a, d - c) > 12:
        return Detail(DetailKind.BODY)
    return Detail(DetailKind.BODY, "", " ".join(before[a:b]) or None, " ".join(after[c:d]) or None)


# --- what it uses


def _dependency_details(
    new: Symbol, old_depends: Sequence[Dependency], new_depends: Sequence[Dependency]
) -> list[Detail]:
    # one place may be used in two ways (called and inherited), each with its digest: a digest that is still there did
    # not change, a new one replaced an old one
    has = {(d.path, d.symbol, d.digest) for d in new_depends}
    now = _DependenciesNow(old_depends, new_depends)
    details: list[Detail] = []
    for before in old_depends:
        if not before.digest or (before.path, before.symbol, before.digest) in has:
            continue
        after = now.same(before)
        if before.is_result:
            is_other = after.digest != before.digest if after is not None else now.has_place(before)
            details += [_of_dependency(before, after and after.value)] if is_other else []
            continue
        after = after or now.heir(before)
        if after is None:
            if any(f"{used}.".startswith(f"{before.name}.") for used in new.facts.uses):
                details.append(_of_dependency(before, None))
        elif after.digest not in ("", before.digest) and not _is_same_value(before, after):
            details.append(Detail(DetailKind.DEPENDENCY, after.name, before.value, after.value, after.path))
    return details + raised_now(old_depends, new_depends)


class _DependenciesNow:
    """The dependencies after a change, by what the former ones are known by; those that are new count before others."""

    def __init__(self, old: Sequence[Dependency], new: Sequence[Dependency]) -> None:
        had = {(d.path, d.symbol, d.digest) for d in old}
        ordered = [d for d in sorted(new, key=lambda d: (d.path, d.symbol, d.digest) not in had) if d.digest]
        self._by_both = {(d.path, d.symbol, d.name): d for d in ordered}
        self._by_place = {(d.path, d.symbol): d for d in ordered if not d.is_indirect}
        self._by_name = {dependency.name: dependency for dependency in new}

    def same(self, former: Dependency) -> Dependency | None:
        """The one with its place and name."""
        return self._by_both.get((former.path, former.symbol, former.name))

    def has_place(self, former: Dependency) -> bool:
        """True where its symbol is used directly."""
        return (former.path, former.symbol) in self._by_place

    def heir(self, former: Dependency) -> Dependency | None:
        """The one that took its place under another name, or its name at another place."""
        here = None if former.is_indirect else self._by_place.get((former.path, former.symbol))
        return here or self._by_name.get(former.name)


def _of_dependency(before: Dependency, value: str | None) -> Detail:
    return Detail(DetailKind.DEPENDENCY, before.name, before.value, value, before.path)


def raised_now(old_depends: Sequence[Dependency], new_depends: Sequence[Dependency]) -> list[Detail]:
    """Exceptions of callees that raised none, where the old side was taken with the results of its callees."""
    if not any(each.is_result for each in old_depends):
        return []
    places = {(each.path, each.symbol) for each in old_depends}
    known = {(each.path, each.symbol, each.name) for each in old_depends}
    return [
        Detail(DetailKind.DEPENDENCY, each.name, None, each.value, each.path)
        for each in new_depends
        if each.name.endswith("() raises")
        and (each.path, each.symbol) in places
        and (each.path, each.symbol, each.name) not in known
    ]


def _is_same_value(before: Dependency, after: Dependency) -> bool:
    """True when only the declaration differs, such as a constant's visibility: a value without names is complete."""
    plain = family(after.kind) == "valued" and before.value == after.value and 0 < len(before.value) < _SHOWN
    return plain and not _WORD.search(_STRING.sub("", before.value))


def _renamed_constants(
    old: Symbol, new: Symbol, old_depends: Sequence[Dependency], new_depends: Sequence[Dependency]
) -> dict[str, str]:
    """The constants that were renamed and kept their value: old name to new one, as written."""
    if old.fingerprint.meaning == new.fingerprint.meaning:
        return {}
    known = {dependency.name for dependency in old_depends}
    kept = {dependency.name for dependency in new_depends}
    came = {d.digest: d for d in new_depends if d.name not in known and family(d.kind) == "valued"}
    return {
        before.name: came[before.digest].name
        for before in old_depends
        if before.name not in kept and before.digest in came and family(before.kind) == "valued"
    }


def _same_tokens(old: Symbol, new: Symbol, renames: Mapping[str, str]) -> bool:
    before, after = old.facts.tokens, new.facts.tokens
    if not before or len(before) != len(after) or old.fingerprint.size != len(before):
        return False
    return all(right in (left, renames.get(left)) for left, right in zip(before, after, strict=True))
