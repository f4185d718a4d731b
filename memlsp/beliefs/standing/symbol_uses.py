"""What symbols use, remembered while the files that were looked at for the answer stay the same.

What a symbol uses follows from its own source, the imports of its file, and the definitions that these lead to by name,
at any remove. So an answer outlives an edit of the file when the edit changed neither the symbol nor anything it can
lead to. "Can lead to" is judged by words alone and widely: a definition that mentions a changed name counts as changed.
"""

from __future__ import annotations

import re
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from attrs import evolve, frozen

from memlsp.beliefs.files import Files
from memlsp.beliefs.standing import transitive_uses
from memlsp.beliefs.standing.configuration_keys import CONFIGURATION, ConfigurationIndex
from memlsp.beliefs.standing.uses_lookup import UsesLookup, siblings_of
from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.outline import Outline
from memlsp.model.symbol import Dependency, Facts, Symbol

_WORD = re.compile(r"[^\W\d]\w*")


class FileEdit:
    """The changes between two outlines of a file, as far as they affect what its symbols use."""

    def __init__(self, before: Outline, after: Outline) -> None:
        self._before = {(each.name, each.ordinal): each for each in before.symbols}
        self._all = _imports(before) != _imports(after) or before.language != after.language
        self._changed: frozenset[tuple[str, int]] = frozenset()
        self._words: frozenset[str] = frozenset()
        self._held: frozenset[str] = frozenset()  # the containers of what changed
        if not self._all:
            self._compare(after)

    def spares(self, symbol: Symbol, others: Iterable[Outline] = ()) -> bool:
        """True when the edit left unchanged what `symbol`, in its state after the edit, uses. `others` are the other
        files that the answer was read from: they may lead back here."""
        if self._all or (symbol.name, symbol.ordinal) in self._changed:
            return False
        if symbol.kind.is_container and symbol.name in self._held:
            return False  # it uses what its members use, and in some languages they stand elsewhere
        before = self._before[symbol.name, symbol.ordinal]
        if before.fingerprint.text != symbol.fingerprint.text:
            return False  # what is declared in it is read from its text
        if not self._words.isdisjoint(_WORD.findall(symbol.simple_name)):
            return False  # another overload of it is different: what that raises counts
        texts = (symbol.facts, *(other.module.facts for other in others))
        return all(self._words.isdisjoint(words_of(facts)) for facts in texts)

    def _compare(self, after: Outline) -> None:
        now = {(each.name, each.ordinal): each for each in after.symbols}
        pairs = [(self._before.get(key), now.get(key)) for key in self._before.keys() | now.keys()]
        differing = [(old, new) for old, new in pairs if old is None or new is None or not _same(old, new)]
        language = language_named(after.language)
        constructors = language.constructors if language is not None else frozenset[str]()
        self._all = any(_reaches_without_its_name(old, new, constructors) for old, new in differing)
        self._held = frozenset(each.container for pair in differing for each in pair if each is not None)
        self._changed = frozenset((each.name, each.ordinal) for pair in differing for each in pair if each is not None)
        names = {word for old, new in differing for word in _WORD.findall(_simple(old, new)[0])}
        self._words = _reaching(names, after.symbols)


def _reaching(names: set[str], symbols: Iterable[Symbol]) -> frozenset[str]:
    """`names` and, transitively, those of the definitions that mention one of them."""
    reached = set(names)
    waiting = [each for each in symbols if each.name and not each.kind.is_container]
    moved = True
    while moved:
        moved = False
        rest: list[Symbol] = []
        for each in waiting:
            if reached.isdisjoint(words_of(each.facts)):
                rest.append(each)
            elif not reached.issuperset(own := _WORD.findall(each.simple_name)):  # `#cache` is named as `cache`
                reached.update(own)
                moved = True
        waiting = rest
    return frozenset(reached)


def _reaches_without_its_name(old: Symbol | None, new: Symbol | None, constructors: frozenset[str]) -> bool:
    """True where other symbols are led to what changed by its place: to constructors, bases, operators, and files that
    it names."""
    simple, around = _simple(old, new)
    if simple in constructors or transitive_uses.is_maker(simple) or _heads(old) != _heads(new):
        return True
    if not simple:
        return False
    literals = (literal for each in (old, new) if each is not None for literal in each.facts.literals)
    is_named_as_it = simple == around or not _WORD.search(simple)  # no word of another symbol names an operator
    return is_named_as_it or any(ending in literal for literal in literals for ending in CONFIGURATION)


def _same(old: Symbol, new: Symbol) -> bool:
    if old.facts is new.facts and old.fingerprint is new.fingerprint:
        return True
    return (old.kind, old.fingerprint, old.facts) == (new.kind, new.fingerprint, new.facts)


def _simple(old: Symbol | None, new: Symbol | None) -> tuple[str, str]:
    """The simple name of a symbol and that of its container."""
    one = new or old
    assert one is not None
    return one.simple_name, one.container.rpartition(".")[2]


