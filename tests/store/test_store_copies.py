"""The register of copies, and whole beliefs out of a store and into another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from attrs import evolve

from memlsp import Memory
from memlsp.model.belief import Belief, RevisionAction
from memlsp.model.copy import BeliefRecord, Copy, CopyKind
from memlsp.model.errors import Refused
from memlsp.store.core.locations import store_path
from memlsp.store.store import Store, open_store
from memlsp.store.tables.acts import FoundBy

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store" / "memory.db") as opened:
        yield opened


@pytest.fixture
def told(memory: Memory) -> Store:
    """A store with a belief that was confirmed and one that was replaced."""
    first = memory.remember("Retries three times").belief.id
    memory.revise(first, RevisionAction.CONFIRM)
    memory.revise(memory.remember("Ships on Fridays").belief.id, RevisionAction.SUPERSEDE, text="Ships on Mondays")
    return open_store(store_path(memory.workspace.key))


def test_the_register_knows_each_place_once_with_its_latest_time(store: Store, tmp_path: Path) -> None:
    store.copies.add(tmp_path / "b.jsonl", CopyKind.JSONL, NOW)
    store.copies.add(str(tmp_path / "a"), "vault", NOW)
    later = NOW.replace(hour=13)
    store.copies.add(tmp_path / "b.jsonl", "backup", later)
    assert store.copies.all() == [
        Copy(tmp_path / "a", CopyKind.VAULT, NOW),
        Copy(tmp_path / "b.jsonl", CopyKind.BACKUP, later),
    ]


def test_a_copy_that_is_no_more_is_struck_out(store: Store, tmp_path: Path) -> None:
    store.copies.add(tmp_path / "a", CopyKind.VAULT, NOW)
    assert store.copies.strike(tmp_path / "a")
    assert not store.copies.strike(tmp_path / "a")
    assert store.copies.all() == []


def test_whole_beliefs_are_the_same_in_another_store(told: Store, store: Store) -> None:
    records = list(told.copies.records())
    assert len(records) == 3
    added, advanced = store.copies.put([(whole, FoundBy()) for whole in records], "import-1")
    assert (len(added), advanced) == (3, [])
    assert list(store.copies.records()) == records
    assert store.integrity() == "ok"
    assert {each.belief_id for each in store.changes.of_session("import-1")} == {*added}
    told.close()


def test_a_history_that_went_on_is_taken_further(told: Store, store: Store) -> None:
    whole = next(each for each in told.copies.records() if len(each.history) == 2)
    before = BeliefRecord(_there(whole), whole.history[:1], whole.former[:1])
    store.copies.put([(before, FoundBy())])
    assert store.copies.put([(whole, FoundBy())]) == ([], [whole.belief.id])
    assert store.copies.record(whole.belief.id) == whole
    told.close()


def test_a_history_that_is_another_is_refused_and_nothing_written(told: Store, store: Store) -> None:
    first, *rest = told.copies.records()
    store.copies.put([(first, FoundBy())])
    other = evolve(first, history=(evolve(first.history[0], source="elsewhere"), *first.history[1:]))
    with pytest.raises(Refused):
        store.copies.put([*((each, FoundBy()) for each in rest), (other, FoundBy())])
    assert [whole.belief.id for whole in store.copies.records()] == [first.belief.id]
    told.close()


def _there(whole: BeliefRecord) -> Belief:
    assert whole.former[1] is not None
    return whole.former[1]
