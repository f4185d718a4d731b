"""Carry out a revision: read the code and the store, and write the result in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from attrs import evolve, frozen

from memlsp.beliefs.acts.belief_acts import acts_of
from memlsp.beliefs.claims.references import verified_references
from memlsp.beliefs.lifecycle import revisions
from memlsp.beliefs.lifecycle.admission import Maker, Revised, checked_statement
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.beliefs.lifecycle.confidence import is_echo
from memlsp.beliefs.lifecycle.proposals import MINER, admit_proposal, reject_proposal, replaced_by
from memlsp.beliefs.lifecycle.revisions import REPLACES
from memlsp.beliefs.lifecycle.verification import note_unmet, renew, verified
from memlsp.beliefs.standing.source_check import missing_source
from memlsp.capture.git.lineage import Lineage
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.belief import Anchor, AuthorKind, Belief, BeliefStatus, Guard, Limits, Revision, RevisionAction
from memlsp.model.errors import BadValue, MemlspError, NoSuchBelief, Overtaken, Refused
from memlsp.model.review import Settlement
from memlsp.model.standing import Standing
from memlsp.recall.branch_visibility import Branches, Visibility
from memlsp.store.store import Store
from memlsp.store.tables.acts import FoundBy
from memlsp.store.tables.beliefs import BranchOrigin

_THERE = frozenset({Standing.CURRENT, Standing.CARRIED})

SAID_AGAIN = "said again"
"""The note of a confirmation that nobody meant as one: the same statement was made once more."""


@frozen
class RevisionRequest:
    """A revision to carry out, with the arguments that its action takes.

    `text` is the new statement for supersede and admit, `anchor` the place for supersede and reanchor, `guards` replace
    those of the superseded belief, `limits` are for scope.
    """

    action: RevisionAction
    by: Maker
    text: str | None = None
    anchor: Anchor | None = None
    guards: Sequence[Guard] | None = None
    limits: Limits | None = None


class Reviser:
    """Revises beliefs of one worktree."""

    def __init__(self, worktree: Worktree, judgements: Judgements) -> None:
        self._worktree = worktree
        self._judgements = judgements

    def revise(self, store: Store, belief: Belief, request: RevisionRequest) -> Belief:
        """Write the revision in one transaction; returns the belief to show afterwards: for supersede the new one.

        Raises BadValue for a missing argument, Refused for an agent and a locked belief, for a belief that is no longer
        active, and Overtaken for one that was revised since it was read.
        """
        by, action = request.by, request.action
        if action is RevisionAction.ROLLBACK:
            return self._roll_back(store, belief, by)
        if action is RevisionAction.SUPERSEDE:
            return self._supersede(store, belief, request)
        if action is RevisionAction.ADMIT:
            return self._admit(store, belief, request.text, by)
        echo = is_echo(store.revisions(belief.id), action, by.author, by.session)
        new, revision = self._without_successor(belief, request, echo=echo)
        store.change(new, revision, found_by(new), belief)
        return new

    def _without_successor(self, belief: Belief, request: RevisionRequest, *, echo: bool) -> tuple[Belief, Revision]:
        by, action = request.by, request.action
        if action is RevisionAction.CONFIRM:
            bases = self._judgements.dependents.there(belief.because_of)  # without forgotten ones
            belief = evolve(belief, because_of=bases)
            renewal = renew(belief, self._worktree, now=by.now)
            paths = [anchor.path for anchor in renewal.anchors]
            evidence = [each for each in belief.evidence if missing_source(each, self._worktree, paths) is None]
            belief = _on_branch_of_confirmed(belief, self._worktree)
            new, revision = revisions.confirm(
                belief, by, anchors=renewal.anchors, references=renewal.references, evidence=evidence, echo=echo
            )
            # A person who looked and confirms has the last word about a description; a plan stays one. An agent settles
            # what the code left, and not what was false when it was said.
            was_false = any(anchor.unmet for anchor in belief.anchors)
            insists = by.note != SAID_AGAIN and (by.author.kind is AuthorKind.PERSON or not was_false)
            return note_unmet(new, self._worktree, insists=insists), revision
        if action in {RevisionAction.WORKED, RevisionAction.FAILED}:
            return revisions.report(belief, by, held=action is RevisionAction.WORKED, echo=echo)
        if action is RevisionAction.SCOPE:
            return revisions.rescope(belief, request.limits or Limits(), by)
        if action is RevisionAction.RETIRE:
            return (reject_proposal if belief.status is BeliefStatus.PROPOSED else revisions.retire)(belief, by)
        if action in {RevisionAction.LOCK, RevisionAction.UNLOCK}:
            return (revisions.lock if action is RevisionAction.LOCK else revisions.unlock)(belief, by)
        if action is RevisionAction.REANCHOR:
            place = request.anchor or self._only_candidate(belief, by.now)
            references = verified_references(belief.text, self._worktree, (place,))
            new, revision = revisions.reanchor(belief, (place,), by, references=references)
            return note_unmet(new, self._worktree), revision
        raise BadValue(f"{action} is not a revision of something remembered", "use remember")

    def _admit(self, store: Store, proposal: Belief, text: str | None, by: Maker) -> Belief:
        """Admit a proposal, in the words of `text` where given. The beliefs that it replaces are superseded in the same
        transaction, and a conflict between two of them is settled."""
        belief = proposal
        if text and _is_reworded(belief, text):
            belief = verified(evolve(belief, text=checked_statement(text)), self._worktree)
            by = by if by.note else evolve(by, note="in other words")
        new, revision = admit_proposal(belief, by)
        ids = replaced_by(proposal)
        replaced = [each for each in store.several(ids) if each.status is BeliefStatus.ACTIVE and each.id != new.id]
        changes: list[tuple[Belief, Revision, FoundBy]] = []
        for old in replaced:
            (former, ended), new = revisions.supersede_by(old, new, by)
            changes.append((former, ended, found_by(former)))
        changes.append((new, revision, found_by(new)))
        conflict = store.conflicts.get(min(ids), max(ids)) if len(replaced) == 2 else None
        if conflict is None:
            store.change_all(changes, [*replaced, proposal])
            return new
        settled = conflict.conflict.settled(Settlement.SUPERSEDED, by.author, by.now, redact(by.note).text)
        decision = evolve(conflict, conflict=settled)
        store.conflicts.settle(decision, by.author, by.source, by.session, changes, [*replaced, proposal])
        return new

    def join(self, store: Store, proposal: Belief, belief: Belief, text: str | None, by: Maker) -> Belief:
        """Write in one transaction that a proposal repeats a belief: one statement, with the sources of both."""
        evidence = (*belief.evidence, *proposal.evidence)
        rejected, ended = reject_proposal(proposal, evolve(by, note=f"the same as {belief.id}"))
        if text and _is_reworded(belief, text):
            changes, kept = self._successor(belief, checked_statement(text), by, belief.anchors)
            kept = evolve(kept, evidence=evidence)
            changes[-1] = (kept, *changes[-1][1:])
        else:
            kept, confirmed = revisions.confirm(
                belief, by, anchors=belief.anchors, references=belief.references, evidence=evidence
            )
            changes = [(kept, confirmed, found_by(kept))]
        store.change_all([*changes, (rejected, ended, found_by(rejected))], [belief, proposal])
        return kept

    def _only_candidate(self, belief: Belief, now: datetime) -> Anchor:
        candidates = {(c.path, c.symbol) for tie in self._judgements.of(belief).ties for c in tie.candidates}
        if len(candidates) == 1:
            path, symbol = candidates.pop()
            return anchor_at(self._worktree, path, line=None, symbol=symbol or None, now=now)
        known = ", ".join(f"{path}#{symbol}" for path, symbol in sorted(candidates))
        hint = f"candidates: {known}" if known else "give the place: PATH:LINE or PATH#Qualified.name"
        raise BadValue(f"where should {belief.id} be tied to?", hint)

    def _supersede(self, store: Store, old: Belief, request: RevisionRequest) -> Belief:
        text, anchor, by = request.text, request.anchor, request.by
        if not text or not text.strip():
            raise BadValue("supersede needs the new statement", "give the text that replaces the old one")
        statement = checked_statement(text)
        anchors = (anchor,) if anchor else renew(old, self._worktree, now=by.now, text=statement).anchors
        changes, new = self._successor(old, statement, by, anchors, request.guards)
        store.change_all(changes, [old])
        return new

    def _successor(
        self, old: Belief, statement: str, by: Maker, anchors: Sequence[Anchor], guards: Sequence[Guard] | None = None
    ) -> tuple[list[tuple[Belief, Revision, FoundBy]], Belief]:
        """The changes that replace a belief by another statement, and the new belief, which is the last of them."""
        (former, ended), (new, begun) = revisions.supersede(
            old, statement, by, anchors=anchors, verify=lambda belief: verified(belief, self._worktree), guards=guards
        )
        new = _on_branch_of_successor(new, old, self._worktree)
        return [(former, ended, found_by(former)), (new, begun, found_by(new))], new

    def _roll_back(self, store: Store, belief: Belief, by: Maker) -> Belief:
        """Undo the last revision, or the one whose number the note gives, and all later ones."""
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
        for former, restored in brought_back(store, belief, changes[0][0], by):
            changes.append(restored)
            expected.append(former)
        store.change_all([(new, revision, found_by(new)) for new, revision in changes], expected)
        return changes[0][0]


def brought_back(store: Store, before: Belief, after: Belief, by: Maker) -> list[tuple[Belief, Revised]]:
    """The beliefs that change with a belief that is rolled back, each with its next state: of a statement and the one
    that replaced it exactly one is believed afterwards."""
    if before.status is BeliefStatus.ACTIVE and after.status in {BeliefStatus.RETIRED, BeliefStatus.PROPOSED}:
        others, action = store.replaced_by(before.id), RevisionAction.SUPERSEDE
    elif before.status is BeliefStatus.ACTIVE and after.superseded_by:
        others, action = store.several([after.superseded_by]), RevisionAction.RETIRE
        others = [each for each in others if each.status is BeliefStatus.RETIRED]
    elif before.status is BeliefStatus.RETIRED and after.status is BeliefStatus.ACTIVE:
        first = store.revisions(before.id)[0]  # it came as a replacement: what it replaced gives way again
        others, action = store.several([first.note.removeprefix(REPLACES)]), RevisionAction.ROLLBACK
        others = [each for each in others if each.status is BeliefStatus.ACTIVE and first.note.startswith(REPLACES)]
    else:
        return []
    found: list[tuple[Belief, Revised]] = []
    for each in others:
        past = store.revisions(each.id)
        last = next((revision for revision in reversed(past) if revision.action is action), None)
        if last is not None:
            undone = [revision for revision in past if revision.number >= last.number]
            state = store.state_before(each.id, last.number)
            found.append((each, revisions.rollback(each, state, last.number, by, undone)))
    return found


def _is_reworded(belief: Belief, text: str) -> bool:
    return bool(text.strip()) and text.split() != belief.text.split()


def _on_branch_of_confirmed(belief: Belief, worktree: Worktree) -> Belief:
    """Confirming on the trunk moves the belief to the trunk; confirming on a branch where it was hidden moves it to
    that branch. Otherwise its branch stays."""
    if not (belief.branch or belief.commit) or worktree.head() is None:
        return belief
    branches = Branches(Lineage(worktree.root))
    here = branches.here()
    if here is None or not here.present.branch or here.present.branch == belief.branch:
        return belief
    on_trunk = here.present.branch in here.trunks
    if not on_trunk and branches.visibility(BranchOrigin.of(belief), here) is not Visibility.NO:
        return belief
    return evolve(belief, branch=here.present.branch, commit=here.present.commit)


def _on_branch_of_successor(new: Belief, old: Belief, worktree: Worktree) -> Belief:
    """The successor of a belief of the trunk belongs to the trunk; any other belongs to the branch where it is
    recorded."""
    here = None if worktree.head() is None else Branches(Lineage(worktree.root)).here()
    if here is None:
        return new
    on_trunk = not old.branch or old.branch in here.trunks
    return evolve(new, branch=new.branch if on_trunk else here.present.branch, commit=here.present.commit)


def found_by(belief: Belief) -> FoundBy:
    """The names and paths of a belief's anchors, indexed for search besides its text, and the acts it speaks of."""
    return FoundBy(" ".join(f"{anchor.symbol} {anchor.path}" for anchor in belief.anchors), acts_of(belief))


