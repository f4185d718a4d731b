"""Failing tests as threads: locate a test, open its thread when it fails, close it when it passes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Sequence
from contextlib import suppress
from pathlib import PurePosixPath

from attrs import define, evolve

from memlsp.capture.workspace.worktree import Worktree
from memlsp.episodes.code_threads import BY_HAND, EventContext
from memlsp.episodes.runner_output import RUNNERS, FailedTest, TestRun, base_name
from memlsp.model.errors import Refused, UnreadableSource
from memlsp.model.event import Event
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.tables.threads import KeptThread, ThreadRepository

_CHANGED_FOLDER = re.compile(r"^\s*cd\s+(?P<folder>'[^']+'|\"[^\"]+\"|[^\s;&|]+)\s*(?:&&|;)")
_COMMAND_LENGTH = 80


@define(eq=False)
class TestPlacement:
    """Locates the tests of one run. `folder`, relative to the root, is where `command` was started."""

    worktree: Worktree
    folder: str
    command: str

    def of(self, runner: str, test: FailedTest) -> tuple[str, str, int | None]:
        """The file of a test, its symbol and its line (from 1); "" or None for what cannot be found."""
        path = self._file(runner, test)
        if not path:
            return "", "", None
        simple = re.split(r"::|[.#\\]| > ", test.name)[-1].removesuffix("()")
        outlined = self.worktree.outline(path)
        dotted = test.name.replace("::", ".")
        found = outlined.named(dotted) or outlined.named(simple) if outlined and test.name else ()
        if found:
            return path, found[0].name, found[0].name_span.start_line + 1
        return path, "", self._line_of(path, test.name)

    def place(self, typed: str) -> str:
        """A path that a runner printed, relative to the root; "" when there is no such file."""
        if not typed:
            return ""
        base = self.folder
        changed = _CHANGED_FOLDER.match(self.command)
        if changed:
            base = posixpath.join(base, changed["folder"].strip("'\""))
        for candidate in (posixpath.join(base, typed), posixpath.join(self.folder, typed), typed):
            inner = posixpath.normpath(candidate)
            if not inner.startswith(("../", "/")) and self._read(inner) is not None:
                return inner
        tail = "/" + posixpath.normpath(typed).lstrip("./")
        ends = [path for path in self.worktree.paths() if f"/{path}".endswith(tail)]
        return ends[0] if len(ends) == 1 else ""

    def _file(self, runner: str, test: FailedTest) -> str:
        found = self.place(test.path)
        if found:
            return found
        parts = [part for part in re.split(r"::|[.#\\]| > ", test.name) if part]
        if runner == "unittest":
            for length in range(len(parts) - 1, 0, -1):
                found = self.place("/".join(parts[:length]) + ".py")
                if found:
                    return found
        suffixes = RUNNERS[runner].suffixes
        holder = parts[-2].partition("$")[0] if len(parts) > 1 else ""
        if runner in {"maven", "gradle", "phpunit", "dotnet"} and holder:
            stem = (parts[0] if runner == "gradle" else holder).rpartition(".")[2]
            sources = [path for path in self.worktree.paths() if path.endswith(suffixes)]
            named = [path for path in sources if PurePosixPath(path).stem == stem]
            if len(named) == 1:
                return named[0]
        last = parts[-1].removesuffix("()") if parts else ""
        definition = RUNNERS[runner].definition.format(last)
        if len(last) < 4:
            return ""
        holding = self.worktree.containing([definition.encode("utf-8", "replace")], suffixes=suffixes, limit=2)
        return holding[0] if len(holding) == 1 else ""

    def _read(self, path: str) -> bytes | None:
        with suppress(UnreadableSource, Refused):
            return self.worktree.read(path)
        return None

    def _line_of(self, path: str, name: str) -> int | None:
        """The line of a test's title in a file where the test is no symbol."""
        title = re.split(r" \u203a | > ", name)[-1]
        data = self._read(path)
        at = data.find(title.encode("utf-8", "replace")) if data and len(title) > 2 else -1
        return data.count(b"\n", 0, at) + 1 if data and at >= 0 else None


def updated_threads(
    run: TestRun, event: Event, origin: EventContext, placement: TestPlacement, threads: ThreadRepository
) -> Sequence[KeptThread]:
    """The new states of the threads that a test run affects. An earlier run never overrides a later one."""
    failing = [_failure(run, test, origin, placement) for test in run.failed]
    states: list[KeptThread] = []
    for failure in failing:
        known = next(iter(threads.marked(ThreadKind.TEST, failure.mark)), None)
        state = _failed_again(known.thread, failure, origin) if known is not None else failure
        if state is not None:
            states.append(KeptThread(state))
    marks = {each.mark for each in failing}
    typed = [(each, posixpath.normpath(posixpath.join(placement.folder, each))) for each in run.paths]
    folders = [placement.place(each) or whole for each, whole in typed]
    passed = {base_name(run.runner, name) for name in run.passed}
    located = evolve(run, paths=(*run.paths, *folders)) if folders else run
    command = " ".join(event.text.split())[:_COMMAND_LENGTH]
    for kept in threads.open(None, (ThreadKind.TEST,)):
        thread = kept.thread
        if thread.mark in marks or thread.opened_at > origin.at:
            continue
        verb = _recovery(located, passed, thread)
        if verb:
            closed = evolve(thread, closed_at=origin.at, closed_by=f"it {verb} in: {command}", note="")
            states.append(evolve(kept, thread=closed))
    return states


def _failure(run: TestRun, test: FailedTest, origin: EventContext, placement: TestPlacement) -> Thread:
    """The thread of a test that failed, as a new one."""
    path, symbol, line = placement.of(run.runner, test)
    mark = f"{run.runner}|{test.group or path or test.path}|{test.name}"  # `_recovery` takes it apart
    text = f"{test.name or test.path} fails"
    thread = origin.opened(ThreadKind.TEST, f"{text}: {test.message}" if test.message else text, mark, mark)
    return evolve(thread, path=path, symbol=symbol, line=line)


def _failed_again(known: Thread, failure: Thread, origin: EventContext) -> Thread | None:
    """The known thread of a test that failed once more; None when it says so already or ended later."""
    if known.opened_at > origin.at:
        return None
    if known.closed_at is not None and (known.closed_by.startswith(BY_HAND) or known.closed_at >= origin.at):
        return None
    path, symbol, line = failure.path, failure.symbol, failure.line
    again = evolve(known, text=failure.text, path=path, symbol=symbol, line=line, closed_at=None, closed_by="")
    return again if again != known else None


def _recovery(run: TestRun, passed: Container[str], thread: Thread) -> str:
    """What a run says of a failing test that it does not name among its failures: "" for nothing."""
    runner, where, name = thread.mark.split("|", 2)
    if runner != run.runner:
        return ""
    if name in passed:
        return "passes"
    return "fails no more" if run.speaks_for(name, thread.path, where) else ""
