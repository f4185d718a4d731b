"""The commits that changed what a symbol means, found on demand and newest first.

Walks back from the commit that is checked out. A commit whose file is that of a parent is passed over by comparing
ids, as `git log` simplifies history; one whose parent still has the symbol's exact text is passed over without
parsing. Only what is left is parsed: the symbol is found in the older file by name, else by matching, first in that
file and then over the files that the commit changed, so that renames and moves are followed.
"""

from __future__ import annotations

import heapq
import time
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pygit2

from memlsp.capture.ancestry import Ancestry
from memlsp.capture.origins import Origin, Origins, Trace, matched
from memlsp.capture.repository import damage_of
from memlsp.code import outline
from memlsp.code.comparing import compare
from memlsp.code.sentences import sentence
from memlsp.model.change import ChangeKind, DetailKind, SymbolChange, SymbolRef
from memlsp.model.history import PastChange, SymbolHistory


def _never() -> bool:
    return False


def symbol_history(
    root: Path,
    path: str,
    symbol: str,
    *,
    limit: int = 20,
    deadline: float | None = None,
    cancelled: Callable[[], bool] = _never,
    source: bytes | None = None,
) -> SymbolHistory:
    """The past of the symbol that is called `symbol` (dotted; "" for the whole file) in `path`, relative to `root`.

    `source` is the file as it is now, when that is not what is committed; it only serves to find the symbol: what is
    not committed is not history. `deadline` is in seconds from now. Never raises for what a repository may hold: a
    path that is not tracked, a repository without commits or no repository have an empty history.
    """
    ancestry = Ancestry.at(root)
    head = ancestry.head() if ancestry else None
    if ancestry is None or head is None:
        return SymbolHistory(complete=False, stopped="damaged") if damage_of(root) else SymbolHistory()
    until = None if deadline is None else time.monotonic() + deadline
    walk = _Walk(ancestry, limit, until, cancelled)
    try:
        return walk.run(head, ancestry.prefix + path, symbol, source)
    except (pygit2.GitError, KeyError, OSError):
        # An object is missing or damaged; what was found until then is still true.
        return walk.result("damaged")


_HINTS = frozenset({DetailKind.TYPE, DetailKind.RETURN_TYPE, DetailKind.HINT, DetailKind.DOCS})


class _Stopped(Exception):
    """The walk has to end early."""