def note_arrivals(context: Context, judgements: Judgements, paths: Iterable[str]) -> None:
    """Verify beliefs about these files anew whose code has arrived: they were ahead of it, or it contradicted them. A
    file with unsaved changes or with syntax errors waits.

    Until then their anchors hold the state in which the statement was not borne out. Afterwards a belief is judged like
    every other: code that leaves it again contradicts it."""
    for path in dict.fromkeys(paths):
        if not _is_settled(context, path):
            continue
        for judgement in judgements.anchored_in(path):
            if judgement.standing in _THERE and any(anchor.unmet for anchor in judgement.belief.anchors):
                _verify_anew(context, judgement.belief)


def _is_settled(context: Context, path: str) -> bool:
    worktree = context.worktree
    try:
        outline = worktree.outline(path)
        saved = not worktree.has_buffer(path) or (worktree.root / path).read_bytes() == worktree.read(path)
    except (MemlspError, OSError):
        return False
    return outline is not None and not outline.has_errors and saved


def _verify_anew(context: Context, belief: Belief) -> None:
    now = context.clock()
    renewal = renew(belief, context.worktree, now=now)
    if renewal.lost:
        return
    anew = evolve(belief, anchors=renewal.anchors, updated_at=now)
    after = note_unmet(anew, context.worktree)
    maker = Maker(MINER, "code", now, "the code does what it says now")
    revision = revisions.revision_of(belief, RevisionAction.REANCHOR, maker)
    with suppress(Overtaken, NoSuchBelief, Refused):  # somebody was quicker, or it is locked and its code moved
        context.store.change(after, revision, found_by(after), belief, anew=True)
