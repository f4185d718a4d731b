"""The beliefs of a store, and what is written beside them: receipts of recalls, cached histories, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.model.belief import BeliefStatus, RevisionAction
from memlsp.store.core.transactions import StoreRepository, read, write
from memlsp.store.search import belief_pages
from memlsp.store.search.past_beliefs import states_at
from memlsp.store.tables import acts, beliefs, cache, receipts
from memlsp.store.tables.acts import FoundBy

if TYPE_CHECKING:
    from memlsp.model.belief import Belief, BeliefKind, Revision, ScopeKind
    from memlsp.model.recall import Receipt

_BY_TEXT = FoundBy()
_NEW = frozenset({RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.SUPERSEDE})


class BeliefRepository(StoreRepository):
    """Beliefs. Each attribute made with `read` or `write` is the function of that name in one transaction."""

    belief = read(beliefs.one)
    several = read(beliefs.several)
    digests = read(beliefs.digests)
    branch_origins = read(beliefs.branch_origins)
    states_at = read(states_at)
    resolve = read(beliefs.resolve)
    revisions = read(beliefs.revisions)
    state_before = read(beliefs.state_before)

    outline = read(belief_pages.outline)
    number = read(belief_pages.number)

    anchored_at = read(beliefs.anchored_at)
    anchored_paths = read(beliefs.anchored_paths)
    anchored_outside = read(beliefs.anchored_outside)
    anchored_elsewhere = read(beliefs.anchored_elsewhere)
    scoped = read(beliefs.scoped)
    patterns = read(beliefs.patterns)
    guarded = read(beliefs.guarded)
    in_scope = read(beliefs.in_scope)
    dependents = read(beliefs.dependents)
    replaced_by = read(beliefs.replaced_by)

    tellings = read(receipts.summary)
    receipts = read(receipts.latest)
    cached_history = read(cache.history)
    cached_histories = read(cache.histories)
    cache_history = write(cache.keep_history)
    workspace_info = read(cache.info)
    set_info = write(cache.set_info)
    erasure_epoch = read(cache.erasure_epoch)
    active_ids = read(acts.active_ids)
    list_acts = write(acts.write_again)

    def add(self, belief: Belief, revision: Revision, found_by: FoundBy = _BY_TEXT) -> None:
        """Write a new belief; it is found by its text and `found_by`. Raises Refused for an id that was used."""
        with self._changing() as connection:
            beliefs.insert(connection, belief, revision, found_by)

    def change(
        self, belief: Belief, revision: Revision, found_by: FoundBy = _BY_TEXT, expected: Belief | None = None
    ) -> Revision:
        """Write the new state of a belief and append the revision, numbered here; the former state is kept.

        Empty words leave the present ones. Raises NoSuchBelief; Refused for an act that only persons may do; and
        Overtaken when the belief differs from `expected`, because somebody else revised it meanwhile."""
        with self._changing() as connection:
            return beliefs.update(connection, belief, revision, found_by, expected)

    def verify_anew(self, belief: Belief, revision: Revision, found_by: FoundBy, expected: Belief) -> Revision:
        """Write a belief that memlsp itself verified again when the code arrived, a locked one too. Nothing but the
        state of the code may differ, at the same places; else it is refused as by `change`. No face calls this."""
        with self._changing() as connection:
            return beliefs.update(connection, belief, revision, found_by, expected, anew=True)

    def change_all(
        self, changes: Sequence[tuple[Belief, Revision, FoundBy]], expected: Sequence[Belief] = ()
    ) -> list[Revision]:
        """Write several changes, all or none, as `change` does. A belief that does not exist is added when its revision
        is `remember`, `propose` or `supersede`; else NoSuchBelief is raised."""
        known = {belief.id: belief for belief in expected}
        with self._changing() as connection:
            return [
                beliefs.insert(connection, belief, revision, found_by)
                if revision.action in _NEW and not beliefs.exists(connection, belief.id)
                else beliefs.update(connection, belief, revision, found_by, known.get(belief.id))
                for belief, revision, found_by in changes
            ]

    def beliefs(
        self,
        *,
        status: Sequence[BeliefStatus] | None = (BeliefStatus.ACTIVE,),
        kinds: Sequence[BeliefKind] | None = None,
        scopes: Sequence[ScopeKind] | None = None,
        paths: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[Belief]:
        """The beliefs that meet every condition that is given, newest first. None sets no condition, () fits none."""
        with self._reading() as connection:
            found = beliefs.listed(connection, status=status, kinds=kinds, scopes=scopes, paths=paths, limit=limit)
        return beliefs.belief_values(found)  # outside: thousands take a second, and others want to read meanwhile

    def add_receipt(self, receipt: Receipt, epoch: str | None = None) -> int:
        """Write the record of one recall; its id, which the store assigns. The latest 5,000 are kept. With `epoch`
        (`erasure_epoch()`, read before the recall) the question is left out when something was erased since."""
        with self._writing() as connection:
            return receipts.add(connection, receipt, epoch)
