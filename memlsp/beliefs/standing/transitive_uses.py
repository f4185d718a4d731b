"""What a symbol uses at one more remove: inherited values, methods of its parameters' types, keys of configuration.

Code rarely names the file and the key in one place: a loader in one module names the file, its callers name the key.
A key counts as used when the symbol, or a function that it calls, has all parts of the key's name as strings or
attributes, and its file, or that of something it uses, names the configuration file.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import evolve

from memlsp.beliefs.claims.symbol_state import names_in, strings_in
from memlsp.code.syntax.outline import Outline
from memlsp.model.symbol import CODE_KINDS, VALUE_KINDS, Dependency, Symbol, SymbolKind

OutlineLookup = Callable[[str], Outline | None]
UsesLookup = Callable[[Symbol, Outline], tuple[Dependency, ...]]

_CONFIGURATION = (".toml", ".json", ".yaml", ".yml")
_MOST_INHERITED = 40
_MOST_KEYS = 24
_SHOWN = 200
_SHORT = 60  # characters of a returned expression that is as good as a constant
_TELLS_A_VALUE = re.compile(r"[\d'\"]|\b(?:true|false|True|False|None|null|nil)\b")


def inherited(symbol: Symbol, depends: Sequence[Dependency], look: OutlineLookup) -> Iterator[Dependency]:
    """The values that a class inherits: `Gateway.attempts`, or the result of a one-line default method."""
    bases = {name for base in symbol.facts.bases for name in names_in(base)}
    own = {name for name, _ in symbol.facts.members}
    for dependency in depends:
        outline = look(dependency.path) if dependency.name.rpartition(".")[2] in bases else None
        if outline is None or not dependency.kind.is_container:
            continue
        start = f"{dependency.symbol}."
        inside = [
            each for each in outline.symbols if each.name.startswith(start) and each.container == dependency.symbol
        ]
        for member in inside[:_MOST_INHERITED]:
            value = _value(member)
            if value is not None and member.simple_name not in own:
                name = f"{dependency.name}.{member.simple_name}"
                digest = member.fingerprint.meaning
                yield Dependency(name, member.kind, dependency.path, member.name, digest, value[:_SHOWN])


def _value(member: Symbol) -> str | None:
    if member.kind in VALUE_KINDS:
        return next((v.value for v in member.facts.values), None) or " ".join(member.facts.literals) or None
    returned = member.facts.returns
    if (
        member.kind in CODE_KINDS
        and len(returned) == 1
        and len(returned[0]) <= _SHORT
        and _TELLS_A_VALUE.search(returned[0])
    ):
        return returned[0]
    return None


def called_on_values(
    symbol: Symbol, here: Outline, look: OutlineLookup, resolve: UsesLookup, source: Callable[[], str]
) -> Iterator[Dependency]:
    """The methods called on parameters and locals of known types: `loan.dueDate()` with `Loan loan`."""
    heads = {call.partition(".")[0] for call in symbol.facts.calls if "." in call}
    held = {p.name: p.type or "" for p in symbol.facts.parameters if p.name in heads}
    if symbol.kind in CODE_KINDS and heads - set(held) - {used.partition(".")[0] for used in symbol.facts.uses}:
        held = {**declared_in(source()), **held}
    held = {name: declared for name, declared in held.items() if name in heads}
    types = _types_named({name for declared in held.values() for name in names_in(declared)}, symbol, here, resolve)
    for local, written in held.items():
        declared = next((types[name] for name in names_in(written) if name in types), None)
        outline = look(declared.path) if declared is not None else None
        if declared is None or outline is None:
            continue
        start = f"{local}."
        for call in dict.fromkeys(symbol.facts.calls):
            method = outline.find(f"{declared.symbol}.{call[len(start) :]}") if call.startswith(start) else None
            if method is not None:
                shown = f"{method.name}({', '.join(p.name for p in method.facts.parameters)})"
                name = f"{declared.name}.{method.simple_name}"
                digest = method.fingerprint.signature
                yield Dependency(name, method.kind, method.path, method.name, digest, shown[:_SHOWN])


def _types_named(names: set[str], symbol: Symbol, here: Outline, resolve: UsesLookup) -> dict[str, Dependency]:
    if not names:
        return {}
    depends = resolve(evolve(symbol, facts=evolve(symbol.facts, uses=tuple(sorted(names)))), here)
    return {each.name.rpartition(".")[2]: each for each in depends if each.kind.is_container}


_DECLARED = (
    re.compile(r"\b(?:let|const|var)\s+(?:mut\s+)?(?P<name>\w+)\s*:\s*&?(?:mut\s+)?(?P<type>[A-Z]\w*)"),
    re.compile(r"\b(?P<name>\w+)\s*:?=\s*(?:await\s+)?(?:new\s+)?&?(?P<type>[A-Z]\w*)(?:(?:::|\.)\w+)?[({]"),
    re.compile(r"(?<![\w.])(?P<type>[A-Z]\w*)(?:<[^;(){}]*>)?\s+(?P<name>[a-z_]\w*)\s*(?:=(?!=)|:(?!:))"),
    re.compile(r"\bvar\s+(?P<name>\w+)\s+\*?(?P<type>[A-Z]\w*)"),
    re.compile(r"(?m)^\s*(?P<name>\w+)\s*:\s*(?P<type>[A-Z]\w*)\s*="),
)


def declared_in(source: str) -> dict[str, str]:
    """The locals of a source text with a type at their declaration; a name with two types is left out."""
    found: dict[str, set[str]] = {}
    for pattern in _DECLARED:
        for each in pattern.finditer(source):
            found.setdefault(each["name"], set()).add(each["type"])
    return {name: next(iter(types)) for name, types in found.items() if len(types) == 1}


_TYPE_NAME = re.compile(r"[A-Z]\w*")
_MOST_TYPES = 24


def types_mentioned(
    symbol: Symbol, here: Outline, depends: Sequence[Dependency], resolve: UsesLookup
) -> Iterator[Dependency]:
    """The workspace's types that it names, so that their renaming is recognised. They carry no digest."""
    inside = [each for each in here.symbols if symbol.kind.is_container and each.container == symbol.name]
    texts: list[str] = []
    for facts in (each.facts for each in (symbol, *inside)):
        texts += (*facts.tokens, *(p.type or "" for p in facts.parameters), facts.return_type or "", *facts.bases)
    names = {name for text in texts if text[:1] not in {"'", '"', "`"} for name in _TYPE_NAME.findall(text)}
    names -= {dependency.name for dependency in depends}
    if symbol.kind is SymbolKind.MODULE or here.language is None or here.path.endswith(_CONFIGURATION):
        return
    for name, each in _types_named(set(sorted(names)[:_MOST_TYPES]), symbol, here, resolve).items():
        yield Dependency(name, each.kind, each.path, each.symbol, "", "")


