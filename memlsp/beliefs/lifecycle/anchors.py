"""Ties a belief to code: the symbol at a place as it is now, with everything needed to find it again."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from attrs import evolve

from memlsp.beliefs.files import Files
from memlsp.beliefs.standing.related_symbols import files_with, is_outside, same_family, search_names
from memlsp.beliefs.standing.symbol_uses import uses_of
from memlsp.capture.redaction.redaction import redact
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.outline import outline as outline_of
from memlsp.code.syntax.regions import region, source_of
from memlsp.model.belief import Anchor, Neighbour
from memlsp.model.errors import NoSuchFile, NoSuchSymbol, Refused, UnreadableSource
from memlsp.model.symbol import Dependency, Facts, Symbol, SymbolKind

LARGEST_SNAPSHOT = 64 * 1024  # bytes
_MOST_NEIGHBOURS = 400
_TWINS_SOUGHT_IN = 24  # files
_REDACTED = "[redacted:"


def anchor_at(worktree: Files, path: str, *, line: int | None, symbol: str | None, now: datetime) -> Anchor:
    """Tie to the symbol called `symbol`, or to the innermost one at `line` (from 1), or to the whole file.

    `path` is relative to the root. In a language that is not parsed a line ties to the lines around it. A stub
    (`@overload`) stands for the function behind it, whose code the statement is about. Raises
    NoSuchFile, UnreadableSource, Refused for a generated file, and NoSuchSymbol with the nearest names in the hint.
    """
    data = worktree.read(path)
    if data is None:
        raise NoSuchFile(f"no such file: {path}")
    outline = worktree.outline(path)
    if outline is None:
        raise UnreadableSource(f"{path} cannot be read as text")
    if outline.generated:
        raise Refused(
            f"{path} is generated, vendored or minified, so its code is not watched",
            "tie it to what makes the file, or give it a scope: --scope 'glob:PATTERN'",
        )
    if symbol:
        chosen = _named(outline, symbol)
    elif line is None:
        chosen = outline.module
    else:
        if line > max(1, outline.lines):
            raise NoSuchSymbol(f"{path} has {outline.lines} lines, and no line {line}", "name a line of the file")
        parsed = outline.language is not None and len(outline.symbols) > 1
        chosen = outline.at(line - 1) if parsed else region(path, data, line - 1)
    return anchor_to(worktree, outline, outline.behind(chosen), now=now)


def _named(outline: Outline, name: str) -> Symbol:
    found = outline.named(name)
    names = dict.fromkeys(symbol.name for symbol in found)
    if len(names) == 1:
        return found[0]
    if names:
        raise NoSuchSymbol(
            f"{name} names several symbols of {outline.path}", f"say which: {', '.join(list(names)[:6])}"
        )
    near = nearest_names(name, outline)
    raise NoSuchSymbol(f"no symbol {name} in {outline.path}", f"did you mean {', '.join(near)}?" if near else "")


def nearest_names(name: str, outline: Outline) -> list[str]:
    """The symbols of a file with the names most like one that it has not, three at the most."""
    from difflib import get_close_matches  # late: only an error tells them

    names = [symbol.name for symbol in outline.symbols if symbol.name]
    simple = {each.rpartition(".")[2]: each for each in names}
    near = get_close_matches(name, names, n=3, cutoff=0.5)
    near += [simple[each] for each in get_close_matches(name.rpartition(".")[2], list(simple), n=3, cutoff=0.6)]
    return list(dict.fromkeys(near))[:3]


def anchor_to(
    worktree: Files,
    outline: Outline,
    symbol: Symbol,
    *,
    now: datetime,
    provenance: Sequence[str] = (),
    alone: bool = False,
) -> Anchor:
    """Tie to this symbol of this outline, as it is now; `alone` where it will not be looked for elsewhere."""
    data = worktree.read(symbol.path) or b""
    cleaned = _cleaned(source_text(outline, symbol, data))
    verified = without_secrets(outline, symbol, data) if cleaned.found else symbol
    return Anchor(
        path=symbol.path,
        symbol="" if symbol.kind is SymbolKind.REGION else symbol.name,
        kind=symbol.kind,
        line=symbol.name_span.start_line + 1,
        verified=verified,
        verified_at=now,
        depends=tuple(_depends(worktree, outline, symbol)),
        neighbours=() if alone else _neighbours(worktree, outline, symbol),
        snapshot=_shortened(cleaned.text),
        commit=worktree.head(),
        provenance=tuple(provenance),
    )


def renew_anchor(anchor: Anchor, worktree: Files, found: Symbol | None, *, now: datetime) -> Anchor | None:
    """The anchor taken again at its present symbol `found`; None when that is gone."""
    outline = worktree.outline(found.path) if found is not None else None
    if found is None or outline is None:
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


_cleaned = lru_cache(maxsize=256)(redact)  # several statements are made of one piece of code


def without_secrets(outline: Outline, symbol: Symbol, data: bytes) -> Symbol:
    """The symbol with the facts of the redacted file. Digests stay those of the real source; they cannot be read
    back."""
    cleaned = redact(data.decode("utf-8", errors="replace")).text.encode()
    if symbol.kind is SymbolKind.REGION:
        return evolve(symbol, facts=region(symbol.path, cleaned, symbol.name_span.start_line).facts)
    twin = outline_of(outline.path, cleaned).find(symbol.name, symbol.ordinal)
    return evolve(symbol, facts=twin.facts if twin is not None else Facts())


def has_redactions(symbol: Symbol) -> bool:
    """True when the symbol's facts held a secret, so that another state must be redacted to compare."""
    facts = symbol.facts
    return any(_REDACTED in text for text in (*facts.tokens, *facts.literals, *(v.value for v in facts.values)))


