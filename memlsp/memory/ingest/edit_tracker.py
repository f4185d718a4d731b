"""Track the files of one checkout, so that each change is reported once.

Each file has a baseline: the state that its edits were last reported against. It is the file's content in a commit, the
`base`, or a redacted copy that is kept until a commit holds it. An edit is the difference between the baseline and the
disk. So the first event that names a file reports its change, no other does, and a change made while no process ran is
found later.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.redaction.event_filter import Screen
from memlsp.capture.workspace.edit_digest import LARGEST, FileBeforeAfter, has_symbols, redacted_bytes, symbol_changes
from memlsp.capture.workspace.file_list import FileList
from memlsp.capture.workspace.source_files import SourceFiles
from memlsp.memory.context import Context
from memlsp.memory.ingest.files_record import MANY, files_record, git_record
from memlsp.model.episode import KeptChange
from memlsp.model.errors import MemlspError, Refused
from memlsp.model.event import EventKind
from memlsp.store.tables.event_repository import EventQuery, FileBaseline

_MOST_LOOKED_AT = 2_000  # files that are compared in one look
_PLAIN = 300  # files of a plain folder whose states are kept at first sight
_PLAIN_BYTES = 2_000_000  # of them together
_MOST_PAST = 30  # commits in which a file's present state is looked for
_MOST_STASHES = 20  # from which a file may have come back, the latest
_NEW = 60.0  # seconds in which a hook of a busy machine reports what was written
_LARGEST_HASHED = 50_000_000  # bytes
_COMPLETE = "plain"  # the base of a plain folder whose files were all looked at: a file without a state is new
_LOG = logging.getLogger(__name__)


@frozen
class ReportedChanges:
    """The changes reported for some files: symbol changes, and the files whose content moved."""

    changes: tuple[KeptChange, ...] = ()
    paths: tuple[str, ...] = ()


class EditTracker:
    """One checkout below `root`. For one thread at a time; the caller holds the journal's turn while it writes
    baselines."""

    def __init__(self, context: Context, screen: Screen, root: Path | None = None) -> None:
        worktree = context.worktree
        self.root = root = root or worktree.root
        self._screen = screen
        self._journal = context.store.journal
        self._name = str(root)
        self._listing = worktree.listing if root == worktree.root else FileList(root, git=True)
        self._clock = context.clock
        self._sources = SourceFiles(root)
        self._ancestry = Ancestry.at(root)
        self._base: pygit2.Commit | None = None
        base = self._journal.tree(self._name).base
        self.known = base is not None  # False before the first look
        self._complete = base == _COMPLETE
        if base and self._ancestry is not None:
            self._base = self._ancestry.commit(base)
            self.known = self._base is not None  # a commit that git has dropped says nothing any more

    @property
    def base(self) -> str:
        """The commit that is the baseline of every file without one of its own."""
        return str(self._base.id) if self._base is not None else ""

    def head(self) -> str:
        """The commit that is checked out, "" for none."""
        head = self._ancestry.head() if self._ancestry is not None else None
        return str(head.id) if head is not None else ""

    def begin(self, edited: Collection[str] = (), before: str = "") -> None:
        """Set the first baselines: the files as they are now, reporting nothing.

        Files that waiting events name get their state in a commit instead: the one checked out, or the one `before` the
        events. So do files that were just written, since the first event: who wrote them may be about to say so.
        """
        if self._ancestry is None:
            base, paths = "", self._plain()
            if len(paths) == len([path for path in self._listing.paths() if has_symbols(path)]):
                base = _COMPLETE
        else:
            base = before if before.strip("0") and self._ancestry.commit(before) is not None else self.head()
            first = self._first_event()
            dirty = [path for path in self._ancestry.dirty(_MOST_LOOKED_AT) if path not in edited]
            paths = [path for path in dirty if self._written_at(path) < first]
            self._base = self._ancestry.commit(base) if base else None
        ours = filter(self._is_ours, list(dict.fromkeys(paths))[:_MOST_LOOKED_AT])
        baselines = {path: self._state_of(path, *self._look(path)) for path in ours}
        self._journal.record_changes(None, root=self._name, baselines=baselines, base=base, now=self._clock())
        self.known = True
        self._complete = base == _COMPLETE

    # -- edits ----------------------------------------------------------------------------------------------------

    def differing(self, paths: Iterable[str]) -> list[str]:
        """The paths whose content differs from their baseline, sorted."""
        states = self._journal.states(self._name)
        return sorted(path for path in dict.fromkeys(paths) if self._is_ours(path) and self._differs(path, states))

    def missed(self, rest: float = 0.0) -> list[str]:
        """The files that changed without an event and were not written for `rest` seconds; bounded."""
        states = self._journal.states(self._name)
        looked_at = [*states, *(self._ancestry.dirty(_MOST_LOOKED_AT) if self._ancestry is not None else ())]
        differing = self.differing(looked_at[:_MOST_LOOKED_AT])
        latest = self._clock().timestamp() - rest
        return [path for path in differing if not rest or self._written_at(path) <= latest]

    def report(self, id: int | None, paths: Sequence[str]) -> ReportedChanges:
        """Report the changes of these files since their baselines, write them to event `id` and advance the baselines.

        Of a large number of files no symbols are reported.
        """
        states = self._journal.states(self._name)
        sides: list[FileBeforeAfter] = []
        now: dict[str, FileBaseline | None] = {}
        for path in paths:
            if not self._is_ours(path) or not self._differs(path, states):
                continue
            digest, data = self._look(path)
            if path in states and self._is_as_in_base(path, digest, data):
                continue  # what was reported of it is undone: `missed` finds it
            now[path] = self._state_of(path, digest, data)
            before = self._told_text(path, states)
            if has_symbols(path) and before is not _UNKNOWN and (data is not None or not digest):
                sides.append(FileBeforeAfter(path, before, data))
        changes = self._changes(sides if len(now) <= MANY else [])
        if now or changes:
            self._journal.record_changes(id, changes, root=self._name, baselines=now, now=self._clock())
        return ReportedChanges(changes, tuple(now))

    # -- git ------------------------------------------------------------------------------------------------------

    def records_of(self, paths: Iterable[str]) -> list[dict[str, object]]:
        """The records of files that changed without an event: of those that git took back or brought back from a stash,
        and of those that somebody edited."""
        states = self._journal.states(self._name)
        known = self._journal.events(EventQuery(kinds=[EventKind.STASH]), limit=_MOST_STASHES, newest=True)
        taken, restored, edited = list[str](), list[str](), list[str]()
        for path in paths:
            digest, data = self._look(path)
            if any(path in each.paths and digest in self._stashed(each.commit, path) for each in known if each.commit):
                restored.append(path)
            elif self._is_as_in_base(path, digest, data) or self._is_of_the_past(path, digest):
                taken += [path] if path in states else []
            else:
                edited.append(path)
        now = self._clock().timestamp()
        records = [git_record(EventKind.RESET, taken, self._name, now)] if taken else []
        records += [git_record(EventKind.STASH, restored, self._name, now)] if restored else []
        return [*records, files_record(edited, self._name, now)] if edited else records

    def stashed(self, commit: str) -> tuple[str, ...]:
        """The files whose reported edits went into a stash, and are on disk no more."""
        states = self._journal.states(self._name)
        held = [path for path, told in states.items() if told in self._stashed(commit, path)]
        return tuple(path for path in held if self._look(path)[0] != states[path])

    def taken_back(self, paths: Collection[str]) -> None:
        """Reset the baselines of files that git brought back: the edits that were reported of them are gone."""
        baselines: dict[str, FileBaseline | None] = dict.fromkeys(paths)
        self._journal.record_changes(None, root=self._name, baselines=baselines, now=self._clock())

    def committed(self, id: int | None, commit: str) -> tuple[KeptChange, ...]:
        """Handle a commit: report the changes in it that no event reported."""
        found = self._ancestry.commit(commit) if self._ancestry is not None else None
        if self._ancestry is None or found is None:
            return ()
        states = self._journal.states(self._name)
        changed = [each for each in self._ancestry.changed(self._base, found) if self._is_ours(each.path)]
        sides: list[FileBeforeAfter] = []
        known: dict[str, FileBaseline | None] = {}
        for file in changed:
            told = states.get(file.path)
            after = bytes(file.after.raw) if file.after is not None else b""
            if told == after or (told is not None and told == self._look(file.path)[0]):
                continue  # told when it was written; in the second case the commit holds less than that
            known[file.path] = None
            before = self._told_text(file.path, states)
            data = self._ancestry.data(file.after)
            if has_symbols(file.path) and before is not _UNKNOWN and (data is not None or file.after is None):
                sides.append(FileBeforeAfter(file.path, before, data))
        changes = self._changes(sides if len(changed) <= MANY else [])
        self._base = found
        known |= self._settled_by(states)
        self._journal.record_changes(id, changes, root=self._name, baselines=known, base=commit, now=self._clock())
        return changes

    def moved(self, commit: str, *, last: bool = True, undoes: bool = False) -> tuple[str, ...]:
        """Handle a checkout or reset to `commit` ("": unchanged): move baselines without recording an edit. Returns the
        files whose reported edits are gone; for a reset to an ancestor (`undoes`) also those of the commits it undid.

        If more git operations follow (`last` is False), do not look at the disk.
        """
        states = self._journal.states(self._name)
        before = self._base
        gone: list[str] = []
        paths = dict.fromkeys(states)
        found = self._ancestry.commit(commit) if commit and self._ancestry is not None else None
        if found is not None and self._ancestry is not None:
            paths |= dict.fromkeys(each.path for each in self._ancestry.changed(before, found))
        told = {path: states[path] if path in states else self._blob_name(path) for path in paths}
        undone = undoes and self._ancestry is not None and self._ancestry.is_ancestor(found, before)
        self._base = found or before
        now = self._settled_by(states)
        for path in list(paths)[:_MOST_LOOKED_AT] if last else ():
            if not self._is_ours(path):
                continue
            digest, data = self._look(path)
            if self._is_as_in_base(path, digest, data):
                now[path] = None
                if digest != told[path] and (path in states or undone):
                    gone.append(path)
            elif digest == told[path] and path not in states:
                now[path] = self._state_of(path, digest, data)  # git left it alone: its edits were told
        self._journal.record_changes(None, root=self._name, baselines=now, base=self.base, now=self._clock())
        return tuple(gone)

    def files_of(self, old: str, new: str) -> list[str]:
        """The files that differ between two commits, sorted; all files of a first commit."""
        if self._ancestry is None or not new or old == new:
            return []
        commit = self._ancestry.commit(new)
        parent = self._ancestry.commit(old) if old else None
        if commit is None or (old and parent is None):
            return []
        return sorted(each.path for each in self._ancestry.changed(parent, commit))

    def _changes(self, sides: Sequence[FileBeforeAfter]) -> tuple[KeptChange, ...]:
        try:
            return symbol_changes(sides, self._screen.settings.personal)
        except Exception:  # noqa: BLE001 - no source, however broken, keeps an event from being settled
            _LOG.exception("%d files could not be compared", len(sides))
            return ()

    def _is_ours(self, path: str) -> bool:
        try:
            return not self._listing.skips(path, folder=False) and not self._screen.ignores(path)
        except (OSError, ValueError, pygit2.GitError):
            return False

    def _written_at(self, path: str) -> float:
        """When a file was written, in seconds since 1970; 0 when it is gone."""
        try:
            return (self.root / path).stat().st_mtime
        except OSError:
            return 0.0

    def _first_event(self) -> float:
        """When the first event came, in seconds since 1970, but at the earliest a minute ago."""
        now = self._clock().timestamp()
        return next((max(each.at.timestamp(), now - _NEW) for each in self._journal.events(limit=1)), now)

    def _look(self, path: str) -> tuple[bytes, bytes | None]:
        """Git's name for the file on disk, and its text; empty when it is gone, None for a file that is not read."""
        try:
            found = self._sources.read(path)
        except Refused:
            return b"", None
        except MemlspError:
            return self._name_of(path), None
        return (b"", None) if found is None else (bytes(pygit2.hash(found.data).raw), found.data)

    def _name_of(self, path: str) -> bytes:
        """The name of a file that is binary or too large."""
        full = self.root / path
        try:
            size = full.stat().st_size
            return bytes(pygit2.hashfile(str(full)).raw) if size <= _LARGEST_HASHED else b"%020d" % size
        except (OSError, ValueError, pygit2.GitError):
            return b""

    def _differs(self, path: str, states: Mapping[str, bytes]) -> bool:
        digest, data = self._look(path)
        told = states.get(path)
        if told is not None:
            return told != digest
        return not self._is_blob(self._blob(path), digest, data)

    def _is_as_in_base(self, path: str, digest: bytes, data: bytes | None) -> bool:
        return self._ancestry is not None and self._is_blob(self._blob(path), digest, data)

    def _is_blob(self, blob: pygit2.Oid | None, digest: bytes, data: bytes | None) -> bool:
        if blob is None or not digest:
            return (blob is None) != bool(digest)
        if digest == bytes(blob.raw):
            return True
        kept = self._ancestry.data(blob) if self._ancestry is not None and data is not None else None
        # git may keep a file with other ends of lines than the disk
        return kept is not None and data is not None and kept.replace(b"\r\n", b"\n") == data.replace(b"\r\n", b"\n")

    def _is_of_the_past(self, path: str, digest: bytes) -> bool:
        """True for a file as one of the latest commits had it: `git checkout COMMIT -- FILE`. A commit tells it."""
        if self._ancestry is None or not digest:
            return False
        blobs = (self._ancestry.blob_id(commit, path) for commit in self._ancestry.newest(_MOST_PAST))
        return any(blob is not None and bytes(blob.raw) == digest for blob in blobs)

    def _stashed(self, commit: str, path: str) -> set[bytes]:
        """The states of a file in a stash: the changed one and, of a new file, that in its third parent."""
        found = self._ancestry.commit(commit) if self._ancestry is not None else None
        if self._ancestry is None or found is None:
            return set()
        blobs = [self._ancestry.blob_id(each, path) for each in (found, *self._ancestry.parents(found)[0][2:])]
        return {bytes(blob.raw) for blob in blobs if blob is not None}

    def _blob(self, path: str) -> pygit2.Oid | None:
        if self._ancestry is None or self._base is None:
            return None
        return self._ancestry.blob_id(self._base, path)

    def _blob_name(self, path: str) -> bytes:
        blob = self._blob(path)
        return bytes(blob.raw) if blob is not None else b""

    def _told_text(self, path: str, states: Mapping[str, bytes]) -> bytes | None:
        """The baseline's text: None where there was no file, `_UNKNOWN` where the text is not known any more."""
        told = states.get(path)
        if told is not None and not told:
            return None
        if told is not None:
            state = self._journal.state(self._name, path)
            return state.text if state is not None and state.text is not None else _UNKNOWN
        if self._ancestry is None:
            return None if self._complete else _UNKNOWN
        blob = self._blob(path)
        if blob is None:
            return None
        data = self._ancestry.data(blob)
        return data if data is not None else _UNKNOWN

    def _state_of(self, path: str, digest: bytes, data: bytes | None) -> FileBaseline | None:
        """The baseline to store for a file: None when it is as in the base."""
        if digest == self._blob_name(path):
            return None
        if data is None or not has_symbols(path) or len(data) > LARGEST:
            return FileBaseline(digest)
        return FileBaseline(digest, redacted_bytes(data, self._screen.settings.personal))

    def _settled_by(self, states: Mapping[str, bytes]) -> dict[str, FileBaseline | None]:
        """The baselines that the new base holds, which need not be kept any longer."""
        return {path: None for path, digest in states.items() if digest == self._blob_name(path)}

    def _plain(self) -> list[str]:
        """The files of a folder without git whose states are worth keeping."""
        chosen: list[str] = []
        room = _PLAIN_BYTES
        for path in self._listing.paths():
            if len(chosen) >= _PLAIN or not has_symbols(path):
                continue
            data = self._look(path)[1]
            if data is not None and len(data) <= room:
                room -= len(data)
                chosen.append(path)
        return chosen


_UNKNOWN = b"\0"  # no text that is told of: one with a zero in it is binary
