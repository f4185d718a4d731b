"""One method of the suite `survival` followed back, by us and by `git log -L`."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import pygit2
from attrs import define, evolve, field, frozen

from benchmarks.history.survival_oracle import Method
from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.history.parse_cache import ParseCache
from memlsp.capture.history.predecessors import PredecessorFinder, forget
from memlsp.capture.history.trace_walk import Touch, TraceWalk
from memlsp.capture.history.traces import Trace
from memlsp.code.syntax.outline import Outline
from memlsp.model.symbol import Symbol, SymbolKind

READINGS = ("meaning", "code", "all")
SECONDS = 60.0  # of the processor for one method of ours, on the clock for git; what was found until then counts
_MOST_WORKERS = 2


@frozen
class Traced:
    """One method and what was found. `told`, `coded` and `touched` are the commits of the three readings; `births` are
    those at which our history says that it began. `git` is None when it was not run."""

    method: Method
    told: tuple[str, ...] = ()
    coded: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    births: tuple[str, ...] = ()
    seconds: float = 0.0
    again: float = 0.0  # seconds for the same with what the first walk kept
    stopped: str = ""
    git: tuple[str, ...] | None = None
    git_seconds: float = 0.0

    @property
    def developed(self) -> bool:
        """Whether its repository is one that rules may be developed on."""
        return sha256(self.method.repository.encode()).digest()[0] % 2 == 1

    def found(self, reading: str) -> frozenset[str]:
        """Our commits in a reading."""
        return frozenset({"meaning": self.told, "code": self.coded, "all": self.touched}[reading])


def trace_method(job: Traced) -> Traced:
    """Our commits of one method, and git's where they are not known."""
    method = job.method
    if job.git is None:
        started = _children()
        job = evolve(job, git=_git_log(method))
        job = evolve(job, git_seconds=round(_children() - started, 3))
    with tempfile.TemporaryDirectory(prefix="memlsp-survival-") as folder:
        kept = ParseCache(Path(folder))
        try:
            first, seconds = _read(method, kept)
            second, again = _read(method, kept)
        finally:
            kept.close()
    stopped = first.stopped or ("" if first == second else "the second look differs")
    return evolve(
        job,
        told=tuple(first.told),
        coded=tuple(first.coded),
        touched=tuple(first.touched),
        births=tuple(first.births),
        seconds=seconds,
        again=again,
        stopped=stopped,
    )


@define
class _Looked:
    """The commits of one walk."""

    told: list[str] = field(factory=list[str])
    coded: list[str] = field(factory=list[str])
    touched: list[str] = field(factory=list[str])
    births: list[str] = field(factory=list[str])
    stopped: str = ""


def _read(method: Method, kept: ParseCache) -> tuple[_Looked, float]:
    """One walk, and the seconds of the processor that it took."""
    forget()
    found = _Looked()
    started = time.process_time()
    try:
        for touch in _walk(method, kept):
            commit = str(touch.trace.commit.id)
            found.touched.append(commit)
            if touch.origin is None:
                found.births.append(commit)
            means = touch.origin is None or touch.change is not None or touch.origin.path != touch.trace.path
            if means:
                found.told.append(commit)
            if means or (touch.origin and _code(method, touch.origin.text) != _code(method, touch.trace.text)):
                found.coded.append(commit)
    except TimeoutError:
        found.stopped = "deadline"
    except Exception as error:  # noqa: BLE001 - one broken case must not hide the others
        found.stopped = f"{type(error).__name__}: {error}"
    return found, round(time.process_time() - started, 3)


_COMMENTS = {
    False: re.compile(rb"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?\*/""", re.DOTALL),
    True: re.compile(rb"""(\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\#[^\n]*""", re.DOTALL),
}


def _code(method: Method, text: bytes) -> bytes:
    """A definition without comments and layout."""
    bare = _COMMENTS[method.python].sub(lambda found: found[1] or b"", text)
    return b"".join(bare.split())


def _walk(method: Method, kept: ParseCache) -> Iterator[Touch]:
    until = time.process_time() + SECONDS

    def check() -> None:
        if time.process_time() > until:
            raise TimeoutError

    ancestry = Ancestry(pygit2.Repository(str(method.folder)), "")
    predecessors = PredecessorFinder(ancestry, check, kept)
    commit = ancestry.commit(method.start)
    outlined = predecessors.outline(commit, method.path) if commit else None
    symbol = _symbol(method, outlined) if outlined else None
    found = predecessors.at(commit, method.path, symbol) if commit and symbol else None
    if commit is None or found is None:
        raise LookupError("the method is not there")
    yield from TraceWalk(predecessors).touches(Trace(commit, method.path, found.symbol, found.written))
    predecessors.known.keep()


def _symbol(method: Method, outlined: Outline) -> Symbol | None:
    """The method of that name that holds the line, else the nearest below it."""
    named = [
        symbol
        for symbol in outlined.symbols
        if symbol.simple_name == method.name and symbol.kind in (SymbolKind.METHOD, SymbolKind.FUNCTION)
    ]
    line = method.line - 1
    return min(named, key=lambda symbol: abs(symbol.name_span.start_line - line), default=None)


def _git_log(method: Method) -> tuple[str, ...]:
    """The commits of `git log -L`, by lines where the oracle has both, else by the name of the function."""
    # A definition of one line is named so by git as well.
    span = f"{method.line},{method.end_line}" if method.end_line else f"{method.line},+{_length(method)}"
    command = [
        "git", "-C", str(method.folder), "log", "-s", "--format=%H", f"-L{span}:{method.path}", method.start,
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode("ascii", "replace")  # bytes even when text was asked for
        return tuple(line for line in text.split() if len(line) == 40)
    return tuple(line for line in done.stdout.split() if len(line) == 40)


def _children() -> float:
    """Seconds of the processor that programs started from here have used."""
    used = os.times()
    return used.children_user + used.children_system


def _length(method: Method) -> int:
    ancestry = Ancestry(pygit2.Repository(str(method.folder)), "")
    predecessors = PredecessorFinder(ancestry, lambda: None)
    commit = ancestry.commit(method.start)
    outlined = predecessors.outline(commit, method.path) if commit else None
    symbol = _symbol(method, outlined) if outlined else None
    return max(1, symbol.span.end_line - method.line + 2) if symbol else 1


def run_all(jobs: Sequence[Traced]) -> list[Traced]:
    """All of them, in their order, by several processes."""
    workers = min(os.cpu_count() or 1, _MOST_WORKERS)
    if workers <= 1 or len(jobs) < 4:
        return [trace_method(job) for job in jobs]
    # spawned, for a forked child would inherit locks
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(trace_method, jobs, chunksize=1))
