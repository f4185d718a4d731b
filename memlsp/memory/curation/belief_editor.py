"""Remember and revise beliefs: read the places, store the change in one transaction, look for contradictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from attrs import evolve

from memlsp.beliefs.lifecycle.admission import Draft, Maker, admit, said_kind
from memlsp.beliefs.lifecycle.guards import read_guards
from memlsp.beliefs.lifecycle.ruled_places import ruled_places
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.duplicates import find_duplicate
from memlsp.memory.curation.revision import SAID_AGAIN, Reviser, RevisionRequest, found_by
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.judging.places import Places
from memlsp.model.belief import Belief, BeliefKind, Limits, RevisionAction, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, MemlspError, NoSuchBelief, Overtaken, Refused
from memlsp.model.place import Place
from memlsp.model.standing import Judgement
from memlsp.store.store import Store

_NOT_REVISING = {RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.EDIT}
_TRIES = 8
_DECIDED = ("text", "status", "kind", "scope", "authority", "conditions", "expires_at", "because_of")
"""Fields of a belief that decide what a revision does. A retry is safe while they are unchanged."""


_Unsaved = tuple[str, str, int, bytes | None, Caller]
"""A confirmation for a text that was not saved: path, belief, number of the revision, the bytes on disk, who."""


class BeliefEditor:
    """Writes the beliefs of one workspace. Every change is durable when the call returns."""

    def __init__(self, context: Context, places: Places, judgements: Judgements, conflicts: Conflicts) -> None:
        self._context = context
        self._worktree = context.worktree
        self._clock = context.clock
        self._places = places
        self._judgements = judgements
        self._conflicts = conflicts
        self._reviser = Reviser(context.worktree, judgements)
        self._unsaved: list[_Unsaved] = []

    def remember(
        self,
        text: str,
        *,
        at: Sequence[Place] = (),
        kind: BeliefKind | None = None,
        limits: Limits | None = None,
        guards: Sequence[str] = (),
        because_of: Sequence[str] = (),
        by: Caller,
    ) -> Judgement:
        """Record a statement as true. See `Memory.remember`."""
        limits = limits or Limits()
        if at and limits.scope is not None and limits.scope.kind is ScopeKind.USER:
            raise BadValue(
                "a belief of user scope holds in every workspace and is tied to no place", "leave out the place"
            )
        maker = Maker(by.author or self._context.person(), by.source, self._clock(), session=by.session)
        with self._judgements.one_snapshot() as files:  # which looks at no file twice
            anchors = tuple(self._places.anchor(place, by.folder, maker.now, files) for place in at)
            said = self._context.without_personal_data(text)
            kind = kind or (None if at or guards else said_kind(said))
            if not (at or guards or limits.scope) and kind is BeliefKind.RULE:
                ruled, scope = ruled_places(said, self._worktree, maker.now)
                anchors, limits = tuple(ruled), evolve(limits, scope=scope)
            draft = Draft(
                said,
                kind,
                limits,
                anchors,
                guards=read_guards(guards, anchors, limits.scope) if guards else (),
                because_of=self._judgements.dependents.bases([self._context.find(id)[1].id for id in because_of]),
                branch=self._worktree.branch() or "",
                commit=self._worktree.head() or "",
            )
            belief, revision = admit(draft, maker, verify=lambda made: self._context.verified(made, files))
            store = self._context.store_of(belief)
            known = find_duplicate(store, belief)
            repeated = self._said_again(known, by) if known is not None else None
            if repeated is not None:
                return repeated
            store.add(belief, revision, found_by(belief))
            self._conflicts.after(RevisionAction.REMEMBER, belief)
            return self._judgements.of(belief)

    def _said_again(self, known: Belief, by: Caller) -> Judgement | None:
        """Confirm what is there already; None when it was forgotten meanwhile."""
        try:
            return self.revise(known.id, RevisionAction.CONFIRM, by=evolve(by, note=SAID_AGAIN))
        except Refused:  # locked, and an agent repeats it: nothing to change
            return self._judgements.of(known)
        except NoSuchBelief:
            return None

    def revise(
        self,
        id: str,
        action: RevisionAction | str,
        *,
        text: str | None = None,
        at: Place | None = None,
        guards: Sequence[str] | None = None,
        limits: Limits | None = None,
        by: Caller,
    ) -> Judgement:
        """Revise a belief. See `Memory.revise`."""
        try:
            action = RevisionAction(str(action))
        except ValueError:
            allowed = ", ".join(word for word in RevisionAction if word not in _NOT_REVISING)
            raise BadValue(f"not an action: {action!r}", f"one of {allowed}") from None
        store, belief = self._context.find(id)
        anchor = None if at is None else self._places.anchor(at, by.folder, self._clock())
        text = None if text is None else self._context.without_personal_data(text)
        note = self._context.without_personal_data(by.note)
        maker = Maker(by.author or self._context.person(), by.source, self._clock(), note, by.session)
        checks = None
        if guards is not None:
            if action is not RevisionAction.SUPERSEDE:
                raise BadValue(f"{action} takes no guard", "supersede the belief to give it another guard")
            checks = read_guards(guards, (anchor,) if anchor else belief.anchors, belief.scope)
        if text is not None and self._context.stored(text.strip()):
            raise BadValue(
                f"{text.strip()} is a belief, and {action} takes a statement",
                f"retire {belief.id}, or write what is true now",
            )
        limits = limits or Limits()
        if action is not RevisionAction.SCOPE and limits != Limits():
            raise BadValue(f"{action} changes nothing about where a belief applies", "use scope for it")
        request = RevisionRequest(action, maker, text, anchor, checks, limits)
        revised = _retried(store, belief, lambda current: self._reviser.revise(store, current, request))
        self._conflicts.after(action, revised)
        if action is RevisionAction.CONFIRM:
            self._note_unsaved(store, revised, by)
        return self._judgements.of(revised)

    def _note_unsaved(self, store: Store, belief: Belief, by: Caller) -> None:
        number = store.revisions(belief.id)[-1].number
        with suppress(MemlspError):
            for path in {each.path for each in belief.anchors if self._worktree.has_buffer(each.path)}:
                saved = self._worktree.saved(path)
                if saved != self._worktree.read(path):
                    self._unsaved.append((path, belief.id, number, saved, by))

    def changed(self, paths: Sequence[str] | None) -> None:
        """Take back what was confirmed for a text that was discarded: the text from before it is there again. Call
        after a change of these files or buffers, None for all."""
        for each in [each for each in self._unsaved if paths is None or each[0] in paths]:
            path, id, number, saved, by = each
            with suppress(MemlspError):
                returned = self._worktree.read(path) == saved
                if not returned and self._worktree.saved(path) == saved:
                    continue  # still unsaved
                self._unsaved.remove(each)
                store, belief = self._context.find(id)
                if returned and store.revisions(belief.id)[-1].number == number:
                    self.revise(id, RevisionAction.ROLLBACK, by=evolve(by, note=""))

    def join(self, proposal: Belief, belief: Belief, *, text: str | None = None, by: Caller) -> Judgement:
        """Reject a proposal as a repetition of a belief, which gets its sources; it gives way to `text`, if given."""
        text = None if text is None else self._context.without_personal_data(text)
        maker = Maker(by.author or self._context.person(), by.source, self._clock(), by.note, by.session)
        joined = self._reviser.join(self._context.store, proposal, belief, text, maker)
        self._conflicts.after(RevisionAction.CONFIRM if text is None else RevisionAction.SUPERSEDE, joined)
        return self._judgements.of(joined)


def _retried(store: Store, belief: Belief, revise: Callable[[Belief], Belief]) -> Belief:
    """Optimistic concurrency: re-read and retry on Overtaken while the fields in `_DECIDED` are unchanged."""
    for _ in range(_TRIES):
        try:
            return revise(belief)
        except Overtaken:
            found = store.belief(belief.id)
            if found is None or any(getattr(found, name) != getattr(belief, name) for name in _DECIDED):
                raise
            belief = found
    return revise(belief)