def keys_read(
    symbol: Symbol,
    here: Outline,
    depends: Sequence[Dependency],
    look: OutlineLookup,
    resolve: UsesLookup,
    index: ConfigurationIndex,
) -> Iterator[Dependency]:
    """The configuration keys that the symbol, or a function that it calls, reads."""
    if not index.paths or here.language is None or here.path.endswith(_CONFIGURATION) or symbol.kind.is_container:
        return
    known = {(dependency.path, dependency.symbol) for dependency in depends}
    found: dict[tuple[str, str], Dependency] = {}
    for reader, outline, uses in _readers(symbol, here, depends, look, resolve):
        words = _words_of(reader)
        for path in _named_files(outline, uses, look, index):
            configuration = look(path)
            for key in _keys_among(configuration, words) if configuration is not None else ():
                if (path, key.name) not in known:
                    value = next((v.value for v in key.facts.values), "")
                    digest = key.fingerprint.meaning
                    found[path, key.name] = Dependency(key.name, key.kind, path, key.name, digest, value[:_SHOWN])
    yield from list(found.values())[:_MOST_KEYS]


def _readers(
    symbol: Symbol, here: Outline, depends: Sequence[Dependency], look: OutlineLookup, resolve: UsesLookup
) -> Iterator[tuple[Symbol, Outline, Sequence[Dependency]]]:
    yield symbol, here, depends
    for dependency in depends:
        outline = look(dependency.path) if dependency.kind in CODE_KINDS else None
        callee = outline.find(dependency.symbol) if outline is not None else None
        if outline is not None and callee is not None and callee.facts.literals:
            yield callee, outline, resolve(callee, outline)


def _words_of(symbol: Symbol) -> frozenset[str]:
    texts = [text for literal in symbol.facts.literals for text in strings_in(literal)]
    words = {part for text in texts for part in (text, *text.split("."))}
    words.update(part for used in symbol.facts.uses for part in used.split(".")[1:])
    return frozenset(words)


def _named_files(
    here: Outline, depends: Sequence[Dependency], look: OutlineLookup, index: ConfigurationIndex
) -> list[str]:
    """The configuration files that this file, or a file of its dependencies, names."""
    found: dict[str, None] = {}
    for path in dict.fromkeys((here.path, *(dependency.path for dependency in depends))):
        outline = here if path == here.path else look(path)
        if outline is not None and not path.endswith(_CONFIGURATION):
            found.update(dict.fromkeys(index.named_by(outline)))
    return list(found)


def _keys_among(configuration: Outline, words: frozenset[str]) -> list[Symbol]:
    keys = [
        key
        for key in configuration.symbols[1:]
        if key.kind is SymbolKind.KEY and (key.name in words or words.issuperset(key.name.split(".")))
    ]
    # Of a table and a key in it, the key is meant.
    return [key for key in keys if not any(other.name.startswith(f"{key.name}.") for other in keys)]


class ConfigurationIndex:
    """The configuration files of a workspace by name, and the sources that name them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(p for p in paths if p.endswith(_CONFIGURATION) and not _is_lock(p))
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
                if any(ending in literal for ending in _CONFIGURATION):
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