class _Walk:
    def __init__(self, ancestry: Ancestry, limit: int, until: float | None, cancelled: Callable[[], bool]) -> None:
        self.ancestry = ancestry
        self.origins = Origins(ancestry, self._check)
        self.limit = limit
        self.until = until
        self.cancelled = cancelled
        self.changes: list[PastChange] = []
        self.commits_read = 0
        self.shallow = False
        self.open: list[tuple[int, int, Trace]] = []
        self.queued = 0  # tells apart what has the same time
        self.seen: set[tuple[pygit2.Oid, str, str, int]] = set()

    def run(self, head: pygit2.Commit, path: str, name: str, source: bytes | None) -> SymbolHistory:
        start = self._start(head, path, name, source)
        if start is None:
            return SymbolHistory()
        self._push(start)
        try:
            while self.open:
                if len(self.changes) >= self.limit:
                    return self.result("limit")
                self._step(heapq.heappop(self.open)[2])
        except _Stopped as stopped:
            return self.result(str(stopped))
        return self.result("shallow" if self.shallow else "")

    def result(self, stopped: str) -> SymbolHistory:
        return SymbolHistory(tuple(self.changes), not stopped, stopped, self.commits_read)

    # --- one commit

    def _step(self, trace: Trace) -> None:
        """Follow one line of descent down to the commit that touched the symbol, and deal with that."""
        while True:
            self._check()
            self.commits_read += 1
            parents, cut = self.ancestry.parents(trace.commit)
            if cut:
                self.shallow = True
            if not parents:
                if not cut:
                    self._born(trace)
                return
            here = self.ancestry.blob_id(trace.commit, trace.path)
            blobs = [self.ancestry.blob_id(parent, trace.path) for parent in parents]
            same = next((i for i, blob in enumerate(blobs) if blob == here), None)
            if same is None:
                same = next((i for i, blob in enumerate(blobs) if blob and self.origins.unchanged(trace, blob)), None)
            if same is None:
                break
            trace = Trace(parents[same], trace.path, trace.symbol, trace.text)
            key = (trace.commit.id, trace.path, trace.symbol.name, trace.symbol.ordinal)
            if key in self.seen:
                return
            self.seen.add(key)
        if self.open and self.open[0][0] < -trace.commit.commit_time:
            # Another line of descent has something newer to tell.
            self._queue(trace)
            return
        self._touched(trace, parents)

    def _touched(self, trace: Trace, parents: Sequence[pygit2.Commit]) -> None:
        """The commit holds a text of the symbol that none of its parents has."""
        known = self._before(trace, parents)
        if not known:
            self._born(trace)
            return
        told = [(parent, origin, self._told(trace, origin)) for parent, origin in known]
        if len(parents) > 1 and all(change is not None for _, _, change in told):
            # The other side of the merge may still have its file at an older path.
            there = {parent.id for parent, _ in known}
            for parent in parents:
                origin = None if parent.id in there else self.origins.elsewhere(trace, parent)
                if origin is not None:
                    told.append((parent, origin, self._told(trace, origin)))
        alike = next((entry for entry in told if entry[2] is None), None)
        if alike is not None:
            told = [alike]
        elif len(told) == 1 and told[0][2] is not None:
            self._add(trace, sentence(told[0][2]))
        # A merge that unites two changes says nothing of its own: the commits of both sides do.
        for parent, origin, _ in told:
            self._push(Trace(parent, origin.path, origin.symbol, origin.text))

    def _before(self, trace: Trace, parents: Sequence[pygit2.Commit]) -> list[tuple[pygit2.Commit, Origin]]:
        found = [(parent, self.origins.in_file(trace, parent)) for parent in parents]
        if all(origin is None for _, origin in found):
            # Only now, since it means to read all that the commit changed.
            found = [(parent, self.origins.elsewhere(trace, parent)) for parent in parents[:1]]
        return [(parent, origin) for parent, origin in found if origin is not None]

    def _told(self, trace: Trace, origin: Origin) -> SymbolChange | None:
        """What the commit did to the symbol; None when that is nothing to speak of."""
        change = compare(origin.symbol, trace.symbol)
        if trace.path.endswith((".py", ".pyi")) and change.details and all(d.kind in _HINTS for d in change.details):
            return None  # Python does not read its hints at run time
        if change.alters_meaning or ChangeKind.RENAMED in change.kinds:
            return change
        if ChangeKind.MOVED in change.kinds and not origin.file_moved and self.origins.left_behind(trace, origin):
            return change
        return None

    # --- the ends

    def _start(self, head: pygit2.Commit, path: str, name: str, source: bytes | None) -> Trace | None:
        alone = self.origins.alone(head, path, name)
        if alone is not None:
            return Trace(head, path, alone.symbol, alone.text)
        committed = self.origins.outline(head, path)
        if committed is None:
            return None
        symbol = committed.find(name)
        if symbol is None and source is not None:
            # Renamed since the last commit.
            present = outline(path, source)
            wanted = present.find(name)
            symbol = matched([committed], [present], wanted) if wanted else None
        if symbol is None:
            return None
        found = self.origins.at(head, path, symbol)
        return Trace(head, path, symbol, found.text) if found else None

    def _born(self, trace: Trace) -> None:
        named = self.origins.as_named(trace)
        ref = SymbolRef(named.path, named.name, named.kind)
        self._add(trace, sentence(SymbolChange(frozenset({ChangeKind.ADDED}), None, ref)))

    def _add(self, trace: Trace, change: str) -> None:
        if len(self.changes) >= self.limit:
            raise _Stopped("limit")
        commit = trace.commit
        path = trace.path.removeprefix(self.ancestry.prefix)
        self.changes.append(
            PastChange(
                commit=str(commit.id),
                author=_line(commit.author.raw_name),
                date=_date(commit.committer.time),  # the walk is in this order; an author's date may be years older
                subject=_line(commit.raw_message),
                change=change,
                path=path,
                symbol=self.origins.as_named(trace).name,
            )
        )

    def _push(self, trace: Trace) -> None:
        key = (trace.commit.id, trace.path, trace.symbol.name, trace.symbol.ordinal)
        if key not in self.seen:
            self.seen.add(key)
            self._queue(trace)

    def _queue(self, trace: Trace) -> None:
        self.queued += 1
        heapq.heappush(self.open, (-trace.commit.commit_time, self.queued, trace))

    def _check(self) -> None:
        if self.cancelled():
            raise _Stopped("cancelled")
        if self.until is not None and time.monotonic() > self.until:
            raise _Stopped("deadline")


def _line(raw: bytes) -> str:
    """The first line, without what could act on a terminal or an editor."""
    text = raw.decode("utf-8", "replace").strip().split("\n", 1)[0]
    return "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")).strip()


def _date(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(0, UTC)
