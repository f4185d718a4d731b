"""Which memory a file belongs to, and the thread in which that memory is asked.

The event loop never waits for a disk: each workspace has one worker thread, so what an editor sends is seen by the
memory in the order in which it was sent, and one reader thread for what takes long (git histories, first looks).
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from memlsp.model.errors import MemlspError, NoSuchFile

if TYPE_CHECKING:
    from memlsp.memory import Memory, Watching

T = TypeVar("T")

RETRY_AFTER = 10.0
"""Seconds after which a memory that could not be opened is tried again."""

log = logging.getLogger(__name__)


class Desk:
    """One workspace's memory at work in this server."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.root = memory.workspace.root
        self.closing = threading.Event()
        self._seen: tuple[int, ...] = memory.version()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="memlsp-worker")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="memlsp-reader")
        self._clerk = ThreadPoolExecutor(1, thread_name_prefix="memlsp-clerk")
        self._scribe = ThreadPoolExecutor(1, thread_name_prefix="memlsp-scribe")
        self._watching: Watching | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Do it in the worker thread, after what was handed over before."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    async def read(self, work: Callable[[], T]) -> T:
        """Do something long in the reader thread, beside the worker."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, work)

    async def answer(self, work: Callable[[], T]) -> T:
        """Do something that may take a while for an editor that waits for it: beside the worker, which hovers need, and
        beside the reader, which may be in a long history; after what was handed over to the worker before."""
        await self.run(lambda: None)
        return await asyncio.get_running_loop().run_in_executor(self._clerk, work)

    async def aside(self, work: Callable[[], T]) -> T:
        """Do something very long in a thread of its own, beside the worker and the reader. It must heed `closing`."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()

        def settle(value: T | None, error: BaseException | None) -> None:
            if not future.done():
                future.set_exception(error) if error else future.set_result(cast("T", value))

        def run() -> None:
            try:
                done = (work(), None)
            except Exception as error:  # noqa: BLE001 - raised where it is awaited
                done = (None, error)
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(settle, *done)

        threading.Thread(target=run, name="memlsp-aside", daemon=True).start()
        return await future

    def post(self, work: Callable[[], object]) -> None:
        """Hand something over to the worker without waiting; a failure is logged."""
        self._submit(self._worker, work)

    def note(self, work: Callable[[], object]) -> None:
        """Write down what happened, in order and beside everything else: no hover waits for the disk. A failure is
        logged."""
        self._submit(self._scribe, work)

    def _submit(self, pool: ThreadPoolExecutor, work: Callable[[], object]) -> None:
        def guarded() -> None:
            try:
                work()
            except MemlspError as error:
                log.info("%s", error)
            except Exception:
                log.exception("a posted task failed")

        if not self.closing.is_set():
            with suppress(RuntimeError):  # shut down between the question and the answer
                pool.submit(guarded)

    def show_buffer(self, path: str, source: str, version: int) -> None:
        """Let the editor's text speak for the file. In the worker thread."""
        self._own(lambda: self.memory.open_buffer(path, source, version))

    def drop_buffer(self, path: str) -> None:
        """Let the file on disk speak for itself. In the worker thread."""
        self._own(lambda: self.memory.close_buffer(path))

    def _own(self, change: Callable[[], None]) -> None:
        # our own doing is followed by a refresh of its own, and must not look like another process's write
        before = self.memory.version()
        change()
        if before == self._seen:
            self._seen = self.memory.version()

    def moved(self) -> bool:
        """True when the memory or the files moved since the last time, by someone else. In the worker thread."""
        version = self.memory.version()
        moved = version != self._seen
        self._seen = version
        return moved

    def relative(self, path: Path) -> str:
        """The path as the memory knows it; a file that exists in the editor alone is a file too."""
        try:
            return self.memory.relative(path)
        except NoSuchFile:
            parent = path.parent.resolve()
            with suppress(ValueError):
                return (parent / path.name).relative_to(self.root.resolve()).as_posix()
            raise

    def start_watching(self, on_change: Callable[[Sequence[str] | None], None]) -> None:
        """Watch the files. In the reader thread: a large tree takes a while."""
        if not self.closing.is_set():
            self._watching = self.memory.watch(on_change)

    def close(self) -> None:
        """Stop the threads and close the stores. Returns soon; what runs is told to end."""
        self.closing.set()
        for pool in (self._worker, self._reader, self._clerk):
            pool.shutdown(wait=False, cancel_futures=True)
        self._scribe.shutdown(wait=False)
        if self._watching is not None:
            # a watcher takes a second to stop, which nobody who leaves an editor should wait for
            threading.Thread(target=self._watching.stop, name="memlsp-unwatch", daemon=True).start()
        with suppress(MemlspError):
            self.memory.close()


