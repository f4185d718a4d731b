"""The code of a belief before and after: when the belief was verified, and now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher

from memlsp.beliefs.lifecycle.anchors import source_text
from memlsp.beliefs.standing.standing import present_places
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.belief import Belief
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place
from memlsp.model.review import CodeChange
from memlsp.model.symbol import Symbol, SymbolKind

_AROUND = 3
"""Lines shown around a change."""

_MOST_LINES = 4_000
"""Longer code is not compared line by line."""


def code_changes(belief: Belief, worktree: Worktree) -> tuple[CodeChange, ...]:
    """The change of the code at each anchor, in the anchors' order. Secrets are redacted on both sides."""
    found: list[CodeChange] = []
    for place in present_places(belief, worktree):
        anchor = place.anchor
        after = "" if place.symbol is None else _source(place.symbol, worktree)
        if place.symbol is None and place.keep:  # it cannot be read at the moment, so nothing is known of it
            continue
        lines = tuple(_different(anchor.snapshot.splitlines(), after.splitlines()))
        now = ""
        if place.symbol is not None:
            name = "" if place.symbol.kind is SymbolKind.REGION else place.symbol.name
            now = str(Place(place.symbol.path, symbol=name or None))
        found.append(CodeChange(str(anchor.place), now, anchor.verified_at, anchor.commit or "", lines))
    return tuple(found)


def _source(symbol: Symbol, worktree: Worktree) -> str:
    with suppress(MemlspError, OSError):
        outline, data = worktree.outline(symbol.path), worktree.read(symbol.path)
        if outline is not None and data is not None:
            return redact(source_text(outline, symbol, data)).text
    return ""


def _different(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    if before == after:
        return
    if len(before) > _MOST_LINES or len(after) > _MOST_LINES:
        yield f"… {len(before):,} lines then, {len(after):,} now"
        return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    shown = 0
    for group in matcher.get_grouped_opcodes(_AROUND):
        if group[0][1] > shown:
            yield "…"
        for tag, first, last, start, end in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[first:last])
            else:
                yield from (f"-{line}" for line in before[first:last])
                yield from (f"+{line}" for line in after[start:end])
            shown = last
    if shown < len(before):
        yield "…"
