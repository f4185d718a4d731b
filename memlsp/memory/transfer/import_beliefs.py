"""Import beliefs from an export, a backup or another workspace's memory.

There are two degrees of trust. Beliefs that are taken *at their word* keep their history, authors and authority, but a
lock is kept only when a person asks for it. All others become proposals, which are not shown before a person admits
them. Forgotten beliefs are never imported again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from attrs import evolve, field, frozen

from memlsp.beliefs.lifecycle.admission import Maker
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.beliefs.lifecycle.confidence import starting_confidence
from memlsp.beliefs.lifecycle.proposals import propose
from memlsp.beliefs.lifecycle.revisions import revision_of
from memlsp.beliefs.mining.findings import MinedStatement
from memlsp.memory.context import Context
from memlsp.memory.curation.duplicates import find_duplicate, folded
from memlsp.memory.curation.revision import found_by
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
from memlsp.store.store import Store

_BATCH = 100
_MOST_SKIPPED = 1_000
_SUMMARY_LENGTH = 300
_TOLD_IDS = ("added", "advanced", "proposed", "unlocked", "ended")  # the fields of the result that are ids

ImportSource = Iterable[tuple[str, BeliefRecord | MemlspError]]
"""The place of each belief in the source (`line 7`), with its record or the error."""


@frozen
class ImportTerms:
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


@frozen
class _PendingWrites:
    """The records and proposals of one batch that are to be written."""

    put: list[tuple[Store, BeliefRecord]] = field(factory=list[tuple[Store, BeliefRecord]])
    proposals: list[BeliefRecord] = field(factory=list[BeliefRecord])


class BeliefImport:
    """One import."""

    def __init__(self, context: Context, terms: ImportTerms) -> None:
        self._context = context
        self._terms = terms
        self._seen: set[str] = set()
        self._joined: dict[str, str] = {}
        self._text_cache: dict[Path, frozenset[str]] = {}
        self._counts: Counter[str] = Counter()
        self._ids: dict[str, list[str]] = {name: [] for name in _TOLD_IDS}
        self._clashes: list[ImportClash] = []
        self._passed: list[Skipped] = []
        self._postponed: list[BeliefRecord] = []  # their successors may be merged into local beliefs

    @property
    def result(self) -> ImportResult:
        """The result so far."""
        terms = self._terms
        begun = ImportResult(
            terms.source, terms.kind, terms.sealed, terms.at_its_word, terms.batch, dry_run=terms.dry_run
        )
        joined, clashes, passed = tuple(self._joined.items()), tuple(self._clashes), tuple(self._passed)
        done = evolve(begun, joined=joined, clashes=clashes, passed=passed)
        return evolve(done, **self._counts, **{name: tuple(ids) for name, ids in self._ids.items()})

    def take(self, read: ImportSource, *, progress: Callable[[int], None] | None = None) -> ImportResult:
        """Import all beliefs in batches of `_BATCH`, each in one transaction, so an interrupted import can be run
        again. Raises StoreError, Refused."""
        done = 0
        for store in self._context.stores:
            self._known_texts(store)
        records = iter(read)
        while batch := list(islice(records, _BATCH)):
            ready: list[BeliefRecord] = []
            for name, record in batch:
                done += 1
                if isinstance(record, MemlspError):
                    self._skip(name, str(record))
                elif record.belief.id in self._seen:
                    self._skip(name, f"{record.belief.id} stood in it before")
                else:
                    self._seen.add(record.belief.id)
                    each = self._redacted_record(name, record)
                    if each is not None:
                        late = self._terms.joins and each.belief.superseded_by
                        (self._postponed if late else ready).append(each)
            self._take_batch(ready)
            if progress is not None:
                progress(done)
        for first in range(0, len(self._postponed), _BATCH):
            self._take_batch(self._postponed[first : first + _BATCH])
        return self.result

    def _take_batch(self, records: list[BeliefRecord]) -> None:
        ids = [record.belief.id for record in records]
        forgotten = {id for store in self._context.stores for id in store.copies.forgotten(ids)}
        pending = _PendingWrites()
        for record in records:
            if record.belief.id in forgotten:
                self._skip(record.belief.id, "it was forgotten, and what was forgotten does not come back")
            elif self._terms.at_its_word:
                self._plan_record(self._with_local_ids(record), pending)
            else:
                self._plan_proposal(record, pending)
        self._write(pending)

    def _redacted_record(self, name: str, record: BeliefRecord) -> BeliefRecord | None:
        """Redact a record unless this machine sealed it, in which case it was redacted before."""
        if self._terms.sealed:
            return record
        try:
            return self._without_personal_data(without_secrets(record))
        except MemlspError as error:
            self._skip(name, str(error))
            return None

    def _without_personal_data(self, record: BeliefRecord) -> BeliefRecord:
        """Remove personal data from all texts of a record, when the settings ask for it."""
        if not self._context.screen().settings.personal:
            return record

        def clean_text(text: str) -> str:
            return self._context.without_personal_data(text)

        def clean(belief: Belief) -> Belief:
            evidence = tuple(evolve(each, quote=clean_text(each.quote)) for each in belief.evidence)
            anchors = tuple(evolve(each, snapshot=clean_text(each.snapshot)) for each in belief.anchors)
            return evolve(belief, text=clean_text(belief.text), evidence=evidence, anchors=anchors)

        return record.changed(clean, lambda revision: evolve(revision, note=clean_text(revision.note)))

    # -- at its word ------------------------------------------------------------------------------------------------

    def _plan_record(self, record: BeliefRecord, pending: _PendingWrites) -> None:
        home, present = self._local_record(record)
        if present is None:
            duplicate = self._local_duplicate(home, record.belief) if self._terms.joins else None
            if duplicate is not None:
                self._joined[record.belief.id] = duplicate
                return
            self._ids["added"].append(record.belief.id)
            pending.put.append((home, self._without_lock(record)))
            return
        ours, theirs = present.history, record.history
        follows = ours == theirs[: len(ours)]
        if theirs == ours[: len(theirs)]:
            self._counts["known"] += 1
            if record.belief.status is BeliefStatus.ACTIVE is not present.belief.status:
                self._ids["ended"].append(record.belief.id)
        elif follows and (self._terms.locks or not present.belief.locked):
            self._ids["advanced"].append(record.belief.id)
            pending.put.append((home, self._without_lock(record)))
        elif _is_same_state(present.belief, record.belief):
            self._counts["known"] += 1
        else:
            self._clash(present.belief, record, "it is locked here" if follows else "both were changed", pending)

    def _local_record(self, record: BeliefRecord) -> tuple[Store, BeliefRecord | None]:
        """The store that a record belongs to, and the present record with its id."""
        stores = self._context.stores
        for store in stores:
            if (found := store.copies.record(record.belief.id)) is not None:
                return store, found
        return stores[record.belief.scope.kind is ScopeKind.USER], None

    def _local_duplicate(self, store: Store, belief: Belief) -> str | None:
        """The id of a present belief with the same statement and places that is not part of this import."""
        if belief.status is not BeliefStatus.ACTIVE or folded(belief.text) not in self._known_texts(store):
            return None
        found = find_duplicate(store, belief)
        return found.id if found is not None and found.id not in self._seen else None

    def _known_texts(self, store: Store) -> frozenset[str]:
        """The statements that the store held when the import began: a cheap test before the search for a duplicate."""
        if store.path not in self._text_cache:
            self._text_cache[store.path] = frozenset(folded(belief.text) for belief in store.beliefs())
        return self._text_cache[store.path]

    def _with_local_ids(self, record: BeliefRecord) -> BeliefRecord:
        """The imported belief with because_of and superseded_by rewritten to local ids where the target was merged into
        a local belief."""
        states = [record.belief, *(each for each in record.former if each is not None)]
        named = {id for each in states for id in (*each.because_of, each.superseded_by) if id}
        if self._joined.keys().isdisjoint(named):
            return record

        def with_local_ids(belief: Belief) -> Belief:
            successor = belief.superseded_by
            return evolve(
                belief,
                because_of=tuple(self._joined.get(id, id) for id in belief.because_of),
                superseded_by=self._joined.get(successor, successor) if successor else successor,
            )

        return record.changed(with_local_ids)

    def _without_lock(self, record: BeliefRecord) -> BeliefRecord:
        """The record without its lock, and with a revision that says so: a lock is a person's decision in one memory
        only."""
        belief = record.belief
        if not belief.locked or self._terms.locks:
            return record
        self._ids["unlocked"].append(belief.id)
        person = Author(self._terms.author.name, AuthorKind.PERSON)
        maker = Maker(person, self._terms.via, self._context.clock(), "", self._terms.batch)
        confidence = min(belief.confidence, starting_confidence(Authority.PERSON))
        after = evolve(belief, authority=Authority.PERSON, confidence=confidence, updated_at=maker.now)
        revision = revision_of(belief, RevisionAction.UNLOCK, maker, "a lock is not taken along")
        history = (*record.history, evolve(revision, number=len(record.history) + 1))
        return BeliefRecord(after, history, (*record.former, belief))

    # -- as proposals -----------------------------------------------------------------------------------------------

    def _plan_proposal(self, record: BeliefRecord, pending: _PendingWrites) -> None:
        belief = record.belief
        if belief.status not in {BeliefStatus.ACTIVE, BeliefStatus.PROPOSED}:
            self._counts["past"] += 1
            return
        _, present = self._local_record(record)
        is_known = present is not None and present.belief.text == belief.text
        new = None if is_known else self._proposal(record)
        if new is None:
            self._counts["known"] += 1
        else:
            pending.proposals.append(new)

    def _proposal(self, record: BeliefRecord) -> BeliefRecord | None:
        """The statement as a new proposal; None when it is known, forgotten, rejected before or cannot be kept."""
        theirs = record.belief
        now = self._context.clock()
        found = MinedStatement(theirs.text, theirs.kind, theirs.text, 1.0, pattern=theirs.scope.pattern)
        path, source = f"{plain(self._terms.source.name, 200)}: {theirs.id}", f"memlsp {self._terms.kind}"
        evidence = Evidence(EvidenceKind.IMPORT, "", path=path, source=source, at=theirs.created_at)
        anchors = tuple(self._local_anchors(theirs.anchors))
        personal, verify = self._context.screen().settings.personal, self._context.verified
        new = propose(found, evidence, now=now, anchors=anchors, verify=verify, source="import", personal=personal)
        if new is None:
            return None
        until = theirs.expires_at if theirs.expires_at is not None and theirs.expires_at > now else None
        belief = evolve(new[0], conditions=theirs.conditions, expires_at=until, session=self._terms.batch)
        store = self._context.store
        if store.belief(belief.id) or store.copies.forgotten([belief.id]) or find_duplicate(store, belief):
            return None
        return BeliefRecord(belief, (evolve(new[1], number=1, session=self._terms.batch),), (None,))

    def _local_anchors(self, anchors: Iterable[Anchor]) -> Iterator[Anchor]:
        """Anchor the same places in the code as it is here now; the imported fingerprints prove nothing here."""
        now = self._context.clock()
        for anchor in islice(anchors, 8):
            line = None if anchor.symbol else anchor.line
            with suppress(MemlspError):
                yield anchor_at(self._context.worktree, anchor.path, line=line, symbol=anchor.symbol or None, now=now)

    # -- what both changed ------------------------------------------------------------------------------------------

    def _clash(self, ours: Belief, theirs: BeliefRecord, reason: str, pending: _PendingWrites) -> None:
        """Keep the present belief, propose the imported one, and report both."""
        says_else = theirs.belief.status is BeliefStatus.ACTIVE and theirs.belief.text != ours.text
        new = self._proposal(theirs) if says_else else None
        if new is not None:
            pending.proposals.append(new)
        clash = ImportClash(ours.id, _summary(ours), _summary(theirs.belief), reason, new.belief.id if new else "")
        self._clashes.append(clash)

    # -- writing ----------------------------------------------------------------------------------------------------

    def _write(self, pending: _PendingWrites) -> None:
        fresh = {record.belief.id: record for record in pending.proposals}
        self._ids["proposed"] += fresh
        if self._terms.dry_run:
            return
        for store in self._context.stores:
            records = [record for home, record in pending.put if home is store]
            if store is self._context.store:
                records += fresh.values()
            if records:
                ready = [(record, found_by(record.belief)) for record in records]
                store.copies.put(ready, self._terms.batch, self._context.clock())

    def _skip(self, name: str, reason: str) -> None:
        if len(self._passed) < _MOST_SKIPPED:
            self._passed.append(Skipped(plain(name, 200), plain(reason, 300)))


def _is_same_state(ours: Belief, theirs: Belief) -> bool:
    """True when two states say the same; confirmations do not count."""
    return all(
        getattr(ours, name) == getattr(theirs, name)
        for name in ("text", "kind", "status", "scope", "conditions", "guards", "expires_at", "superseded_by")
    ) and [(each.path, each.symbol) for each in ours.anchors] == [(each.path, each.symbol) for each in theirs.anchors]


def _summary(belief: Belief) -> str:
    word = "" if belief.status is BeliefStatus.ACTIVE else f"{belief.status}: "
    return f"{word}{plain(belief.text, _SUMMARY_LENGTH)}"
