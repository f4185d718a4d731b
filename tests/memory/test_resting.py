"""A belief that rests on another is asked about when that one falls, and when somebody says so it holds again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve
from project import Project

from memlsp import Memory
from memlsp.model.belief import Revision, RevisionAction
from memlsp.model.errors import BadValue, NoSuchBelief
from memlsp.model.place import Place
from memlsp.model.standing import Standing


class Clock:
    """A clock that moves a minute whenever it is looked at."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture
def ticking(project: Project, tmp_path: Path) -> Memory:
    """A memory whose time passes."""
    return Memory.open(project.root, data_dir=tmp_path / "data", clock=Clock())


def resting(memory: Memory) -> tuple[str, str]:
    """A belief and one that rests on it."""
    base = memory.remember("The gateway drops one call in ten.").belief.id
    return base, memory.remember("Retry three times.", because_of=[base]).belief.id


def why(memory: Memory, id: str) -> str:
    """The first reason, when the belief is asked about."""
    judgement = memory.belief(id)
    assert judgement.standing is Standing.CHANGED
    assert judgement.reasons[0].code == "base-fallen"
    return judgement.reasons[0].message


def test_a_belief_whose_base_stands_holds(ticking: Memory) -> None:
    assert ticking.belief(resting(ticking)[1]).standing.holds


def test_a_retired_base_is_told(ticking: Memory) -> None:
    base, top = resting(ticking)
    ticking.revise(base, RevisionAction.RETIRE)
    assert why(ticking, top) == f"It rests on {base}, which was retired"
    assert [judgement.belief.id for judgement in ticking.attention()] == [top]


def test_a_superseded_base_is_told_with_what_took_its_place(ticking: Memory) -> None:
    base, top = resting(ticking)
    new = ticking.revise(base, RevisionAction.SUPERSEDE, text="The gateway drops no call.").belief.id
    assert why(ticking, top) == f"It rests on {base}, which was superseded by {new}"


def test_a_base_that_the_code_contradicts_is_told(ticking: Memory, project: Project) -> None:
    base = ticking.remember("`fetch` retries 3 times.", at=[Place("client.py", symbol="fetch")]).belief.id
    top = ticking.remember("Callers need no loop of their own.", because_of=[base]).belief.id
    project.replace("client.py", "retries=3", "retries=1")
    assert why(ticking, top).startswith(f"It rests on {base}, which the code contradicts: ")


def test_whoever_confirms_it_has_answered(ticking: Memory) -> None:
    base, top = resting(ticking)
    ticking.revise(base, RevisionAction.RETIRE)
    assert ticking.revise(top, RevisionAction.CONFIRM).standing.holds
    assert ticking.belief(top).standing.holds


def test_a_base_that_comes_back_asks_nobody(ticking: Memory) -> None:
    base, top = resting(ticking)
    ticking.revise(base, RevisionAction.RETIRE)
    ticking.revise(base, RevisionAction.ROLLBACK)
    assert ticking.belief(top).standing.holds


def test_doubt_spreads_upwards_through_what_holds_itself(ticking: Memory) -> None:
    base, middle = resting(ticking)
    top = ticking.remember("The page may take nine seconds.", because_of=[middle]).belief.id
    ticking.revise(base, RevisionAction.RETIRE)
    assert why(ticking, top) == f"It rests on {middle}, which rests on {base}, which was retired"
    ticking.revise(middle, RevisionAction.CONFIRM)
    assert ticking.belief(top).standing.holds


def test_a_circle_ends(ticking: Memory) -> None:
    base, top = resting(ticking)
    belief = ticking.belief(base).belief
    made = Revision(base, 0, RevisionAction.SCOPE, belief.author, "test", belief.updated_at)
    ticking._store.change(evolve(belief, because_of=(top,)), made)  # pyright: ignore[reportPrivateUsage]
    assert ticking.belief(top).standing.holds
    assert ticking.belief(base).standing.holds


def test_a_long_chain_ends(ticking: Memory) -> None:
    base, last = resting(ticking)
    for step in range(40):
        last = ticking.remember(f"Step {step} of the argument.", because_of=[last]).belief.id
    ticking.revise(base, RevisionAction.RETIRE)
    assert ticking.belief(last).belief.id == last


def test_nothing_new_rests_on_the_past_or_on_nothing(ticking: Memory) -> None:
    base, _ = resting(ticking)
    ticking.revise(base, RevisionAction.RETIRE)
    with pytest.raises(BadValue, match="nothing new can rest on it"):
        ticking.remember("Retry six times.", because_of=[base])
    with pytest.raises(NoSuchBelief):
        ticking.remember("Retry six times.", because_of=["zzzzzzzz"])


def test_it_is_shown_where_the_belief_is_tied_to_though_the_code_is_as_it_was(ticking: Memory) -> None:
    base = ticking.remember("The gateway drops one call in ten.").belief.id
    ticking.remember("Retries three times.", at=[Place("client.py", symbol="fetch")], because_of=[base])
    assert ticking.findings("client.py") == ()
    ticking.revise(base, RevisionAction.RETIRE)
    (finding,) = ticking.findings("client.py")
    assert finding.standing is Standing.CHANGED
    assert "which was retired" in finding.brief
