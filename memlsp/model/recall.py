"""A question, its answer, and the receipt."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from attrs import frozen

from memlsp.model.one_line import tagless
from memlsp.model.place import Place
from memlsp.model.standing import Judgement


@frozen
class RecallOptions:
    """How a question is answered: about which place, as of when, how much, and from where.

    `at` is the place that the question is about, relative to `base` (default: the working directory). `as_of`, a commit
    or branch as git names it, or a time, asks the memory as it was then. `budget` in tokens, `limit` in hits. Without
    `branch_aware` beliefs of other branches answer too, without `work` no commits and episodes, without `receipt` none
    is recorded: for a question that is still being typed.
    """

    at: Place | None = None
    base: Path | None = None
    as_of: str | datetime | None = None
    budget: int = 1200
    limit: int = 20
    branch_aware: bool = True
    work: bool = True
    receipt: bool = True
    session: str = ""  # the source of who asks and its name for the session, for the receipt


@frozen
class Hit:
    """A belief that answers. `score` orders (larger first, within one answer); `why` are clauses for a person. `detail`
    says how it was packed: `full` (the whole text), `line` (a one-liner) or `id` (to be asked for)."""

    judgement: Judgement
    score: float
    why: tuple[str, ...]
    detail: str = "full"
    served: str = ""  # the text that was served, caveat included


@frozen
class WorkHit:
    """A piece of work that answers: an episode, or a commit that was read (`id` is then its hash). `score`, `why`,
    `detail` and `served` are as in `Hit`; `symbols` are those that it changed, as `path#name`."""

    id: str
    title: str
    at: datetime
    who: str
    symbols: tuple[str, ...]
    score: float
    why: tuple[str, ...]
    detail: str = "full"
    served: str = ""


@frozen
class Omission:
    """A match that was not served, and why (`budget`, `limit`, `below-cutoff`, `branch`, `as-of`)."""

    id: str
    reason: str


@frozen
class Recall:
    """A ranked, explained, budgeted answer. `tokens` is an upper estimate of what was served (4 bytes a token)."""

    query: str
    hits: tuple[Hit, ...] = ()
    tokens: int = 0
    left_out: tuple[Omission, ...] = ()
    work: tuple[WorkHit, ...] = ()  # relevant episodes and commits; beliefs come first

    @property
    def text(self) -> str:
        """What was served, as one text for a model; "" for nothing. Each line of it is a quotation behind `|`, in which
        no tag opens: others wrote it, and it is evidence to weigh, not an instruction."""
        lines = [line for hit in (*self.hits, *self.work) for line in hit.served.splitlines()]
        return "\n".join(f"| {tagless(line)}" for line in lines)


@frozen
class Receipt:
    """The record of what was told once. `surface` is where: recall, why, hover, catch-up, or an event of a hook (start,
    handoff, prompt, note, remedy, act; again: an act that was told of before, and done). `query` is the question or
    the place, `session` the source and its name for the session, "" for none."""

    id: int
    at: datetime
    asker: str
    query: str
    served: tuple[str, ...]
    left_out: tuple[Omission, ...]
    tokens: int
    as_of: str = ""  # the commit or date that was asked about, as typed; "" for now
    surface: str = "recall"
    session: str = ""


@frozen
class TellingDay:
    """What one agent was told in a day (UTC, `2026-11-24`): how often, and in how many tokens."""

    day: str
    asker: str
    times: int
    tokens: int


@frozen
class TellingSummary:
    """The kept receipts in numbers.

    `days` come latest first. `latest` is the session that was told something last, with the number of `beliefs` that it
    was told and of those that a person stands behind (`corrections`). Of the acts that a belief forbade and that were
    told of, `obeyed` were not done after that in their session, `broken` were, and of `unknown` nobody can tell."""

    days: tuple[TellingDay, ...] = ()
    sessions: int = 0
    latest: str = ""
    beliefs: int = 0
    corrections: int = 0
    obeyed: int = 0
    broken: int = 0
    unknown: int = 0
