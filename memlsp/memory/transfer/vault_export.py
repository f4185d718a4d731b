"""Write a memory as a vault: a folder of markdown notes that opens in Obsidian.

The vault holds one note for each active belief, in one folder for each kind, and the index `Memory.md`. Writing it
again updates it; a note that was edited is left alone until the edit is imported.
"""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.transfer.copies_in_progress import announce
from memlsp.memory.transfer.copy_register import CopyRegister
from memlsp.memory.transfer.export_file import not_written
from memlsp.memory.transfer.vault_folder import MANIFEST, ManifestEntry, VaultFolder, file_digest
from memlsp.memory.transfer.vault_note import INDEX, NoteContent, digest_of, escape, name_of, render
from memlsp.model.belief import Author, BeliefStatus
from memlsp.model.copy import CopyKind, ExportResult, Skipped
from memlsp.model.errors import MemlspError, Refused
from memlsp.model.one_line import plain
from memlsp.model.standing import Judgement
from memlsp.store import Store

_INDEX_FILE = f"{INDEX}.md"
_EDITED = "it was edited in the vault, and not imported yet"


def write_vault(
    register: CopyRegister,
    judgements: Judgements,
    store: Store,
    path: Path,
    *,
    author: Author | None = None,
    via: str = "python",
) -> ExportResult:
    """Write the active beliefs of `store` to the folder `path`, or update it. Raises Refused for a folder with other
    content that is no vault, StoreUnavailable when it cannot be written."""
    path = path.absolute()
    folder = _open_folder(path)
    judged: list[Judgement] = []
    register.add(store, path, CopyKind.VAULT)
    try:
        with announce(store.path, path):
            judged += [each for each in judgements.all() if judgements.store_of(each.belief) is store]
            return VaultWriter(folder, store).write(judged, store.path.parent.name)
    except OSError as error:
        raise not_written(path, error) from error
    finally:
        register.audit(store, "export", author, via, f"{len(judged)} beliefs as {CopyKind.VAULT}")


def _predecessors_by_id(store: Store) -> dict[str, list[str]]:
    """The superseded ids by the id of their successor."""
    found: dict[str, list[str]] = {}
    for each in store.beliefs(status=(BeliefStatus.SUPERSEDED,)):
        if each.superseded_by:
            found.setdefault(each.superseded_by, []).append(each.id)
    return found


def _open_folder(path: Path) -> VaultFolder:
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise Refused(f"{path} is no folder", "name a folder")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = VaultFolder(path)
    if not folder.is_ours and any(each.name != ".obsidian" for each in path.iterdir()):
        raise Refused(
            f"{path} holds other things, and no {MANIFEST}", "name a new folder; it may lie inside of a vault of yours"
        )
    return folder


