"""A question, its answer, and the receipt."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from memlsp.model.standing import Judgement


@frozen
class Hit:
    """One belief that answers. `score` orders (larger first, within one answer); `why` are clauses for a person.

    `detail` says how it was packed: `full` (the whole text), `line` (a one-liner) or `id` (to be asked for).
    """

    judgement: Judgement
    score: float
    why: tuple[str, ...]
    detail: str = "full"
    served: str = ""  # the text that was served, caveat included


@frozen
class Omission:
    """Something that matched and was not served, and why (`budget`, `limit`, `below-cutoff`)."""

    id: str
    reason: str


@frozen
class Recall:
    """A ranked, explained, budgeted answer. `tokens` is an upper estimate of what was served (4 bytes a token)."""

    query: str
    hits: tuple[Hit, ...] = ()
    tokens: int = 0
    left_out: tuple[Omission, ...] = ()


@frozen
class Receipt:
    """The record of one recall."""

    id: int
    at: datetime
    asker: str
    query: str
    served: tuple[str, ...]
    left_out: tuple[Omission, ...]
    tokens: int
