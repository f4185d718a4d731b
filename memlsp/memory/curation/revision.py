"""Carrying out a revision: what is read from the code and the store for it, and the one transaction it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from attrs import evolve

from memlsp.beliefs.claims.references import verified_references
from memlsp.beliefs.lifecycle import revisions
from memlsp.beliefs.lifecycle.admission import Limits, Maker, checked_statement
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.beliefs.lifecycle.confidence import is_echo
from memlsp.beliefs.lifecycle.proposals import admit_proposal, reject_proposal, replaced_by
from memlsp.beliefs.lifecycle.renewal import renew
from memlsp.beliefs.standing.source_check import missing_source
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.curation.branch_ownership import BranchOwnership
from memlsp.model.belief import Anchor, Belief, BeliefStatus, Guard, Revision, RevisionAction
from memlsp.model.errors import BadValue
from memlsp.model.review import Settlement
from memlsp.model.standing import Judgement
from memlsp.store import Store


class Reviser:
    """Revises beliefs of one worktree. `there` gives those of some ids that a belief still has."""

    def __init__(
        self,
        worktree: Worktree,
        judge: Callable[[Belief], Judgement],
        there: Callable[[Sequence[str]], tuple[str, ...]] = tuple,
    ) -> None:
        self._worktree = worktree
        self._judge = judge
        self._there = there
        self._homes = BranchOwnership(worktree)

    def revise(
        self,
        store: Store,
        belief: Belief,
        action: RevisionAction,
        text: str | None,
        anchor: Anchor | None,
        by: Maker,
        guards: Sequence[Guard] | None = None,
        limits: Limits | None = None,
    ) -> Belief:
        """Do it, in one transaction; the belief to show afterwards (for supersede: the new one, with `guards` in place
        of the old one's where they are given). `text` given to admit is what is admitted in place of the proposal's.

        Raises BadValue for what is missing, Refused for an agent and a locked belief, for a belief of the past, and for
        one that somebody else revised since it was read.
        """
        if action is RevisionAction.ROLLBACK:
            return self._roll_back(store, belief, by)
        if action is RevisionAction.SUPERSEDE:
            return self._supersede(store, belief, text, anchor, by, guards)
        if action is RevisionAction.ADMIT:
            return self._admit(store, belief, text, by)
        echo = is_echo(store.revisions(belief.id), action, by.author, by.session)
        new, revision = self._revised(belief, action, anchor, by, limits or Limits(), echo=echo)
        store.change(new, revision, keywords(new), belief)
        return new

    def _revised(
        self,
        belief: Belief,
        action: RevisionAction,
        anchor: Anchor | None,
        by: Maker,
        limits: Limits,
        *,
        echo: bool,
    ) -> tuple[Belief, Revision]:
        if action is RevisionAction.CONFIRM:
            belief = evolve(belief, because_of=self._there(belief.because_of))  # it does not rest on what was forgotten
            now = renew(belief, self._worktree, now=by.now)
            homes = [anchor.path for anchor in now.anchors]
            evidence = [each for each in belief.evidence if missing_source(each, self._worktree, homes) is None]
            belief = evolve(belief, **self._homes.of_confirmed(belief))
            return revisions.confirm(
                belief, by, anchors=now.anchors, references=now.references, evidence=evidence, echo=echo
            )
        if action in {RevisionAction.WORKED, RevisionAction.FAILED}:
            return revisions.report(belief, by, held=action is RevisionAction.WORKED, echo=echo)
        if action is RevisionAction.SCOPE:
            return revisions.rescope(belief, limits, by)
        if action is RevisionAction.RETIRE:
            return (
                reject_proposal(belief, by) if belief.status is BeliefStatus.PROPOSED else revisions.retire(belief, by)
            )
        if action is RevisionAction.LOCK:
            return revisions.lock(belief, by)
        if action is RevisionAction.UNLOCK:
            return revisions.unlock(belief, by)
        if action is RevisionAction.REANCHOR:
            place = anchor or self._only_candidate(belief, by.now)
            references = verified_references(belief.text, self._worktree, (place,))
            return revisions.reanchor(belief, (place,), by, references=references)
        raise BadValue(f"{action} is not a revision of something remembered", "use remember")

    def _admit(self, store: Store, proposal: Belief, text: str | None, by: Maker) -> Belief:
        """Admit a proposal, in other words where `text` is given. Whatever it takes the place of goes in the same step,
        also both sides of a contradiction, which is settled by that."""
        belief = proposal
        if text and text.strip() and " ".join(text.split()) != " ".join(belief.text.split()):
            statement = checked_statement(text)
            references = verified_references(statement, self._worktree, belief.anchors)
            belief = evolve(belief, text=statement, references=tuple(references))
            by = by if by.note else evolve(by, note="in other words")
        new, revision = admit_proposal(belief, by)
        ids = replaced_by(proposal)
        replaced = [each for each in store.several(ids) if each.status is BeliefStatus.ACTIVE and each.id != new.id]
        changes: list[tuple[Belief, Revision, str]] = []
        for old in replaced:
            (former, ended), new = revisions.supersede_by(old, new, by)
            changes.append((former, ended, keywords(former)))
        changes.append((new, revision, keywords(new)))
        conflict = store.conflicts.get(min(ids), max(ids)) if len(replaced) == 2 else None
        if conflict is None:
            store.change_all(changes, [*replaced, proposal])
            return new
        settled = evolve(
            conflict.conflict,
            settlement=Settlement.SUPERSEDED,
            settled_by=by.author.name,
            settled_at=by.now,
            note=redact(by.note).text,
        )
        store.conflicts.settle(
            evolve(conflict, conflict=settled), by.author, by.source, by.session, changes, [*replaced, proposal]
        )
        return new

    def _only_candidate(self, belief: Belief, now: datetime) -> Anchor:
        candidates = {(c.path, c.symbol) for tie in self._judge(belief).ties for c in tie.candidates}
        if len(candidates) == 1:
            path, symbol = candidates.pop()
            return anchor_at(self._worktree, path, line=None, symbol=symbol or None, now=now)
        known = ", ".join(f"{path}#{symbol}" for path, symbol in sorted(candidates))
        hint = f"candidates: {known}" if known else "give the place: PATH:LINE or PATH#Qualified.name"
        raise BadValue(f"where should {belief.id} be tied to?", hint)

    def _supersede(
        self,
        store: Store,
        old: Belief,
        text: str | None,
        anchor: Anchor | None,
        by: Maker,
        guards: Sequence[Guard] | None,
    ) -> Belief:
        if not text or not text.strip():
            raise BadValue("supersede needs the new statement", "give the text that replaces the old one")
        statement = checked_statement(text)
        if anchor is None:
            renewal = renew(old, self._worktree, now=by.now, text=statement)
            anchors, references = renewal.anchors, renewal.references
        else:
            anchors, references = (anchor,), verified_references(statement, self._worktree, (anchor,))
        (former, ended), (new, begun) = revisions.supersede(
            old, statement, by, anchors=anchors, references=references, guards=guards
        )
        new = evolve(new, **self._homes.of_successor(old))
        store.change_all([(former, ended, keywords(former)), (new, begun, keywords(new))], [old])
        return new

    def _roll_back(self, store: Store, belief: Belief, by: Maker) -> Belief:
        """Take back the last revision, or the one that the note names by its number."""
        past = store.revisions(belief.id)
        wanted = int(by.note) if by.note.isdecimal() and len(by.note) < 10 else past[-1].number
        undone = next((revision for revision in past if revision.number == wanted), None)
        if undone is None:
            raise BadValue(f"{belief.id} has no revision {wanted}", f"it has 1 to {past[-1].number}")
        before = store.state_before(belief.id, wanted)
        taken_back = [revision for revision in past if revision.number >= wanted]
        changes = [revisions.rollback(belief, before, wanted, by, taken_back)]
        expected = [belief]
        if undone.action is RevisionAction.SUPERSEDE and belief.superseded_by:
            # the old statement is back, so the one that replaced it goes
            successor = store.belief(belief.superseded_by)
            if successor is not None and successor.status is BeliefStatus.ACTIVE:
                changes.append(revisions.retire(successor, by))
                expected.append(successor)
        store.change_all([(new, revision, keywords(new)) for new, revision in changes], expected)
        return changes[0][0]


def keywords(belief: Belief) -> str:
    """What a search should find a belief by besides its text: the names and paths that it is tied to."""
    return " ".join(f"{anchor.symbol} {anchor.path}" for anchor in belief.anchors)
