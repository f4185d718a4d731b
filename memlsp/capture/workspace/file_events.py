"""File system events through watchdog, for the folders of a workspace.

inotify needs one handle for each folder, and the user's programs share a limit, so dependencies and build output are
left out. The other systems watch a whole tree with one handle.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from memlsp.capture.workspace.file_list import FileList

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver, ObservedWatch

_EVENTS: list[type[FileSystemEvent]] = [
    *(FileCreatedEvent, FileModifiedEvent, FileMovedEvent, FileDeletedEvent, FileClosedEvent),
    *(DirCreatedEvent, DirMovedEvent, DirDeletedEvent),
]
_FEW = 8  # an ignored folder with at most this many folders is cheaper to watch than to leave out
_MOST_WATCHES = 48  # each is a thread


class FileObserver(FileSystemEventHandler):
    """Calls `on_event(absolute path, is a folder)` for every event, from threads of watchdog's."""

    def __init__(
        self, root: Path, git_folder: Path | None, files: FileList, on_event: Callable[[str, bool], None]
    ) -> None:
        super().__init__()
        self._root = root
        self._git_folder = git_folder
        self._files = files
        self._on_event = on_event
        self._observer: BaseObserver = Observer()
        self._observer.daemon = True
        self._watches: dict[tuple[str, bool], ObservedWatch] = {}

    def start(self) -> None:
        """Start to watch. Raises OSError when the system's limits do not allow it."""
        self.adjust()
        self._observer.start()

    def adjust(self) -> None:
        """Watch the folders that exist now. Raises OSError as `start` does."""
        wanted = set(self._wanted())
        for key in [key for key in self._watches if key not in wanted or not self._is_alive(key)]:
            watch = self._watches.pop(key)
            self._observer.unschedule(watch)
        for key in sorted(wanted - self._watches.keys()):
            path, recursive = key
            try:
                self._watches[key] = self._observer.schedule(self, path, recursive=recursive, event_filter=_EVENTS)
            except (FileNotFoundError, NotADirectoryError):  # gone meanwhile
                continue

    def alive(self) -> bool:
        """Return False when watchdog has given up on a folder, or on everything."""
        return self._observer.is_alive() and all(self._is_alive(key) for key in self._watches)

    def running(self) -> bool:
        """Return False when watchdog has given up on everything."""
        return self._observer.is_alive()

    def stop(self, timeout: float) -> None:
        """Stop, waiting at most `timeout` seconds."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join(timeout)
        else:
            self._observer.unschedule_all()

    def dispatch(self, event: FileSystemEvent) -> None:
        """Pass an event on; watchdog calls this."""
        self._on_event(os.fsdecode(event.src_path), event.is_directory)
        if event.dest_path:
            self._on_event(os.fsdecode(event.dest_path), event.is_directory)

    def _is_alive(self, key: tuple[str, bool]) -> bool:
        watch = self._watches[key]
        emitters = [emitter for emitter in self._observer.emitters if emitter.watch == watch]
        return not self._observer.is_alive() or any(emitter.is_alive() for emitter in emitters)

    def _wanted(self) -> Iterable[tuple[str, bool]]:
        whole_tree = not sys.platform.startswith("linux")
        if self._git_folder is not None and not (whole_tree and self._git_folder.is_relative_to(self._root)):
            yield str(self._git_folder), False
        if whole_tree:
            yield str(self._root), True
            return
        for folder, recursive in watch_plan(self._root, self._files.folders()):
            yield str(self._root / folder), recursive


def watch_plan(root: Path, folders: Iterable[str]) -> list[tuple[str, bool]]:
    """Choose which of `folders` ("" is the root) to watch, and whether recursively: as few watches as possible without
    watching a large folder that is not among them."""
    listed = set(folders)
    split = {""}
    for folder in listed:
        if _has_large_outsider(root, folder, listed):
            while folder not in split:
                split.add(folder)
                folder = folder.rpartition("/")[0]  # noqa: PLW2901  climbing
    whole = [folder for folder in listed - split if folder.rpartition("/")[0] in split]
    if len(split) + len(whole) > _MOST_WATCHES:
        split = {""}
        whole = [folder for folder in listed if folder and "/" not in folder]
    if len(split) + len(whole) > _MOST_WATCHES:
        return [("", True)]
    return [*((folder, False) for folder in sorted(split)), *((folder, True) for folder in sorted(whole))]


def _has_large_outsider(root: Path, folder: str, listed: set[str]) -> bool:
    try:
        with os.scandir(root / folder) as entries:
            outsiders = [
                entry.path
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
                and (f"{folder}/{entry.name}" if folder else entry.name) not in listed
            ]
    except OSError:
        return False
    return any(_is_large(path) for path in outsiders)


def _is_large(path: str) -> bool:
    waiting, count = [path], 0
    while waiting:
        here = waiting.pop()
        count += 1
        if count > _FEW:
            return True
        try:
            with os.scandir(here) as entries:
                waiting.extend(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:
            continue
    return False