def _heads(symbol: Symbol | None) -> object:
    """The parts of a container's head that lead to other definitions."""
    if symbol is None or not symbol.kind.is_container:
        return None
    facts = symbol.facts
    return symbol.kind, facts.bases, facts.decorators, facts.parameters, facts.modifiers


def _imports(outline: Outline) -> list[tuple[str, str, str | None]]:
    return [(each.local, each.module, each.name) for each in outline.imports]


_Words = dict[int, tuple[weakref.ref[Facts], frozenset[str]]]
_words: _Words = {}


def _forget(words: _Words, key: int, gone: weakref.ref[Facts]) -> None:
    """Drop what was kept of facts that are gone. It is handed all that it uses: facts also go when Python ends."""
    if key in words and words[key][0] is gone:
        del words[key]


def words_of(facts: Facts) -> frozenset[str]:
    """Every word of a symbol's own source and head; kept as long as the facts are."""
    key = id(facts)
    kept = _words.get(key)
    if kept is not None and kept[0]() is facts:
        return kept[1]
    types = [text for each in facts.parameters for text in (each.type, each.default) if text]
    texts = (*facts.tokens, *facts.uses, *facts.calls, *facts.bases, *facts.decorators, *types, facts.return_type or "")
    found = frozenset(_WORD.findall(" ".join(texts)))
    _words[key] = (weakref.ref(facts, partial(_forget, _words, key)), found)
    return found


_MOST = 4096  # answers kept

_STATES = 3  # of a file, from which answers are carried over
_FILES = 32

_Key = tuple[Path, str, str, int]


@frozen
class _Answer:
    """An answer and the outlines it was read from; an unchanged file keeps its outline object."""

    here: weakref.ref[Outline]
    siblings: tuple[str, ...]
    looked_at: tuple[tuple[str, weakref.ref[Outline] | None], ...]
    depends: tuple[Dependency, ...]


class Uses:
    """A cache of answers, least recently used first out. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, _Answer] = OrderedDict()
        self._states: OrderedDict[tuple[Path, str], tuple[Outline, ...]] = OrderedDict()
        self._edit: tuple[weakref.ref[Outline], weakref.ref[Outline], FileEdit] | None = None
        self._indexed: tuple[str, ...] = ()
        self._index: ConfigurationIndex | None = None

    def of(self, symbol: Symbol, here: Outline, worktree: Files) -> tuple[Dependency, ...]:
        """The definitions that a symbol uses."""
        siblings = siblings_of(here, worktree)
        key = (worktree.root, here.path, symbol.name, symbol.ordinal)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and kept.siblings == siblings and self._holds(kept, symbol, here, worktree):
            if kept.here() is not here:
                self._keep(key, evolve(kept, here=weakref.ref(here)))
            return kept.depends
        around = UsesLookup(here, worktree)
        found = transitive_uses.gathered(symbol, around, self._configuration(worktree.paths()))
        looked_at = tuple((path, weakref.ref(each) if each is not None else None) for path, each in around.seen.items())
        self._keep(key, _Answer(weakref.ref(here), siblings, looked_at, found))
        return found

    def _keep(self, key: _Key, answer: _Answer) -> None:
        with self._lock:
            self._kept[key] = answer
            self._kept.move_to_end(key)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)

    def _holds(self, kept: _Answer, symbol: Symbol, here: Outline, worktree: Files) -> bool:
        """True when an answer holds in the state `here` of the symbol's file."""
        before = kept.here()
        edit = self._edit_to(before, here, worktree.root)
        if before is not here and edit is None:
            return False
        others = [looked for looked in kept.looked_at if looked[0] != here.path]
        if not all(_is_still(worktree, *looked) for looked in others):
            return False
        if edit is None:
            return True
        read = [outline for _, ref in others if ref is not None and (outline := ref()) is not None]
        return edit.spares(symbol, read)

    def _edit_to(self, before: Outline | None, here: Outline, root: Path) -> FileEdit | None:
        """The edit between two states of a file; None when they are the same, or when the former is gone."""
        if before is here:
            return None
        with self._lock:
            states = self._states.pop((root, here.path), ())
            if not any(state is here for state in states):
                states = (*states, here)[-_STATES:]
            self._states[root, here.path] = states
            while len(self._states) > _FILES:
                self._states.popitem(last=False)
            known = self._edit
        if before is None:
            return None
        if known is None or known[0]() is not before or known[1]() is not here:
            known = (weakref.ref(before), weakref.ref(here), FileEdit(before, here))
            self._edit = known
        return known[2]

    def _configuration(self, paths: tuple[str, ...]) -> ConfigurationIndex:
        with self._lock:
            if self._index is None or self._indexed is not paths:
                self._indexed, self._index = paths, ConfigurationIndex(paths)
            return self._index


def _is_still(worktree: Files, path: str, before: weakref.ref[Outline] | None) -> bool:
    now = worktree.outline(path)
    return now is None if before is None else now is not None and before() is now


_uses = Uses()


def uses_of(symbol: Symbol, here: Outline, worktree: Files) -> tuple[Dependency, ...]:
    """The definitions of the workspace that `symbol` of the outline `here` uses now."""
    return _uses.of(symbol, here, worktree)
