"""What is remembered twice at the same place is one belief, confirmed."""

from __future__ import annotations

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.belief import Author, AuthorKind, BeliefKind, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Standing

FETCH = Place("client.py", symbol="fetch")
AGENT = Author("Claude Code", AuthorKind.AGENT)
TEXT = "fetch tries three times"


@pytest.mark.parametrize("again", [TEXT, "Fetch tries  three times.", "fetch tries\nthree times"])
def test_the_same_sentence_at_the_same_place_confirms_what_is_known(
    memory: Memory, project: Project, again: str
) -> None:
    first = memory.remember(TEXT, at=[FETCH], by=Caller(folder=project.root)).belief
    second = memory.remember(again, at=[FETCH], by=Caller(folder=project.root)).belief
    assert second.id == first.id
    assert second.confidence > first.confidence
    assert len(memory.beliefs()) == 1
    assert [r.action for r in memory.revisions(first.id)] == [RevisionAction.REMEMBER, RevisionAction.CONFIRM]
    assert memory.revisions(first.id)[-1].note == "said again"


def test_saying_it_again_of_changed_code_makes_it_current_there(memory: Memory, project: Project) -> None:
    first = memory.remember("fetch goes on and on", at=[FETCH], by=Caller(folder=project.root)).belief
    project.replace("client.py", "retries=3", "retries=5")
    assert memory.belief(first.id).standing is Standing.CHANGED
    again = memory.remember("fetch goes on and on", at=[FETCH], by=Caller(folder=project.root))
    assert (again.belief.id, again.standing) == (first.id, Standing.CURRENT)


def test_what_is_tied_to_nothing_is_known_again_too(memory: Memory) -> None:
    assert memory.remember("We ship on Fridays").belief.id == memory.remember("we ship on fridays.").belief.id


@pytest.mark.parametrize("text", ["Доставка идёт по пятницам", "金曜日に出荷する", "größer_als ist STRASSE", "a_b: c!"])
def test_a_statement_in_any_script_is_known_again(memory: Memory, text: str) -> None:
    assert memory.remember(text).belief.id == memory.remember(f"{text}.").belief.id


def test_it_is_known_again_among_many_of_the_same_words_elsewhere(memory: Memory, project: Project) -> None:
    places = [project.write(f"part_{number}.py", "def fetch():\n    pass\n").name for number in range(30)]
    made = [memory.remember(TEXT, at=[Place(name)], by=Caller(folder=project.root)).belief.id for name in places]
    again = [memory.remember(TEXT, at=[Place(name)], by=Caller(folder=project.root)).belief.id for name in places]
    assert again == made


def test_another_place_kind_or_word_is_another_belief(memory: Memory, project: Project) -> None:
    memory.remember(TEXT, at=[FETCH], by=Caller(folder=project.root))
    memory.remember(TEXT, at=[Place("client.py")], by=Caller(folder=project.root))
    memory.remember(TEXT, at=[FETCH], kind=BeliefKind.GOTCHA, by=Caller(folder=project.root))
    memory.remember("fetch tries four times", at=[FETCH], by=Caller(folder=project.root))
    memory.remember(TEXT)
    assert len(memory.beliefs()) == 5


def test_what_was_retired_is_said_anew(memory: Memory, project: Project) -> None:
    first = memory.remember(TEXT, at=[FETCH], by=Caller(folder=project.root)).belief
    memory.revise(first.id, "retire")
    assert memory.remember(TEXT, at=[FETCH], by=Caller(folder=project.root)).belief.id != first.id


def test_an_agent_that_repeats_a_locked_belief_is_told_of_it_and_changes_nothing(
    memory: Memory, project: Project
) -> None:
    first = memory.remember(TEXT, at=[FETCH], by=Caller(folder=project.root)).belief
    memory.revise(first.id, "lock")
    again = memory.remember(TEXT, at=[FETCH], by=Caller(author=AGENT, folder=project.root)).belief
    assert again.id == first.id
    assert [r.action for r in memory.revisions(first.id)] == [RevisionAction.REMEMBER, RevisionAction.LOCK]
