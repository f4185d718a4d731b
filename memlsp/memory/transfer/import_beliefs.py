"""Import beliefs from an export, a backup or another workspace's memory.

There are two degrees of trust. Beliefs that are taken *at their word* keep their history, authors and authority, but a
lock is kept only when a person asks for it. All others become proposals, which are not shown before a person admits
them. Forgotten beliefs are never imported again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from attrs import evolve, frozen

from memlsp.beliefs.claims.references import verified_references
from memlsp.beliefs.lifecycle.admission import Maker
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.beliefs.lifecycle.confidence import starting_confidence
from memlsp.beliefs.lifecycle.proposals import propose
from memlsp.beliefs.lifecycle.revisions import revision_of
from memlsp.beliefs.mining.findings import MinedStatement
from memlsp.memory.context import Context
from memlsp.memory.curation.duplicates import find_duplicate
from memlsp.memory.curation.revision import keywords
from memlsp.memory.transfer.belief_jsonl import without_secrets
from memlsp.model.belief import (
    Anchor,
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefStatus,
    Evidence,
    EvidenceKind,
    RevisionAction,
    ScopeKind,
)
from memlsp.model.copy import BeliefRecord, CopyKind, ImportClash, ImportResult, Skipped
from memlsp.model.errors import MemlspError
from memlsp.model.one_line import plain
from memlsp.store import Store

_BATCH = 100
_MOST_TOLD = 1_000
_SHOWN = 300

Read = Iterable[tuple[str, BeliefRecord | MemlspError]]
"""The place of each belief in the source (`line 7`), with its record or the error."""


@frozen
class Terms:
    """The terms of one import. `at_its_word` follows from a person's decision or a good seal; `locks` is always a
    person's decision; `joins` merges beliefs into present ones with the same statement and places."""

    source: Path
    kind: CopyKind
    batch: str
    author: Author
    via: str
    sealed: bool = False
    at_its_word: bool = False
    locks: bool = False
    joins: bool = True
    dry_run: bool = False


class _Sorted:
    """The records and proposals of one batch that are to be written."""

    def __init__(self) -> None:
        self.put: list[tuple[Store, BeliefRecord]] = []
        self.proposals: list[tuple[Belief, BeliefRecord]] = []


class _Tally:
    """Running result of an import."""

    def __init__(self) -> None:
        self.known = 0
        self.ended: list[str] = []
        self.past = 0
        self.added: list[str] = []
        self.advanced: list[str] = []
        self.proposed: list[str] = []
        self.unlocked: list[str] = []
        self.clashes: list[ImportClash] = []
        self.passed: list[Skipped] = []


