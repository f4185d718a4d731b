"""Import the edits of a vault.

An edited statement supersedes the belief, `status: retired` retires it, a ticked `confirm` confirms it, other
conditions or another date change its scope, and a note without an id becomes a new belief. The importing person or
agent is the author. An edit is applied only when the belief has not changed since the note was written; otherwise both
are reported and neither changes, unless `prefer` decides. A vault cannot lock, unlock or change a locked belief.
Applied edits are written back to their notes.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import evolve

from memlsp.beliefs.lifecycle.admission import checked_statement
from memlsp.memory.context import Context
from memlsp.memory.curation.belief_editor import BeliefEditor
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.transfer.copy_register import CopyRegister
from memlsp.memory.transfer.import_beliefs import ImportTerms
from memlsp.memory.transfer.vault_export import VaultWriter
from memlsp.memory.transfer.vault_folder import ManifestEntry, NoteFile, VaultFolder
from memlsp.memory.transfer.vault_note import Note, digest_of
from memlsp.model.belief import Belief, BeliefKind, BeliefStatus, Limits, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.copy import ImportClash, ImportResult, Skipped
from memlsp.model.errors import BadValue, MemlspError, Refused, StoreError
from memlsp.model.one_line import plain
from memlsp.model.place import Place
from memlsp.store import Store

_SUMMARY_LENGTH = 300
_INDEX_TAG = "memlsp/index"


def import_vault(register: CopyRegister, edits: VaultEdits, *, retire_deleted: bool = False) -> ImportResult:
    """Import the edits of a vault and log it. Raises Refused, StoreError."""
    terms = edits.terms
    try:
        return edits.take(retire_deleted=retire_deleted)
    finally:
        done = edits.result
        changed = (*done.added, *done.revised)
        if changed and not terms.dry_run:
            register.audit(edits.store, "import", terms.author, terms.via, "a vault", changed)


class VaultEdits:
    """One import of the vault at `terms.source`. `result` is the result so far.

    `prefer` decides when both sides changed: `vault`, `memory` (the vault's text is kept in its folder `.memlsp-aside`)
    or None, which reports both. Raises BadValue for another value, Refused for a folder that is no vault.
    """

    def __init__(
        self, context: Context, judgements: Judgements, editor: BeliefEditor, terms: ImportTerms, prefer: str | None
    ) -> None:
        if prefer not in {None, "vault", "memory"}:
            raise BadValue(f"{prefer!r} is no side", "vault or memory")
        folder = VaultFolder(terms.source)
        if not folder.is_ours:
            raise Refused(f"{terms.source} is no vault that memlsp wrote", "memlsp export --format vault writes one")
        self._context = context
        self._judgements = judgements
        self._editor = editor
        self._folder = folder
        self._terms = self.terms = terms
        self.store = context.store
        self._prefer = prefer
        self._to_rewrite: set[str] = set()
        self.result = ImportResult(
            terms.source, terms.kind, sealed=False, trusted=True, batch=terms.batch, dry_run=terms.dry_run
        )

    def take(self, *, retire_deleted: bool) -> ImportResult:
        """Apply all edits, then update the notes. Raises StoreError, Refused."""
        by_id: dict[str, list[tuple[NoteFile, Note]]] = {}
        for file in self._folder.notes():
            if isinstance(file.note, MemlspError):
                self._skip(file.path, str(file.note))
            elif _INDEX_TAG not in file.note.list("tags"):
                by_id.setdefault(file.note.id, []).append((file, file.note))
        for notes in by_id.values():
            for file, note in notes:
                try:
                    self._import_note(file, note, [other for other, _ in notes])
                except StoreError:
                    raise
                except MemlspError as error:  # one rejected note does not stop the others
                    self._skip(file.path, f"{error} ({error.hint})" if error.hint else str(error))
        for id in [id for id in self._folder.entries if id not in by_id]:
            self._import_deletion(id, retire=retire_deleted)
        if not self._terms.dry_run:
            self._write_back()
        return self.result

    def _import_note(self, file: NoteFile, note: Note, notes: list[NoteFile]) -> None:
        id = note.id
        if not id:
            self._import_new(file, note)
            return
        entry = self._folder.entries.get(id)
        if entry is not None and file.path == entry.path and file.digest == entry.file:
            self.result = evolve(self.result, known=self.result.known + 1)
        elif len(notes) > 1:
            places = ", ".join(other.path for other in notes)
            self._skip(file.path, f"{id} stands in several notes ({places}); without its id one is a new belief")
        else:
            self._import_edit(file, note, id)

    # -- a note that was edited ---------------------------------------------------------------------------------------

    def _import_edit(self, file: NoteFile, note: Note, id: str) -> None:
        store, belief = self._find(id)
        if belief is None:
            self._skip(file.path, f"there is no belief {id}" if store is None else f"{id} was forgotten")
            return
        assert store is not None
        if not note.has_marker:
            self._skip(file.path, "the line is gone that tells the statement from what memlsp writes; put it back")
            return
        changes = self._requested_changes(note, belief)
        if not changes:
            self._assign_note(id, id, file)  # only layout, tags or the folder changed
            self.result = evolve(self.result, known=self.result.known + 1)
            return
        if belief.locked:
            self._skip(file.path, f"{id} is locked: memlsp revise {id} unlock, then import again")
            return
        if not self._is_unchanged(note, belief, store):
            self._resolve_clash(file, note, belief, changes)
            return
        self._apply(file, belief, changes)

    def _requested_changes(self, note: Note, belief: Belief) -> list[tuple[RevisionAction, dict[str, Any]]]:
        """The revisions that a note asks for, in the order to apply them."""
        changes: list[tuple[RevisionAction, dict[str, Any]]] = []
        if note.text("status") == BeliefStatus.RETIRED and belief.status is BeliefStatus.ACTIVE:
            return [(RevisionAction.RETIRE, {})]
        limits = Limits()
        if "when" in note.properties or belief.conditions:
            conditions = _conditions(note)
            if conditions != belief.conditions:
                limits = evolve(limits, conditions=conditions)
        expiry = _expiry(note)
        if expiry != belief.expires_at:
            limits = evolve(limits, expires_at=expiry, forever=expiry is None)
        if limits != Limits():
            changes.append((RevisionAction.SCOPE, {"limits": limits}))
        if digest_of(checked_statement(note.statement)) != digest_of(belief.text):
            changes.append((RevisionAction.SUPERSEDE, {"text": note.statement}))
        elif note.text("confirm").lower() in {"true", "yes"}:
            changes.append((RevisionAction.CONFIRM, {}))
        return changes

    def _is_unchanged(self, note: Note, belief: Belief, store: Store) -> bool:
        """True when the belief is active and has not changed since the note was written."""
        return belief.status is BeliefStatus.ACTIVE and note.text("revision") == str(len(store.revisions(belief.id)))

    def _resolve_clash(
        self, file: NoteFile, note: Note, belief: Belief, changes: list[tuple[RevisionAction, dict[str, Any]]]
    ) -> None:
        successor = self._successor(belief)
        if successor is not None and digest_of(checked_statement(note.statement)) == digest_of(successor.text):
            self._assign_note(belief.id, successor.id, file)  # both sides have the same statement
            self.result = evolve(self.result, known=self.result.known + 1)
            return
        if self._prefer == "vault":
            if successor is not None and not successor.locked:
                self._apply(file, successor, [(a, o) for a, o in changes if a is not RevisionAction.SCOPE])
                return
        elif self._prefer == "memory" and not self._terms.dry_run:
            mark = f"{self._context.clock():%Y%m%dT%H%M%SZ}"
            place = self._folder.set_aside(file.path, mark)
            self._assign_note(belief.id, (successor or belief).id, file)
            self._skip(file.path, f"memory stands; what the vault said is in {place}")
            return
        here = successor or belief
        word = "" if here.status is BeliefStatus.ACTIVE else f"{here.status}: "
        there = note.statement if any(a is RevisionAction.SUPERSEDE for a, _ in changes) else f"{changes[0][0]} it"
        clash = ImportClash(
            belief.id,
            f"{word}{plain(here.text, _SUMMARY_LENGTH)}",
            plain(there, _SUMMARY_LENGTH),
            f"{file.path} was edited, and memory went on; --prefer vault or --prefer memory decides",
        )
        self.result = evolve(self.result, clashes=(*self.result.clashes, clash))

    def _successor(self, belief: Belief) -> Belief | None:
        """Follow `superseded_by` to the active belief; None when the chain ends without one."""
        seen: set[str] = set()
        current: Belief | None = belief
        while current is not None and current.superseded_by and current.id not in seen:
            seen.add(current.id)
            current = self._find(current.superseded_by)[1]
        return current if current is not None and current.status is BeliefStatus.ACTIVE else None

    def _apply(self, file: NoteFile, belief: Belief, changes: list[tuple[RevisionAction, dict[str, Any]]]) -> None:
        if self._terms.dry_run:
            self.result = evolve(self.result, revised=(*self.result.revised, belief.id))
            return
        id = belief.id
        for action, options in changes:
            id = self._editor.revise(
                id, action, by=self._caller(f"edited in {plain(file.path, 200)}"), **options
            ).belief.id
        self._assign_note(belief.id, id, file)
        self.result = evolve(self.result, revised=(*self.result.revised, id))

    def _assign_note(self, former: str, id: str, file: NoteFile) -> None:
        """Assign the note to the belief that replaced the former one."""
        self._folder.entries.pop(former, None)
        self._folder.entries[id] = ManifestEntry(file.path, 0, file.digest, "")
        self._to_rewrite.add(id)

    # -- a note without an id -----------------------------------------------------------------------------------------

    def _import_new(self, file: NoteFile, note: Note) -> None:
        if not note.statement:
            return  # a new empty note that a person is about to write
        kind = note.text("kind")
        if kind and kind not in set(BeliefKind):
            raise BadValue(f"not a kind: {kind[:40]!r}", f"one of {', '.join(BeliefKind)}")
        places = tuple(Place.parse(text) for text in note.list("places"))
        checked_statement(note.statement)  # raises BadValue
        if self._terms.dry_run:
            self.result = evolve(self.result, added=(*self.result.added, file.path))
            return
        judgement = self._editor.remember(
            note.statement,
            at=places,
            kind=BeliefKind(kind) if kind else None,
            limits=Limits(conditions=tuple(_conditions(note)), expires_at=_expiry(note)),
            by=self._caller(),
        )
        id = judgement.belief.id
        if id in self._folder.entries:
            self._skip(file.path, f"{id} says this already")
            return
        self._assign_note(id, id, file)
        self.result = evolve(self.result, added=(*self.result.added, id))

    # -- a note that is gone ------------------------------------------------------------------------------------------

    def _import_deletion(self, id: str, *, retire: bool) -> None:
        entry = self._folder.entries[id]
        if self._folder.exists(entry.path):
            return  # an unreadable file, reported before
        _, belief = self._find(id)
        if belief is None or belief.status is not BeliefStatus.ACTIVE:
            del self._folder.entries[id]
            return
        if belief.locked:
            self._skip(entry.path, f"it was deleted, and {id} is locked; memlsp export writes it again")
        elif not retire:
            self._skip(entry.path, f"it was deleted: --retire-deleted retires {id}, memlsp export writes it again")
        elif not self._terms.dry_run:
            self._editor.revise(id, RevisionAction.RETIRE, by=self._caller(f"{entry.path} was deleted"))
            del self._folder.entries[id]
            self.result = evolve(self.result, revised=(*self.result.revised, id))
        else:
            self.result = evolve(self.result, revised=(*self.result.revised, id))

    # -- writing back -------------------------------------------------------------------------------------------------

    def _write_back(self) -> None:
        """Write the imported notes again from their beliefs. A file that changed meanwhile is left alone."""
        links = {id: Path(entry.path).stem for id, entry in self._folder.entries.items()}
        writer = VaultWriter(self._folder, self._context.store)
        for id in sorted(self._to_rewrite):
            store, belief = self._find(id)
            if store is None or belief is None:
                continue
            entry = self._folder.entries.get(id)
            if entry is None:
                continue
            if belief.status is not BeliefStatus.ACTIVE:
                if self._folder.remove(entry.path, entry.file):
                    del self._folder.entries[id]
                continue
            writer.renew(self._judgements.get(id), entry.path, links)
        try:
            self._folder.write_manifest(self._context.store.path.parent.name)
        except OSError as error:
            self._skip(".", f"the vault cannot be written: {error.strerror or error}")

    # -- inside -------------------------------------------------------------------------------------------------------

    def _caller(self, note: str = "") -> Caller:
        terms = self._terms
        return Caller(terms.author, f"{terms.via}:vault", terms.batch, self._context.workspace.root, note)

    def _find(self, id: str) -> tuple[Store | None, Belief | None]:
        """A belief with its store; (store, None) for a forgotten one, (None, None) for an unknown one."""
        for store in self._context.stores:
            if store.copies.forgotten([id]):
                return store, None
            found = store.belief(id)
            if found is not None:
                return store, found
        return None, None

    def _skip(self, name: str, reason: str) -> None:
        self.result = evolve(self.result, passed=(*self.result.passed, Skipped(plain(name, 200), plain(reason, 300))))


def _conditions(note: Note) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for text in note.list("when"):
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip() or len(text) > 200:
            raise BadValue(f"not a condition: {text[:60]!r}", "write key=value")
        pairs.append((key.strip(), value.strip()))
    return tuple(pairs)


def _expiry(note: Note) -> datetime | None:
    text = note.text("until").strip()
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadValue(f"not a date: {text[:40]!r}", "write 2027-01-31") from error
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
