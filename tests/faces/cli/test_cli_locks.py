"""Evading a lock takes a code that is typed at the terminal of the process itself."""

from __future__ import annotations

import sys

import pytest
from project import Project
from terminal_session import Terminal

from memlsp import Memory

in_a_terminal = pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")


@pytest.fixture
def locked(project: Project) -> str:
    with Memory.open(project.root) as memory:
        id = memory.remember("The tax is rounded down.").belief.id
        memory.revise(id, "lock")
    return id


@in_a_terminal
def test_a_person_types_the_code_and_the_audit_says_so(project: Project, locked: str) -> None:
    with Terminal(["revise", locked, "unlock"], project.root) as terminal:
        terminal.type_code()
        assert terminal.end() == 0
    with Memory.open(project.root) as memory:
        assert not memory.belief(locked).belief.locked
        assert memory.audit.list(limit=1)[0].source == "terminal"


@in_a_terminal
@pytest.mark.parametrize("words", ["revise ID unlock", "revise ID retire", "forget ID --yes"])
def test_a_terminal_at_which_nobody_reads_the_code_opens_nothing(project: Project, locked: str, words: str) -> None:
    with Terminal(words.replace("ID", locked).split(), project.root) as terminal:
        terminal.type_code("no code")
        assert terminal.end() == 1
        assert "the code was not typed" in " ".join(terminal.said.split())
    with Memory.open(project.root) as memory:
        assert memory.belief(locked).belief.locked