class VaultWriter:
    """Writes the notes of one vault."""

    def __init__(self, folder: VaultFolder, store: Store) -> None:
        self._folder = folder
        self._store = store
        self._predecessors = _predecessors_by_id(store)
        self._skipped: list[Skipped] = []
        self._files = 0

    def write(self, judged: list[Judgement], workspace: str) -> ExportResult:
        """Write a note for each belief, delete all other notes, and write index and manifest. Raises OSError."""
        paths = {judgement.belief.id: self._path_of(judgement) for judgement in judged}
        links = {id: Path(path).stem for id, path in paths.items()}
        revisions = 0
        for id in [id for id in self._folder.entries if id not in paths]:
            self._delete_note(id, set(paths.values()))
        for judgement in judged:
            content = self._content(judgement, links)
            revisions += len(content.history)
            self._write_note(content, paths[judgement.belief.id])
        self._write_index(judged, links)
        self._folder.write_manifest(workspace)
        return ExportResult(
            self._folder.root, CopyKind.VAULT, len(judged), revisions, files=self._files, left=tuple(self._skipped)
        )

    def renew(self, judgement: Judgement, path: str, links: dict[str, str]) -> None:
        """Write one belief's note again, unless its file was edited; the person's own properties and tags stay."""
        content = self._content(judgement, links)
        entry = self._folder.entries[content.belief.id]
        self._folder.entries[content.belief.id] = evolve(entry, path=path)
        self._write_note(content, path)

    def _content(self, judgement: Judgement, links: dict[str, str]) -> NoteContent:
        belief = judgement.belief
        former = [self._store.belief(id) for id in self._predecessors.get(belief.id, ())]
        reasons = [reason.message for reason in judgement.reasons] if judgement.standing.has_caveat else []
        supersedes = [each for each in former if each is not None]
        return NoteContent(
            belief, self._store.revisions(belief.id), str(judgement.standing), reasons, links, supersedes
        )

    def _path_of(self, judgement: Judgement) -> str:
        """The path of the belief's note, else that of a belief that it superseded, else a new path."""
        belief = judgement.belief
        for id in (belief.id, *self._predecessors.get(belief.id, ())):
            entry = self._folder.entries.get(id)
            if entry is not None and (id == belief.id or self._folder.digest(entry.path) == entry.file):
                return entry.path
        return f"{belief.kind}s/{name_of(belief)}.md"

    def _write_note(self, content: NoteContent, path: str) -> None:
        id = content.belief.id
        entry = self._folder.entries.get(id)
        extra: tuple[str, ...] = ()
        tags: tuple[str, ...] = ()
        try:
            digest_now = self._folder.digest(path)
            if digest_now is not None:
                # a successor takes over the path of the note that it replaces
                known = {each.file for each in self._folder.entries.values() if each.path == path}
                if digest_now not in known:
                    self._skipped.append(Skipped(path, _EDITED))
                    return
                found = self._folder.read(path).note
                if not isinstance(found, MemlspError):
                    extra, tags = found.extra, found.tags
            text = render(content, extra=extra, tags=tags)
            digest = file_digest(text.encode())
            if digest != digest_now:
                self._folder.write(path, text)
        except Refused as error:
            self._skipped.append(Skipped(path, str(error)))
            return
        self._files += 1
        for other in [other for other, each in self._folder.entries.items() if each.path == path and other != id]:
            del self._folder.entries[other]
        if entry is not None and entry.path != path and _is_note_of(self._folder, entry.path, id):
            self._folder.remove(entry.path, entry.file)
        self._folder.entries[id] = ManifestEntry(path, len(content.history), digest, digest_of(content.belief.text))

    def _delete_note(self, id: str, used_paths: set[str]) -> None:
        """Delete the note of a belief that is not active any more, unless it was edited."""
        entry = self._folder.entries[id]
        if entry.path in used_paths:
            return
        found = self._folder.digest(entry.path)
        if found is None or (_is_note_of(self._folder, entry.path, id) and self._folder.remove(entry.path, entry.file)):
            del self._folder.entries[id]
        else:
            self._skipped.append(Skipped(entry.path, _EDITED))

    def _write_index(self, judged: list[Judgement], links: dict[str, str]) -> None:
        digest_now = self._folder.digest(_INDEX_FILE)
        if digest_now is not None and digest_now != self._folder.index:
            self._skipped.append(Skipped(_INDEX_FILE, "it was edited, and is left as it is"))
            return
        lines = ["---", "tags:", "  - memlsp/index", "---"]
        doubtful = [each for each in judged if not each.standing.holds]
        parts = [("Asked about", doubtful)] if doubtful else []
        kinds = dict.fromkeys(each.belief.kind for each in judged)
        parts += [(f"{kind}s".capitalize(), [e for e in judged if e.belief.kind is kind]) for kind in kinds]
        for title, judgements in parts:
            lines += [f"## {title}", ""]
            lines += [f"- [[{links[e.belief.id]}]] {escape(plain(e.belief.text, 120))}" for e in judgements]
            lines.append("")
        self._folder.index = self._folder.write(_INDEX_FILE, "\n".join(lines).rstrip("\n") + "\n")
        self._files += 1


def _is_note_of(folder: VaultFolder, path: str, id: str) -> bool:
    note = folder.read(path).note
    return not isinstance(note, MemlspError) and note.id == id
