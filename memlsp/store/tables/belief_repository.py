"""The beliefs of a store, and what is written beside them: receipts of recalls, cached histories, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.model.belief import BeliefStatus, RevisionAction
from memlsp.store.core.transactions import StoreRepository, changing, read, write
from memlsp.store.search import belief_pages
from memlsp.store.search.past_beliefs import states_at
from memlsp.store.tables import acts, beliefs, cache, receipts
from memlsp.store.tables.acts import FoundBy

if TYPE_CHECKING:
    from memlsp.model.belief import Belief, BeliefKind, Revision, ScopeKind

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
    with_words = read(beliefs.with_words)
    anchored_paths = read(beliefs.anchored_paths)
    anchored_outside = read(beliefs.anchored_outside)
    anchored_elsewhere = read(beliefs.anchored_elsewhere)
    scoped = read(beliefs.scoped)
    patterns = read(beliefs.patterns)
    guarded = read(beliefs.guarded)
    in_scope = read(beliefs.in_scope)
    dependents = read(beliefs.dependents)
    replaced_by = read(beliefs.replaced_by)

    add_receipt = write(receipts.add)
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

    add = changing(beliefs.insert)
    change = changing(beliefs.update)

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
        limit: int | None = None,
    ) -> list[Belief]:
        """The beliefs that meet every condition that is given, newest first. None sets no condition, () fits none."""
        with self._reading() as connection:
            found = beliefs.listed(connection, status=status, kinds=kinds, scopes=scopes, limit=limit)
        return beliefs.belief_values(found)  # outside: thousands take a second, and others want to read meanwhile
