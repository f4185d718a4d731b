"""Finds unfinished work in a source text: remarks (TODO, FIXME, XXX, HACK) and stubs.

A remark is a comment, or a line of a docstring, that begins with such a word or has it before a colon or parenthesis; a
mention in running text is none. Stubs are found in the tree (`stubs`). Callers decide whether an end is new.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from attrs import frozen

from memlsp.code.languages.detection import describe, is_generated, is_text_only
from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.outline import Outline, lines_of
from memlsp.code.syntax.parser import parse
from memlsp.code.syntax.stubs import stubs_of
from memlsp.code.syntax.symbols import file_symbols
from memlsp.code.syntax.tree import Tree, imports_of
from memlsp.code.vocabulary import patterns
from memlsp.model.symbol import Symbol
from memlsp.model.thread import ThreadKind

LONGEST = 200
"""Characters of a remark that are kept; its first line."""

_RE = patterns(__name__)
_LEAF_WORDS = 12


@frozen
class LooseEnd:
    """One unfinished place in a file. `line` is from 1; `symbol` is dotted, "" for the file itself. `mark` stays the
    same wherever a remark or stub moves; `owner` is the person or ticket in parentheses."""

    kind: ThreadKind
    text: str
    path: str
    symbol: str
    line: int
    mark: str
    owner: str = ""


@frozen
class Unfinished:
    """The loose ends of one state of one file, in source order, with its outline."""

    outline: Outline
    ends: tuple[LooseEnd, ...] = ()


_SIGNS = re.compile(
    rb"TODO|FIXME|XXX|HACK|[Tt]o[Dd]o|[Ff]ixme|[Ii]mplement|IMPLEMENT|UnsupportedOperation|NYI|supported yet|not yet"
    rb"|\bpass\b|\.\.\."
)


def signs_of(source: bytes) -> tuple[bytes, ...]:
    """The lines that may hold a remark or stub, sorted, without layout. No lines, no loose ends; the same lines, mostly
    the same ends. A hundred times faster than `unfinished`."""
    if _SIGNS.search(source) is None:
        return ()
    return tuple(sorted(line.strip() for line in source.split(b"\n") if _SIGNS.search(line)))


def unfinished(path: str, source: bytes) -> Unfinished | None:
    """The loose ends of a file; None for a generated file and for an unknown language."""
    language = describe(path, source)
    if language is None or is_text_only(language, path, source) or is_generated(path, source):
        return None
    text = Decoded.read(source)
    tree = None if language.unsafe(text.utf8) else parse(language, text.utf8)
    if tree is None:
        return None
    symbols = file_symbols(path, tree, text).symbols
    outlined = Outline(path, language.name, symbols, imports_of(tree), tree.has_errors, False, lines_of(source))
    places = _SymbolsByOffset(symbols, text)
    ends = [*_remarks(path, tree, places)]
    for stub in stubs_of(path, tree, outlined, places.at):
        line = tree.line(tree.start[stub.node]) + 1
        ends.append(LooseEnd(ThreadKind.STUB, stub.text[:LONGEST], path, stub.symbol, line, "stub"))
    ends.sort(key=lambda end: end.line)
    return Unfinished(outlined, tuple(ends))


class _SymbolsByOffset:
    """The innermost symbol at a byte offset of the decoded text."""

    def __init__(self, symbols: Sequence[Symbol], text: Decoded) -> None:
        self._symbols = sorted(symbols[1:], key=lambda symbol: symbol.span.start_byte)
        self._starts = [symbol.span.start_byte for symbol in self._symbols]
        self._text = text

    def at(self, offset: int) -> Symbol | None:
        inside = self._text.offset(offset)
        best: Symbol | None = None
        for symbol in self._symbols[: bisect_right(self._starts, inside)]:
            span = symbol.span
            if span.end_byte > inside and (best is None or _length(symbol) <= _length(best)):
                best = symbol
        return best


def _length(symbol: Symbol) -> int:
    return symbol.span.end_byte - symbol.span.start_byte


def _remarks(path: str, tree: Tree, places: _SymbolsByOffset) -> Iterator[LooseEnd]:
    for start, written, is_doc in _written(tree):
        if not _may_remark(written):
            continue
        offset = start
        for line in written.splitlines(keepends=True):
            found = _match_remark(line, is_doc=is_doc)
            if found is not None:
                at = offset + len(line[: found.start("word")].encode("utf-8", "replace"))
                remark = " ".join(_RE["tail"].sub("", found["text"]).split())[:LONGEST].strip(" :-")
                symbol = places.at(_beside(tree, start) if offset == start else at)
                mark = words_of(remark) or f"~ {words_of(_code_after(tree, at))}"
                yield LooseEnd(
                    ThreadKind.TODO,
                    f"{found['word'].upper()}: {remark}" if remark else found["word"].upper(),
                    path,
                    symbol.name if symbol else "",
                    tree.line(at) + 1,
                    mark[:LONGEST],
                    (found["owner"] or "").strip(),
                )
            offset += len(line.encode("utf-8", "replace"))


def _beside(tree: Tree, start: int) -> int:
    """The start of the code on the line of a comment: a comment behind code belongs to that code."""
    line_start = tree.line_starts[tree.line(start)]
    before = tree.source[line_start:start]
    return line_start + len(before) - len(before.lstrip())


def _written(tree: Tree) -> Iterator[tuple[int, str, bool]]:
    """Comments and docstrings: byte offset, text, and whether it is a docstring."""
    source = tree.source
    for comment in tree.comments:
        yield comment.start, source[comment.start : comment.end].decode("utf-8", "replace"), False
    for node in tree.docstrings:
        yield tree.start[node], tree.raw(node), True


def _may_remark(text: str) -> bool:
    folded = text.upper()
    return any(word in folded for word in ("TODO", "FIXME", "XXX", "HACK"))


def _match_remark(line: str, *, is_doc: bool) -> re.Match[str] | None:
    if is_doc:
        return _RE["marked_doc"].match(line)
    found = _RE["starts"].match(line) or _RE["starts_small"].match(line) or _RE["within"].search(line)
    if found is None:
        return None
    if found["word"] in {"XXX", "HACK"} and not found["sign"].strip() and not found["owner"]:
        # "XXX" alone is a remark; before anything glued to it, it is a placeholder
        rest = found["text"]
        if rest and not rest[0].isspace():
            return None
    return found


def words_of(text: str) -> str:
    """The lower-case words of a text without signs, which another layout leaves the same."""
    return " ".join(word.lower() for word in _RE["words"].findall(text))


def _code_after(tree: Tree, offset: int) -> str:
    """The line of code behind a remark without text, which identifies it."""
    source = tree.source
    at = source.find(b"\n", offset)
    while 0 <= at < len(source):
        end = source.find(b"\n", at + 1)
        line = source[at + 1 : end if end >= 0 else len(source)].strip()
        if line or end < 0:
            return " ".join(line.decode("utf-8", "replace").split()[:_LEAF_WORDS])
        at = end
    return ""
