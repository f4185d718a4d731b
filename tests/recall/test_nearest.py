"""The nearest vectors are those that a plain comparison of all finds, however many came, went or were replaced."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from memlsp.recall.nearest_vectors import NearestVectors, quantized
from memlsp.store.tables.vectors import Vector

Rows = npt.NDArray[np.float32]


def random_rows(number: int, seed: int = 1, dimensions: int = 64) -> Rows:
    rows = np.random.default_rng(seed).normal(size=(number, dimensions)).astype(np.float32)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def vectors_of(rows: Rows, kind: str = "belief", first: int = 1) -> list[Vector]:
    return [
        Vector(kind, first + at, b"", scale, data, turn=first + at) for at, (scale, data) in enumerate(quantized(rows))
    ]


def test_the_nearest_come_first_with_their_likeness() -> None:
    rows = random_rows(50)
    nearest = NearestVectors(64)
    nearest.append(vectors_of(rows))
    found = nearest.best(rows[7], 3)
    assert found[0][:2] == ("belief", 8)
    assert found[0][2] > 0.99
    assert [each[2] for each in found] == sorted((each[2] for each in found), reverse=True)


def test_looking_at_signs_first_finds_what_comparing_all_finds() -> None:
    rows = random_rows(6_000)
    asked = rows[:40] + 0.1 * random_rows(40, seed=2)
    nearest = NearestVectors(64)
    nearest.append(vectors_of(rows))
    found = [nearest.best(each, 1)[0][1] for each in asked.astype(np.float32)]
    assert found == [1 + int(np.argmax(rows @ each)) for each in asked]


def test_only_the_kinds_that_are_asked_for_are_found() -> None:
    rows = random_rows(10)
    nearest = NearestVectors(64)
    nearest.append(vectors_of(rows))
    nearest.append(vectors_of(rows, kind="commit", first=11))
    assert {kind for kind, _, _ in nearest.best(rows[0], 20, ["commit"])} == {"commit"}
    assert {kind for kind, _, _ in nearest.best(rows[0], 20)} == {"belief", "commit"}
    assert nearest.best(rows[0], 20, ["thread"]) == []


@given(st.lists(st.tuples(st.sampled_from(["append", "remove"]), st.integers(1, 12)), max_size=30))
def test_what_came_last_is_what_is_there(steps: list[tuple[str, int]]) -> None:
    nearest, there = NearestVectors(64), dict[int, Rows]()
    for turn, (step, item) in enumerate(steps, start=1):
        if step == "append":
            row = random_rows(1, seed=turn)
            scale, data = quantized(row)[0]
            nearest.append([Vector("belief", item, b"", scale, data, turn)])
            there[item] = row[0]
        else:
            nearest.remove([("belief", item)])
            there.pop(item, None)
    assert len(nearest) == len(there)
    for item, row in there.items():
        assert nearest.best(row, 1)[0][1] == item


def test_vectors_of_another_length_and_questions_without_meaning_find_nothing() -> None:
    nearest = NearestVectors(64)
    nearest.append(vectors_of(random_rows(3, dimensions=128)))
    assert len(nearest) == 0
    nearest.append(vectors_of(random_rows(3)))
    assert nearest.best(np.zeros(64, dtype=np.float32), 5) == []
    assert nearest.best(random_rows(1)[0], 0) == []
