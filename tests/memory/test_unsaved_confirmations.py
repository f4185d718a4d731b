"""A confirmation made while the text was not saved."""

from __future__ import annotations

import pytest
from project import CLIENT, Project

from memlsp import Memory
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Standing

UNSAVED = CLIENT.replace("retries=3", "retries=5")


@pytest.fixture
def known(memory: Memory, project: Project) -> str:
    """A belief that was confirmed for a buffer."""
    place = Place("client.py", symbol="fetch")
    known = memory.remember("fetch gives up after 3 retries", at=[place], by=Caller(folder=project.root)).belief.id
    memory.open_buffer("client.py", UNSAVED, 1)
    assert memory.belief(known).standing is Standing.CONTRADICTED
    assert memory.revise(known, "confirm").standing is Standing.CURRENT
    return known


def actions(memory: Memory, known: str) -> list[str]:
    return [each.action.value for each in memory.revisions(known)]


def test_it_stands_while_the_text_is_edited_further(memory: Memory, known: str) -> None:
    memory.open_buffer("client.py", UNSAVED + "\n\nOTHER = 1\n", 2)
    assert memory.belief(known).standing is Standing.CURRENT


def test_it_is_taken_back_when_the_buffer_is_closed(memory: Memory, known: str) -> None:
    memory.close_buffer("client.py")
    assert memory.belief(known).standing is Standing.CURRENT
    assert actions(memory, known) == ["remember", "confirm", "rollback"]


def test_it_is_taken_back_when_the_buffer_is_as_it_was(memory: Memory, known: str) -> None:
    memory.open_buffer("client.py", CLIENT, 2)
    assert memory.belief(known).standing is Standing.CURRENT
    assert actions(memory, known)[-1] == "rollback"


def test_it_stays_when_the_text_was_saved(memory: Memory, project: Project, known: str) -> None:
    project.write("client.py", UNSAVED)
    memory.files_changed(["client.py"])
    memory.close_buffer("client.py")
    project.write("client.py", CLIENT)
    memory.files_changed(["client.py"])
    assert actions(memory, known) == ["remember", "confirm"]


def test_it_stays_when_something_else_was_decided_since(memory: Memory, known: str) -> None:
    memory.revise(known, "lock")
    memory.close_buffer("client.py")
    assert actions(memory, known) == ["remember", "confirm", "lock"]
