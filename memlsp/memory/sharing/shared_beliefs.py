"""Shares beliefs as files in `.memlsp/beliefs`, and takes in the files that others wrote, edited or deleted.

A file is somebody's word until a person lets this repository's files in, once for a workspace. From then on a file
stands as reviewed in the repository. A file whose text is the one that was last seen is left alone, so that a belief
that was revised here stays as it is until it is shared again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import asdict, evolve, field, frozen

from memlsp.beliefs.lifecycle.admission import Maker
from memlsp.beliefs.lifecycle.belief_file import LARGEST, BeliefFile, file_of, read_file, write_file
from memlsp.beliefs.lifecycle.revisions import retire, revision_of, rollback
from memlsp.capture.git.snapshot import Snapshot
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.revision import found_by
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.sharing.file_beliefs import belief_of, edited_by
from memlsp.memory.sharing.file_stamps import STATE, file_names, stamps_of
from memlsp.model.belief import FOLDER, Author, Authority, AuthorKind, Belief, BeliefStatus, RevisionAction, ScopeKind
from memlsp.model.check import DocumentLine
from memlsp.model.errors import BadValue, MemlspError, Refused

_GONE = f"its file is gone from {FOLDER}"
_SOURCE = "repository"
_PROVEN = 2  # confirmations and reports that it held
_BEARING = frozenset({RevisionAction.CONFIRM, RevisionAction.WORKED})
_SHARED = frozenset({Authority.LOCKED, Authority.REVIEWED, Authority.PERSON})


@frozen
class SharedFiles:
    """What sharing or taking in did: ids by what became of them. `unread` has the files that cannot be read, each with
    the reason; `waiting` is the number of files that nobody let in yet."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    waiting: int = 0


@frozen
class _Seen:
    """What was seen last: the digest of each belief's file by id, the branch, and the stamps of the files."""

    trusted: bool = False
    branch: str = ""
    stamps: str = ""
    files: dict[str, str] = field(factory=dict[str, str])


