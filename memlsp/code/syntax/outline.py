"""Builds the outline of a file: its symbols in document order, containers before members, and its imports."""

from __future__ import annotations

from functools import cached_property

from attrs import define

from memlsp.code.languages.detection import describe, is_generated, is_text_only
from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.fingerprints import digest, digest_bytes, sketch
from memlsp.code.syntax.language import Import
from memlsp.code.syntax.parser import parse, tagged_names
from memlsp.code.syntax.symbols import file_symbols
from memlsp.code.syntax.tree import Tree, imports_of
from memlsp.model.place import Span
from memlsp.model.symbol import CODE_KINDS, Facts, Fingerprint, Symbol, SymbolKind


@define(eq=True, frozen=True, slots=False)
class Outline:
    """The symbols and imports of a file. `symbols[0]` is the MODULE symbol, whose name is "".

    `language` is None when unknown. With syntax errors (`has_errors`) the readable symbols are still there. `generated`
    files are not written by people: generated, minified or vendored.
    """

    path: str
    language: str | None
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...] = ()
    has_errors: bool = False
    generated: bool = False
    lines: int = 0

    @property
    def module(self) -> Symbol:
        """The whole file."""
        return self.symbols[0]

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        found: dict[str, list[Symbol]] = {}
        for symbol in self.symbols:
            found.setdefault(symbol.name, []).append(symbol)
        return found

    @cached_property
    def _open(self) -> dict[str, Symbol]:
        found: dict[str, Symbol] = {}
        transparent = {""}
        for symbol in self.symbols[1:]:
            modifiers = symbol.facts.modifiers
            if "namespace" in modifiers or (symbol.kind is SymbolKind.ENUM and "class" not in modifiers):
                transparent.add(symbol.name)
            if symbol.container in transparent:
                found.setdefault(symbol.simple_name, symbol)
        return found

    def seen(self, name: str) -> Symbol | None:
        """The symbol of that simple name that needs no prefix: only namespaces and enumerations are around it."""
        return self._open.get(name)

    def find(self, name: str, ordinal: int = 0) -> Symbol | None:
        """The symbol of that full dotted name, "" for the module; None when there is none."""
        return next((symbol for symbol in self._by_name.get(name, ()) if symbol.ordinal == ordinal), None)

    def named(self, name: str) -> tuple[Symbol, ...]:
        """All symbols of that full dotted name, or else all whose name ends with it."""
        exact = self._by_name.get(name)
        if exact:
            return tuple(exact)
        tail = "." + name
        return tuple(symbol for symbol in self.symbols if symbol.name.endswith(tail)) if name else ()

    def at(self, line: int) -> Symbol:
        """The innermost symbol on the 0-based `line`, or the module."""
        best = self.module
        for symbol in self.symbols[1:]:
            if symbol.span.start_line <= line <= symbol.span.end_line and _size(symbol) <= _size(best):
                best = symbol
        return best

    def behind(self, symbol: Symbol) -> Symbol:
        """The function that a stub with other types (`@overload`) stands for; the symbol itself when it is no stub."""
        alike = self._by_name.get(symbol.name, ())
        if len(alike) < 2 or symbol.kind not in CODE_KINDS or not _is_stub(symbol):
            return symbol
        return next((each for each in alike if each.kind in CODE_KINDS and not _is_stub(each)), symbol)


def _is_stub(symbol: Symbol) -> bool:
    facts = symbol.facts
    if symbol.path.endswith((".ts", ".tsx", ".mts", ".cts")):
        return not (facts.calls or facts.returns or facts.raises or facts.conditions or facts.literals)
    return any(decorator.rpartition(".")[2] == "overload" for decorator in facts.decorators)


def _size(symbol: Symbol) -> int:
    return symbol.span.end_byte - symbol.span.start_byte if symbol.name else 1 << 60


def outline(path: str, source: bytes, tree: Tree | None = None) -> Outline:
    """The outline of a source text, whose `tree` may be at hand. Never raises on bad source; a text that cannot be
    parsed is one MODULE symbol."""
    language = describe(path, source)
    if language is None or is_text_only(language, path, source):
        return unread(path, source, has_errors=False)
    text = Decoded.read(source)
    if tree is None:
        tree = None if language.unsafe(text.utf8) else parse(language, text.utf8)
    if tree is None:
        return unread(path, source)
    symbols, generated = file_symbols(path, tree, text).symbols, is_generated(path, source)
    return Outline(path, language.name, symbols, imports_of(tree), tree.has_errors, generated, lines_of(source))


def defined_names(path: str, source: bytes) -> frozenset[str]:
    """Dotted names that the text surely defines, at a tenth of the cost of its outline, which may have more."""
    language = describe(path, source)
    return tagged_names(language, source) if language is not None else frozenset()


def unread(path: str, source: bytes, *, has_errors: bool = True) -> Outline:
    """The outline of a text that is not or cannot be parsed: one MODULE symbol, known by its lines."""
    language = describe(path, source)
    module = lines_symbol(path, "", SymbolKind.MODULE, source, 0, source.count(b"\n") + 1)
    generated = is_generated(path, source)
    return Outline(path, language.name if language else None, (module,), (), has_errors, generated, lines_of(source))


def lines_of(source: bytes) -> int:
    """How many lines a text has."""
    return source.count(b"\n") + (0 if source.endswith(b"\n") or not source else 1)


_MOST = 4000  # line tokens kept


def lines_symbol(path: str, name: str, kind: SymbolKind, source: bytes, first: int, after: int) -> Symbol:
    """A symbol made of the lines `first` to `after` (0-based, half open)."""
    rows = source.split(b"\n")
    first, after = max(0, first), min(len(rows), after)
    start = sum(len(row) + 1 for row in rows[:first])
    body = b"\n".join(rows[first:after])
    texts = (" ".join(row.decode("utf-8", "replace").replace("\ufeff", "").split()) for row in rows[first:after])
    tokens = tuple(filter(None, texts))
    span = Span(start, min(len(source), start + len(body)), first, max(first, after - 1))
    meaning = digest(tokens)
    fingerprint = Fingerprint(digest_bytes(body), meaning, digest(()), digest(()), sketch(tokens), len(tokens))
    return Symbol(path, name, kind, span, Span(start, start, first, first), fingerprint, Facts(tokens=tokens[:_MOST]))
