"""What sessions are told at their start, kept ready for the hooks: for each branch, and for those that may lose their
context."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memlsp.episodes.briefing import brief, brief_again
from memlsp.episodes.handoffs import MOST
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.standing import Judgement
from memlsp.store.tables.hook_notes import composed, session_key, stamp_of

if TYPE_CHECKING:
    from memlsp.store.tables.hook_notes import Part

NO_AGENTS = frozenset({"", "editor", "files", "git", "terminal"})
"""Sources of events that hand nothing over."""

THREADS = 200
"""Open threads that are looked at, the newest."""

_BRANCHES = 8
_RUNNING = 8
"""Sessions that are told of their own work when they lose their context: the latest ones."""

_RUNNING_FOR = timedelta(days=2)


class Briefings:
    """The briefings of one workspace. Methods raise what those of the store do."""

    def __init__(self, context: Context, judgements: Judgements) -> None:
        self._context = context
        self._judgements = judgements
        self._store = context.store
        self._shelf = context.store.handoffs

    def write(self, now: datetime) -> None:
        """Bring all of them up to date."""
        look = _BriefingData(self._context, self._judgements)
        branches = [self._context.worktree.branch() or "", ""]
        branches += [each.branch for each in self._shelf.waiting(now)[:_BRANCHES]]
        written = {("", branch): composed(self.general(branch, now, look)) for branch in dict.fromkeys(branches)}
        running = 0
        for session in self._store.journal.sessions(limit=50):
            if session.source in NO_AGENTS or not session.name or now - session.last_at > _RUNNING_FOR:
                continue
            own = self._shelf.of_session(session.source, session.name)
            if own and running < _RUNNING:
                running += 1
                parts = brief_again(own[0], fallen=look.fallen, threads=look.threads, stamp=look.stamp)
                written[session_key(session.source, session.name), ""] = composed(parts)
        self._shelf.keep_briefings({place: text for place, text in written.items() if text}, now)

    def general(self, branch: str, now: datetime, look: _BriefingData | None = None) -> Sequence[Part]:
        """What a new session on a branch is told."""
        look = look or _BriefingData(self._context, self._judgements)
        return brief(
            self._shelf.waiting(now),
            branch=branch,
            now=now,
            fallen=look.fallen,
            threads=look.threads,
            stamp=look.stamp,
        )


class _BriefingData:
    """What holds in the files at one moment: each is judged once, however many are told of it."""

    def __init__(self, context: Context, judgements: Judgements) -> None:
        self._context = context
        self._judgements = judgements
        self._judged: dict[str, tuple[Judgement, ...]] = {}
        self.threads = tuple(kept.thread for kept in context.store.threads.open(limit=THREADS))

    def fallen(self, paths: Sequence[str]) -> tuple[Judgement, ...]:
        """The beliefs that no longer hold of those about some files, and about files that depend on them."""
        some = paths[:MOST]
        leaning = self._context.store.handoffs.leaning_on(some) - {*some}
        found: dict[str, Judgement] = {}
        for path in (*some, *sorted(leaning)[:MOST]):
            if path not in self._judged:
                self._judged[path] = self._judgements.about(path)
            for judgement in self._judged[path]:
                if not judgement.standing.holds:
                    found.setdefault(judgement.belief.id, judgement)
        return tuple(found.values())

    def stamp(self, path: str) -> str:
        """The state of a file that a line about it holds for."""
        return stamp_of(f"{self._context.worktree.root}/{path}")
