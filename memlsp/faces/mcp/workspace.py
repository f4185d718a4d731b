"""Which memory a call is about.

The folder is looked for in this order: the call's `workspace` argument, the `--root` the server was started with,
`CLAUDE_PROJECT_DIR`, the working directory. The identity of the memory is then that of the repository around the
folder, which is `Memory`'s business. Roots, with which a client once told its folders, are gone from the protocol.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.model.errors import BadValue, NoWorkspace
from memlsp.model.place import Place

if TYPE_CHECKING:
    from memlsp.memory import Memory

_HINT = "pass `workspace`, the absolute path of the project's folder"


@frozen
class Desk:
    """An open memory, and the folder from which a call's relative places are meant."""

    memory: Memory
    base: Path
    notices: tuple[str, ...] = ()  # what a person should be told; handed out once per memory


class Workspaces:
    """The memories that this process has open, one for each folder asked about. Safe to use from several threads."""

    def __init__(
        self,
        root: str | None = None,
        *,
        data_dir: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root
        self._data_dir = data_dir
        self._environment = os.environ if environment is None else environment
        self._open: dict[Path, Memory] = {}
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def desk(self, workspace: str | None, place: Place | None = None) -> Desk:
        """The memory for a call. Raises NoWorkspace, BadValue (a relative folder), or what opening a store raises."""
        folder = _folder_named(workspace) if workspace else self._folder_for(place)
        with self._lock:
            known = self._open.get(folder)
            if known is not None:
                return Desk(known, folder, self._news(known))
            # imported late: the server answers the handshake while this is still being read
            from memlsp.memory import Memory

            memory = Memory.open(folder, data_dir=self._data_dir)
            memory.events.attend()
            self._open[folder] = memory
            return Desk(memory, folder, self._news(memory))

    def close(self) -> None:
        """Close every memory."""
        with self._lock:
            for memory in self._open.values():
                memory.close()
            self._open.clear()

    def first_time(self, mark: str) -> bool:
        """True when this has not been asked before: what is told once in the life of this process."""
        with self._lock:
            known = mark in self._told
            self._told.add(mark)
            return not known

    def _news(self, memory: Memory) -> tuple[str, ...]:
        news = tuple(notice for notice in memory.notices if notice not in self._told)
        self._told.update(news)
        return news

    def _folder_for(self, place: Place | None) -> Path:
        if self._root:
            return _existing(Path(self._root).expanduser())
        pinned = self._environment.get("CLAUDE_PROJECT_DIR")
        if pinned and os.path.isdir(pinned):  # noqa: PTH112
            return Path(pinned).resolve()
        return _repository_of(place) or _working_directory()


def _folder_named(text: str) -> Path:
    folder = Path(text).expanduser()
    if not folder.is_absolute():
        raise BadValue(f"not an absolute folder: {text!r}", _HINT)
    return _existing(folder)


def _existing(folder: Path) -> Path:
    if not os.path.isdir(folder):  # noqa: PTH112
        raise NoWorkspace(f"no such folder: {folder}", _HINT)
    return folder.resolve()


def _repository_of(place: Place | None) -> Path | None:
    """The repository around an absolute place; clients that serve every project from one server send such places."""
    if place is None or not Path(place.path).is_absolute():
        return None
    for folder in Path(place.path).resolve().parents:
        if os.path.exists(folder / ".git"):  # noqa: PTH110
            return folder
    return None


def _working_directory() -> Path:
    try:
        folder = Path.cwd()
    except OSError as error:
        raise NoWorkspace("the folder that the server was started in is gone", _HINT) from error
    # some clients start every server in the home folder or at the top of the disk, and neither is a project
    if folder in {Path.home(), Path(folder.anchor)} and not (folder / ".git").exists():
        raise NoWorkspace(f"no project: the server was started in {folder}", _HINT)
    return folder
