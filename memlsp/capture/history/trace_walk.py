"""The walk from one state of a symbol back to its birth, commit by commit, newest first.

A commit with the file of a parent is passed over by comparing ids, as `git log` simplifies history; one whose parent
has the exact text of the symbol is passed over without parsing. In the other commits the symbol is searched in the
older file by name, else by matching, then in all files that the commit changed, so renames and moves are followed.
After a merge, every line of descent is followed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.history.overloads import are_strangers
from memlsp.capture.history.predecessors import PredecessorFinder, state_of
from memlsp.capture.history.traces import Predecessor, Trace
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.similarity import body_similarity
from memlsp.model.change import ChangeKind, DetailKind, SymbolChange

_HINTS = frozenset({DetailKind.TYPE, DetailKind.RETURN_TYPE, DetailKind.HINT, DetailKind.DOCS})

_SURE = 0.75  # similarity of bodies from which a symbol was surely taken from the other file


@frozen
class Touch:
    """A commit that changed the text or place of the symbol. `origin` is the symbol before it, None at birth. `change`
    is None when the meaning stayed: layout, comments, documentation, a move of its file or class."""

    trace: Trace
    origin: Predecessor | None
    change: SymbolChange | None


class TraceWalk:
    """One walk. `commits_read` counts commits; `shallow` is True when history was cut off somewhere."""

    def __init__(self, predecessors: PredecessorFinder) -> None:
        self.predecessors = predecessors
        self.ancestry = predecessors.ancestry
        self.commits_read = 0
        self.shallow = False
        self.open: list[tuple[int, int, Trace]] = []  # lines of descent that were not followed to their end
        self._queued = 0  # tells apart what has the same time
        self._seen: set[tuple[pygit2.Oid, str, str]] = set()

    def touches(self, start: Trace) -> Iterator[Touch]:
        """The commits that touched the symbol, by their time. Raises what the check of `predecessors` raises."""
        self._push(start)
        while self.open:
            yield from self._step(heapq.heappop(self.open)[2])

    # --- one commit

    def _step(self, trace: Trace) -> Iterator[Touch]:
        """Follow one line of descent to the commit that touched the symbol, and handle that commit."""
        begin = trace.commit
        passed = 0
        stop, known = self.predecessors.known_stop(trace), True
        while stop is None:
            known = False
            at = self.predecessors.stop(trace)
            passed += at.passed
            same = next((p for p in at.parents if (b := self.ancestry.blob_id(p, trace.path))
                         and self.predecessors.unchanged(trace, b)), None)  # fmt: skip
            trace = evolve(trace, commit=same or at.commit)
            if same is None:
                stop = at
            else:
                passed += 1
        if known:
            passed = stop.passed
            trace = evolve(trace, commit=stop.commit)
        elif not stop.cut:
            self.predecessors.known.keep_stop(state_of(evolve(trace, commit=begin)), stop.commit.id.raw, passed)
        self.commits_read += 1 + passed
        self.shallow = self.shallow or stop.cut
        if stop.commit.id != begin.id and not self._is_new(trace):
            return
        if not stop.parents:
            if not stop.cut:
                yield Touch(trace, None, None)
        elif self.open and self.open[0][0] < -trace.commit.commit_time:
            # another line of descent has a newer commit
            self._queue(trace)
        else:
            yield from self._touched(trace, stop.parents)

    def _touched(self, trace: Trace, parents: Sequence[pygit2.Commit]) -> Iterator[Touch]:
        """Handle a commit whose text of the symbol no parent has."""
        known = self._before(trace, parents)
        if not known:
            yield Touch(trace, None, None)
            return
        states = [(parent, origin, self._change(trace, origin)) for parent, origin in known]
        if len(parents) > 1 and all(change is not None for _, _, change in states):
            # The other side of the merge may still have its file at an older path.
            there = {parent.id for parent, _ in known}
            for parent in parents:
                origin = None if parent.id in there else self.predecessors.elsewhere(trace, parent)
                if origin is not None:
                    states.append((parent, origin, self._change(trace, origin)))
        alike = next((entry for entry in states if entry[2] is None), None)
        if alike is not None:
            states = [alike]
        for parent, origin, _ in states:
            self._push(Trace(parent, origin.path, origin.symbol, origin.written))
        if len(states) == 1 and not _is_as_it_was(trace, states[0][1]):
            # A merge that unites two changes says nothing of its own: the commits of both sides do.
            yield Touch(trace, states[0][1], states[0][2])

    def _before(self, trace: Trace, parents: Sequence[pygit2.Commit]) -> list[tuple[pygit2.Commit, Predecessor]]:
        found = [(parent, self.predecessors.in_file(trace, parent)) for parent in parents]
        if all(origin is None for _, origin in found):
            # only now, since it reads all files that the commit changed
            found = [(parent, self.predecessors.elsewhere(trace, parent)) for parent in parents[:1]]
        elif len(found) == 1:
            found = [(parent, self._rather(trace, parent, origin)) for parent, origin in found]
        return [(parent, origin) for parent, origin in found if origin is not None]

    def _rather(self, trace: Trace, parent: pygit2.Commit, origin: Predecessor | None) -> Predecessor | None:
        """Prefer a symbol of another file that surely became this one to an unrelated one of the same name."""
        if origin is None or not are_strangers(origin.symbol, trace.symbol):
            return origin
        other = self.predecessors.elsewhere(trace, parent)
        sure = other is not None and body_similarity(other.symbol, trace.symbol) >= _SURE
        return other if sure else origin

    def _change(self, trace: Trace, origin: Predecessor) -> SymbolChange | None:
        """The change that the commit made to the symbol; None when its meaning stayed."""
        change = compare(origin.symbol, trace.symbol)
        if trace.path.endswith((".py", ".pyi")) and change.details and all(d.kind in _HINTS for d in change.details):
            return None  # Python does not read its hints at run time
        if change.alters_meaning or ChangeKind.RENAMED in change.kinds:
            return change
        if ChangeKind.MOVED in change.kinds and not origin.file_moved and self.predecessors.left_behind(trace, origin):
            return change
        return None

    def _push(self, trace: Trace) -> None:
        if self._is_new(trace):
            self._queue(trace)

    def _is_new(self, trace: Trace) -> bool:
        """True when no line of descent has reached this state yet."""
        key = (trace.commit.id, trace.path, trace.symbol.fingerprint.text)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _queue(self, trace: Trace) -> None:
        self._queued += 1
        heapq.heappush(self.open, (-trace.commit.commit_time, self._queued, trace))


def _is_as_it_was(trace: Trace, origin: Predecessor) -> bool:
    """True when only the surroundings of the symbol differ."""
    old, new = origin.symbol, trace.symbol
    return (origin.path, old.name, old.fingerprint.text) == (trace.path, new.name, new.fingerprint.text)
