"""Failing tests as threads: locate a test, open its thread when it fails, close it when it passes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from attrs import define, evolve

from memlsp.capture.workspace.worktree import Worktree
from memlsp.episodes.code_threads import BY_HAND, EventContext, thread_id
from memlsp.episodes.runner_output import FailedTest, TestRun, base_name
from memlsp.model.errors import Refused, UnreadableSource
from memlsp.model.event import Event
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.tables.threads import KeptThread, ThreadRepository

_SUFFIXES = {
    "pytest": (".py",),
    "unittest": (".py",),
    "jest": (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs"),
    "vitest": (".js", ".jsx", ".ts", ".tsx", ".mjs", ".mts"),
    "mocha": (".js", ".ts", ".mjs", ".cjs"),
    "go": ("_test.go",),
    "cargo": (".rs",),
    "maven": (".java", ".kt"),
    "gradle": (".java", ".kt", ".groovy"),
    "phpunit": (".php",),
    "rspec": (".rb",),
    "dotnet": (".cs",),
}
_DEFINITION = {"go": "func {}(", "cargo": "fn {}(", "unittest": "def {}(", "phpunit": "function {}("}
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
            if not inner.startswith(("../", "/")) and self._exists(inner):
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
        suffixes = _SUFFIXES[runner]
        holder = parts[-2].partition("$")[0] if len(parts) > 1 else ""
        if runner in {"maven", "gradle", "phpunit", "dotnet"} and holder:
            stem = (parts[0] if runner == "gradle" else holder).rpartition(".")[2]
            named = [
                path for path in self.worktree.paths() if PurePosixPath(path).stem == stem and path.endswith(suffixes)
            ]
            if len(named) == 1:
                return named[0]
        last = parts[-1].removesuffix("()") if parts else ""
        definition = _DEFINITION.get(runner, "{}").format(last)
        if len(last) < 4:
            return ""
        holding = self.worktree.containing([definition.encode("utf-8", "replace")], suffixes=suffixes, limit=2)
        return holding[0] if len(holding) == 1 else ""

    def _exists(self, path: str) -> bool:
        return self._read(path) is not None

    def _read(self, path: str) -> bytes | None:
        try:
            return self.worktree.read(path)
        except (UnreadableSource, Refused):
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
    states: list[KeptThread] = []
    failing: set[str] = set()
    command = " ".join(event.text.split())[:_COMMAND_LENGTH]
    for test in run.failed:
        path, symbol, line = placement.of(run.runner, test)
        mark = _mark(run.runner, test.group or path or test.path, test.name)
        failing.add(mark)
        simple = test.name or test.path
        text = f"{simple} fails: {test.message}" if test.message else f"{simple} fails"
        known = next(iter(threads.marked(ThreadKind.TEST, mark)), None)
        if known is None:
            thread = Thread(
                id=thread_id(origin.key, ThreadKind.TEST, mark),
                kind=ThreadKind.TEST,
                text=text,
                opened_at=origin.at,
                mark=mark,
                path=path,
                symbol=symbol,
                line=line,
                source=origin.source,
                session=origin.session,
                episode=origin.episode,
            )
            states.append(KeptThread(thread))
            continue
        old = known.thread
        by_hand = old.closed_by.startswith(BY_HAND)
        if (old.closed_at is not None and (by_hand or old.closed_at >= origin.at)) or old.opened_at > origin.at:
            continue
        new = evolve(old, text=text, path=path, symbol=symbol, line=line, closed_at=None, closed_by="")
        if new != old:
            states.append(KeptThread(new))
    passed = {base_name(run.runner, name) for name in run.passed}
    folders = [
        placement.place(each) or posixpath.normpath(posixpath.join(placement.folder, each)) for each in run.paths
    ]
    located = evolve(run, paths=(*run.paths, *folders)) if folders else run
    for kept in threads.open(None, (ThreadKind.TEST,)):
        thread = kept.thread
        runner, where, name = _split_mark(thread.mark)
        if runner != run.runner or thread.mark in failing or thread.opened_at > origin.at:
            continue
        if name in passed:
            reason = f"it passes in: {command}"
        elif located.speaks_for(name, thread.path, where):
            reason = f"it fails no more in: {command}"
        else:
            continue
        states.append(evolve(kept, thread=evolve(thread, closed_at=origin.at, closed_by=reason, note="")))
    return states


def _mark(runner: str, where: str, name: str) -> str:
    return f"{runner}|{where}|{name}"


def _split_mark(mark: str) -> tuple[str, str, str]:
    runner, _, rest = mark.partition("|")
    where, _, name = rest.partition("|")
    return runner, where, name
