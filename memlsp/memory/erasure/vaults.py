"""Erase forgotten text from a vault: notes, their file names, links to them, and the manifest. Text of the person's own
loses the matching words and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from attrs import evolve

from memlsp.memory.transfer.copies_in_progress import is_part
from memlsp.memory.transfer.export_file import replacing
from memlsp.memory.transfer.vault_folder import MANIFEST, VaultFolder, file_digest
from memlsp.store.erase.erasure_selection import ErasureScope
from memlsp.store.erase.search_patterns import SearchPatterns

_LARGEST_PAGE = 4 << 20  # bytes
_SHORTEST_NAME = 12  # characters of a note's name to search for in other notes


def erase_vault(root: Path, scope: ErasureScope, workspace: str) -> bool:
    """Erase from the vault at `root`. True when it changed. Raises OSError."""
    folder = VaultFolder(root)
    erasure = _VaultErasure(folder, scope)
    changed = False
    for path in list(_files(root)):
        if folder.is_ours and is_part(path):  # left by a killed process
            path.unlink()
            changed = True
    for path in list(_files(root)):
        changed = erasure.drop_note(path) or changed
    changed = erasure.fix_manifest() or changed
    for path in list(_files(root)):
        changed = erasure.erase_words(path) or changed
    if changed and folder.is_ours:
        folder.write_manifest(workspace)
    return changed


class _VaultErasure:
    """The files of one vault during an erasure."""

    def __init__(self, folder: VaultFolder, scope: ErasureScope) -> None:
        self._folder = folder
        self._scope = scope
        self._deleted_names: dict[str, None] = {}  # note names as in links; used as an ordered set

    def drop_note(self, path: Path) -> bool:
        """Delete the note of a forgotten belief; rename another note whose file name contains the text."""
        text = _read(path)
        if text is None or path.suffix != ".md":
            return False
        id = _id_of(text)
        scope = self._scope
        # a person's own note may have an id too: it only loses the words
        ours = id in self._folder.entries
        if id in scope.ids or (ours and (scope.everything or (bool(scope.query) and scope.query.in_text(text)))):
            self._deleted_names[path.stem] = None
            self._folder.entries.pop(id, None)
            path.unlink()
            return True
        if not any(each.in_text(path.stem) for each in (scope.patterns, scope.name)):
            return False
        self._deleted_names[path.stem] = None
        fresh = path.with_name(f"{id if ours else 'note'}-{file_digest(path.name.encode())[:6]}.md")
        path.rename(fresh)
        if id in self._folder.entries:
            there = fresh.relative_to(self._folder.root).as_posix()
            self._folder.entries[id] = evolve(self._folder.entries[id], path=there)
        return True

    def fix_manifest(self) -> bool:
        """Correct manifest entries of notes that a person deleted: remove those of forgotten beliefs, and rename those
        whose file name contains the text."""
        scope, entries = self._scope, self._folder.entries
        changed = False
        for id, entry in list(entries.items()):
            name = Path(entry.path).stem
            if (self._folder.root / entry.path).exists():
                continue
            if id in scope.ids or scope.everything:
                del entries[id]
            elif any(each.in_text(name) for each in (scope.patterns, scope.name)):
                entries[id] = evolve(entry, path=f"note-{file_digest(name.encode())[:6]}.md")
            else:
                continue
            self._deleted_names[name] = None
            changed = True
        return changed

    def erase_words(self, path: Path) -> bool:
        """Remove the text, and links to deleted notes, from the lines of a file."""
        text = _read(path)
        if text is None:
            return False
        lines = text.splitlines(keepends=True)
        for patterns in (self._scope.patterns, self._scope.name):
            if patterns.in_text(text):
                lines = [_without(line, patterns) for line in lines]
        names = [name for name in self._deleted_names if name in text]
        lines = [line for line in lines if not any(f"[[{name}" in line for name in names)]
        lines = [line for line in lines if not any(name in line and len(name) >= _SHORTEST_NAME for name in names)]
        after = "".join(lines)
        if after == text:
            return False
        data = after.encode("utf-8")
        here = path.relative_to(self._folder.root).as_posix()
        former_digest = file_digest(text.encode("utf-8"))
        with replacing(path) as file:
            file.write(data)
        for id, entry in self._folder.entries.items():
            if (entry.path, entry.file) == (here, former_digest):  # unedited since memlsp wrote it
                self._folder.entries[id] = evolve(entry, file=file_digest(data))
        if self._folder.index == former_digest:
            self._folder.index = file_digest(data)
        return True


def _files(root: Path) -> Iterator[Path]:
    for here, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not (Path(here) / name).is_symlink())
        for name in sorted(files):
            path = Path(here) / name
            if name != MANIFEST and not path.is_symlink() and path.is_file():
                yield path


def _read(path: Path) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        if path.stat().st_size <= _LARGEST_PAGE:
            return path.read_bytes().decode("utf-8")
    return None


def _id_of(text: str) -> str:
    """The id in a note's properties; "" without one."""
    lines = text.lstrip("\ufeff").splitlines()
    if lines[:1] != ["---"]:
        return ""
    for line in lines[1:60]:
        name, _, value = line.partition(":")
        if line.startswith("---"):
            break
        if name.strip() == "id":
            return value.strip().strip("\"'")
    return ""


def _without(line: str, patterns: SearchPatterns) -> str:
    text = line.rstrip("\r\n")
    return str(patterns.without(text)) + line[len(text) :]
