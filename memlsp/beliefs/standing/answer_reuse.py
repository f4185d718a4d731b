"""Which answers about a file outlive an edit of it.

What a symbol uses follows from its own source, the imports of its file, and the definitions that it leads to by name,
at any remove. So after an edit it stays what it was when neither the symbol nor anything that it can lead to is
different. "Can lead to" is taken widely, by words alone: whoever mentions a changed name counts as changed itself.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable

from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.outline import Outline
from memlsp.model.symbol import Facts, Symbol

_WORD = re.compile(r"[^\W\d]\w*")
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "new", "init", "initialize"})
_CONFIGURATION = (".toml", ".json", ".yaml", ".yml")
_MOST_WORDS = 4096  # facts whose words are remembered


class FileEdit:
    """What an edit of a file changed, as far as answers about its symbols are concerned."""

    def __init__(self, before: Outline, after: Outline) -> None:
        self._before = {(each.name, each.ordinal): each for each in before.symbols}
        self._all = _imports(before) != _imports(after) or before.language != after.language
        self._changed: frozenset[tuple[str, int]] = frozenset()
        self._words: frozenset[str] = frozenset()
        self._held: frozenset[str] = frozenset()  # the containers of what changed
        if not self._all:
            self._compare(after)

    def spares(self, symbol: Symbol, others: Iterable[Outline] = ()) -> bool:
        """True when what `symbol`, as it is after the edit, uses is what it used before.

        `others` are the other files that were looked at for it: they may lead back here.
        """
        if self._all or (symbol.name, symbol.ordinal) in self._changed:
            return False
        if symbol.kind.is_container and symbol.name in self._held:
            return False  # it uses what its members use, and in some languages they stand elsewhere
        before = self._before[symbol.name, symbol.ordinal]
        if before.fingerprint.text != symbol.fingerprint.text:
            return False  # what is declared in it is read from its text
        texts = (symbol.facts, *(other.module.facts for other in others))
        return all(self._words.isdisjoint(words_of(facts)) for facts in texts)

    def _compare(self, after: Outline) -> None:
        now = {(each.name, each.ordinal): each for each in after.symbols}
        pairs = [(self._before.get(key), now.get(key)) for key in self._before.keys() | now.keys()]
        differing = [(old, new) for old, new in pairs if old is None or new is None or not _same(old, new)]
        constructors = _CONSTRUCTORS
        language = language_named(after.language)
        if language is not None:
            constructors = constructors | language.constructors
        for old, new in differing:
            simple, around = _simple(old, new)
            told = [literal for each in (old, new) if each is not None for literal in each.facts.literals]
            if simple in constructors or (simple and simple == around) or _heads(old) != _heads(new):
                self._all = True  # found by where they are, and not by their names
            if simple and any(ending in literal for literal in told for ending in _CONFIGURATION):
                self._all = True
        self._held = frozenset(each.container for pair in differing for each in pair if each is not None)
        self._changed = frozenset((each.name, each.ordinal) for pair in differing for each in pair if each is not None)
        names = {_simple(old, new)[0] for old, new in differing} - {""}
        self._words = _reaching(names, after.symbols)


def _reaching(names: set[str], symbols: Iterable[Symbol]) -> frozenset[str]:
    """`names` and those of the definitions that mention one of them, and so on."""
    reached = set(names)
    waiting = [each for each in symbols if each.name and not each.kind.is_container]
    moved = True
    while moved:
        moved = False
        rest: list[Symbol] = []
        for each in waiting:
            if reached.isdisjoint(words_of(each.facts)):
                rest.append(each)
            elif each.simple_name not in reached:
                reached.add(each.simple_name)
                moved = True
        waiting = rest
    return frozenset(reached)


def _same(old: Symbol, new: Symbol) -> bool:
    if old.facts is new.facts and old.fingerprint is new.fingerprint:
        return True
    return (old.kind, old.fingerprint, old.facts) == (new.kind, new.fingerprint, new.facts)


def _simple(old: Symbol | None, new: Symbol | None) -> tuple[str, str]:
    """The simple name, and that of what holds it."""
    one = new or old
    assert one is not None
    return one.simple_name, one.container.rpartition(".")[2]


def _heads(symbol: Symbol | None) -> object:
    """What leads from a container to others, whoever asks."""
    if symbol is None or not symbol.kind.is_container:
        return None
    facts = symbol.facts
    return symbol.kind, facts.bases, facts.decorators, facts.parameters, facts.modifiers


def _imports(outline: Outline) -> list[tuple[str, str, str | None]]:
    return [(each.local, each.module, each.name) for each in outline.imports]


_words: dict[int, tuple[weakref.ref[Facts], frozenset[str]]] = {}


def words_of(facts: Facts) -> frozenset[str]:
    """Every word of a symbol's own source and head."""
    kept = _words.get(id(facts))
    if kept is not None and kept[0]() is facts:
        return kept[1]
    types = [text for each in facts.parameters for text in (each.type, each.default) if text]
    texts = (*facts.tokens, *facts.uses, *facts.calls, *facts.bases, *facts.decorators, *types, facts.return_type or "")
    found = frozenset(_WORD.findall(" ".join(texts)))
    if len(_words) >= _MOST_WORDS:
        _words.clear()
    _words[id(facts)] = (weakref.ref(facts), found)
    return found
