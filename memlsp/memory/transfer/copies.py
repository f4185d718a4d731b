"""`memory.copies`: export, import, back up and restore a memory."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from time import monotonic
from typing import IO

from attrs import evolve

from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.transfer.copies_in_progress import announce, log_copy, register
from memlsp.memory.transfer.export_file import is_export, not_written, open_export, replacing, write_export
from memlsp.memory.transfer.import_beliefs import BeliefImport, ImportSource, ImportTerms
from memlsp.model.belief import Author, AuthorKind, BeliefStatus
from memlsp.model.caller import Progress
from memlsp.model.copy import (
    Backup,
    Copy,
    CopyImport,
    CopyKind,
    ExportResult,
    ImportResult,
    RestoreResult,
    StrandedMemory,
)
from memlsp.model.errors import NoSuchFile, NotFound, Refused
from memlsp.store.store import Store
from memlsp.store.tables.conflicts import KeptConflict

_SQLITE = b"SQLite format 3\0"
_CONTRADICTION_SEARCH = 3.0  # seconds for which an import searches for contradictions before it returns


class Copies:
    """Export, import, back up and restore."""

    def __init__(self, context: Context, judgements: Judgements, conflicts: Conflicts) -> None:
        self._context = context
        self._judgements = judgements
        self._conflicts = conflicts

    def known(self) -> tuple[Copy, ...]:
        """The registered exports and backups of this memory and of the user's, each path once and sorted."""
        found = {copy.path: copy for store in self._context.stores for copy in store.copies.all()}
        return tuple(found[path] for path in sorted(found))

    # -- out --------------------------------------------------------------------------------------------------------

    def export(
        self, path: Path, *, user: bool = False, author: Author | None = None, via: str = "python"
    ) -> ExportResult:
        """Write every belief with its history to a JSON Lines file at `path`; with `user`, the beliefs of user scope.

        Overwrites an existing export and raises Refused for any other file. Raises StoreUnavailable when the file
        cannot be written.
        """
        store, path = self._store(user=user), path.absolute()
        if (path.exists() or path.is_symlink()) and not is_export(path):
            raise Refused(f"{path} is there already, and no export of memlsp", "name another file")
        try:
            # registered first, so that a concurrent erasure finds the file
            register(self._context, store, path, CopyKind.JSONL)
            with announce(store.path, path) as part, replacing(path, part=part) as file:
                written = write_export(file, path, store, self._context.data_dir)
        except OSError as error:
            raise not_written(path, error) from error
        log_copy(self._context, store, "export", author, via, f"{written.beliefs} beliefs as {CopyKind.JSONL}")
        return written

    def export_to(self, file: IO[bytes], *, user: bool = False) -> ExportResult:
        """Write the same export to an open file. The copy is not registered, so a later `forget` cannot reach it."""
        return write_export(file, Path("-"), self._store(user=user), self._context.data_dir)

    # -- in ---------------------------------------------------------------------------------------------------------

    def take(
        self,
        path: Path,
        how: CopyImport | None = None,
        *,
        author: Author | None = None,
        via: str = "python",
        progress: Callable[[int], None] | None = None,
    ) -> ImportResult:
        """Import the beliefs of an export or a backup.

        A copy that this machine wrote and nobody changed is taken at its word when a person takes it, and so is one
        that a person trusts; the rest becomes proposals. Raises NoSuchFile, Refused, StoreError.
        """
        how = how or CopyImport()
        author = author or self._context.person()
        person = author.kind is AuthorKind.PERSON
        if (how.trusted or how.locks) and not person:
            raise Refused(f"{author.name} is an agent: only a person may trust a copy", "leave it out, or ask a person")
        path = path.absolute()
        kind = kind_of_copy(path)
        if kind is None:
            raise Refused(f"{path} is nothing that memlsp wrote", "it takes exports and backups")
        batch = f"import-{self._context.clock().astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"
        terms = ImportTerms(path, kind, batch, author, via, locks=how.locks, dry_run=how.dry_run)

        def trusting(*, sealed: bool) -> ImportTerms:
            return evolve(terms, sealed=sealed, at_its_word=person and (sealed or how.trusted))

        if kind is CopyKind.BACKUP:
            from memlsp.memory.transfer.backups import open_beliefs  # late, as below: few commands need it

            with open_beliefs(path, self._context.data_dir) as (sealed, read):
                return self.taken(read, trusting(sealed=sealed), progress)
        with open_export(path, self._context.data_dir) as export:
            if not export.complete and not how.damaged:
                raise Refused(f"{path} ends in the middle", "--damaged takes what can be read of it")
            return self.taken(export.records(), trusting(sealed=export.sealed), progress, export.conflicts())

    def taken(
        self,
        read: ImportSource,
        terms: ImportTerms,
        progress: Callable[[int], None] | None = None,
        decided: Iterable[KeptConflict] = (),
    ) -> ImportResult:
        """Import beliefs and settled conflicts on these terms, search for contradictions with present beliefs, and log
        the import."""
        belief_import = BeliefImport(self._context, terms)
        try:
            done = belief_import.take(read, progress=progress)
            self._take_conflicts(decided, done)
            return evolve(done, conflicts=self._contradictions(done))
        finally:
            done = belief_import.result
            changed = (*done.added, *done.advanced, *done.proposed)
            if changed and not terms.dry_run:
                action = terms.batch.partition("-")[0]
                log_copy(self._context, self._context.store, action, terms.author, terms.via, "", changed)

    def _contradictions(self, done: ImportResult) -> tuple[str, ...]:
        """The ids of conflicts between imported and present beliefs found within `_CONTRADICTION_SEARCH`
        seconds; `conflicts.refresh` finds the rest."""
        found: dict[str, None] = {}
        until = monotonic() + _CONTRADICTION_SEARCH
        if not done.dry_run:
            for id in (*done.added, *done.advanced):
                if monotonic() > until:
                    break
                with suppress(NotFound):
                    belief = self._judgements.get(id).belief
                    if belief.status is BeliefStatus.ACTIVE:
                        found |= dict.fromkeys(each.id for each in self._conflicts.look(belief))
        return tuple(found)

    def _take_conflicts(self, kept: Iterable[KeptConflict], done: ImportResult) -> None:
        """Keep the settlements of conflicts whose two sides were both imported."""
        here = {*done.added, *done.advanced}
        if done.trusted and not done.dry_run:
            settled = [each for each in kept if each.conflict.settlement is not None]
            imported = [each for each in settled if {each.conflict.first, each.conflict.second} <= here]
            if imported:
                self._context.store.conflicts.take(imported)

    # -- other memories ---------------------------------------------------------------------------------------------

    def hints(self) -> tuple[str, ...]:
        """Messages for an empty memory when another memory on this machine has lost its folder."""
        from memlsp.memory.transfer.relocation import shown_hints

        return shown_hints(self._context)

    def stranded(self) -> tuple[StrandedMemory, ...]:
        """The memories on this machine whose folders are gone, likely ones first."""
        from memlsp.memory.transfer.relocation import stranded

        return stranded(self._context.workspace, self._context.data_dir)

    # -- whole stores -----------------------------------------------------------------------------------------------

    def backup(
        self,
        path: Path,
        *,
        user: bool = False,
        author: Author | None = None,
        via: str = "python",
        progress: Progress | None = None,
    ) -> Backup:
        """Back up the whole store to `path`; with `user`, the store of user scope. Others can write meanwhile. The copy
        is checked before it takes its place. Overwrites an existing backup and raises Refused for any other file.
        Raises StoreError."""
        from memlsp.memory.transfer.backups import back_up  # late, as below: few commands need it

        return back_up(self._context, self._store(user=user), path, author=author, via=via, progress=progress)

    def verify(self, path: Path) -> Backup:
        """Check a backup against the note beside it and as a database; `problem` names the fault. Raises NoSuchFile."""
        from memlsp.memory.transfer.backups import verify

        return verify(path, self._context.data_dir)

    def restore(
        self,
        path: Path,
        *,
        user: bool = False,
        trusted: bool = False,
        anyway: bool = False,
        author: Author | None = None,
        via: str = "python",
    ) -> RestoreResult:
        """Replace this memory by a backup, in one transaction. The former content is kept as a backup, so a restore can
        be undone.

        Forgotten beliefs stay forgotten; the audit log and the register of copies are kept. `trusted` accepts a backup
        of another machine with its locks; `anyway` accepts one of another workspace. Raises NoSuchFile, StoreError, and
        Refused for an agent, or a backup that is damaged, foreign or holds unknown tables.
        """
        from memlsp.memory.transfer.backups import restore

        store, author = self._store(user=user), author or self._context.person()
        return restore(self._context, store, path, trusted=trusted, anyway=anyway, author=author, via=via)

    def _store(self, *, user: bool) -> Store:
        return self._context.user if user else self._context.store


def kind_of_copy(path: Path) -> CopyKind | None:
    """The kind of copy at a path; None for what memlsp did not write. Raises NoSuchFile, Refused for a vault."""
    if not path.exists():
        raise NoSuchFile(f"no such file: {path}")
    if is_export(path):
        return CopyKind.JSONL
    with suppress(OSError):
        if (path / ".memlsp-vault.json").exists():
            raise Refused(
                f"{path} is a vault, and vaults are no longer read", "the memory that wrote it has what it holds"
            )
        if path.is_file():
            with path.open("rb") as file:
                return CopyKind.BACKUP if file.read(len(_SQLITE)) == _SQLITE else None
    return None
