"""What is forgotten is gone: from every table, index, cache, log and file; and the rest is as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from forgetting_world import FETCH, OTHER, Clock, saturate, standing_in
from project import Project

from memlsp import Memory
from memlsp.model.belief import Scope, ScopeKind
from memlsp.model.forgetting import Selector, SelectorKind

USER = Scope(ScopeKind.USER)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def memory(project: Project, clock: Clock, data: Path) -> Iterator[Memory]:
    with Memory.open(project.root, clock=clock, data_dir=data) as opened:
        opened.intake.settle()  # the first look
        yield opened


def one(id: str) -> Selector:
    return Selector(SelectorKind.BELIEF, id)


def test_a_belief_is_gone_from_every_file_with_all_that_was_derived_from_it(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    id = saturate(memory, project, clock)
    before = {name for name, _ in standing_in(data)}
    assert "memory.db" in before or "memory.db-wal" in before
    receipt = memory.forgetting.forget(one(id))
    assert receipt.left == ()
    assert receipt.searched > 3
    assert list(standing_in(data)) == []
    assert [judgement.belief.text for judgement in memory.beliefs()] == [OTHER]
    assert memory.recall("thirty seconds gateway").hits


def test_what_is_left_of_the_rest_can_still_be_read(memory: Memory, project: Project, clock: Clock) -> None:
    memory.forgetting.forget(one(saturate(memory, project, clock)))
    assert memory.intake.events()
    assert memory.work.episodes()
    assert memory.handoffs.list(include_past=True)
    memory.threads.all()
    memory.why(FETCH, base=project.root)
    memory.handoffs.briefing()
    memory.intake.settle()
    assert all("[forgotten]" not in judgement.belief.text for judgement in memory.beliefs())
    assert all(check.ok for check in memory.doctor() if "integrity" in check.name)
