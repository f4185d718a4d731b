"""Reading the git history commit by commit, in two processes where there are processors for them."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from attrs import define, evolve, field

from memlsp.capture.child_process import Head, read_frame, start_module, write_frame
from memlsp.model.episode import CommitEpisode, PassedOver
from memlsp.store.core.rows import converter

MOST_DEATHS = 5
"""Commits on which the reading process may die before the reading is given up."""

_READERS = 2
_WAITING = 64  # episodes that are read and not yet taken
_LOOK_EVERY = 0.1  # seconds between two looks at whether it was cancelled


@define(eq=False)
class HistoryReader:
    """One reading of the history at `root`: at most `most` commits except `known`, roughly newest first.

    Iterate `episodes` to read. From the first step on, `total` commits are counted, of which `present` are known, and
    `head` is the hash of the commit that is checked out ("" without one)."""

    root: Path
    known: Collection[str]
    most: int
    cancelled: Callable[[], bool]
    patience: float = 60.0  # seconds for one commit
    personal: Sequence[str] = ()  # redacted besides secrets
    total: int = 0
    present: int = 0
    head: str = ""
    failed: bool = False
    _left: threading.Event = field(factory=threading.Event, init=False)

    def episodes(self) -> Iterator[CommitEpisode]:
        """The episodes as they are read. When a process dies on a commit (of a hostile file, say), the commit is
        recorded as damaged and another process goes on. Ends early when cancelled, after ending the processes."""
        readers = min(_READERS, os.cpu_count() or 1)
        if readers == 1:
            yield from self._share(0, 1)
            return
        found: queue.Queue[CommitEpisode | None] = queue.Queue(_WAITING)
        threads = [
            threading.Thread(target=self._fill, args=(found, number, readers), daemon=True) for number in range(readers)
        ]
        for thread in threads:
            thread.start()
        try:
            while readers:
                episode = found.get()
                if episode is None:
                    readers -= 1
                else:
                    yield episode
        finally:
            self._left.set()
            for thread in threads:
                thread.join()

    def _fill(self, found: queue.Queue[CommitEpisode | None], number: int, readers: int) -> None:
        try:
            for episode in self._share(number, readers):
                if not self._put(found, episode):
                    return
        finally:
            self._put(found, None)

    def _put(self, found: queue.Queue[CommitEpisode | None], episode: CommitEpisode | None) -> bool:
        while not self._left.is_set():
            with suppress(queue.Full):
                found.put(episode, timeout=_LOOK_EVERY)
                return True
        return False

    def _ended(self) -> bool:
        return self._left.is_set() or self.cancelled()

    def _share(self, number: int, readers: int) -> Iterator[CommitEpisode]:
        known = set(self.known)
        for _ in range(MOST_DEATHS + 1):
            begun: CommitEpisode | None = None
            for message in self._messages(known, number, readers):
                if "end" in message:
                    return
                if "begun" in message:
                    begun = _unpacked(message["begun"])
                elif "episode" in message:
                    begun = None
                    episode = _unpacked(message["episode"])
                    known.add(episode.commit)
                    yield episode
                elif not self.total:
                    self.total, self.present, self.head = message["total"], message["present"], message["head"]
            if begun is None or self._ended():
                break
            known.add(begun.commit)
            yield evolve(begun, passed_over=PassedOver.DAMAGED)
        self.failed = self.failed or not self._ended()

    def _messages(self, known: Collection[str], number: int, readers: int) -> Iterator[dict[str, Any]]:
        worker = start_module("memlsp.capture.history.history_worker")
        stdin, stdout = cast("BinaryIO", worker.stdin), cast("BinaryIO", worker.stdout)
        done = threading.Event()
        threading.Thread(target=self._end_when_cancelled, args=(worker, done), daemon=True).start()
        order: Head = {
            "root": str(self.root),
            "known": sorted(known),
            "most": self.most,
            "patience": self.patience,
            "share": [number, readers],
            "personal": list(self.personal),
        }
        try:
            write_frame(stdin, order)
            while (frame := read_frame(stdout)) is not None:  # None also where it died in the middle of a frame
                yield frame[0]
        except (OSError, ValueError, KeyError, TypeError):
            return
        finally:
            done.set()
            worker.kill()
            stdout.close()
            with suppress(OSError):  # what was left for it to read
                stdin.close()
            worker.wait()

    def _end_when_cancelled(self, worker: subprocess.Popen[bytes], done: threading.Event) -> None:
        while not done.wait(_LOOK_EVERY):
            if self._ended():
                worker.kill()
                return


def _unpacked(value: Any) -> CommitEpisode:
    return converter().structure(value, CommitEpisode)
