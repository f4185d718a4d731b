from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from git_world import git, repository, write
from watchdog.observers.api import BaseObserver

from memlsp.capture.workspace.file_events import FileObserver, watch_plan
from memlsp.capture.workspace.watcher import Watcher

_WITHIN = 20.0  # seconds; a bound for slow machines, not an expectation


class Calls:
    """What a watcher said, and a way to wait for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.heard: list[Sequence[str] | None] = []

    def __call__(self, paths: Sequence[str] | None) -> None:
        with self._changed:
            self.heard.append(paths)
            self._changed.notify_all()

    def until(self, enough: Callable[[], bool]) -> bool:
        with self._changed:
            return self._changed.wait_for(enough, _WITHIN)

    @property
    def paths(self) -> set[str]:
        return {path for call in self.heard for path in call or ()}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    files = {f"src/m{number}.py": f"X = {number}\n" for number in range(3)} | {".gitignore": "*.log\nout/\n"}
    return repository(tmp_path / "shop", files=files)


@pytest.fixture
def calls() -> Calls:
    return Calls()


@pytest.fixture
def watcher(shop: Path, calls: Calls) -> Iterator[Watcher]:
    watcher = Watcher(shop, calls)
    watcher.start()
    yield watcher
    watcher.stop()


def _mark(shop: Path, calls: Calls) -> None:
    """Change one file and wait until that is told: what came before has been told by then, too."""
    write(shop, {"mark.py": f"{time.monotonic_ns()}"})
    assert calls.until(lambda: "mark.py" in calls.paths), calls.heard


def test_a_save_is_told(shop: Path, calls: Calls, watcher: Watcher, caplog: pytest.LogCaptureFixture) -> None:
    write(shop, {"src/m1.py": "X = 9\n"})
    assert calls.until(lambda: bool(calls.heard))
    assert calls.heard == [("src/m1.py",)]
    assert caplog.messages == []


def test_several_saves_at_once_are_one_call(shop: Path, calls: Calls, watcher: Watcher) -> None:
    write(shop, {f"src/m{number}.py": "X = 9\n" for number in range(3)})
    assert calls.until(lambda: len(calls.paths) == 3)
    assert len(calls.heard) == 1


def test_a_save_through_a_temporary_file_is_that_of_the_file(shop: Path, calls: Calls, watcher: Watcher) -> None:
    write(shop, {"src/.m1.py.tmp": "X = 9\n"})
    (shop / "src" / ".m1.py.tmp").replace(shop / "src" / "m1.py")
    assert calls.until(lambda: bool(calls.heard))
    assert calls.paths == {"src/m1.py"}


def test_new_renamed_and_removed_files_are_told(shop: Path, calls: Calls, watcher: Watcher) -> None:
    write(shop, {"src/new.py": ""})
    (shop / "src" / "m0.py").rename(shop / "src" / "moved.py")
    (shop / "src" / "m1.py").unlink()
    wanted = {"src/new.py", "src/m0.py", "src/moved.py", "src/m1.py"}
    assert calls.until(lambda: calls.paths == wanted), calls.heard


def test_files_in_new_folders_are_told_and_watched_from_then_on(shop: Path, calls: Calls, watcher: Watcher) -> None:
    write(shop, {"lib/deep/a.py": "x"})
    assert calls.until(lambda: "lib/deep/a.py" in calls.paths), calls.heard
    calls.heard.clear()
    write(shop, {"lib/deep/a.py": "xy"})
    assert calls.until(lambda: "lib/deep/a.py" in calls.paths), calls.heard


def test_a_folder_that_is_moved_or_removed_takes_its_files_along(shop: Path, calls: Calls, watcher: Watcher) -> None:
    (shop / "src").rename(shop / "lib")
    wanted = {f"{folder}/m{number}.py" for folder in ("src", "lib") for number in range(3)}
    assert calls.until(lambda: calls.paths >= wanted), calls.heard
    calls.heard.clear()
    shutil.rmtree(shop / "lib")
    assert calls.until(lambda: calls.paths >= {f"lib/m{number}.py" for number in range(3)}), calls.heard


def test_what_is_ignored_is_not_told(shop: Path, calls: Calls, watcher: Watcher) -> None:
    write(shop, {"a.log": "", "out/a.py": "", "node_modules/x/i.js": "", "src/__pycache__/m.pyc": "", ".venv/a.py": ""})
    _mark(shop, calls)
    assert calls.paths == {"mark.py"}


def test_staging_is_not_told(shop: Path, calls: Calls, watcher: Watcher) -> None:
    git(shop, "update-index", "--refresh")
    git(shop, "rm", "-q", "--cached", "src/m1.py")
    _mark(shop, calls)
    assert calls.paths == {"mark.py"}
    assert None not in calls.heard


def test_a_branch_switch_over_hundreds_of_files_is_one_call(shop: Path, calls: Calls) -> None:
    git(shop, "checkout", "-q", "-b", "other")
    write(shop, {f"src/n{number}/m{inner}.py": "Y = 1\n" for number in range(20) for inner in range(20)})
    write(shop, {"src/m1.py": "X = 2\n"})
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Much")
    watcher = Watcher(shop, calls)
    watcher.start()
    try:
        for branch in ("main", "other"):
            calls.heard.clear()
            git(shop, "checkout", "-q", branch)
            assert calls.until(lambda: bool(calls.heard))
            _mark(shop, calls)
            assert [call for call in calls.heard if call != ("mark.py",)] == [None]
            (shop / "mark.py").unlink()
            assert calls.until(lambda: calls.heard[-1] == ("mark.py",) and calls.heard.count(("mark.py",)) == 2)
    finally:
        watcher.stop()


@pytest.mark.parametrize("act", ["stash", "commit", "reset", "rebase"])
def test_what_git_does_to_the_checkout_is_one_call(shop: Path, calls: Calls, act: str) -> None:
    git(shop, "checkout", "-q", "-b", "side")
    for number in range(3):
        write(shop, {f"src/m{number}.py": "X = 7\n"})
        git(shop, "commit", "-q", "-a", "-m", f"Side {number}")
    git(shop, "checkout", "-q", "main")
    write(shop, {"other.py": "Y = 1\n"})
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Main")
    git(shop, "checkout", "-q", "side")
    if act in {"stash", "commit"}:
        write(shop, {"src/m1.py": "X = 8\n"})
    watcher = Watcher(shop, calls)
    watcher.start()
    try:
        does = {
            "stash": ["stash"],
            "commit": ["commit", "-q", "-a", "-m", "More"],
            "reset": ["reset", "-q", "--hard", "HEAD~2"],
            "rebase": ["rebase", "-q", "main"],
        }
        git(shop, *does[act])
        assert calls.until(lambda: bool(calls.heard))
        _mark(shop, calls)
        assert [call for call in calls.heard if call != ("mark.py",)] == [None]
    finally:
        watcher.stop()


def test_changes_wait_while_git_holds_its_lock(shop: Path, calls: Calls, watcher: Watcher) -> None:
    lock = shop / ".git" / "index.lock"
    lock.write_text("")
    write(shop, {"src/m1.py": "X = 9\n"})
    released = threading.Event()

    def release() -> None:
        released.set()
        lock.unlink()

    timer = threading.Timer(0.6, release)
    timer.start()
    assert calls.until(lambda: bool(calls.heard))
    assert released.is_set()
    assert calls.heard == [("src/m1.py",)]
    timer.join()


def test_a_linked_worktree_hears_of_its_own_switches(shop: Path, calls: Calls, tmp_path: Path) -> None:
    git(shop, "branch", "other")
    git(shop, "worktree", "add", "-q", str(tmp_path / "linked"), "other")
    write(tmp_path / "linked", {"src/m1.py": "X = 5\n"})
    watcher = Watcher(tmp_path / "linked", calls)
    watcher.start()
    try:
        git(tmp_path / "linked", "commit", "-q", "-a", "-m", "Linked")
        assert calls.until(lambda: calls.heard == [None]), calls.heard
    finally:
        watcher.stop()


def test_many_files_at_once_are_everything(tmp_path: Path, calls: Calls) -> None:
    write(tmp_path / "notes", {"a.md": ""})
    watcher = Watcher(tmp_path / "notes", calls)
    watcher.start()
    try:
        write(tmp_path / "notes", {f"n{number}.md": "" for number in range(300)})
        assert calls.until(lambda: None in calls.heard), calls.heard
    finally:
        watcher.stop()


def test_changed_ignore_rules_count_from_then_on(shop: Path, calls: Calls, watcher: Watcher) -> None:
    write(shop, {".gitignore": "*.txt\n"})
    assert calls.until(lambda: ".gitignore" in calls.paths)
    write(shop, {"a.txt": "", "a.log": ""})
    assert calls.until(lambda: "a.log" in calls.paths), calls.heard
    assert "a.txt" not in calls.paths


def test_a_failing_listener_does_not_end_the_watching(
    shop: Path, calls: Calls, caplog: pytest.LogCaptureFixture
) -> None:
    def fail_first(paths: Sequence[str] | None) -> None:
        calls(paths)
        if len(calls.heard) == 1:
            message = "no"
            raise ValueError(message)

    watcher = Watcher(shop, fail_first)
    watcher.start()
    try:
        write(shop, {"src/m1.py": "X = 9\n"})
        assert calls.until(lambda: len(calls.heard) == 1)
        _mark(shop, calls)
        assert "a change was not handled" in caplog.text
    finally:
        watcher.stop()


def test_nothing_is_told_after_the_end(shop: Path, calls: Calls, watcher: Watcher) -> None:
    _mark(shop, calls)
    before = threading.active_count()
    watcher.stop()
    told = len(calls.heard)
    write(shop, {"src/m1.py": "X = 9\n"})
    watcher.stop()
    assert len(calls.heard) == told
    assert threading.active_count() < before


def test_it_may_be_ended_before_it_began_and_from_its_own_call(shop: Path) -> None:
    Watcher(shop, lambda _: None).stop()
    ended = threading.Event()

    def end(_: Sequence[str] | None) -> None:
        watcher.stop()
        ended.set()

    watcher = Watcher(shop, end)
    watcher.start()
    write(shop, {"src/m1.py": "X = 9\n"})
    assert ended.wait(_WITHIN)


def _no_handles(*_: Any, **__: Any) -> None:
    raise OSError(28, "inotify watch limit reached")


def test_without_handles_files_are_compared_instead_and_that_is_said_once(
    shop: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(FileObserver, "start", _no_handles)
    watcher = Watcher(shop, calls, rescan=0.1)
    watcher.start()
    try:
        (problem,) = caplog.messages
        assert "inotify watch limit reached" in problem
        write(shop, {"src/m1.py": "X = 99\n", "src/new.py": "", "a.log": ""})
        (shop / "src" / "m2.py").unlink()
        assert calls.until(lambda: calls.paths == {"src/m1.py", "src/new.py", "src/m2.py"}), calls.heard
        calls.heard.clear()
        git(shop, "stash", "-q")
        assert calls.until(lambda: bool(calls.heard))
        assert calls.heard[0] is None
    finally:
        watcher.stop()


def test_when_the_watching_dies_everything_is_told_and_comparing_begins(
    shop: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("memlsp.capture.workspace.watcher._SUPERVISED_EVERY", 0.1)
    watcher = Watcher(shop, calls, rescan=0.1)
    watcher.start()
    try:
        for thread in threading.enumerate():
            if isinstance(thread, BaseObserver):
                thread.stop()
        assert calls.until(lambda: None in calls.heard)
        assert "the watching stopped" in caplog.text
        write(shop, {"src/m1.py": "X = 99\n"})
        assert calls.until(lambda: "src/m1.py" in calls.paths), calls.heard
    finally:
        watcher.stop()


def test_large_ignored_folders_cost_no_handles(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / "node_modules" / str(number)).mkdir(parents=True)
        (tmp_path / "web" / "out" / str(number)).mkdir(parents=True)
    for folder in ("src/a/__pycache__", "src/b", "web/app"):
        (tmp_path / folder).mkdir(parents=True)
    folders = ["", "src", "src/a", "src/b", "web", "web/app"]
    assert watch_plan(tmp_path, folders) == [("", False), ("web", False), ("src", True), ("web/app", True)]


def test_the_number_of_watches_is_bounded(tmp_path: Path) -> None:
    names = [str(number) for number in range(60)]
    for name in names:
        (tmp_path / name).mkdir()
    assert watch_plan(tmp_path, ["", *names]) == [("", True)]
