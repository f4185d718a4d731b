"""Vectors as rows: what waits for one, what takes it away, and that no late writer brings back what went."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from statements import belief_of, revision_of

from memlsp.model.belief import Belief, BeliefStatus, RevisionAction
from memlsp.store.store import Store, open_store
from memlsp.store.tables.vectors import PendingText, Vector


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "memory.db")


def remember(store: Store, id: str, text: str = "We retry three times.") -> Belief:
    belief = belief_of(id, text)
    store.add(belief, revision_of(belief))
    return belief


def made_of(due: PendingText) -> tuple[PendingText, Vector]:
    return due, Vector(due.kind, due.item, b"d", 0.5, bytes(8))


def write_all(store: Store, model: str = "m") -> int:
    store.vectors.use(model)
    return store.vectors.write(model, [made_of(due) for due in store.vectors.due(100)])


def test_what_was_remembered_waits_for_a_vector_until_it_has_one(store: Store) -> None:
    remember(store, "b1", "Retries are bounded.")
    assert [due.said for due in store.vectors.due(10)] == ["Retries are bounded."]
    assert write_all(store) == 1
    assert store.vectors.due(10) == []
    assert not store.vectors.is_due()
    assert [vector.data for vector in store.vectors.since(0)] == [bytes(8)]


def test_what_was_written_last_comes_first(store: Store) -> None:
    for name in ("b1", "b2", "b3"):
        remember(store, name, f"Statement {name}.")
    assert [due.said for due in store.vectors.due(2)] == ["Statement b3.", "Statement b2."]


def test_a_belief_that_is_no_longer_active_has_no_vector(store: Store) -> None:
    belief = remember(store, "b1")
    write_all(store)
    after = attrs.evolve(belief, status=BeliefStatus.RETIRED)
    store.change(after, revision_of(after, RevisionAction.RETIRE))
    assert store.vectors.since(0) == []
    assert store.vectors.due(10) == []
    store.vectors.sweep()
    assert not store.vectors.is_due()


def test_a_vector_of_a_text_that_was_reworded_meanwhile_is_not_kept(store: Store) -> None:
    belief = remember(store, "b1", "Before.")
    store.vectors.use("m")
    read = store.vectors.due(10)
    after = attrs.evolve(belief, text="After.")
    store.change(after, revision_of(after, RevisionAction.SUPERSEDE))
    assert store.vectors.write("m", [made_of(due) for due in read]) == 0
    assert [due.said for due in store.vectors.due(10)] == ["After."]


def test_vectors_of_another_model_go_when_one_is_chosen(store: Store) -> None:
    remember(store, "b1")
    write_all(store, "old")
    store.vectors.use("new")
    assert store.vectors.since(0) == []
    assert len(store.vectors.due(10)) == 1
    assert store.vectors.write("old", [made_of(due) for due in store.vectors.due(10)]) == 0


def test_what_goes_moves_a_number_and_waits_again(store: Store) -> None:
    remember(store, "b1")
    write_all(store)
    _, _, before = store.vectors.state()
    assert store.vectors.drop(store.vectors.rows("belief", ["b1"])) == 1
    assert store.vectors.state()[2] > before
    assert len(store.vectors.due(10)) == 1
    write_all(store)
    assert store.vectors.clear() == 1
    assert store.vectors.census().rows == 0
    assert store.vectors.census().due == 1


def test_rows_are_known_by_their_ids(store: Store) -> None:
    remember(store, "b1")
    rows = store.vectors.rows("belief", ["b1", "nobody"])
    assert store.vectors.ids([*rows, ("belief", 99), ("commit", 1)]) == {rows[0]: "b1"}
