"""Recognises that a part of a body was only moved into a new function that is called in its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from memlsp.beliefs.claims.symbol_state import one_separator
from memlsp.beliefs.files import Files
from memlsp.code.syntax.outline import Outline
from memlsp.code.vocabulary import word_sets
from memlsp.model.belief import Anchor
from memlsp.model.symbol import CODE_KINDS, Dependency, Facts, Symbol

_LEAST_MOVED = 6  # meaning tokens; less is no body
_PLUMBING = 3  # literals that may come with the call: None, a flag, an index
_LOCAL = re.compile(r"(?<![\w.'\"])[^\W\d]\w*(?!\w*['\"])")
_WORDS = word_sets(__name__)
_ON_ITSELF = re.compile(r"(?:(?:self|this|Self|cls)\.)?\w+")


def new_helpers(
    anchor: Anchor, new: Symbol, outline: Outline, depends: Sequence[Dependency], files: Files
) -> tuple[Symbol, ...]:
    """The functions that the symbol calls now and did not call before, and that did not exist before."""
    known = {(n.path, n.name) for n in anchor.neighbours} | {(d.path, d.symbol) for d in anchor.depends}
    called = _gained(anchor.verified.facts, new.facts)
    found = [s for s in outline.symbols if s.simple_name in called and s.kind in CODE_KINDS and s.name != new.name]
    for dependency in depends:
        if dependency.kind in CODE_KINDS and dependency.path != outline.path and dependency.digest:
            there = files.outline(dependency.path)
            symbol = there.find(dependency.symbol) if there is not None else None
            if symbol is not None and symbol.simple_name in called:
                found.append(symbol)
    fresh = [s for s in found if (s.path, s.name) not in known and s.fingerprint.size >= _LEAST_MOVED]
    return tuple({(s.path, s.name): s for s in fresh}.values())


def extracted_into(
    anchor: Anchor, new: Symbol, outline: Outline, depends: Sequence[Dependency], files: Files
) -> tuple[Symbol, ...]:
    """The new functions that hold what the symbol did itself when it was verified; empty when that is not certain.

    It is certain when the interface is the same, the symbol calls functions that did not exist before, and together
    with them it does everything that it did (calls, exceptions, conditions, literals) and nothing more.
    """
    old = anchor.verified
    if old.fingerprint.signature != new.fingerprint.signature:
        return ()
    return _together(old, new, new_helpers(anchor, new, outline, depends, files))


def _together(old: Symbol, new: Symbol, fresh: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    called = Counter(_simple(call) for call in new.facts.calls)
    gained = _gained(old.facts, new.facts)
    if not fresh or {symbol.simple_name for symbol in fresh} != gained:
        return ()
    helped = [symbol.facts for symbol in fresh for _ in range(min(called[symbol.simple_name], 8))]
    return fresh if _same_together(old.facts, (new.facts, *helped), gained) else ()


def extracted_among(old: Symbol, new: Symbol, added: Iterable[Symbol]) -> tuple[Symbol, ...]:
    """`extracted_into` for a member of a class or file: which of the added members hold a part of its old body."""
    if old.fingerprint.signature != new.fingerprint.signature:
        return ()
    gained = _gained(old.facts, new.facts)
    fresh = [s for s in added if s.kind in CODE_KINDS and s.simple_name in gained]
    return _together(old, new, tuple(s for s in fresh if s.fingerprint.size >= _LEAST_MOVED))


def _gained(old: Facts, new: Facts) -> set[str]:
    """The simple names of new calls: also `self.save` where `self.store.save` was called before."""
    names, before = {_simple(call) for call in old.calls}, {one_separator(call) for call in old.calls}
    return {
        _simple(call)
        for call in new.calls
        if _simple(call) not in names
        or (one_separator(call) not in before and _ON_ITSELF.fullmatch(one_separator(call)))
    } - _WORDS["wrappers"]


def _simple(call: str) -> str:
    """The called name without its receiver: `send` of `client.post().send`."""
    return one_separator(call).rpartition(".")[2]


def _same_together(old: Facts, parts: tuple[Facts, ...], helpers: set[str]) -> bool:
    if any(facts.decorators or "async" in facts.modifiers for facts in parts[1:]) and "async" not in old.modifiers:
        return False
    wrapped = helpers | _WORDS["wrappers"]
    for before, after, plumbing in (
        (Counter(map(_simple, old.calls)), Counter(_simple(c) for f in parts for c in f.calls), wrapped),
        (Counter(old.raises), Counter(r for f in parts for r in f.raises), helpers),
        (Counter(old.catches), Counter(c for f in parts for c in f.catches), helpers),
        (_anonymous(old.loops, old), _anonymous_in(parts, lambda f: f.loops), helpers),
    ):
        if before - after or any(name not in plumbing for name in after - before):
            return False
    return _same_conditions(old, parts, helpers) and _same_tokens(old, parts)


def _same_tokens(old: Facts, parts: tuple[Facts, ...]) -> bool:
    """True when all literals and operators are there, and few others."""
    before, literals = Counter(old.literals), Counter(literal for facts in parts for literal in facts.literals)
    if before - literals or (literals - before).total() > _PLUMBING:
        return False
    operators, together = _operators(old), sum(map(_operators, parts), Counter[str]())
    return operators <= together and not set(together - operators) - _WORDS["carrying"]


_TESTED = re.compile(r"(?:!|not )?_|_ (?:!=|==|!==|===) (?:nil|null|undefined)|_ is (?:not )?None")


def _same_conditions(old: Facts, parts: tuple[Facts, ...], helpers: set[str]) -> bool:
    """True when all conditions are there; a helper may stand for one that it returns, and its result may be tested."""
    before, after = _anonymous(old.conditions, old), _anonymous_in(parts, lambda f: f.conditions)
    lost, gained = before - after, after - before
    returned = _anonymous_in(parts[1:], lambda f: f.returns)
    if lost - returned:
        return False
    for text in gained:
        head = re.match(r"(?:\w+(?:\.|::))*(\w+)\(", text)
        stands = head is not None and head[1] in helpers and text.endswith(")")
        if not stands and not _TESTED.fullmatch(text):
            return False
    return lost.total() <= sum(1 for text in gained.elements() if not _TESTED.fullmatch(text))


def _operators(facts: Facts) -> Counter[str]:
    """The tokens that are neither names nor punctuation: `*`, `<=`, `return`."""
    return Counter(token for token in facts.tokens if token in _WORDS["operators"])


def _anonymous(texts: Iterable[str], facts: Facts) -> Counter[str]:
    """The texts with one name for all locals; a name behind a dot is none."""
    heads = {one_separator(used).partition(".")[0] for used in facts.uses} | _WORDS["keywords"]
    return Counter(_LOCAL.sub(lambda found: found[0] if found[0] in heads else "_", text) for text in texts)


def _anonymous_in(parts: Iterable[Facts], of: Callable[[Facts], tuple[str, ...]]) -> Counter[str]:
    return sum((_anonymous(of(facts), facts) for facts in parts), Counter[str]())
