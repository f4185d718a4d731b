"""Evading a lock takes a code that is typed at the terminal of the process itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from project import Project

from memlsp import Memory
from tests.patience import patience

if sys.platform == "win32":
    pytest.skip("there are no terminals of this kind", allow_module_level=True)

import fcntl
import pty
import select
import termios


def typed(command: list[str], folder: Path, answer: Callable[[str], str]) -> tuple[int, str]:
    """Run a command at a terminal of its own; when it asks for a code, type what `answer` makes of what it printed."""
    ours, theirs = pty.openpty()

    def begin() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    shown, answered = "", False
    with subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=begin) as process:  # noqa: PLW1509
        os.close(theirs)
        while select.select([ours], [], [], patience(60))[0]:
            try:
                read = os.read(ours, 4096)
            except OSError:  # it has ended
                break
            shown += read.decode(errors="replace")
            if not answered and re.search(r"type \d{4}: ", shown):
                answered = True
                os.write(ours, f"{answer(shown)}\n".encode())
        status = process.wait(patience(60))
    os.close(ours)
    return status, shown


def code(shown: str) -> str:
    found = re.search(r"type (\d{4}): ", shown)
    assert found
    return found[1]


@pytest.fixture
def locked(project: Project) -> str:
    with Memory.open(project.root) as memory:
        id = memory.remember("The tax is rounded down.").belief.id
        memory.revise(id, "lock")
    return id


def test_a_person_types_the_code_and_the_audit_says_so(project: Project, locked: str) -> None:
    command = [sys.executable, "-P", "-m", "memlsp", "revise", locked, "unlock"]
    status, shown = typed(command, project.root, code)
    assert status == 0, shown
    with Memory.open(project.root) as memory:
        assert not memory.belief(locked).belief.locked
        assert memory.audit.list(limit=1)[0].source == "terminal"


def test_a_terminal_at_which_nobody_reads_the_code_opens_nothing(project: Project, locked: str) -> None:
    for words in (("revise", locked, "unlock"), ("forget", locked, "--yes"), ("revise", locked, "retire")):
        command = [sys.executable, "-P", "-m", "memlsp", *words]
        status, shown = typed(command, project.root, lambda shown: f"{(int(code(shown)) + 1) % 10_000:04}")
        assert status == 1
        assert "the code was not typed" in shown
    with Memory.open(project.root) as memory:
        assert memory.belief(locked).belief.locked
