"""A file while it is edited: each state is read from the one before, as far as the edit allows.

`revised` gives what `read` gives, in less time. Its short way reads one definition again: the one inside of which the
edit stayed. Symbols behind it are moved, those around it follow from their members. Everything else takes the long way,
which only has the parser reuse what it knows.
"""

from __future__ import annotations

from collections import Counter

import tree_sitter
from attrs import frozen

from memlsp.code.incremental.edit_location import EditLocation, edit_locations
from memlsp.code.incremental.replacement import Replacement, edited_tree, lines_after, replacement
from memlsp.code.incremental.splice import spliced
from memlsp.code.languages.detection import describe, is_generated, is_text_only
from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.import_statements import placed_imports
from memlsp.code.syntax.language import Language
from memlsp.code.syntax.outline import Outline, lines_of, outline, unread
from memlsp.code.syntax.parser import View, flat, is_soup, line_starts_of, syntax
from memlsp.code.syntax.symbols import Built, Part, built, part_of
from memlsp.code.workspace.imports import Import

Placed = tuple[tuple[int, Import], ...]  # imports with the byte at which their statement starts


@frozen(eq=False)
class ReparseState:
    """What a reading keeps for the next one."""

    language: Language
    syntax: tree_sitter.Tree
    built: Built
    imports: Placed
    line_starts: list[int]


@frozen(eq=False)
class FileVersion:
    """One state of a file. `state` is None for files that are read anew every time; `partly` tells of the short way."""

    path: str
    source: bytes
    outline: Outline
    state: ReparseState | None = None
    partly: bool = False


def parse_file(path: str, source: bytes) -> FileVersion:
    """The reading of a text; its outline is that of `outline`."""
    language = _revisable(path, source)
    if language is None:
        return FileVersion(path, source, outline(path, source))
    parsed = syntax(language, source)
    if parsed is None:
        return FileVersion(path, source, unread(path, source))
    return _whole(path, source, language, parsed, line_starts_of(source))


def reparse_file(before: FileVersion, source: bytes) -> FileVersion:
    """The reading of the text that an edit left, the same as `read(before.path, source)`."""
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
    told = edited_tree(state.syntax, edit, state.line_starts, line_starts)
    parsed = syntax(language, source, told)
    if parsed is not None and parsed.root_node.has_error:
        parsed = syntax(language, source)  # what is made of errors can depend on what was there before
    if parsed is None:
        return FileVersion(path, source, unread(path, source))
    if not is_soup(parsed.root_node):
        ranges = told.changed_ranges(parsed)
        changed = (min(each.start_byte for each in ranges), max(each.end_byte for each in ranges)) if ranges else None
        for spot in edit_locations(language, state.syntax.root_node, parsed.root_node, edit, changed):
            found = _partly(before, state, source, parsed, line_starts, edit, spot)
            if found is not None:
                return found
    return _whole(path, source, language, parsed, line_starts)


def _revisable(path: str, source: bytes) -> Language | None:
    """The language of a file of which a part can be read; None for other files."""
    language = describe(path, source)
    if language is None or not language.apart or is_text_only(language, path, source):
        return None
    return language if Decoded.read(source).utf8 is source and not language.unsafe(source) else None


def _whole(
    path: str, source: bytes, language: Language, parsed: tree_sitter.Tree, line_starts: list[int]
) -> FileVersion:
    text = Decoded(source, source)
    tree = flat(language, source, parsed, line_starts=line_starts)
    found, imports = built(path, tree, text), placed_imports(tree)
    kept = None
    if not is_soup(parsed.root_node) and not tree.tags_incomplete:
        kept = ReparseState(language, parsed, found, imports, line_starts)
    return FileVersion(path, source, _outline(path, source, language, parsed, found, imports), kept)


def _outline(
    path: str, source: bytes, language: Language, parsed: tree_sitter.Tree, found: Built, imports: Placed
) -> Outline:
    errors, generated = parsed.root_node.has_error, is_generated(path, source)
    listed = tuple(each for _, each in imports)
    return Outline(path, language.name, found.symbols, listed, errors, generated, lines_of(source))


