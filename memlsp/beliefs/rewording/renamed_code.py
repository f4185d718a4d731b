"""Reads changed code with the former names: a callee was renamed, a literal got a name. Neither alters what the code
does, so a changed symbol is read with the former names before it is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import asdict, evolve, frozen

from memlsp.beliefs.files import Files
from memlsp.beliefs.lifecycle.anchors import source_text
from memlsp.beliefs.standing.related_symbols import same_code, same_family, stands
from memlsp.code.syntax.outline import Outline
from memlsp.model.belief import Anchor
from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import VALUE_KINDS, Dependency, Facts, NamedValue, Parameter, Symbol, SymbolKind

_CUT = 190  # a printed declaration that is longer may lack its end
_NAME = re.compile(r"[^\W\d]\w*")


@frozen
class FormerReading:
    """A symbol and its dependencies with the former names."""

    symbol: Symbol
    depends: tuple[Dependency, ...]
    named: tuple[str, ...] = ()  # constants that took a literal's place
    names: Mapping[str, str] = {}  # new names and the former ones

    def is_renamed_only(self, detail: Detail) -> bool:
        """True for the declaration of a dependency that differs in new names alone."""
        if detail.kind is not DetailKind.DEPENDENCY or not self.names or not detail.old or not detail.new:
            return False
        return len(detail.new) < _CUT and _former(detail.new, self.names) == detail.old


def read_with_former_names(
    anchor: Anchor, new: Symbol, outline: Outline, depends: Sequence[Dependency], files: Files
) -> FormerReading:
    """Read the symbol as if none of its dependencies had been renamed."""
    names = _renamed(anchor, depends, files)
    old = anchor.verified
    if new.kind is not SymbolKind.MODULE and not same_code(old, new):
        # late: only what changed is read again
        from memlsp.beliefs.rewording.rewording import reworded

        text = source_text(outline, new, files.read(new.path) or b"")
        as_it_was = reworded(anchor, new, outline, depends, names, files, text)
        if as_it_was is not None:
            fingerprint = evolve(new.fingerprint, meaning=old.fingerprint.meaning, signature=old.fingerprint.signature)
            former = evolve(new, fingerprint=fingerprint, facts=evolve(old.facts, docs=new.facts.docs))
            return FormerReading(former, _former_depends(names, depends), as_it_was, names)
    named = _named_literals(anchor, depends)
    if (not names and not named) or new.kind.is_container:
        return FormerReading(new, tuple(depends))
    tokens = _values_for_names([names.get(token, token) for token in new.facts.tokens], named)
    whole = old.fingerprint.size == len(old.facts.tokens)
    if whole and tuple(tokens) == old.facts.tokens and old.fingerprint.signature == new.fingerprint.signature:
        fingerprint = evolve(new.fingerprint, meaning=old.fingerprint.meaning)
        former = evolve(new, fingerprint=fingerprint, facts=evolve(old.facts, docs=new.facts.docs))
        return FormerReading(former, _former_depends(names, depends), tuple(d.name for d in named.values()), names)
    if not names:
        return FormerReading(new, tuple(depends))
    former = evolve(new, facts=_former_facts(new.facts, names))
    return FormerReading(former, _former_depends(names, depends), names=names)


def _renamed(anchor: Anchor, depends: Sequence[Dependency], files: Files) -> dict[str, str]:
    """The last parts of new names, with the former ones."""
    before = {dependency.name for dependency in anchor.depends}
    after = {dependency.name for dependency in depends}
    gone = [d for d in anchor.depends if d.name not in after and not stands(d.path, d.symbol, files)]
    came = [d for d in depends if d.name not in before]
    meanings = {(n.path, n.name): n.meaning for n in anchor.neighbours}
    found: dict[str, str] = {}
    for old in gone:
        heirs = [new for new in came if _is_heir(old, new, meanings, files)]
        if len({(heir.path, heir.symbol) for heir in heirs}) == 1 and not any(_is_rival(old, each) for each in gone):
            found[_last(heirs[0].name)] = _last(old.name)
    return found


def _is_rival(one: Dependency, other: Dependency) -> bool:
    """True for another symbol of the same digest; where there is none, of the same file."""
    alike = one.digest == other.digest and one.symbol != other.symbol
    return alike and (bool(one.digest) or one.path == other.path)


def _is_heir(old: Dependency, new: Dependency, meanings: Mapping[tuple[str, str], str], files: Files) -> bool:
    if new.digest != old.digest or not same_family(old, new) or (new.path, new.symbol) in meanings:
        return False
    if not old.digest and (old.kind is not new.kind or not _is_its_place(old.path, new.path, files)):
        return False  # a type that is only mentioned
    if old.name.rpartition(".")[0] != new.name.rpartition(".")[0]:
        return False
    meaning = meanings.get((old.path, old.symbol))
    outline = files.outline(new.path)
    there = outline.find(new.symbol) if outline is not None else None
    return there is not None and meaning in {None, there.fingerprint.meaning}


def _is_its_place(old: str, new: str, files: Files) -> bool:
    """True for the same file, or for one that replaced it in its folder, as in Java."""
    return old == new or (old.rpartition("/")[0] == new.rpartition("/")[0] and files.outline(old) is None)


def _named_literals(anchor: Anchor, depends: Sequence[Dependency]) -> dict[tuple[str, ...], Dependency]:
    """Newly used constants whose value is a literal of the former text."""
    before = {dependency.name for dependency in anchor.depends}
    literals = set(anchor.verified.facts.literals)
    return {
        tuple(re.findall(r"\w+|::|\.", d.name)): d
        for d in depends
        if d.name not in before and d.kind in VALUE_KINDS and d.value in literals
    }


def _values_for_names(tokens: list[str], named: Mapping[tuple[str, ...], Dependency]) -> list[str]:
    out: list[str] = []
    index = 0
    while index < len(tokens):
        taken = next((name for name in named if tuple(tokens[index : index + len(name)]) == name), None)
        out.append(named[taken].value if taken else tokens[index])
        index += len(taken) if taken else 1
    return out


def _last(name: str) -> str:
    return re.split(r"\.|::", name)[-1]


def _former_depends(names: Mapping[str, str], depends: Sequence[Dependency]) -> tuple[Dependency, ...]:
    return tuple(evolve(d, name=_former(d.name, names)) for d in depends)


def _former(text: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda found: names.get(found[0], found[0]), text)


def _former_facts(facts: Facts, names: Mapping[str, str]) -> Facts:
    changes: dict[str, object] = {}
    for field, value in asdict(facts, recurse=False).items():
        if field in {"docs", "members", "return_type", "literals", "modifiers"}:
            continue
        changes[field] = tuple(_former_item(item, names) for item in value)
    return evolve(facts, **changes)


def _former_item(item: object, names: Mapping[str, str]) -> object:
    if isinstance(item, Parameter):
        return evolve(item, default=_former(item.default, names) if item.default else item.default)
    if isinstance(item, NamedValue):
        return NamedValue(_former(item.name, names), _former(item.value, names))
    return _former(item, names) if isinstance(item, str) else item