class BeliefImport:
    """One import or merge."""

    def __init__(self, context: Context, terms: Terms) -> None:
        self._context = context
        self._terms = terms
        self._seen: set[str] = set()
        self._joined: dict[str, str] = {}
        self._texts: dict[Path, frozenset[str]] = {}
        self._tally = _Tally()
        self._followed: list[BeliefRecord] = []  # by beliefs that come later, and may be joined with ours

    @property
    def taken(self) -> ImportResult:
        """The result so far."""
        terms, tally = self._terms, self._tally
        return ImportResult(
            terms.source,
            terms.kind,
            terms.sealed,
            terms.at_its_word,
            terms.batch,
            known=tally.known,
            past=tally.past,
            added=tuple(tally.added),
            advanced=tuple(tally.advanced),
            proposed=tuple(tally.proposed),
            joined=tuple(self._joined.items()),
            unlocked=tuple(tally.unlocked),
            clashes=tuple(tally.clashes),
            passed=tuple(tally.passed),
            ended=tuple(tally.ended),
            dry_run=terms.dry_run,
        )

    def take(self, read: Read, *, progress: Callable[[int], None] | None = None) -> ImportResult:
        """Import all beliefs in batches of `_BATCH`, each in one transaction, so an interrupted import can be run
        again. Raises StoreError, Refused."""
        done = 0
        for store in (self._context.store, self._context.user):
            self._said(store)
        for batch in _batches(read):
            ready: list[BeliefRecord] = []
            for name, whole in batch:
                done += 1
                if isinstance(whole, MemlspError):
                    self._pass(name, str(whole))
                elif whole.belief.id in self._seen:
                    self._pass(name, f"{whole.belief.id} stood in it before")
                else:
                    self._seen.add(whole.belief.id)
                    ready += [each] if (each := self._through_the_door(name, whole)) else []
            self._take([whole for whole in ready if not self._waits(whole)])
            if progress is not None:
                progress(done)
        for first in range(0, len(self._followed), _BATCH):
            self._take(self._followed[first : first + _BATCH])
        return self.taken

    def _waits(self, whole: BeliefRecord) -> bool:
        """Put off a superseded belief until the end, when it is known whether its successor was merged into a present
        belief."""
        waits = self._terms.joins and bool(whole.belief.superseded_by)
        if waits:
            self._followed.append(whole)
        return waits

    def _take(self, records: list[BeliefRecord]) -> None:
        forgotten = {
            id
            for store in (self._context.store, self._context.user)
            for id in store.copies.forgotten([whole.belief.id for whole in records])
        }
        known = _Sorted()
        for whole in records:
            if whole.belief.id in forgotten:
                self._pass(whole.belief.id, "it was forgotten, and what was forgotten does not come back")
            elif self._terms.at_its_word:
                self._sort(self._rewritten(whole), known)
            else:
                self._propose(whole, known)
        self._write(known)

    def _through_the_door(self, name: str, whole: BeliefRecord) -> BeliefRecord | None:
        """Redact a record unless this machine sealed it, in which case it was redacted before."""
        if self._terms.sealed:
            return whole
        try:
            return self._without_personal_data(without_secrets(whole))
        except MemlspError as error:
            self._pass(name, str(error))
            return None

    def _without_personal_data(self, whole: BeliefRecord) -> BeliefRecord:
        """Remove personal data from all texts of a record, when the settings ask for it."""
        if not self._context.screen().settings.personal:
            return whole

        def said(text: str) -> str:
            return self._context.without_personal_data(text)

        def clean(belief: Belief) -> Belief:
            evidence = tuple(evolve(each, quote=said(each.quote)) for each in belief.evidence)
            anchors = tuple(evolve(each, snapshot=said(each.snapshot)) for each in belief.anchors)
            return evolve(belief, text=said(belief.text), evidence=evidence, anchors=anchors)

        history = tuple(evolve(each, note=said(each.note)) for each in whole.history)
        former = tuple(None if each is None else clean(each) for each in whole.former)
        return BeliefRecord(clean(whole.belief), history, former)

    # -- at its word ------------------------------------------------------------------------------------------------

    def _sort(self, whole: BeliefRecord, known: _Sorted) -> None:
        home, present = self._present(whole)
        if present is None:
            twin = self._twin(home, whole.belief) if self._terms.joins else None
            if twin is not None:
                self._joined[whole.belief.id] = twin
                return
            self._tally.added.append(whole.belief.id)
            known.put.append((home, self._lowered(whole)))
            return
        ours, theirs = present.history, whole.history
        follows = ours == theirs[: len(ours)]
        if theirs == ours[: len(theirs)]:
            self._tally.known += 1
            if whole.belief.status is BeliefStatus.ACTIVE is not present.belief.status:
                self._tally.ended.append(whole.belief.id)
        elif follows and not self._is_held(present.belief):
            self._tally.advanced.append(whole.belief.id)
            known.put.append((home, self._lowered(whole)))
        elif _same(present.belief, whole.belief):
            self._tally.known += 1
        else:
            self._clash(present.belief, whole, "it is locked here" if follows else "both were changed", known)

    def _is_held(self, present: Belief) -> bool:
        return present.locked and not self._terms.locks

    def _present(self, whole: BeliefRecord) -> tuple[Store, BeliefRecord | None]:
        """The store that a record belongs to, and the present record with its id."""
        stores = self._context.store, self._context.user
        for store in stores:
            if (found := store.copies.whole(whole.belief.id)) is not None:
                return store, found
        return stores[whole.belief.scope.kind is ScopeKind.USER], None

    def _twin(self, store: Store, belief: Belief) -> str | None:
        """The id of a present belief with the same statement and places that is not part of this import."""
        if belief.status is not BeliefStatus.ACTIVE or _folded(belief.text) not in self._said(store):
            return None
        found = find_duplicate(store, belief)
        return found.id if found is not None and found.id not in self._seen else None

    def _said(self, store: Store) -> frozenset[str]:
        """The statements that the store held when the import began: a cheap test before the search for a duplicate."""
        if store.path not in self._texts:
            self._texts[store.path] = frozenset(_folded(belief.text) for belief in store.beliefs())
        return self._texts[store.path]

    def _rewritten(self, whole: BeliefRecord) -> BeliefRecord:
        """The imported belief with because_of and superseded_by rewritten to local ids where the target was merged into
        a local belief."""
        states = [whole.belief, *(each for each in whole.former if each is not None)]
        named = {id for each in states for id in (*each.because_of, each.superseded_by) if id}
        if self._joined.keys().isdisjoint(named):
            return whole

        def on_ours(belief: Belief) -> Belief:
            successor = belief.superseded_by
            return evolve(
                belief,
                because_of=tuple(self._joined.get(id, id) for id in belief.because_of),
                superseded_by=self._joined.get(successor, successor) if successor else successor,
            )

        return BeliefRecord(
            on_ours(whole.belief),
            whole.history,
            tuple(None if each is None else on_ours(each) for each in whole.former),
        )

    def _lowered(self, whole: BeliefRecord) -> BeliefRecord:
        """The record without its lock, and with a revision that says so: a lock is a person's decision in one memory
        only."""
        belief = whole.belief
        if not belief.locked or self._terms.locks:
            return whole
        self._tally.unlocked.append(belief.id)
        person = Author(self._terms.author.name, AuthorKind.PERSON)
        maker = Maker(person, self._terms.via, self._context.clock(), "", self._terms.batch)
        after = evolve(
            belief,
            authority=Authority.PERSON,
            confidence=min(belief.confidence, starting_confidence(Authority.PERSON)),
            updated_at=maker.now,
        )
        revision = revision_of(belief, RevisionAction.UNLOCK, maker, "a lock is not taken along")
        return BeliefRecord(
            after, (*whole.history, evolve(revision, number=len(whole.history) + 1)), (*whole.former, belief)
        )

    # -- as proposals -----------------------------------------------------------------------------------------------

    def _propose(self, whole: BeliefRecord, known: _Sorted) -> None:
        belief = whole.belief
        if belief.status not in {BeliefStatus.ACTIVE, BeliefStatus.PROPOSED}:
            self._tally.past += 1
            return
        _, present = self._present(whole)
        if present is not None and present.belief.text == belief.text:
            self._tally.known += 1
            return
        new = self._proposal(whole)
        if new is None:
            self._tally.known += 1
            return
        known.proposals.append(new)

    def _proposal(self, whole: BeliefRecord) -> tuple[Belief, BeliefRecord] | None:
        """The statement as a new proposal; None when it is known, forgotten, rejected before or cannot be kept."""
        told = whole.belief
        now = self._context.clock()
        found = MinedStatement(told.text, told.kind, told.text, 1.0, pattern=told.scope.pattern)
        evidence = Evidence(
            EvidenceKind.IMPORT,
            "",
            path=f"{plain(self._terms.source.name, 200)}: {told.id}",
            source=f"memlsp {self._terms.kind}",
            at=told.created_at,
        )
        anchors = tuple(self._places(told.anchors))
        worktree = self._context.worktree
        new = propose(
            found,
            evidence,
            now=now,
            anchors=anchors,
            references=lambda statement: verified_references(statement, worktree, anchors),
            source="import",
            personal=self._context.screen().settings.personal,
        )
        if new is None:
            return None
        until = told.expires_at if told.expires_at is not None and told.expires_at > now else None
        belief = evolve(new[0], conditions=told.conditions, expires_at=until, session=self._terms.batch)
        store = self._context.store
        if store.belief(belief.id) is not None or store.copies.forgotten([belief.id]):
            return None
        if find_duplicate(store, belief) is not None:
            return None
        return belief, BeliefRecord(belief, (evolve(new[1], number=1, session=self._terms.batch),), (None,))

    def _places(self, anchors: Iterable[Anchor]) -> Iterator[Anchor]:
        """Anchor the same places in the code as it is here now; the imported fingerprints prove nothing here."""
        now = self._context.clock()
        for anchor in islice(anchors, 8):
            line = None if anchor.symbol else anchor.line
            with suppress(MemlspError):
                yield anchor_at(self._context.worktree, anchor.path, line=line, symbol=anchor.symbol or None, now=now)

    # -- what both changed ------------------------------------------------------------------------------------------

    def _clash(self, ours: Belief, theirs: BeliefRecord, reason: str, known: _Sorted) -> None:
        """Keep the present belief, propose the imported one, and report both."""
        new = None
        if theirs.belief.status is BeliefStatus.ACTIVE and theirs.belief.text != ours.text:
            new = self._proposal(theirs)
        if new is not None:
            known.proposals.append(new)
        clash = ImportClash(ours.id, _told(ours), _told(theirs.belief), reason, new[0].id if new else "")
        self._tally.clashes.append(clash)

    # -- writing ----------------------------------------------------------------------------------------------------

    def _write(self, known: _Sorted) -> None:
        fresh = {belief.id: whole for belief, whole in known.proposals}
        self._tally.proposed += fresh
        if self._terms.dry_run:
            return
        for store in (self._context.store, self._context.user):
            records = [whole for home, whole in known.put if home is store]
            if store is self._context.store:
                records += fresh.values()
            if records:
                ready = [(whole, keywords(whole.belief)) for whole in records]
                store.copies.put(ready, self._terms.batch, self._context.clock())

    def _pass(self, name: str, reason: str) -> None:
        if len(self._tally.passed) < _MOST_TOLD:
            self._tally.passed.append(Skipped(plain(name, 200), plain(reason, 300)))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")


def _same(ours: Belief, theirs: Belief) -> bool:
    """True when two states say the same; confirmations do not count."""
    return all(
        getattr(ours, name) == getattr(theirs, name)
        for name in ("text", "kind", "status", "scope", "conditions", "guards", "expires_at", "superseded_by")
    ) and [(each.path, each.symbol) for each in ours.anchors] == [(each.path, each.symbol) for each in theirs.anchors]


def _told(belief: Belief) -> str:
    word = "" if belief.status is BeliefStatus.ACTIVE else f"{belief.status}: "
    return f"{word}{plain(belief.text, _SHOWN)}"


def _batches(read: Read) -> Iterator[list[tuple[str, BeliefRecord | MemlspError]]]:
    iterator = iter(read)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