def _partly(
    before: FileVersion,
    state: ReparseState,
    source: bytes,
    parsed: tree_sitter.Tree,
    line_starts: list[int],
    edit: Replacement,
    spot: EditLocation,
) -> FileVersion | None:
    """The reading by the short way, or None when something speaks against it."""
    language, old = state.language, state.built
    known = _touched(old, spot)
    if known is None:
        return None
    first, after, chain = known
    names = [each.name for each in old.symbols]
    inside: Part | None = None
    reread = range(spot.old_first, spot.old_end) if spot.child is not None else range(0)
    imports = [each for each in state.imports if each[0] not in reread]
    split = sum(1 for start, _ in imports if start < edit.old_end)
    brought: Placed = ()
    if spot.child is not None:
        if language.far(before.source[spot.old_first : spot.old_end]) or language.far(source[spot.first : spot.end]):
            return None
        containers = [depth for depth in range(len(spot.path)) if _is_container(language, spot.path, depth)]
        view = View(spot.windows(containers), spot.first, spot.end)
        tree = flat(language, source, parsed, view=view, line_starts=line_starts)
        window = (spot.first, spot.end)
        seen = Counter(names[1:first])
        seen.subtract(names[each] for each in chain[:-1])
        inside = part_of(before.path, tree, Decoded(source, source), window, len(spot.path) - 1, seen)
        around = tuple((old.symbols[each].name, old.symbols[each].kind) for each in reversed(chain[:-1]))
        if not inside.whole or inside.around != around or not _fits(language, old, inside.inside, first, after):
            return None
        brought = tuple(each for each in placed_imports(tree) if window[0] <= each[0] <= window[1])
    elif first != after or spot.old_first in old.begins[1:]:
        return None
    lines = len(line_starts) - len(state.line_starts)
    new = inside.inside if inside else None
    found = spliced(old, new, first, after, chain, edit, source, line_starts, lines, language)
    moved = tuple(
        (start + edit.delta, Import(each.local, each.module, each.name, each.line + lines))
        for start, each in imports[split:]
    )
    placed = (*imports[:split], *brought, *moved)
    made = _outline(before.path, source, language, parsed, found, placed)
    return FileVersion(
        before.path, source, made, ReparseState(language, parsed, found, placed, line_starts), partly=True
    )


def _is_container(language: Language, path: tuple[tree_sitter.Node, ...], depth: int) -> bool:
    return ((path[depth - 1].type if depth else ""), path[depth].type) in language.apart


def _touched(old: Built, spot: EditLocation) -> tuple[int, int, list[int]] | None:
    """The numbers of the symbols in the spot, half open, and of what holds them, the module last."""
    begins, ends, holders = old.begins, old.ends, old.holders
    count = len(begins)
    start, end = (spot.old_first, spot.old_end) if spot.child is not None else (spot.old_first, spot.old_first - 1)
    first = next((at for at in range(1, count) if begins[at] >= start and ends[at] <= end), None)
    if first is None:
        if spot.child is not None:
            return None  # it is part of what holds it
        first = next((at for at in range(1, count) if begins[at] >= start), count)
    after = first
    while spot.child is not None and after < count and begins[after] >= start and ends[after] <= end:
        after += 1
    outer = {holders[at] for at in range(first, after) if holders[at] >= 0 and not first <= holders[at] < after}
    whole = any(begins[at] == start and ends[at] == end for at in range(first, after))
    if spot.child is not None and (len(outer) != 1 or not whole):
        return None
    around = [at for at in range(1, first) if begins[at] <= start and ends[at] > start]
    chain: list[int] = []
    at = outer.pop() if outer else (around[-1] if around else 0)
    while at > 0:
        chain.append(at)
        at = holders[at]
    if at < 0 or sorted(chain) != around or any(begins[at] < end for at in range(after, count)):
        return None
    chain.append(0)
    return (first, after, chain) if all(each in old.cores for each in chain) else None


def _fits(language: Language, old: Built, new: Built, first: int, after: int) -> bool:
    """True when the symbols elsewhere need not know: overloads keep their numbers, classes their constructors."""
    gone = Counter((each.name, each.kind) for each in old.symbols[first:after])
    come = Counter((each.name, each.kind) for each in new.symbols)
    if gone == come:
        return True
    differing = {key[0] for key in gone.keys() | come.keys() if gone[key] != come[key]}
    if any(each.name in differing for each in old.symbols[after:]):
        return False
    return language.constructors.isdisjoint(name.rpartition(".")[2] for name in differing)
