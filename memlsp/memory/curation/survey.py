"""What the code says of all beliefs, found out in the background, and lists of any length by pages.

To judge a hundred thousand beliefs takes a minute. `Survey` does it in a thread of its own, again whenever something
changed, and keeps one word for each. A page of a list judges what it shows.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from heapq import merge
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.model.belief import BeliefStatus
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Judgement, Standing
from memlsp.model.view import BeliefPage, BeliefQuery, ListedBelief, Surveyed

if TYPE_CHECKING:
    from memlsp.memory.context import Context
    from memlsp.memory.curation.review import Review
    from memlsp.memory.judging.judgements import Judgements
    from memlsp.store.store import Store

_CHUNK = 500  # beliefs judged between two looks at whether to go on
_OFTEN = 2.0  # seconds between two looks at whether something changed
_RESTS = 4  # times as long as the last survey took
_FEW = 5_000
"""Beliefs that are looked up by their ids; more are gone through in order."""

_COUNTED = 100_001
_MOST = 500  # items of each sort that are kept
_ACTIVE = BeliefQuery(status=BeliefStatus.ACTIVE)
_PAST = {Standing.SUPERSEDED: BeliefStatus.SUPERSEDED, Standing.RETIRED: BeliefStatus.RETIRED}


class Survey:
    """Surveys the beliefs of one workspace. Safe to use from several threads. `found` is the last survey, or as much of
    the first as there is; `standings` has the standing of each belief in it, by id."""

    def __init__(self, context: Context, judgements: Judgements, review: Review) -> None:
        self._stores = context.stores
        self._clock = context.clock
        self._judgements = judgements
        self._review = review
        self.standings: dict[str, Standing] = {}
        self._ids: dict[Standing, list[str]] = {}
        self.found = Surveyed()
        self._done: object = None
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Survey from now on, in the background, until `end`."""
        self._thread = threading.Thread(target=self._run, name="memlsp-survey", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop; returns when the thread has ended."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join()

    def look(self) -> None:
        """Survey now, unless nothing changed since the last time. Raises StoreError."""
        version = self._judgements.version()
        if version != self._done:
            self._survey()
            self._done = version

    def settled(self, item: str) -> None:
        """Take a decided item off the lists at once; the next survey finds what else follows from it."""
        waiting = tuple(each for each in self.found.waiting if each.id != item)
        fallen = tuple(each for each in self.found.fallen if each.belief.id != item)
        self.found = evolve(self.found, waiting=waiting, fallen=fallen)

    def page(
        self, query: BeliefQuery, standing: Standing | None = None, after: str = "", limit: int = 50
    ) -> BeliefPage:
        """The next beliefs that meet the conditions, judged now. `after` is the cursor of the page before. With a
        `standing` that the survey has to tell, those are chosen that had it then."""
        total: int | None = None
        if standing is not None:
            query = evolve(query, status=_PAST.get(standing, BeliefStatus.ACTIVE))
        wanted = standing if standing not in _PAST else None
        if wanted is not None:
            known = self._ids.get(wanted, [])
            total = len(known) if query == _ACTIVE else None
            if len(known) <= _FEW:
                query, wanted = evolve(query, ids=tuple(known)), None
        if wanted is None and total is None:
            total = sum(store.number(query, _COUNTED) for store in self._stores)
        chosen = list(islice(self._listed(query, after, wanted, limit + 1), limit + 1))
        ids = [each.id for each in chosen[:limit]]
        found = [belief for store in self._stores for belief in store.several(ids)]
        found.sort(key=lambda belief: ids.index(belief.id))
        more = f"{chosen[limit - 1].made} {chosen[limit - 1].id}" if len(chosen) > limit else ""
        return BeliefPage(tuple(self._judgements.judge_all(found)), total, more)

    def outline(self, query: BeliefQuery, limit: int, after: str = "") -> tuple[ListedBelief, ...]:
        """The newest beliefs after a cursor that meet the conditions, without their code."""
        return tuple(islice(self._listed(query, after, None, limit), limit))

    def _listed(self, query: BeliefQuery, after: str, standing: Standing | None, size: int) -> Iterator[ListedBelief]:
        """What meets the conditions in both stores, newest first, in steps of `size`."""
        steps = (_steps(store, query, after, size) for store in self._stores)
        # times as stored are ASCII, so the complement of their signs sorts them the other way round
        found = merge(*steps, key=lambda each: (tuple(-ord(sign) for sign in each.made), each.id))
        return (each for each in found if standing is None or self.standings.get(each.id) is standing)

    def _run(self) -> None:
        while not self._ends.is_set():
            began = monotonic()
            with suppress(MemlspError, OSError):  # a store that cannot be read now may be read later
                self.look()
            self._ends.wait(max(_OFTEN, _RESTS * (monotonic() - began)))

    def _survey(self) -> None:
        standings: dict[str, Standing] = {}
        ids: dict[Standing, list[str]] = {}
        authors: Counter[str] = Counter()
        fallen: list[Judgement] = []
        first = self.found.at is None
        total = sum(store.number(_ACTIVE, 1 << 40) for store in self._stores)
        for store in self._stores:
            listed = _steps(store, _ACTIVE, "", _CHUNK)
            while not self._ends.is_set() and (chunk := tuple(each.id for each in islice(listed, _CHUNK))):
                judged = list(self._judgements.judge_all(beliefs := store.several(chunk)))
                for each in judged:
                    standings[each.belief.id] = each.standing
                    ids.setdefault(each.standing, []).append(each.belief.id)
                authors.update(belief.author.name for belief in beliefs)
                fallen += self._judgements.doubtful(judged)
                if first:  # later the last survey is shown until the next is complete
                    self.standings, self._ids = standings, ids
                    self.found = evolve(self.found, read=len(standings), total=total, standings=_counted(ids))
        if self._ends.is_set():
            return
        fallen = self._judgements.provenance.explain_all(self._judgements.doubtful(fallen))
        self.standings, self._ids = standings, ids
        self.found = Surveyed(
            *(len(standings), len(standings), self._clock()),
            _counted(ids),
            tuple(fallen[:_MOST]),
            self._review.queue(_MOST, doubtful=fallen),
            tuple(name for name, _ in authors.most_common(200)),
        )


def _counted(ids: dict[Standing, list[str]]) -> tuple[tuple[Standing, int], ...]:
    """The number of beliefs of each standing, the worst first."""
    return tuple((each, len(ids[each])) for each in sorted(ids, key=lambda each: -each.severity))


def _steps(store: Store, query: BeliefQuery, after: str, size: int) -> Iterator[ListedBelief]:
    made, _, id = after.partition(" ")
    cursor = (made, id) if id else None
    while found := store.outline(query, cursor, size):
        yield from found
        if len(found) < size:
            return
        cursor = found[-1].made, found[-1].id
