"""Stored text as evidence: a label of ours in front, a bar before every line, nothing that can open a tag."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from memlsp.faces.handoffs import within
from memlsp.faces.mcp.answers import SOURCE_NOTE, belief_text, safe
from memlsp.model.standing import Judgement


def quoted(lines: Iterable[str]) -> list[str]:
    """Lines that somebody else wrote, each behind a bar."""
    return [f"  | {line}" for line in map(safe, lines) if line]


def beliefs(judgements: Sequence[Judgement], now: datetime, most_tokens: int) -> list[str]:
    """Beliefs with their standing, as many as there is room for."""
    lines = [line for judgement in judgements for line in belief_text(judgement, now).splitlines()]
    return within(lines, most_tokens)


def page(*parts: Sequence[str]) -> str:
    """Parts under one another, parted by a blank line, under the note that says what the bars mean."""
    blocks = ["\n".join(part) for part in parts if part]
    return "\n\n".join([SOURCE_NOTE, *blocks])
