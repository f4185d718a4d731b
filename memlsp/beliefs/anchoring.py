"""Tying a belief to code: the symbol at a place as it is now, with what it takes to know it again."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches

from attrs import evolve

from memlsp.beliefs.searching import files_with, kin, search_names
from memlsp.capture.redaction import redact
from memlsp.capture.worktree import Worktree
from memlsp.code import Outline, dependencies, find_region, region, source_of
from memlsp.code import outline as outline_of
from memlsp.model.belief import Anchor, Neighbour
from memlsp.model.errors import NoSuchFile, NoSuchSymbol, UnreadableSource
from memlsp.model.symbol import Dependency, Symbol, SymbolKind

LARGEST_SNAPSHOT = 64 * 1024  # bytes
_MOST_NEIGHBOURS = 400
_TWINS_SOUGHT_IN = 24  # files
_REDACTED = "[redacted:"


def anchor_at(worktree: Worktree, path: str, *, line: int | None, symbol: str | None, now: datetime) -> Anchor:
    """Tie to the symbol called `symbol`, or to the innermost one at `line` (from 1), or to the whole file.

    `path` is relative to the root. In a language that is not parsed a line ties to the lines around it. Raises
    NoSuchFile, UnreadableSource, and NoSuchSymbol with the nearest names in the hint.
    """
    data = worktree.read(path)
    if data is None:
        raise NoSuchFile(f"no such file: {path}")
    outline = worktree.outline(path)
    if outline is None:
        raise UnreadableSource(f"{path} cannot be read as text")
    if symbol:
        chosen = _named(outline, symbol)
    elif line is None:
        chosen = outline.module
    else:
        if line > max(1, outline.lines):
            raise NoSuchSymbol(f"{path} has {outline.lines} lines, and no line {line}", "name a line of the file")
        parsed = outline.language is not None and len(outline.symbols) > 1
        chosen = outline.at(line - 1) if parsed else region(path, data, line - 1)
    return anchor_to(worktree, outline, chosen, now=now)


def _named(outline: Outline, name: str) -> Symbol:
    found = outline.named(name)
    names = dict.fromkeys(symbol.name for symbol in found)
    if len(names) == 1:
        return found[0]
    if names:
        raise NoSuchSymbol(
            f"{name} names several symbols of {outline.path}", f"say which: {', '.join(list(names)[:6])}"
        )
    known = [symbol.name for symbol in outline.symbols if symbol.name]
    simple = {known_name.rpartition(".")[2]: known_name for known_name in known}
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    near += [simple[n] for n in get_close_matches(name.rpartition(".")[2], list(simple), n=3, cutoff=0.6)]
    hint = f"did you mean {', '.join(list(dict.fromkeys(near))[:3])}?" if near else ""
    raise NoSuchSymbol(f"no symbol {name} in {outline.path}", hint)


def anchor_to(
    worktree: Worktree, outline: Outline, symbol: Symbol, *, now: datetime, provenance: Sequence[str] = ()
) -> Anchor:
    """Tie to this symbol of this outline, as it is now."""
    data = worktree.read(symbol.path) or b""
    clean, verified = without_secrets(outline, symbol, data)
    return Anchor(
        path=symbol.path,
        symbol="" if symbol.kind is SymbolKind.REGION else symbol.name,
        kind=symbol.kind,
        line=symbol.name_span.start_line + 1,
        verified=verified,
        verified_at=now,
        depends=_depends(worktree, outline, symbol),
        neighbours=_neighbours(worktree, outline, symbol),
        snapshot=_snapshot(outline, symbol, data) if clean is None else _snapshot(clean, verified, _redacted(data)),
        commit=worktree.head(),
        provenance=tuple(provenance),
    )


def renewed(anchor: Anchor, worktree: Worktree, found: Symbol | None, *, now: datetime) -> Anchor | None:
    """The anchor taken again at the symbol that it was found to be; None when that is gone."""
    if found is None:
        return None
    outline = worktree.outline(found.path)
    if outline is None:
        return None
    provenance = list(anchor.provenance)
    if (found.path, found.name) != (anchor.path, anchor.symbol) and found.kind is not SymbolKind.REGION:
        before = anchor.symbol or anchor.path
        provenance.append(
            f"renamed from {before}"
            if found.path == anchor.path
            else f"moved from {anchor.path}#{anchor.symbol}".rstrip("#")
        )
    return anchor_to(worktree, outline, found, now=now, provenance=provenance)


# --- secrets


def without_secrets(outline: Outline, symbol: Symbol, data: bytes) -> tuple[Outline | None, Symbol]:
    """The symbol with facts that hold no secret, and the outline of the redacted file (None when there was none).

    Digests stay those of the real source; they cannot be read back.
    """
    if not redact(source_of(symbol, data)).found:
        return None, symbol
    cleaned = _redacted(data)
    clean = outline_of(outline.path, cleaned)
    twin = clean.find(symbol.name, symbol.ordinal)
    if symbol.kind is SymbolKind.REGION:
        twin = region(symbol.path, cleaned, symbol.name_span.start_line)
    if twin is None:
        return clean, evolve(symbol, facts=type(symbol.facts)())
    return clean, evolve(symbol, facts=twin.facts)


def _redacted(data: bytes) -> bytes:
    text = data.decode("utf-8", errors="replace")
    cleaned = redact(text)
    return cleaned.text.encode() if cleaned.found else data


def has_redactions(symbol: Symbol) -> bool:
    """True when something of the symbol's facts was a secret, so that another state must be redacted to compare."""
    facts = symbol.facts
    return any(_REDACTED in text for text in (*facts.tokens, *facts.literals, *(v.value for v in facts.values)))


