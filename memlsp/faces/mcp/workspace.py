"""Finds the memory that a call is about. The folder comes from the first of these that is set: the call's `workspace`
argument, the server's `--root`, `CLAUDE_PROJECT_DIR`, the working directory. `Memory` then identifies the repository
around it. The protocol no longer has roots, by which a client once named its folders."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.faces.mcp.arguments import ToolArguments
from memlsp.faces.mcp.callers import CallingAgent
from memlsp.model.errors import BadValue, MemlspError, NoWorkspace
from memlsp.model.place import Place
from memlsp.model.review import Conflict
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    from memlsp.memory import Memory

_MANIFESTS = frozenset({".memlsp", "src", "package.json", "Makefile", "Gemfile", "pom.xml", "go.mod"})
_SOURCES = (".py", ".js", ".ts", ".go", ".rs", ".c", ".cpp", ".h", ".cs", ".java", ".kt", ".rb", ".php", ".md", ".toml")
_HINT = "pass `workspace`, the absolute path of the project's folder"

MOST_CONFLICTS = 5
"""Contradictions that an answer names; `review` has all."""


@frozen
class CallTarget:
    """The open memory that a call is about, and the folder to which the call's relative places refer."""

    memory: Memory
    base: Path
    notices: tuple[str, ...] = ()  # for a person; each is handed out once

    def open_conflicts(self, judgements: Iterable[Judgement]) -> tuple[Conflict, ...]:
        """The open conflicts of these beliefs, each once; none where the store cannot say, for the answer stands
        without them."""
        with suppress(MemlspError):
            return self.memory.open_conflicts(judgements)[:MOST_CONFLICTS]
        return ()


@frozen
class ToolCall:
    """One call of a tool or prompt: the memory, the arguments, the caller and the time."""

    target: CallTarget
    arguments: ToolArguments
    caller: CallingAgent
    now: datetime


class Workspaces:
    """The memories that this process has open, one for each folder that a call named. Thread-safe."""

    def __init__(
        self, root: str | None = None, *, data_dir: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._root = root
        self._data_dir = data_dir
        self._environment = os.environ if environment is None else environment
        self._open: dict[Path, Memory] = {}
        self._said: set[str] = set()
        self._lock = threading.Lock()

    def target(self, workspace: str | None, place: Place | None = None) -> CallTarget:
        """Open or find the memory for a call. Raises NoWorkspace, BadValue (a relative folder), StoreError."""
        folder = _folder_named(workspace) if workspace else self._folder_for(place)
        with self._lock:
            memory = self._open.get(folder)
            if memory is None:
                # imported late, so that the server can answer the handshake first
                from memlsp.memory import Memory

                memory = Memory.open(folder, data_dir=self._data_dir)
                memory.events.attend()
                self._open[folder] = memory
            return CallTarget(memory, folder, self._news(memory))

    def close(self) -> None:
        """Close every memory."""
        with self._lock:
            for memory in self._open.values():
                memory.close()
            self._open.clear()

    def first_time(self, mark: str) -> bool:
        """True the first time this is called with `mark`: some sentences are said once a process."""
        with self._lock:
            known = mark in self._said
            self._said.add(mark)
            return not known

    def _news(self, memory: Memory) -> tuple[str, ...]:
        news = tuple(notice for notice in memory.notices if notice not in self._said)
        self._said.update(news)
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
    found = _existing(folder)
    if _is_no_project(found) or not _holds_project(found):
        raise NoWorkspace(f"{found} holds no project", _HINT)
    return found


def _existing(folder: Path) -> Path:
    if not os.path.isdir(folder):  # noqa: PTH112
        raise NoWorkspace(f"no such folder: {folder}", _HINT)
    return folder.resolve()


def _repository_of(place: Place | None) -> Path | None:
    """The repository around an absolute place, or None. Clients with one server for all projects send such places."""
    if place is None or not Path(place.path).is_absolute():
        return None
    for folder in Path(place.path).resolve().parents:
        if os.path.exists(folder / ".git"):  # noqa: PTH110
            return folder
    return None


def _holds_project(folder: Path) -> bool:
    """True in a repository, and where a folder has a memory's settings, a manifest or source files."""
    if any((each / ".git").exists() for each in (folder, *folder.parents)):
        return True
    try:
        with os.scandir(folder) as entries:
            return any(each.name in _MANIFESTS or each.name.endswith(_SOURCES) for each in entries)
    except OSError:
        return False


def _is_no_project(folder: Path) -> bool:
    """True for the home folder and those above it, unless they are in a repository."""
    home = Path.home().resolve()
    inside = any((each / ".git").exists() for each in (folder, *folder.parents))
    return (folder == home or folder in home.parents) and not inside


def _working_directory() -> Path:
    try:
        folder = Path.cwd()
    except OSError as error:
        raise NoWorkspace("the folder that the server was started in is gone", _HINT) from error
    if _is_no_project(folder):  # some clients start every server in the home folder or at the root of the disk
        raise NoWorkspace(f"no project: the server was started in {folder}", _HINT)
    return folder
