"""Recall as of a past moment: resolve an `as_of`, and restore beliefs and visibility of that moment.

A commit stands for the time until the next commit on top, so a belief recorded while it was checked out belongs to it.
Later revisions are undone in an in-memory copy. Beliefs learned on commits that do not lead to the moment's commit are
left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta

from attrs import evolve, frozen

from memlsp.capture.git.lineage import CheckedOut, Lineage
from memlsp.memory.curation.revision import found_by
from memlsp.model.belief import Belief, BeliefStatus
from memlsp.model.errors import BadValue
from memlsp.recall.branch_visibility import Branches, Visibility, VisibilityContext
from memlsp.store.search.past_beliefs import PastBeliefIndex
from memlsp.store.search.query import SearchHit
from memlsp.store.store import Store
from memlsp.store.tables.beliefs import BranchOrigin

_MOST_FETCHED = 2_000
_SECOND = timedelta(seconds=1)
_PRESENT = object()
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}$")


@frozen
class Moment:
    """The moment of a past recall: the exclusive end time, the commit and the branch ("" when unknown)."""

    until: datetime
    commit: str = ""
    branch: str = ""
    whole_second: bool = False  # `until` is a git time, in whole seconds


def moment_of(as_of: str | datetime, lineage: Lineage | None, now: datetime) -> Moment:
    """Resolve an `as_of`: a time, the end of a local day (2026-10-01), or a commit, branch or tag.

    Raises BadValue when it is none of these.
    """
    present = lineage.present() if lineage is not None else None
    at = as_of if isinstance(as_of, datetime) else _time_of(as_of)
    if at is not None:
        at = min(at.astimezone(UTC) if at.tzinfo else at.astimezone().astimezone(UTC), now)
        if lineage is None or present is None or not present.commit:
            return Moment(at)
        return Moment(at, lineage.before(present.commit, int(at.timestamp())), present.branch)
    assert isinstance(as_of, str)
    commit = lineage.named(as_of) if lineage is not None else ""
    if lineage is None or not commit:
        quoted = as_of if len(as_of) <= 60 else f"{as_of[:59]}…"
        raise BadValue(
            f"{quoted!r} is neither a date nor a commit", "2026-10-01, 2026-10-01T12:30, a hash, branch or tag"
        )
    continued = lineage.until(commit)
    until = now if continued is None else min(datetime.fromtimestamp(continued, UTC), now)
    branch = as_of if lineage.tips(as_of) else ""
    if not branch and present is not None and lineage.within(commit, present.commit):
        branch = present.branch
    return Moment(until, commit, branch, whole_second=continued is not None)


def _time_of(text: str) -> datetime | None:
    """Parse an aware or local time; a date alone means the end of that day."""
    with suppress(ValueError):
        if _DATE.match(text.strip()):
            day = date.fromisoformat(text.strip())
            return datetime.combine(day + timedelta(days=1), time()).astimezone()
        if "-" in text and len(text.strip()) > 10:
            return datetime.fromisoformat(text.strip())
    return None


class PastMemory:
    """One store as it was at a moment: a source for recall. Close it afterwards."""

    def __init__(self, store: Store, moment: Moment, lineage: Lineage | None) -> None:
        self._store = store
        self._states = store.states_at(moment.until)
        if moment.whole_second and lineage is not None:
            self._add_second(moment, lineage)
        former = [state for state in self._states.values() if state is not None]
        self._former = PastBeliefIndex([(state, found_by(state).words) for state in former])
        self.later: list[str] = []
        """Ids of beliefs that answered the question and were not known then, or not in these words."""

    def _add_second(self, moment: Moment, lineage: Lineage) -> None:
        """Add beliefs recorded in the moment's last second, which git's times cannot order: those whose commit leads to
        the moment's. Their revisions of that second count as later."""
        unrecorded = [id for id, state in self._states.items() if state is None]
        after = self._store.states_at(moment.until + _SECOND) if unrecorded else {}
        for id in unrecorded:
            if after.get(id, _PRESENT) is None:
                continue
            revised = len(self._store.revisions(id)) > 1
            state = self._store.state_before(id, 2) if revised else self._store.belief(id)
            if state is not None and state.commit and lineage.within(state.commit, moment.commit):
                self._states[id] = state

    def close(self) -> None:
        """Free the in-memory index."""
        self._former.close()

    def search(self, terms: Sequence[Sequence[str]], *, limit: int) -> list[SearchHit]:
        """The best matches among the beliefs that were active then. The store's own index finds the unchanged ones."""
        fetched = limit
        while True:
            found = self._store.search(terms, limit=fetched)
            kept = [hit for hit in found if hit.id not in self._states]
            if len(kept) >= limit or len(found) < fetched or fetched >= _MOST_FETCHED:
                break
            fetched = min(4 * fetched, _MOST_FETCHED)
        former = self._former.search(terms, limit=limit)
        known = {hit.id for hit in former}
        self.later += [hit.id for hit in found if hit.id in self._states and hit.id not in known][:limit]
        # BM25 scores of two indexes cannot be compared, so scale to the same best score
        best = max((hit.score for hit in kept), default=0.0)
        top = max((hit.score for hit in former), default=0.0)
        scaled = [evolve(hit, score=hit.score * best / top) for hit in former] if best and top else former
        return sorted([*kept[:limit], *scaled], key=lambda hit: (-hit.score, hit.authority_rank, hit.id))[:limit]

    def several(self, ids: Sequence[str]) -> list[Belief]:
        """The beliefs with these ids as they were then."""
        found = {belief.id: belief for belief in self._store.several([id for id in ids if id not in self._states])}
        states = (self._states.get(id) or found.get(id) for id in ids)
        return [state for state in states if state is not None]

    def branch_origins(self, ids: Sequence[str]) -> list[BranchOrigin]:
        """The branch and commit where each belief was learned, as known then."""
        return [BranchOrigin.of(belief) for belief in self.several(ids)]

    def anchored_at(self, path: str) -> list[Belief]:
        """The active beliefs that had an anchor in a file."""
        same = [belief for belief in self._store.anchored_at(path) if belief.id not in self._states]
        active = (each for each in self._states.values() if each is not None and each.status is BeliefStatus.ACTIVE)
        return [*same, *(each for each in active if any(anchor.path == path for anchor in each.anchors))]


class PastVisibility:
    """Branch visibility as of a moment: beliefs learned on commits that lead to the moment's commit are visible."""

    def __init__(self, branches: Branches, lineage: Lineage | None, moment: Moment) -> None:
        self._branches = branches
        self._lineage = lineage
        self._moment = moment
        trunks = lineage.trunks() if lineage is not None and moment.commit else ()
        self.here = VisibilityContext(CheckedOut(moment.commit, moment.branch), trunks, ()) if moment.commit else None

    def visibility(self, learned: BranchOrigin) -> Visibility:
        """The visibility of a belief with this origin at that moment."""
        visibility = self._branches.visibility(learned, self.here)
        if visibility is Visibility.NO or self._lineage is None or self.here is None or not learned.commit:
            return visibility
        within = self._lineage.within(learned.commit, self._moment.commit)
        # a commit that no ref reaches was rewritten, so only the time decides
        if within is False and self._lineage.is_kept(learned.commit):
            return Visibility.NO
        return Visibility.YES
