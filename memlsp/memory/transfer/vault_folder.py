"""Read and write files of a vault without following a link out of its folder.

The manifest `.memlsp-vault.json` records for each note the belief, the revision that it shows and the file's digest. A
folder without a manifest is no vault. The manifest is untrusted: paths outside of the folder are neither read nor
written, and only a file that names the belief itself is deleted.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from memlsp.memory.transfer.belief_jsonl import is_inner
from memlsp.memory.transfer.export_file import open_regular, replacing
from memlsp.memory.transfer.vault_note import LARGEST_NOTE, Note, read_note
from memlsp.model.errors import BadValue, MemlspError, NoSuchFile, Refused
from memlsp.store.core.hook_connection import private_folder

MANIFEST = ".memlsp-vault.json"
ASIDE = ".memlsp-aside"
"""A hidden folder for the text of edits that lost against the memory."""

_LARGEST_MANIFEST = 64 << 20
_MOST_NOTES = 100_000
_DEEPEST = 12


@frozen
class ManifestEntry:
    """A manifest entry: the note's path, the revision shown, and the digests of the file and its statement."""

    path: str
    revision: int
    file: str
    statement: str


@frozen
class NoteFile:
    """A note file: its path in the vault, the digest of its bytes, and the parsed note or the error."""

    path: str
    digest: str
    note: Note | MemlspError


class VaultFolder:
    """One vault. Paths are relative, with slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.entries: dict[str, ManifestEntry] = {}
        self.index = ""
        self.is_ours = False
        self._load()

    def notes(self) -> Iterator[NoteFile]:
        """Read every markdown file by path, without hidden folders and links. Raises Refused for too many."""
        number = 0
        for folder, folders, names in os.walk(self.root):
            here = Path(folder)
            deep = len(here.relative_to(self.root).parts)
            inner = [each for each in folders if not each.startswith(".") and deep < _DEEPEST]
            folders[:] = sorted(each for each in inner if not (here / each).is_symlink())
            for name in sorted(names):
                if not name.endswith(".md") or name.startswith("."):
                    continue
                number += 1
                if number > _MOST_NOTES:
                    raise Refused(f"{self.root} has more than {_MOST_NOTES:,} notes", "name the folder of the vault")
                yield self.read((here / name).relative_to(self.root).as_posix())

    def read(self, path: str) -> NoteFile:
        """Read one note."""
        try:
            data = self._bytes(path)
            return NoteFile(path, file_digest(data), read_note(data))
        except MemlspError as error:
            return NoteFile(path, "", error)
        except OSError as error:
            return NoteFile(path, "", BadValue(f"it cannot be read: {error.strerror or error}"))

    def exists(self, path: str) -> bool:
        """True when a file, folder or link exists at this path."""
        return os.path.lexists(self.root / path)

    def digest(self, path: str) -> str | None:
        """The digest of a file's bytes; None when it is no regular file."""
        with suppress(MemlspError, OSError):
            return file_digest(self._bytes(path))
        return None

    def write(self, path: str, text: str) -> str:
        """Write a file, with its folders, and return the digest of its bytes. Raises OSError, Refused."""
        place = self._place(path)
        private_folder(str(place.parent))
        self._place(path)  # again: a link may have been created meanwhile
        data = text.encode("utf-8")
        with replacing(
            place, lasting=False
        ) as file:  # fsync of thousands of notes is slow, and they can be written again
            file.write(data)
        return file_digest(data)

    def remove(self, path: str, digest: str) -> bool:
        """Delete a file if its bytes have this digest. True when it is gone."""
        if self.digest(path) != digest:
            return False
        try:
            self._place(path).unlink()
        except OSError:
            return False
        return True

    def set_aside(self, path: str, mark: str) -> str:
        """Copy a note to `ASIDE` before it is overwritten, and return the copy's path. Raises OSError, Refused."""
        data = self._bytes(path)
        place = f"{ASIDE}/{Path(path).stem}-{mark}.txt"
        private_folder(str(self.root / ASIDE))
        with replacing(self._place(place)) as file:
            file.write(data)
        return place

    def write_manifest(self, workspace: str) -> None:
        """Write the manifest. Raises OSError."""
        notes = {
            id: {"path": each.path, "revision": each.revision, "file": each.file, "said": each.statement}
            for id, each in sorted(self.entries.items())
        }
        value = {"memlsp": "vault", "format": 1, "workspace": workspace, "index": self.index, "notes": notes}
        with replacing(self.root / MANIFEST) as file:
            file.write(json.dumps(value, indent=1).encode())
        self.is_ours = True

    def _bytes(self, path: str) -> bytes:
        with open_regular(self._place(path), LARGEST_NOTE) as file:
            return file.read(LARGEST_NOTE + 1)

    def _place(self, path: str) -> Path:
        """Resolve a path in the vault. Raises Refused when it leaves the vault or passes a link."""
        if not is_inner(path):
            raise Refused(f"{path!r} leads out of the vault")
        place = self.root
        for part in path.split("/"):
            place = place / part
            try:
                mode = place.lstat().st_mode
            except OSError:
                continue  # it does not exist yet
            if stat.S_ISLNK(mode):
                raise Refused(f"{path} is a link, or lies behind one", "links in a vault are not followed")
        return place

    def _load(self) -> None:
        try:
            if (self.root / MANIFEST).is_symlink():
                return
            with open_regular(self.root / MANIFEST, _LARGEST_MANIFEST) as file:
                value: object = json.loads(file.read(_LARGEST_MANIFEST))
        except (NoSuchFile, Refused, OSError, ValueError, RecursionError):
            return
        if not isinstance(value, dict):
            return
        manifest = cast("dict[str, Any]", value)
        self.is_ours = manifest.get("memlsp") == "vault" and manifest.get("format") == 1
        self.index = str(manifest.get("index", ""))
        notes = manifest.get("notes")
        if not self.is_ours or not isinstance(notes, dict):
            return
        for id, each in cast("dict[str, Any]", notes).items():
            if isinstance(each, dict):
                entry = cast("dict[str, Any]", each)
                path, revision = entry.get("path"), entry.get("revision")
                if isinstance(path, str) and is_inner(path) and path.endswith(".md") and isinstance(revision, int):
                    self.entries[id] = ManifestEntry(
                        path, revision, str(entry.get("file", "")), str(entry.get("said", ""))
                    )


def file_digest(data: bytes) -> str:
    """The digest of a file's bytes."""
    return blake2b(data, digest_size=12).hexdigest()
