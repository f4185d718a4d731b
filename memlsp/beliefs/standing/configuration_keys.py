"""The keys of configuration files that a symbol reads.

Code rarely names the file and the key in one place: a loader in one module names the file, its callers name the key.
A key counts as used when the symbol, or a function that it calls, has all parts of the key's name as strings or
attributes, and its file, or that of something it uses, names the configuration file.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable, Iterator, Sequence

from memlsp.beliefs.claims.symbol_state import strings_in
from memlsp.beliefs.standing.uses_lookup import SHOWN, UsesLookup
from memlsp.code.syntax.outline import Outline
from memlsp.model.symbol import CODE_KINDS, Dependency, Symbol, SymbolKind

CONFIGURATION = (".toml", ".json", ".yaml", ".yml")
"""Endings of the files whose keys are followed."""

_MOST_KEYS = 24
_MOST_FILES = 16  # of configuration in a workspace, where none is named beside a key
_is_several = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+|[A-Z][a-z0-9]+)+").fullmatch


def keys_read(
    symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup, index: ConfigurationIndex
) -> Iterator[Dependency]:
    """The configuration keys that the symbol, or a function that it calls, reads."""
    here = around.here
    if not index.paths or here.language is None or here.path.endswith(CONFIGURATION) or symbol.kind.is_container:
        return
    known = {(dependency.path, dependency.symbol) for dependency in depends}
    found: dict[tuple[str, str], Dependency] = {}
    for reader, outline, uses in _readers(symbol, depends, around):
        words = _words_of(reader)
        paths = _named_files(outline, uses, around, index)
        if not paths and len(index.paths) <= _MOST_FILES:  # a key of several words is known by them alone
            words = frozenset(text for each in reader.facts.literals for text in strings_in(each) if _is_several(text))
            paths = index.paths if words else ()
        for path in paths:
            configuration = around.outline(path)
            for key in _keys_among(configuration, words) if configuration is not None else ():
                if (path, key.name) not in known:
                    value = next((v.value for v in key.facts.values), "")
                    mark = key.fingerprint.meaning
                    found[path, key.name] = Dependency(key.name, key.kind, path, key.name, mark, value[:SHOWN])
    yield from list(found.values())[:_MOST_KEYS]


def _readers(
    symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup
) -> Iterator[tuple[Symbol, Outline, Sequence[Dependency]]]:
    yield symbol, around.here, depends
    for dependency in depends:
        definition = around.definition(dependency) if dependency.kind in CODE_KINDS else None
        if definition is not None and definition[1].facts.literals:
            outline, callee = definition
            yield callee, outline, around.resolved(callee, outline)


def _words_of(symbol: Symbol) -> frozenset[str]:
    texts = [text for literal in symbol.facts.literals for text in strings_in(literal)]
    words = {part for text in texts for part in (text, *text.split("."))}
    words.update(part for used in symbol.facts.uses for part in used.split(".")[1:])
    return frozenset(words)


def _named_files(
    here: Outline, depends: Sequence[Dependency], around: UsesLookup, index: ConfigurationIndex
) -> list[str]:
    """The configuration files that this file, or a file of its dependencies, names."""
    found: dict[str, None] = {}
    for path in dict.fromkeys((here.path, *(dependency.path for dependency in depends))):
        outline = here if path == here.path else around.outline(path)
        if outline is not None and not path.endswith(CONFIGURATION):
            found.update(dict.fromkeys(index.named_by(outline)))
    return list(found)


def _keys_among(configuration: Outline, words: frozenset[str]) -> list[Symbol]:
    keys = [
        key
        for key in configuration.symbols[1:]
        if key.kind is SymbolKind.KEY
        and (
            key.name in words
            or words.issuperset(key.name.split("."))
            or (_is_several(key.simple_name) and key.simple_name in words)
        )
    ]
    # Of a table and a key in it, the key is meant.
    return [key for key in keys if not any(other.name.startswith(f"{key.name}.") for other in keys)]


class ConfigurationIndex:
    """The configuration files of a workspace by name, and the sources that name them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(p for p in paths if p.endswith(CONFIGURATION) and not _is_lock(p))
        self._by_name: dict[str, list[str]] = {}
        for path in self.paths:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._named: weakref.WeakValueDictionary[int, Outline] = weakref.WeakValueDictionary()
        self._answers: dict[int, tuple[str, ...]] = {}

    def named_by(self, outline: Outline) -> tuple[str, ...]:
        """The configuration files whose names occur in the strings of this file."""
        key = id(outline)
        if self._named.get(key) is not outline:
            self._answers[key] = self._search(outline)
            self._named[key] = outline
            if len(self._answers) > 2 * len(self._named) + 64:
                self._answers = {k: v for k, v in self._answers.items() if k in self._named}
        return self._answers[key]

    def _search(self, outline: Outline) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for symbol in outline.symbols:
            for literal in symbol.facts.literals:
                if any(ending in literal for ending in CONFIGURATION):
                    for text in strings_in(literal):
                        found.update(dict.fromkeys(self._meant(text)))
        return tuple(found)

    def _meant(self, text: str) -> list[str]:
        """The only file of that name, or those whose path ends in the text."""
        same = self._by_name.get(text.rpartition("/")[2], [])
        if len(same) <= 1:
            return same
        ending = text.lstrip("./")
        return [path for path in same if path == ending or path.endswith(f"/{ending}")] if "/" in text else []


def _is_lock(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "lock" in name or name in {"package.json", "tsconfig.json"}
