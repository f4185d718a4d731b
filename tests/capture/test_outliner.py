"""Large files are outlined in another process, which may be slow, die or never answer."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlsp.capture.workspace.outliner import Outliner
from memlsp.capture.workspace.worktree import LARGE, Worktree
from memlsp.code.syntax.outline import outline, unread

_WAIT = 60.0
_DIES = (sys.executable, "-c", "import sys; sys.stdin.buffer.read(20)")
_HANGS = (sys.executable, "-c", "import sys, threading; sys.stdin.buffer.read(20); threading.Event().wait()")
_SPEAKS_NONSENSE = (sys.executable, "-c", "import sys; sys.stdout.write('x' * 4000); sys.stdout.flush()")


class Told:
    """What was told, and a way to wait for it."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._event = threading.Event()

    def __call__(self, path: str) -> None:
        self.paths.append(path)
        self._event.set()

    def wait(self) -> None:
        assert self._event.wait(_WAIT)
        self._event.clear()


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def outliner(told: Told) -> Iterator[Outliner]:
    made = Outliner(told)
    yield made
    made.close()


def large(value: int = 3) -> bytes:
    """A large file: a hundred functions with long documentation."""
    functions = [f'def step{n}(a):\n    """{"Say. " * 500}"""\n    return a * {value}\n' for n in range(100)]
    return ("import os\n\n" + "\n\n".join(functions)).encode()


def test_the_answer_is_the_outline(outliner: Outliner, told: Told) -> None:
    assert outliner.outline("a.py", large()) is None
    told.wait()
    assert told.paths == ["a.py"]
    assert outliner.outline("a.py", large()) == outline("a.py", large())


def test_the_next_state_of_a_file_is_answered_too(outliner: Outliner, told: Told) -> None:
    for value in (3, 4):
        outliner.outline("a.py", large(value))
        told.wait()
        assert outliner.outline("a.py", large(value)) == outline("a.py", large(value))


def test_of_many_states_the_last_one_counts(outliner: Outliner, told: Told) -> None:
    for value in range(20):
        outliner.outline("a.py", large(value))
    while outliner.outline("a.py", large(19)) is None:
        told.wait()
    assert len(told.paths) < 20


@pytest.mark.parametrize("command", [_DIES, _HANGS, _SPEAKS_NONSENSE], ids=["dies", "hangs", "nonsense"])
def test_a_file_without_an_answer_is_known_by_its_lines(told: Told, command: tuple[str, ...]) -> None:
    outliner = Outliner(told, patience=0.2, command=command)
    try:
        assert outliner.outline("a.py", large()) is None
        told.wait()
        assert outliner.outline("a.py", large()) == unread("a.py", large())
        # nobody waits for the next keystroke's
        assert outliner.outline("a.py", large(4)) == unread("a.py", large(4))
    finally:
        outliner.close()


def test_after_a_pause_it_starts_again(told: Told) -> None:
    outliner = Outliner(told, idle=0.01)
    try:
        for value in (3, 4):
            outliner.outline("a.py", large(value))
            told.wait()
            assert outliner.outline("a.py", large(value)) == outline("a.py", large(value))
            for thread in threading.enumerate():
                if thread.name == "memlsp-outliner":
                    thread.join(_WAIT)
    finally:
        outliner.close()


def test_a_closed_one_answers_by_lines(told: Told) -> None:
    outliner = Outliner(told)
    outliner.close()
    assert outliner.outline("a.py", large()) == unread("a.py", large())


def test_an_impatient_worktree_knows_nothing_then_everything(tmp_path: Path) -> None:
    assert len(large()) > LARGE
    (tmp_path / "a.py").write_bytes(large())
    (tmp_path / "b.py").write_bytes(b"x = 1\n")
    worktree = Worktree(tmp_path, git=False, patient=False)
    try:
        before = worktree.generation()
        assert worktree.outline("a.py") is None
        assert worktree.problem("a.py") is None
        other = worktree.outline("b.py")
        assert other is not None
        assert other.find("x")
        _wait_for(worktree, before)
        found = worktree.outline("a.py")
        assert found == outline("a.py", large())
        before = worktree.generation()
        worktree.set_buffer("a.py", large(4).decode(), 1)
        assert worktree.outline("a.py") is found
        _wait_for(worktree, before + 1)
        assert worktree.outline("a.py") == outline("a.py", large(4))
    finally:
        worktree.close()


def test_a_patient_worktree_waits(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(large())
    assert Worktree(tmp_path, git=False).outline("a.py") == outline("a.py", large())


def _wait_for(worktree: Worktree, generation: int) -> None:
    pause = threading.Event()
    for _ in range(int(_WAIT * 100)):
        if worktree.generation() > generation:
            return
        pause.wait(0.01)
    raise AssertionError("no answer")
