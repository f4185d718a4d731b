"""Task episodes: join events into episodes, list them, and give the timeline."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from datetime import datetime

from memlsp.episodes.affinity import shipped_weights
from memlsp.episodes.assignment import Assigner
from memlsp.episodes.base_rates import WINDOW, Background, PastCommit
from memlsp.episodes.drafts import draft_of, draft_value
from memlsp.episodes.event_joiner import EventJoiner, JoinResult
from memlsp.episodes.observation import names_in, stems
from memlsp.episodes.summary import episode_of
from memlsp.memory.context import Context
from memlsp.model.episode import Episode, TimelineEntry
from memlsp.model.errors import NoSuchEpisode
from memlsp.model.event import Event
from memlsp.store.core.rows import milliseconds
from memlsp.store.store import Store


class Episodes:
    """The task episodes of one workspace. Thread-safe. Only the process that ingests events calls `observe` and
    `close_due`; any process may read."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store = context.store
        self._lock = threading.Lock()
        self._name = secrets.token_hex(8)
        self._joiner: EventJoiner | None = None
        self._background: Background | None = None

    # -- events come in -------------------------------------------------------------------------------------------

    def observe(self, event: Event) -> str:
        """Add an event to an episode; returns the episode's id, "" for an event that belongs to none.

        Events come in order of arrival, with their `changes`; repeating one changes nothing. An event can move earlier
        events of an open episode to another episode.
        """
        with self._lock:
            joined = self._current().observe(event)
            self._keep(joined, event.at)
            return joined.episode

    def close_due(self, now: datetime | None = None) -> tuple[Episode, ...]:
        """Close the episodes that are over, and return them."""
        now = now or self._context.clock()
        with self._lock:
            return self._keep(self._current().close_due(now), now)

    # -- asking ---------------------------------------------------------------------------------------------------

    def list(
        self,
        *,
        limit: int = 20,
        open_only: bool = False,
        path: str | None = None,
        symbol: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> tuple[Episode, ...]:
        """The episodes that match every given filter, latest activity first. `path` (relative to the root) is a file or
        a folder with everything below it; `symbol` (dotted) includes its members; those are found that were at work
        between `since` and `until`."""
        found = self._store.episodes.episodes(
            limit=limit, open_only=open_only, path=path, symbol=symbol, session=session, since=since, until=until
        )
        return tuple(found)

    def get(self, id: str) -> Episode:
        """One episode by its id or a unique prefix of it. Raises NoSuchEpisode, BadValue for an ambiguous prefix."""
        full = self._store.episodes.resolve(id)
        found = self._store.episodes.episode(full) if full is not None else None
        if found is None:
            raise NoSuchEpisode(f"no episode {id!r}", "memlsp episodes lists them")
        return found

    def touching(self, path: str, symbol: str = "", *, limit: int = 50) -> tuple[Episode, ...]:
        """The episodes that changed a symbol (dotted; "" for the whole file) or its members, latest first."""
        return tuple(self._store.episodes.touching(path, symbol, limit=limit))

    def number_touching(self, path: str, symbol: str = "") -> int:
        """The number of episodes that changed a symbol or its members. Cheap: reads no episode."""
        return self._store.episodes.number_touching(path, symbol)

    def timeline(
        self, *, since: datetime | None = None, until: datetime | None = None, path: str | None = None, limit: int = 50
    ) -> tuple[TimelineEntry, ...]:
        """Episodes, commits, recorded and revised beliefs, and handoffs, latest first."""
        from memlsp.memory.work.timeline import timeline  # late: only two commands ask

        return timeline(self._store, since=since, until=until, path=path, limit=limit)

    def per_day(self, since: datetime, until: datetime) -> dict[str, int]:
        """How many entries each day (UTC, `2026-11-24`) has from `since` on, before `until`; others are left out."""
        return self._store.changes.per_day(since, until)

    def _current(self) -> EventJoiner:
        """The joiner of the open episodes, rebuilt when another process wrote some."""
        if self._joiner is None or self._store.episodes.writer() != self._name:
            drafts = [draft_of(value) for _, value in self._store.episodes.drafts() if value is not None]
            if self._background is None:
                self._background = Background(_past_commits(self._store))
            self._joiner = EventJoiner(Assigner(drafts, shipped_weights(), self._background, self._is_closed))
        return self._joiner

    def _keep(self, joined: JoinResult, now: datetime) -> tuple[Episode, ...]:
        """Store the changed drafts. When that fails, the next call reads the stored ones."""
        joiner, self._joiner = self._joiner, None
        written: list[tuple[Episode, object]] = [
            (episode_of(draft), draft_value(draft)) for draft in joined.changed.values()
        ]
        at = milliseconds(now)
        closed = [episode_of(draft, closed_at=at, closed_by=why) for draft, why in joined.closed]
        written += [(episode, None) for episode in closed]
        if written or joined.gone:
            self._store.episodes.save(written, gone=joined.gone, writer=self._name)
        for ids, episode in joined.moved:
            if ids:
                self._store.journal.give(ids, episode)
        self._joiner = joiner
        return tuple(closed)

    def _is_closed(self, id: str) -> bool:
        found = self._store.episodes.episode(id)
        return found is not None and not found.is_open


def _past_commits(store: Store) -> Iterator[PastCommit]:
    """The stored commits, from which the usual frequency of paths and words is computed."""
    for commit in store.past.episodes(WINDOW):
        refs = [ref for change in commit.changes for ref in (change.new or change.old,) if ref is not None]
        names = {part for ref in refs for part in ref.name.split(".")}
        names |= {name for change in commit.changes for name in names_in(change.sentence)}
        yield PastCommit({ref.path for ref in refs}, names, set(stems(commit.subject)))