class SharedBeliefs:
    """The files of one workspace."""

    def __init__(self, context: Context, judgements: Judgements, conflicts: Conflicts) -> None:
        self._context = context
        self._store = context.store
        self._worktree = context.worktree
        self._judgements = judgements
        self._conflicts = conflicts

    # --- out

    def share(self, ids: Sequence[str] = ()) -> SharedFiles:
        """Write the beliefs with these ids, or all that a person stands behind; files of those that are no longer
        active are removed. Sharing lets the files of others in. Raises NoSuchBelief, and Refused for a belief of one
        person and for a folder that leads out of the workspace."""
        folder = self._worktree.root / FOLDER
        if not folder.resolve().is_relative_to(self._worktree.root.resolve()):
            raise Refused(f"{FOLDER} leads out of the workspace", "make it a folder of the repository")
        taken = self.take(trusted=True)
        seen = self._seen()
        chosen = [self._context.find(id)[1] for id in ids] if ids else self._shareable()
        present = {file.id: (name, file) for name, file in self._readable()}
        written: list[str] = []
        for belief in chosen:
            _check_shareable(belief)
            if belief.status is not BeliefStatus.ACTIVE:
                continue
            name, old = present.get(belief.id, ("", None))
            new = file_of(belief, old.rest if old is not None else {})
            before, now = ([anchor.fingerprint for anchor in each.anchors] for each in (old or new, new))
            if old is None or old.digest != new.digest or before != now:  # other words, or verified again
                _write(folder / (name or new.name), new)
                written.append(belief.id)
            seen.files[belief.id] = new.digest
        wanted = {belief.id for belief in chosen} if ids else set(seen.files)
        kept = self._store.several(sorted(wanted & present.keys()))
        ended = sorted(each.id for each in kept if each.status in {BeliefStatus.SUPERSEDED, BeliefStatus.RETIRED})
        for id in ended:
            (folder / present[id][0]).unlink(missing_ok=True)
            seen.files.pop(id, None)
        self._keep(evolve(seen, stamps=self._stamps()))
        return evolve(taken, written=tuple(written), removed=tuple(ended))

    def _shareable(self) -> list[Belief]:
        found = (each.belief for each in self._judgements.all())
        return [each for each in found if each.scope.kind is not ScopeKind.USER and each.authority in _SHARED]

    def proven(self) -> list[Belief]:
        """The beliefs that proved themselves and are not shared: confirmed, or found to hold, twice or more, never
        otherwise, and borne out by the code now."""
        seen = self._seen()
        found: list[Belief] = []
        for each in self._shareable() if seen.trusted else ():
            actions = [revision.action for revision in self._store.revisions(each.id) if each.id not in seen.files]
            if RevisionAction.FAILED not in actions and sum(action in _BEARING for action in actions) >= _PROVEN:
                found += [each] if self._judgements.of(each).standing.holds else []
        return found

    def redundant(self) -> list[tuple[str, DocumentLine]]:
        """The beliefs that a document of the workspace says too, such as AGENTS.md, with the line; a belief's own file
        is none."""
        # late: these load the comparison of rules, and files are taken in by every editor
        from memlsp.beliefs.mining.documents import is_document
        from memlsp.memory.check.belief_check import is_belief
        from memlsp.memory.check.rule_pairs import repeated_statements

        paths = [path for path in self._worktree.paths() if is_document(path) and not is_belief(path)]
        texts = [(path, (self._worktree.read(path) or b"").decode("utf-8", "replace")) for path in paths]
        return list(repeated_statements([(each.id, each.text) for each in self._shareable()], texts))

    # --- in

    def take(self, *, trusted: bool = False) -> SharedFiles:
        """Take in what was committed since the files were last seen. With `trusted` a person lets them in for good, and
        with them what is not committed yet; without that word nothing is taken in.

        So an agent that writes a file changes nothing before a commit has it, with its author.
        """
        seen = self._seen()
        stamps = self._stamps()
        if stamps == seen.stamps and not trusted:
            return SharedFiles()
        if not (seen.trusted or trusted):
            self._keep(evolve(seen, stamps=stamps))  # said once
            return SharedFiles(waiting=len(file_names(self._worktree.root)))
        unread: list[tuple[str, str]] = []
        files = {file.id: (name, file) for name, file in self._readable(unread)}
        done: dict[str, list[str]] = {"added": [], "edited": [], "retired": []}
        forgotten = self._store.copies.forgotten(list(files))
        committed = None if trusted else self._committed()
        for id, (name, file) in files.items():
            if committed is not None and committed.get(id) != file.digest:
                continue
            try:
                if id in forgotten:
                    raise Refused("it was forgotten here, and what was forgotten does not come back")
                done.setdefault(self._take_one(file, seen), []).append(id)
            except MemlspError as error:
                unread.append((name, f"{error}{f' ({error.hint})' if error.hint else ''}"))
                continue
            seen.files[id] = file.digest
        broken = {name.partition("-")[0].removesuffix(".md") for name, _ in unread}
        branch = self._worktree.branch() or ""
        kept = files.keys() | broken | (committed or {}).keys()
        for id in seen.files.keys() - kept if branch == seen.branch else ():
            done["retired"] += [id] if self._end(id) else []
            del seen.files[id]
        self._keep(_Seen(True, branch, stamps, seen.files))
        added, edited, retired = (tuple(done[each]) for each in ("added", "edited", "retired"))
        return SharedFiles(added=added, edited=edited, retired=retired, unread=tuple(unread))

    def _take_one(self, file: BeliefFile, seen: _Seen) -> str:
        """What became of the belief of a file: "added", "edited", "retired" or ""."""
        belief = self._store.belief(file.id)
        if belief is None:
            return "" if file.retired else self._add(file)
        if file_of(belief, {}).digest == file.digest:
            return ""
        is_back = belief.status is BeliefStatus.RETIRED and self._store.revisions(belief.id)[-1].note == _GONE
        if is_back:
            belief = self._restored(belief)
        if seen.files.get(file.id) == file.digest or file_of(belief, {}).digest == file.digest:
            return "edited" if is_back else ""
        if belief.locked:
            raise Refused("it is locked here, and its file says something else", "unlock it, or share it again")
        if file.retired:
            return "retired" if self._end(file.id, "its file says so") else ""
        maker = self._maker(f"edited in {FOLDER}")
        new = edited_by(self._context, belief, file, maker)
        self._store.change(new, revision_of(belief, RevisionAction.EDIT, maker), found_by(new), belief)
        self._conflicts.after(RevisionAction.SUPERSEDE, new)
        return "edited"

    def _add(self, file: BeliefFile) -> str:
        belief = belief_of(self._context, file, self._maker(), Authority.REVIEWED)
        maker = self._maker(f"from {FOLDER}")
        self._store.add(belief, revision_of(belief, RevisionAction.REMEMBER, maker), found_by(belief))
        self._conflicts.after(RevisionAction.REMEMBER, belief)
        return "added"

    def _end(self, id: str, note: str = _GONE) -> bool:
        belief = self._store.belief(id)
        if belief is None or belief.status is not BeliefStatus.ACTIVE or belief.locked:
            return False
        new, revision = retire(belief, self._maker(note))
        self._store.change(new, revision, found_by(new), belief)
        return True

    def _restored(self, belief: Belief) -> Belief:
        """The belief as it was before its file was gone."""
        last = self._store.revisions(belief.id)[-1]
        before = self._store.state_before(belief.id, last.number)
        new, revision = rollback(belief, before, last.number, self._maker("its file is back"), [last])
        self._store.change(new, revision, found_by(new), belief)
        return new

    # --- the folder

    def _maker(self, note: str = "") -> Maker:
        return Maker(Author(_SOURCE, AuthorKind.PERSON), _SOURCE, self._context.clock(), note)

    def _readable(self, unread: list[tuple[str, str]] | None = None) -> Iterator[tuple[str, BeliefFile]]:
        """The files that can be read, by name; the others go to `unread` with the reason. Of two with one id the first
        counts."""
        ids: set[str] = set()
        for name in file_names(self._worktree.root):
            try:
                file = self._parsed(self._worktree.read(f"{FOLDER}/{name}") or b"")
                if file.id in ids:
                    raise BadValue(f"another file has the id {file.id}", "give it another, or join the two")
            except MemlspError as error:
                if unread is not None:
                    unread.append((name, f"{error}{f' ({error.hint})' if error.hint else ''}"))
                continue
            ids.add(file.id)
            yield name, file

    def _committed(self) -> dict[str, str]:
        """The digests of the files at HEAD, by id; none without git."""
        head = self._worktree.head()
        files = Snapshot.of(self._worktree.root, head) if head else None
        if files is None:
            return {}
        found: dict[str, str] = {}
        for path in files.paths():
            if path.startswith(f"{FOLDER}/") and path.endswith(".md"):
                with suppress(MemlspError):
                    file = self._parsed(files.read(path) or b"")
                    found.setdefault(file.id, file.digest)
        return found

    def _parsed(self, data: bytes) -> BeliefFile:
        if len(data) > LARGEST:
            raise BadValue(f"it is larger than {LARGEST:,} bytes")
        return read_file(self._context.without_personal_data(data.decode("utf-8", "replace")))

    def _stamps(self) -> str:
        return stamps_of(self._worktree.root, self._worktree.head())

    def _seen(self) -> _Seen:
        with suppress(ValueError, TypeError):
            return _Seen(**json.loads(self._store.workspace_info(STATE) or "{}"))
        return _Seen()

    def _keep(self, seen: _Seen) -> None:
        self._store.set_info(STATE, json.dumps(asdict(seen)))


def _check_shareable(belief: Belief) -> None:
    """Raise Refused for a belief of one person, and for one that nobody has admitted."""
    if belief.scope.kind is ScopeKind.USER:
        raise Refused(f"{belief.id} is your own, in every workspace", "scope it to this one first: memlsp revise")
    if belief.status is BeliefStatus.PROPOSED:
        raise Refused(f"{belief.id} is a proposal", f"admit it first: memlsp revise {belief.id} admit")


def _write(place: Path, file: BeliefFile) -> None:
    if place.is_symlink():
        raise Refused(f"{FOLDER}/{place.name} is a link, and is not written", "make it a file")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(write_file(file), encoding="utf-8", newline="\n")
