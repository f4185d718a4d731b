"""The state of a file while it is edited: each version is read from the one before, as far as the edit allows.

`reparse_file` returns what `parse_file` returns, in less time. The fast path rereads the one definition that holds the
edit, moves the symbols behind it and recomputes the containers around it. Every other edit reads the whole file, and
only the parser reuses its former tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import tree_sitter
from attrs import evolve, frozen

from memlsp.code.incremental.edit_location import EditLocation, edit_locations
from memlsp.code.incremental.replacement import edited_tree, lines_after, replacement
from memlsp.code.incremental.splice import EditedText, TouchedSymbols, spliced
from memlsp.code.languages.detection import describe, is_generated, is_text_only
from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.fingerprints import digest
from memlsp.code.syntax.language import Import, Language
from memlsp.code.syntax.outline import Outline, lines_of, outline, unread
from memlsp.code.syntax.parser import TreeWindow, flatten, is_soup, line_starts_of, parse_syntax
from memlsp.code.syntax.symbols import FileSymbols, file_symbols, window_symbols
from memlsp.code.syntax.tree import placed_imports
from memlsp.model.symbol import Symbol

_NO_SHAPE = digest(())

PlacedImports = tuple[tuple[int, Import], ...]
"""Imports with the byte at which their statement starts."""


@frozen(eq=False)
class ReparseState:
    """The part of a version from which the next one is read."""

    language: Language
    syntax: tree_sitter.Tree
    built: FileSymbols
    imports: PlacedImports
    line_starts: list[int]


@frozen(eq=False)
class FileVersion:
    """One version of a file. `state` is None for files that are always read whole; `partly` marks the fast path."""

    path: str
    source: bytes
    outline: Outline
    state: ReparseState | None = None
    partly: bool = False


@frozen(eq=False)
class _Reparse:
    """A new text of a file, parsed: the version before with its state, the new text and tree."""

    before: FileVersion
    state: ReparseState
    text: EditedText
    parsed: tree_sitter.Tree


def parse_file(path: str, source: bytes) -> FileVersion:
    """A version read from its text alone; its outline is that of `outline`."""
    language = _revisable(path, source)
    if language is None:
        return FileVersion(path, source, outline(path, source))
    parsed = parse_syntax(language, source)
    if parsed is None:
        return FileVersion(path, source, unread(path, source))
    return _whole(path, source, language, parsed, line_starts_of(source))


def reparse_file(before: FileVersion, source: bytes) -> FileVersion:
    """The version that an edit left, equal to `parse_file(before.path, source)`."""
    state, path = before.state, before.path
    if source == before.source:
        return before
    language = _revisable(path, source)
    if state is None or language is None or language is not state.language:
        return parse_file(path, source)
    edit = replacement(before.source, source)
    shown, was_shown = language.as_parsed(source), language.as_parsed(before.source)
    if shown is not source or was_shown is not before.source:
        edit = edit.hull(replacement(was_shown, shown))
    line_starts = lines_after(state.line_starts, edit, source)
    edited = edited_tree(state.syntax, edit, state.line_starts, line_starts)
    parsed = parse_syntax(language, source, edited)
    if parsed is not None and parsed.root_node.has_error:
        parsed = parse_syntax(language, source)  # a tree with errors can depend on the former tree
    if parsed is None:
        return FileVersion(path, source, unread(path, source))
    if not is_soup(parsed.root_node):
        ranges = edited.changed_ranges(parsed)
        changed = (min(each.start_byte for each in ranges), max(each.end_byte for each in ranges)) if ranges else None
        text = EditedText(source, edit, line_starts, len(line_starts) - len(state.line_starts))
        work = _Reparse(before, state, text, parsed)
        for location in edit_locations(language, state.syntax.root_node, parsed.root_node, edit, changed):
            found = _partly(work, location)
            if found is not None:
                return found
    return _whole(path, source, language, parsed, line_starts)


def _revisable(path: str, source: bytes) -> Language | None:
    """The language of a file that can be read in part; None for other files."""
    language = describe(path, source)
    if language is None or not language.apart or is_text_only(language, path, source):
        return None
    return language if Decoded.read(source).utf8 is source and not language.unsafe(source) else None


def _whole(
    path: str, source: bytes, language: Language, parsed: tree_sitter.Tree, line_starts: list[int]
) -> FileVersion:
    tree = flatten(language, source, parsed, line_starts=line_starts)
    state = ReparseState(
        language, parsed, file_symbols(path, tree, Decoded(source, source)), placed_imports(tree), line_starts
    )
    reusable = not is_soup(parsed.root_node) and not tree.tags_incomplete
    return FileVersion(path, source, _outline(path, source, state), state if reusable else None)


def _outline(path: str, source: bytes, state: ReparseState) -> Outline:
    errors, generated = state.syntax.root_node.has_error, is_generated(path, source)
    imports = tuple(each for _, each in state.imports)
    return Outline(path, state.language.name, state.built.symbols, imports, errors, generated, lines_of(source))


def _partly(work: _Reparse, location: EditLocation) -> FileVersion | None:
    """The version by the fast path, or None where something forbids it."""
    before, state, text = work.before, work.state, work.text
    language, old = state.language, state.built
    touched = _touched(old, location)
    if touched is None:
        return None
    reread = range(location.old_first, location.old_end) if location.child is not None else range(0)
    imports = [each for each in state.imports if each[0] not in reread]
    split = sum(1 for start, _ in imports if start < text.edit.old_end)
    new: FileSymbols | None = None
    brought: PlacedImports = ()
    if location.child is not None:
        inside = _reread(work, location, touched)
        if inside is None:
            return None
        new, brought = inside
    elif touched.first != touched.after or location.old_first in old.begins[1:]:
        return None
    moved = ((start + text.edit.delta, evolve(each, line=each.line + text.lines)) for start, each in imports[split:])
    placed = (*imports[:split], *brought, *moved)
    found = ReparseState(language, work.parsed, spliced(old, new, touched, text, language), placed, text.line_starts)
    return FileVersion(before.path, text.source, _outline(before.path, text.source, found), found, partly=True)


def _reread(
    work: _Reparse, location: EditLocation, touched: TouchedSymbols
) -> tuple[FileSymbols, PlacedImports] | None:
    """The symbols and imports of the edited definition, read again; None where they do not fit into the rest."""
    state, source = work.state, work.text.source
    language, old = state.language, state.built
    window = (location.first, location.end)
    former = work.before.source[location.old_first : location.old_end]
    if language.far(former) or language.far(source[slice(*window)]):
        return None
    kinds = ["", *(node.type for node in location.path)]
    containers = [depth for depth, pair in enumerate(pairwise(kinds)) if pair in language.apart]
    view = TreeWindow(location.windows(containers), *window)
    tree = flatten(language, source, work.parsed, window=view, line_starts=work.text.line_starts)
    seen = Counter(each.name for each in old.symbols[1 : touched.first])
    seen.subtract(old.symbols[each].name for each in touched.holders[:-1])
    part = window_symbols(work.before.path, tree, Decoded(source, source), window, len(location.path) - 1, seen)
    around = tuple((old.symbols[each].name, old.symbols[each].kind) for each in reversed(touched.holders[:-1]))
    if not part.whole or part.around != around or not _fits(language, old, part.inside, touched):
        return None
    if _has_shape(part.inside.symbols) != _has_shape(old.symbols[touched.first : touched.after]):
        return None  # its container has a child more or less, which is part of the container's shape
    return part.inside, tuple(each for each in placed_imports(tree) if window[0] <= each[0] <= window[1])


def _has_shape(symbols: Sequence[Symbol]) -> bool:
    """False for definitions without a node that counts, such as a type annotation without a value."""
    return any(each.fingerprint.shape != _NO_SHAPE for each in symbols)


def _touched(old: FileSymbols, location: EditLocation) -> TouchedSymbols | None:
    """The symbols at the location of an edit; None when it cannot be read apart."""
    start = location.old_first
    end = start - 1 if location.child is None else location.old_end  # nothing lies there without a child
    if (symbols := _symbols_at(old, location)) is None:
        return None
    first, after = symbols
    outer = {each for each in old.holders[first:after] if each >= 0 and not first <= each < after}
    if location.child is not None and len(outer) != 1:
        return None
    around = [at for at in range(1, first) if old.begins[at] <= start and old.ends[at] > start]
    chain = _chain(old, outer.pop() if outer else around[-1] if around else 0)
    if chain is None or sorted(chain[:-1]) != around or any(each < end for each in old.begins[after:]):
        return None
    return TouchedSymbols(first, after, chain) if all(each in old.cores for each in chain) else None


def _symbols_at(old: FileSymbols, location: EditLocation) -> tuple[int, int] | None:
    """The first symbol of the child that is edited and the one behind it, or where new ones would stand; None for a
    part of a symbol."""
    start, end = location.old_first, location.old_end
    if location.child is None:
        at = next((at for at, begin in enumerate(old.begins) if at and begin >= start), len(old.begins))
        return at, at
    first, after = _symbols_between(old, start, end)
    whole = any(old.begins[at] == start and old.ends[at] == end for at in range(first, after))
    return (first, after) if whole else None


def _symbols_between(old: FileSymbols, start: int, end: int) -> tuple[int, int]:
    """The numbers, `first` to `after` (exclusive), of the first symbols in a row that lie inside a range."""

    def is_inside(at: int) -> bool:
        return old.begins[at] >= start and old.ends[at] <= end

    count = len(old.begins)
    first = next(filter(is_inside, range(1, count)), count)
    return first, next((at for at in range(first, count) if not is_inside(at)), count)


def _chain(old: FileSymbols, at: int) -> list[int] | None:
    """A symbol and those that hold it, the module last; None where one of them is held by none."""
    chain: list[int] = []
    while at > 0:
        chain.append(at)
        at = old.holders[at]
    return [*chain, 0] if at == 0 else None


def _fits(language: Language, old: FileSymbols, new: FileSymbols, touched: TouchedSymbols) -> bool:
    """True when no symbol elsewhere is affected: overloads keep their numbers, classes their constructors."""
    gone = Counter((each.name, each.kind) for each in old.symbols[touched.first : touched.after])
    come = Counter((each.name, each.kind) for each in new.symbols)
    if gone == come:
        return True
    differing = {key[0] for key in gone.keys() | come.keys() if gone[key] != come[key]}
    if any(each.name in differing for each in old.symbols[touched.after :]):
        return False
    return language.constructors.isdisjoint(name.rpartition(".")[2] for name in differing)
