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
_SHORTEST_NAME = 12  # characters of a page's name that is looked for in others


def erase_vault(root: Path, scope: ErasureScope, workspace: str) -> bool:
    """Erase from the vault at `root`. True when it changed. Raises OSError."""
    folder = VaultFolder(root)
    pages = _Pages(folder, scope)
    changed = False
    for path in list(_files(root)):
        if folder.is_ours and is_part(path):  # of a page that was being written when somebody was killed
            path.unlink()
            changed = True
    for path in list(_files(root)):
        changed = pages.drop(path) or changed
    changed = pages.strike() or changed
    for path in list(_files(root)):
        changed = pages.mend(path) or changed
    if changed and folder.is_ours:
        folder.store(workspace)
    return changed


class _Pages:
    """The files of one vault during an erasure."""

    def __init__(self, folder: VaultFolder, scope: ErasureScope) -> None:
        self._folder = folder
        self._scope = scope
        self._gone: dict[str, None] = {}  # names of pages, as links have them

    def drop(self, path: Path) -> bool:
        """Delete the note of a forgotten belief; rename another note whose file name contains the text."""
        text = _read(path)
        if text is None or path.suffix != ".md":
            return False
        id = _id_of(text)
        scope = self._scope
        # notes of a person's own have ids too: those lose the words, and stay
        ours = id in self._folder.kept
        if id in scope.ids or (ours and (scope.everything or (bool(scope.query) and scope.query.in_text(text)))):
            self._gone[path.stem] = None
            self._folder.kept.pop(id, None)
            path.unlink()
            return True
        if not any(each.in_text(path.stem) for each in (scope.patterns, scope.name)):
            return False
        self._gone[path.stem] = None
        fresh = path.with_name(f"{id if ours else 'note'}-{file_digest(path.name.encode())[:6]}.md")
        path.rename(fresh)
        if id in self._folder.kept:
            there = fresh.relative_to(self._folder.root).as_posix()
            self._folder.kept[id] = evolve(self._folder.kept[id], path=there)
        return True

    def strike(self) -> bool:
        """Correct manifest entries of notes that a person deleted: remove those of forgotten beliefs, and rename those
        whose file name contains the text."""
        scope, kept = self._scope, self._folder.kept
        changed = False
        for id, page in list(kept.items()):
            name = Path(page.path).stem
            if (self._folder.root / page.path).exists():
                continue
            if id in scope.ids or scope.everything:
                del kept[id]
            elif any(each.in_text(name) for each in (scope.patterns, scope.name)):
                kept[id] = evolve(page, path=f"note-{file_digest(name.encode())[:6]}.md")
            else:
                continue
            self._gone[name] = None
            changed = True
        return changed

    def mend(self, path: Path) -> bool:
        """Remove the text, and links to deleted notes, from the lines of a file."""
        text = _read(path)
        if text is None:
            return False
        lines = text.splitlines(keepends=True)
        for patterns in (self._scope.patterns, self._scope.name):
            if patterns.in_text(text):
                lines = [_without(line, patterns) for line in lines]
        names = [name for name in self._gone if name in text]
        lines = [line for line in lines if not any(f"[[{name}" in line for name in names)]
        lines = [line for line in lines if not any(name in line and len(name) >= _SHORTEST_NAME for name in names)]
        after = "".join(lines)
        if after == text:
            return False
        data = after.encode("utf-8")
        here = path.relative_to(self._folder.root).as_posix()
        was = file_digest(text.encode("utf-8"))
        with replacing(path) as file:
            file.write(data)
        for id, kept in self._folder.kept.items():
            if (kept.path, kept.file) == (here, was):  # as we wrote it, and it still is
                self._folder.kept[id] = evolve(kept, file=file_digest(data))
        if self._folder.index == was:
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
    said = line.rstrip("\r\n")
    return str(patterns.without(said)) + line[len(said) :]
