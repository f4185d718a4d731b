"""Opens the memory of each file's workspace, and runs work on it in threads. The event loop never waits for a disk.
Each workspace has a worker thread, which keeps the editor's changes in order, and a reader thread for long work such as
git histories."""

from __future__ import annotations

import asyncio
import gc
import linecache
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

_UNASKED = 2.0  # seconds

RETRY_AFTER = 10.0
"""Seconds after which a memory that could not be opened is tried again."""

log = logging.getLogger(__name__)


class EditorWorkspace:
    """One workspace that the editor has open: its memory and its threads."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.root = memory.workspace.root
        self.closing = threading.Event()
        self.answered = asyncio.Event()  # about some file
        self._seen: tuple[int, ...] = memory.version()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="memlsp-worker")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="memlsp-reader")
        self._clerk = ThreadPoolExecutor(1, thread_name_prefix="memlsp-clerk")
        self._scribe = ThreadPoolExecutor(1, thread_name_prefix="memlsp-scribe")
        self._watching: Watching | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Run work in the worker thread, after everything posted before."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    async def read(self, work: Callable[[], T]) -> T:
        """Run long work in the reader thread, beside the worker."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, work)

    async def answer(self, work: Callable[[], T]) -> T:
        """Run work that the editor waits for and that may take a while, after everything posted before. It runs beside
        the worker, which hovers need, and the reader, which may be in a long history."""
        await self.run(lambda: None)
        return await asyncio.get_running_loop().run_in_executor(self._clerk, work)

    async def aside(self, work: Callable[[], T]) -> T:
        """Run very long work in a thread of its own. It must heed `closing`."""
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

    async def rested(self) -> None:
        """Return when the editor has its first answer, or asks for none: what nobody waits for begins then."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.answered.wait(), _UNASKED)

    def post(self, work: Callable[[], object]) -> None:
        """Queue work for the worker thread without waiting; a failure is logged."""
        self._submit(self._worker, work)

    def note(self, work: Callable[[], object]) -> None:
        """Queue the recording of an event, in order and beside the worker: no hover waits. A failure is logged."""
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
        """Take the editor's text as the file's content. In the worker thread."""
        self._own(lambda: self.memory.open_buffer(path, source, version))

    def drop_buffer(self, path: str) -> None:
        """Take the file on disk as its content again. In the worker thread."""
        self._own(lambda: self.memory.close_buffer(path))

    def _own(self, change: Callable[[], None]) -> None:
        # our own change refreshes by itself and must not look like another process's write
        before = self.memory.version()
        change()
        if before == self._seen:
            self._seen = self.memory.version()

    def moved(self) -> bool:
        """True when another process changed the memory or the files since the last call. In the worker thread."""
        version = self.memory.version()
        moved = version != self._seen
        self._seen = version
        return moved

    def relative(self, path: Path) -> str:
        """The path relative to the root; the file need not exist on disk. Raises NoSuchFile, Refused."""
        try:
            return self.memory.relative(path)
        except NoSuchFile:
            parent = path.parent.resolve()
            with suppress(ValueError):
                return (parent / path.name).relative_to(self.root.resolve()).as_posix()
            raise

    def start_watching(self, on_change: Callable[[Sequence[str] | None], None]) -> None:
        """Watch the files. In a thread of its own: a large tree takes a while, in which others want to read."""
        if not self.closing.is_set():
            self._watching = self.memory.watch(on_change)

    def close(self) -> None:
        """Stop the threads and close the store. Returns soon; running work is asked to end."""
        self.closing.set()
        for pool in (self._worker, self._reader, self._clerk):
            pool.shutdown(wait=False, cancel_futures=True)
        self._scribe.shutdown(wait=False)
        if self._watching is not None:
            # in a thread, since a watcher takes a second to stop
            threading.Thread(target=self._watching.stop, name="memlsp-unwatch", daemon=True).start()
        with suppress(MemlspError):
            self.memory.close()


class EditorWorkspaces:
    """All workspaces of an editor; each opens when the first file of it does."""

    def __init__(self, *, warn: Callable[[str], None], opened: Callable[[EditorWorkspace], None]) -> None:
        self._warn = warn
        self._opened = opened
        self._opener = ThreadPoolExecutor(1, thread_name_prefix="memlsp-opener")
        self._by_root: dict[Path, EditorWorkspace] = {}
        self._by_folder: dict[Path, EditorWorkspace] = {}
        self._failed: dict[Path, float] = {}
        self._warned: set[str] = set()
        self._folders: tuple[Path, ...] = ()
        self._uris: dict[Path, str] = {}

    def set_folders(self, folders: Mapping[Path, str]) -> None:
        """Set the editor's folders with their uris: a file outside any repository belongs to one of them."""
        self._folders = tuple(sorted(folders, key=lambda folder: -len(folder.parts)))
        self._uris = dict(folders)

    def root_uri(self, workspace: EditorWorkspace) -> str:
        """The root of a workspace as a uri. If the editor opened that folder or one below it, its own spelling is used
        (links, letters of drives)."""
        root = workspace.root.resolve()
        for folder, uri in self._uris.items():
            for above, parent in enumerate((folder, *folder.parents)):
                if parent.resolve() == root:
                    return _above(uri, above)
        return workspace.root.as_uri()

    def all(self) -> tuple[EditorWorkspace, ...]:
        """The open workspaces."""
        return tuple(dict.fromkeys(self._by_root.values()))

    @property
    def folders(self) -> tuple[Path, ...]:
        """The editor's folders, innermost first."""
        return self._folders

    async def workspace_of_file(self, path: Path) -> EditorWorkspace | None:
        """The workspace of a file; None when its memory cannot be opened (the user has been warned then)."""
        known = self._by_folder.get(path.parent)
        if known is not None:
            return known
        loop = asyncio.get_running_loop()
        workspace, news, opened = await loop.run_in_executor(self._opener, self._find, path)
        self._warn_once(news)
        if opened and workspace is not None:
            self._opened(workspace)
        return workspace

    def show_notices(self) -> None:
        """Show the memories' new notices: damage that was found and set aside, say."""
        for workspace in self.all():
            self._warn_once(workspace.memory.notices)

    def _warn_once(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            if sentence not in self._warned:
                self._warned.add(sentence)
                self._warn(sentence)

    def may_watch(self, workspace: EditorWorkspace) -> bool:
        """True for repositories and opened folders; the folder of a single file may be a whole home directory."""
        return workspace.memory.workspace.git or any(workspace.root == folder.resolve() for folder in self._folders)

    def warm(self) -> None:
        """Import what opening a memory needs, so that the first file does not wait for it."""
        self._opener.submit(_load_memory)

    def close(self) -> None:
        """Close all."""
        self._opener.shutdown(wait=False, cancel_futures=True)
        for workspace in self.all():
            workspace.close()

    def _find(self, path: Path) -> tuple[EditorWorkspace | None, list[str], bool]:
        """Find or open the workspace of a file; with new notices, and whether it was opened. In the opener thread."""
        folder = path.parent
        known = self._by_folder.get(folder)
        if known is not None:
            return known, [], False
        top = self._top_of(folder)
        if top is None:
            return None, [], False
        workspace = self._by_root.get(top)
        if workspace is not None:
            self._by_folder[folder] = workspace
            return workspace, [], False
        if time.monotonic() - self._failed.get(top, -RETRY_AFTER) < RETRY_AFTER:
            return None, [], False
        try:
            memory = _load_memory().open(top, patient=False)
        except MemlspError as error:
            self._failed[top] = time.monotonic()
            return None, [f"{error}. {error.hint}" if error.hint else str(error)], False
        workspace = self._by_root.get(memory.workspace.root)
        if workspace is not None:
            memory.close()
        else:
            workspace = EditorWorkspace(memory)
            self._by_root[memory.workspace.root] = workspace
        news = list(workspace.memory.notices)
        self._by_folder[folder] = workspace
        self._by_root.setdefault(top, workspace)
        return workspace, news, True

    def _top_of(self, folder: Path) -> Path | None:
        """The folder of the memory: the repository's top, else the editor's folder, else the file's own. None for a
        folder that does not exist: its parents do not decide for it."""
        for parent in (folder, *folder.parents):
            if os.path.exists(parent / ".git"):  # noqa: PTH110 - False without permission, where Path.exists raises
                return parent
        for candidate in self._folders:
            if folder.is_relative_to(candidate) and os.path.isdir(candidate):  # noqa: PTH112
                return candidate
        return folder if os.path.isdir(folder) else None  # noqa: PTH112


def _above(uri: str, steps: int) -> str:
    parts = uri.rstrip("/").split("/")
    return "/".join(parts[: len(parts) - steps]) or uri


def drop_garbage() -> None:
    """Free what the start left behind."""
    # the import of the protocol leaves 20,000 dead objects and the source text of generated methods, 6 MB, among what
    # `memlsp lsp` froze
    linecache.clearcache()
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _load_memory() -> type[Memory]:
    # imported late: `initialize` is answered before the parsers and the store are loaded
    from memlsp.memory import Memory

    return Memory