# --- what it takes to know it again


def _depends(worktree: Worktree, outline: Outline, symbol: Symbol) -> tuple[Dependency, ...]:
    found: list[Dependency] = []
    for dependency in dependencies(symbol, outline, worktree.outline):
        told = f"{dependency.name} = {dependency.value}"
        cleaned = redact(told)
        value = cleaned.text.partition(" = ")[2] if cleaned.found else dependency.value
        found.append(evolve(dependency, value=value))
    return tuple(found)


def _neighbours(worktree: Worktree, outline: Outline, symbol: Symbol) -> tuple[Neighbour, ...]:
    """The symbols that could be taken for this one later, and are not it: of the file, and twins of the workspace."""
    if symbol.kind is SymbolKind.REGION:
        return ()
    found = [
        Neighbour(other.path, other.name, other.fingerprint.meaning)
        for other in outline.symbols
        if other.name and other is not symbol and kin(other, symbol)
    ][:_MOST_NEIGHBOURS]
    for other in _twins(worktree, symbol):
        found.append(Neighbour(other.path, other.name, other.fingerprint.meaning))
    return tuple(dict.fromkeys(found))


def _twins(worktree: Worktree, symbol: Symbol) -> Iterable[Symbol]:
    paths: dict[str, None] = {}
    for needles in search_names(symbol):
        for path in files_with(worktree, symbol.path, needles, limit=_TWINS_SOUGHT_IN):
            paths.setdefault(path)
    for path in list(paths)[:_TWINS_SOUGHT_IN]:
        other = worktree.outline(path)
        if other is None or path == symbol.path:
            continue
        for candidate in other.symbols:
            same = (
                candidate.simple_name == symbol.simple_name
                or candidate.fingerprint.meaning == symbol.fingerprint.meaning
            )
            if same and kin(candidate, symbol):
                yield candidate


def _snapshot(outline: Outline, symbol: Symbol, data: bytes) -> str:
    """The source, members that stand elsewhere in the file behind it, secrets redacted before anything is cut off."""
    parts = [textwrap.dedent(source_of(symbol, data))]
    if symbol.name and symbol.kind.is_container:
        inside = f"{symbol.name}."
        outer = [
            member
            for member in outline.symbols
            if member.name.startswith(inside)
            and not symbol.span.start_byte <= member.span.start_byte < symbol.span.end_byte
        ]
        parts += _apart(outer, symbol, outline, data)
    cleaned = redact("\n\n".join(parts)).text
    encoded = cleaned.encode()
    return cleaned if len(encoded) <= LARGEST_SNAPSHOT else encoded[:LARGEST_SNAPSHOT].decode("utf-8", errors="ignore")


def _apart(members: Sequence[Symbol], symbol: Symbol, outline: Outline, data: bytes) -> list[str]:
    sources = [textwrap.dedent(source_of(member, data)) for member in members]
    if outline.language == "rust" and sources:
        return [f"impl {symbol.simple_name} {{\n" + "\n".join(sources) + "\n}"]
    return sources


__all__ = ["LARGEST_SNAPSHOT", "anchor_at", "anchor_to", "find_region", "has_redactions", "renewed", "without_secrets"]