class Desks:
    """All workspaces of this editor, opened when a file of theirs is first seen."""

    def __init__(self, *, tell: Callable[[str], None], opened: Callable[[Desk], None]) -> None:
        self._tell = tell
        self._opened = opened
        self._opener = ThreadPoolExecutor(1, thread_name_prefix="memlsp-opener")
        self._by_root: dict[Path, Desk] = {}
        self._by_folder: dict[Path, Desk] = {}
        self._failed: dict[Path, float] = {}
        self._told: set[str] = set()
        self._folders: tuple[Path, ...] = ()
        self._uris: dict[Path, str] = {}

    def set_folders(self, folders: Mapping[Path, str]) -> None:
        """The editor's workspace folders with their uris: where a file outside any repository belongs."""
        self._folders = tuple(sorted(folders, key=lambda folder: -len(folder.parts)))
        self._uris = dict(folders)

    def root_uri(self, desk: Desk) -> str:
        """The root of a workspace as a uri, as the editor writes it where it opened that folder or one below it: it may
        have come by a link, or write a drive's letter in its own way."""
        root = desk.root.resolve()
        for folder, uri in self._uris.items():
            for above, parent in enumerate((folder, *folder.parents)):
                if parent.resolve() == root:
                    return _above(uri, above)
        return desk.root.as_uri()

    def all(self) -> tuple[Desk, ...]:
        """Those that are open."""
        return tuple(dict.fromkeys(self._by_root.values()))

    @property
    def folders(self) -> tuple[Path, ...]:
        """The editor's workspace folders, innermost first."""
        return self._folders

    async def desk_for(self, path: Path) -> Desk | None:
        """The desk of a file; None when its memory cannot be opened, which has been said then."""
        known = self._by_folder.get(path.parent)
        if known is not None:
            return known
        loop = asyncio.get_running_loop()
        desk, news, opened = await loop.run_in_executor(self._opener, self._find, path)
        self._tell_once(news)
        if opened and desk is not None:
            self._opened(desk)
        return desk

    def tell_news(self) -> None:
        """Tell what befell the memories since they were opened: damage that was met and set aside, say."""
        for desk in self.all():
            self._tell_once(desk.memory.notices)

    def _tell_once(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            if sentence not in self._told:
                self._told.add(sentence)
                self._tell(sentence)

    def may_watch(self, desk: Desk) -> bool:
        """True for repositories and for folders that the user opened: the folder of a single loose file may be a whole
        home directory."""
        return desk.memory.workspace.git or any(desk.root == folder.resolve() for folder in self._folders)

    def warm(self) -> None:
        """Load what opening a memory needs, so that the first file does not wait for it."""
        self._opener.submit(_load_memory)

    def close(self) -> None:
        """Close all."""
        self._opener.shutdown(wait=False, cancel_futures=True)
        for desk in self.all():
            desk.close()

    def _find(self, path: Path) -> tuple[Desk | None, list[str], bool]:
        """Find or open the desk of a file. In the opener thread, so one at a time."""
        folder = path.parent
        known = self._by_folder.get(folder)
        if known is not None:
            return known, [], False
        top = self._top_of(folder)
        if top is None:
            return None, [], False
        desk = self._by_root.get(top)
        if desk is not None:
            self._by_folder[folder] = desk
            return desk, [], False
        if time.monotonic() - self._failed.get(top, -RETRY_AFTER) < RETRY_AFTER:
            return None, [], False
        try:
            memory = _load_memory().open(top, patient=False)
        except MemlspError as error:
            self._failed[top] = time.monotonic()
            return None, [f"{error}. {error.hint}" if error.hint else str(error)], False
        desk = self._by_root.get(memory.workspace.root)
        if desk is not None:
            memory.close()
        else:
            desk = Desk(memory)
            self._by_root[memory.workspace.root] = desk
        news = list(desk.memory.notices)
        self._by_folder[folder] = desk
        self._by_root.setdefault(top, desk)
        return desk, news, True

    def _top_of(self, folder: Path) -> Path | None:
        """Where to open a memory from: the repository's top, else the editor's folder, else the file's own.

        None for a folder that does not exist outside of these: what exists above it is none of its business.
        """
        for parent in (folder, *folder.parents):
            if os.path.exists(parent / ".git"):  # noqa: PTH110  where nothing may be looked at, nothing is there
                return parent
        for candidate in self._folders:
            if folder.is_relative_to(candidate) and os.path.isdir(candidate):  # noqa: PTH112
                return candidate
        return folder if os.path.isdir(folder) else None  # noqa: PTH112


def _above(uri: str, steps: int) -> str:
    """The uri of a folder so many steps above another."""
    parts = uri.rstrip("/").split("/")
    return "/".join(parts[: len(parts) - steps]) or uri


def _load_memory() -> type[Memory]:
    # parsers and the store take a while to load, and `initialize` is answered before they are
    from memlsp.memory import Memory

    return Memory
