"""What others say while something is forgotten stays as they said it, and what was drawn from it meanwhile goes too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from forgetting_world import AGENT, SECRET, Clock, observe, standing_in
from project import Project

from memlsp import Memory
from memlsp.memory.erasure.exported_copies import erase_copies
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Limits, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.store.erase.erasure import ErasureRepository as Rows
from memlsp.store.store import open_store

USER = Scope(ScopeKind.USER)
LIMIT = "The {} limiter waits for its upstream, because the plumbago gateway of the second floor is slow"
SHARED = "plumbago gateway of the second floor"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def memory(project: Project, clock: Clock, data: Path) -> Iterator[Memory]:
    with Memory.open(project.root, clock=clock, data_dir=data) as opened:
        opened.events.settle()  # the first look
        yield opened


def one(id: str) -> Selector:
    return Selector(SelectorKind.BELIEF, id)


def _then(monkeypatch: pytest.MonkeyPatch, name: str, action: Callable[[], object]) -> None:
    """Do it once, right before the next call of `name` of what forgets."""
    was, done = getattr(Rows, name), list[bool]()

    def first(self: Rows, *words: Any, **more: Any) -> Any:
        if not done:
            done.append(True)
            action()
        return was(self, *words, **more)

    monkeypatch.setattr(Rows, name, first)


@pytest.mark.parametrize("scope", [None, USER])
def test_what_is_said_between_the_look_and_the_taking_out_is_as_it_was_said(
    memory: Memory, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: Scope | None
) -> None:
    gone = memory.remember(LIMIT.format("quartzlantern")).belief.id
    text = LIMIT.format("second")
    said = list[str]()
    _then(monkeypatch, "erase", lambda: said.append(memory.remember(text, limits=Limits(scope=scope)).belief.id))
    receipt = memory.forgetting.forget(one(gone))
    assert receipt.left == ()
    assert [(each.belief.id, each.belief.text) for each in memory.beliefs()] == [(said[0], text)]
    assert [hit.judgement.belief.id for hit in memory.recall(SHARED).hits] == said
    assert list(standing_in(data, "quartzlantern")) == []


@pytest.mark.parametrize("scope", [None, USER])
def test_what_is_said_before_rows_are_taken_out_again_is_as_it_was_said(
    memory: Memory, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: Scope | None
) -> None:
    gone = memory.remember(LIMIT.format("quartzlantern")).belief.id
    text = LIMIT.format("second")

    def say(*asked: Any) -> Counter[str]:
        memory.remember(text, limits=Limits(scope=scope))
        memory.copies.export(tmp_path / "all.jsonl", user=scope is not None)
        return erase_copies(*asked)

    monkeypatch.setattr("memlsp.memory.erasure.forgetting._LOCK_WAIT", 0.0)
    monkeypatch.setattr("memlsp.memory.erasure.forgetting.erase_copies", say)
    with open_store(memory.events.store_path) as other, other.journal.turn():
        assert memory.forgetting.forget(one(gone)).left == ()
    assert [each.belief.text for each in memory.beliefs()] == [text]
    assert memory.recall(SHARED).hits
    assert list(standing_in(data, "quartzlantern")) == []


def test_what_is_said_when_the_rows_are_gone_stands_in_copies_and_is_not_named_as_left(
    memory: Memory, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = memory.remember(LIMIT.format("quartzlantern")).belief.id
    text = LIMIT.format("second")

    def say(*_: object) -> None:
        memory.remember(text)
        memory.copies.export(tmp_path / "all.jsonl")

    monkeypatch.setattr("memlsp.memory.transfer.copies_in_progress.wait", say)
    _then(monkeypatch, "compact", lambda: memory.remember("Upstream, the limiter waits for its upstream, because"))
    receipt = memory.forgetting.forget(one(gone))
    assert receipt.left == ()
    assert text in (tmp_path / "all.jsonl").read_text()
    assert text in {each.belief.text for each in memory.beliefs()}
    assert list(standing_in(data, "quartzlantern")) == []


def test_what_is_said_while_the_files_are_searched_is_not_named_as_left(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = memory.remember(LIMIT.format("quartzlantern")).belief.id
    _then(monkeypatch, "holding", lambda: memory.remember(LIMIT.format("second")))
    assert memory.forgetting.forget(one(gone)).left == ()


def test_what_takes_the_place_of_it_meanwhile_and_carries_its_words_goes_too(
    memory: Memory, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = memory.remember(SECRET).belief.id
    _then(monkeypatch, "erase", lambda: memory.revise(first, "supersede", text=f"{SECRET}, in spring"))
    receipt = memory.forgetting.forget(one(first))
    assert (dict(receipt.removed)["beliefs"], receipt.left) == (2, ())
    assert memory.beliefs(include_past=True) == ()
    assert list(standing_in(data)) == []


def test_an_agent_takes_nothing_that_a_person_put_in_its_place_meanwhile(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = memory.remember(SECRET, by=Caller(author=AGENT)).belief.id
    text = f"{SECRET}, in spring"
    _then(monkeypatch, "erase", lambda: memory.revise(first, "supersede", text=text))
    assert memory.forgetting.forget(one(first), author=AGENT).left == ()
    assert [each.belief.text for each in memory.beliefs()] == [text]


def test_what_is_caught_of_the_same_words_when_the_rows_are_gone_goes_where_rows_are_taken_out_again(
    memory: Memory, clock: Clock, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = "Never round quartzlantern invoices of Vexholm Brothers without asking the auditor Plimsoll"
    gone = memory.remember(rule).belief.id
    came = list[str]()

    def propose(*asked: Any) -> Counter[str]:  # as somebody does who read the event before it went
        observe(memory, clock, "prompt", f"Please keep in mind: {rule}")
        other.close()
        memory.events.settle()
        came.extend(each.belief.id for each in memory.beliefs() if each.belief.text.startswith(rule))
        return erase_copies(*asked)

    monkeypatch.setattr("memlsp.memory.erasure.forgetting._LOCK_WAIT", 0.0)
    monkeypatch.setattr("memlsp.memory.erasure.forgetting.erase_copies", propose)
    other = ExitStack()
    with other:
        assert other.enter_context(other.enter_context(open_store(memory.events.store_path)).journal.turn())
        assert memory.forgetting.forget(one(gone)).left == ()
    assert came
    assert memory.beliefs() == memory.proposals.list() == ()
    assert list(standing_in(data)) == []


OTHER = """
import sys
from memlsp import Memory
with Memory.open(sys.argv[1]) as memory:
    print(*sorted(judgement.belief.text for judgement in memory.beliefs()), sep="\\n")
"""


def test_after_forgetting_what_is_said_reaches_others_though_another_process_came_and_went(
    memory: Memory, project: Project, data: Path
) -> None:
    def known_elsewhere() -> list[str]:
        return subprocess.run(
            [sys.executable, "-c", OTHER, str(project.root)],
            env={**os.environ, "MEMLSP_DATA_DIR": str(data)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.splitlines()

    memory.remember("Said before")
    memory.forgetting.forget(one(memory.remember(SECRET).belief.id))
    assert known_elsewhere() == ["Said before"]
    memory.remember("Said after that")
    assert known_elsewhere() == ["Said after that", "Said before"]