# --- what it takes to know it again


def _depends(worktree: Files, outline: Outline, symbol: Symbol) -> Iterator[Dependency]:
    for dependency in uses_of(symbol, outline, worktree):
        cleaned = _cleaned(f"{dependency.name} = {dependency.value}")
        yield evolve(dependency, value=cleaned.text.partition(" = ")[2]) if cleaned.found else dependency


def _neighbours(worktree: Files, outline: Outline, symbol: Symbol) -> tuple[Neighbour, ...]:
    """Other symbols that could be taken for this one later: of the file, and twins elsewhere in the workspace."""
    if symbol.kind is SymbolKind.REGION:
        return ()
    named = (other for other in outline.symbols if other.name and other is not symbol)
    here = [other for other in named if same_family(other, symbol) or is_outside(other, symbol)][:_MOST_NEIGHBOURS]
    found = (Neighbour(each.path, each.name, each.fingerprint.meaning) for each in (*here, *_twins(worktree, symbol)))
    return tuple(dict.fromkeys(found))


def _twins(worktree: Files, symbol: Symbol) -> Iterable[Symbol]:
    paths: dict[str, None] = {}
    for needles in search_names(symbol):
        for path in files_with(worktree, symbol.path, needles, limit=_TWINS_SOUGHT_IN, near=symbol.path):
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
            if same and same_family(candidate, symbol):
                yield candidate


def source_text(outline: Outline, symbol: Symbol, data: bytes) -> str:
    """The source text for a snapshot, followed by members that stand elsewhere in the file."""
    parts = [textwrap.dedent(source_of(symbol, data))]
    outer = [textwrap.dedent(source_of(m, data)) for m in outline.symbols if is_outside(m, symbol)]
    if outer and outline.language == "rust":
        outer = [f"impl {symbol.simple_name} {{\n" + "\n".join(outer) + "\n}"]
    return "\n\n".join((*parts, *outer))


def _shortened(text: str) -> str:
    encoded = text.encode()
    return text if len(encoded) <= LARGEST_SNAPSHOT else encoded[:LARGEST_SNAPSHOT].decode("utf-8", errors="ignore")
