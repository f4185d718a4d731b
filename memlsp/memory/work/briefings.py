"""Prepare the briefings that hooks give to sessions at their start: one for each branch, and one for each running
session that may lose its context."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import TYPE_CHECKING

from memlsp.episodes.briefing import brief, brief_again
from memlsp.episodes.handoffs import MOST
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.standing import Judgement
from memlsp.store.tables.hook_notes import composed, session_key, stamp_of

if TYPE_CHECKING:
    from memlsp.memory.ingest.edit_tracker import EditTracker
    from memlsp.store.tables.hook_notes import Part

NO_AGENTS = frozenset({"", "editor", "files", "git", "terminal"})
"""Sources of events that are no agents and leave no handoff."""

THREADS = 200
"""Open threads that a briefing considers, the newest."""

_MOST_BRANCHES = 8
_MOST_RUNNING = 8  # sessions for which a briefing of their own work is prepared, the latest
_RUNNING_WITHIN = timedelta(days=2)
_NEVER = "?"  # no stamp of a file


class Briefings:
    """The briefings of one workspace. Methods raise the errors of the store."""

    def __init__(self, context: Context, judgements: Judgements) -> None:
        self._context = context
        self._judgements = judgements
        self._store = context.store
        self._handoffs = context.store.handoffs

    def write(self, now: datetime) -> None:
        """Prepare all briefings again and store them."""
        data = _BriefingData(self._context, self._judgements)
        branches = [self._context.worktree.branch() or "", ""]
        branches += [each.branch for each in self._handoffs.waiting(now)[:_MOST_BRANCHES]]
        written = {("", branch): composed(self.general(branch, now, data)) for branch in dict.fromkeys(branches)}
        running = 0
        for session in self._store.journal.sessions(limit=50):
            if session.source in NO_AGENTS or not session.name or now - session.last_at > _RUNNING_WITHIN:
                continue
            own = self._handoffs.of_session(session.source, session.name)
            if own and running < _MOST_RUNNING:
                running += 1
                parts = brief_again(own[0], fallen=data.fallen, threads=data.threads, stamp=data.stamp)
                written[session_key(session.source, session.name), ""] = composed(parts)
        self._handoffs.keep_briefings({place: text for place, text in written.items() if text}, now)

    def general(self, branch: str, now: datetime, data: _BriefingData | None = None) -> Sequence[Part]:
        """The briefing of a new session on a branch."""
        data = data or _BriefingData(self._context, self._judgements)
        waiting = self._handoffs.waiting(now)
        return brief(waiting, branch=branch, now=now, fallen=data.fallen, threads=data.threads, stamp=data.stamp)


class _BriefingData:
    """The judgements and threads of one moment: each file is judged once, however many briefings mention it."""

    def __init__(self, context: Context, judgements: Judgements) -> None:
        self._context = context
        self._about = cache(judgements.about)
        self._stamps: dict[str, str] = {}
        self.threads = tuple(kept.thread for kept in context.store.threads.open(limit=THREADS))

    def fallen(self, paths: Sequence[str]) -> tuple[Judgement, ...]:
        """The beliefs that no longer hold about some files and about files that depend on them."""
        first = paths[:MOST]
        dependents = self._context.store.handoffs.leaning_on(first) - {*first}
        found: dict[str, Judgement] = {}
        for path in (*first, *sorted(dependents)[:MOST]):
            for judgement in self._about(path):
                if not judgement.holds:
                    found.setdefault(judgement.belief.id, judgement)
        return tuple(found.values())

    def stamp(self, path: str) -> str:
        """The state of a file for which a line about it is valid; none for a file with edits that were not noticed
        yet, such as those that git took back."""
        if path not in self._stamps:
            stamp = stamp_of(f"{self._context.worktree.root}/{path}")
            is_ahead = self._tracker.known and self._tracker.differing((path,))
            self._stamps[path] = _NEVER if is_ahead else stamp
        return self._stamps[path]

    @cached_property
    def _tracker(self) -> EditTracker:
        from memlsp.memory.ingest.edit_tracker import EditTracker  # late: it imports git

        return EditTracker(self._context, self._context.screen())
