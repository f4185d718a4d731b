"""One item of the review queue, as it reads in a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from datetime import datetime

import click

from memlsp.faces.render.wording import plain, provenance, standing_mark
from memlsp.model.review import CodeChange, ReviewItem, ReviewKind
from memlsp.model.standing import Judgement, Standing

LINES_OF_CODE = 24
"""Lines of a difference that are shown until the person asks for all."""

_WIDEST = 160
_COLOURS = {"-": "red", "+": "green"}


def page(item: ReviewItem, changes: Sequence[CodeChange], now: datetime, *, whole: bool = False) -> Iterator[str]:
    """The lines of an item: the question, the beliefs, the code before and after, the evidence. With `whole` the
    difference is not cut."""
    yield click.style(plain(item.question), bold=True)
    for judgement in item.judgements:
        yield from _belief(judgement, now)
    shown = 0
    for change in changes:
        yield ""
        yield click.style(_heading(change), dim=True)
        if not change.lines and change.now:
            yield click.style("    the same; what it uses is another", dim=True)
        for number, line in enumerate(change.lines):
            if not whole and shown >= LINES_OF_CODE:
                yield click.style(f"    … {len(change.lines) - number} more lines, d shows them", dim=True)
                break
            yield _code(line)
            shown += 1
    if item.evidence:
        yield ""
        yield click.style("evidence", dim=True)
        for line in item.evidence:
            yield f"    {plain(line, 400)}"


def brief(item: ReviewItem) -> Iterator[str]:
    """An item in three or four lines, for a list."""
    yield f"{item.id}  {click.style(str(item.kind), bold=True)}  {plain(item.question, 200)}"
    for judgement in item.judgements:
        yield f"    {mark(judgement)} {plain(judgement.belief.text, 200)}"
    for line in item.evidence[:1]:
        yield click.style(f"    {plain(line, 200)}", dim=True)


def heading(item: ReviewItem, number: int, of: int) -> str:
    """The item's place in the queue: `3 of 12 · stale`."""
    kind = "contradiction" if item.kind is ReviewKind.CONFLICT else str(item.kind)
    return f"{number} of {of} · {kind}"


def _belief(judgement: Judgement, now: datetime) -> Iterator[str]:
    belief = judgement.belief
    yield f"  {mark(judgement)}  {plain(belief.text)}"
    for tie in judgement.ties:
        yield f"      at {plain(tie.path)}:{tie.line}" + (f" {plain(tie.symbol)}" if tie.symbol else "")
    limits = [f"{plain(key)}={plain(value)}" for key, value in belief.conditions]
    if belief.expires_at is not None:
        limits.append(f"until {belief.expires_at:%Y-%m-%d}")
    if limits:
        yield f"      only {', '.join(limits)}"
    sure = f"confidence {belief.confidence:.2f}"
    yield click.style(f"      {belief.id} · {provenance(belief, now)} · {sure}", dim=True)


def mark(judgement: Judgement, *, clashes: bool = False) -> str:
    """The standing with its character, in its colour. A belief that holds and `clashes` with another is in conflict."""
    if clashes and judgement.standing.holds:
        return click.style("! in conflict", fg="yellow")
    text = f"{standing_mark(judgement)} {judgement.standing}"
    colour = "green" if judgement.standing.holds else "yellow"
    return click.style(text, fg="red" if judgement.standing is Standing.CONTRADICTED else colour)


def _heading(change: CodeChange) -> str:
    since = f"verified {change.verified_at:%Y-%m-%d}" + (f" at {change.commit[:8]}" if change.commit else "")
    if not change.now:
        return f"  {plain(change.was)}, {since}, is gone"
    became = "" if change.now == change.was else f", now {plain(change.now)}"
    return f"  {plain(change.was)}, {since}{became}"


def _code(line: str) -> str:
    unseen = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    text = "".join("·" if unicodedata.category(sign) in unseen else sign for sign in line.expandtabs(4))
    if len(text) > _WIDEST:
        text = f"{text[: _WIDEST - 1]}…"
    return f"    {click.style(text, fg=_COLOURS.get(line[:1]))}"
