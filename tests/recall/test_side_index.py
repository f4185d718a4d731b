"""The snapshot beside the store finds what is near, is as good as nothing when it is damaged, and goes when told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memlsp.recall.nearest_vectors import quantized
from memlsp.recall.side_index import SideIndex, clear_all
from memlsp.store.tables.vectors import Vector

pytest.importorskip("usearch", reason="usearch comes with the extra `semantic`")


def rows() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    made = np.random.default_rng(1).normal(size=(500, 64)).astype(np.float32)
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def made_in(folder: Path) -> SideIndex:
    index = SideIndex(folder, "m", 64)
    vectors = [Vector("belief", at, b"", scale, data, at + 1) for at, (scale, data) in enumerate(quantized(rows()))]
    assert index.make(vectors[:200]) == 200
    assert index.make(vectors[200:]) == 500
    index.finish()
    return index


def test_what_was_made_in_pieces_is_found_by_another_that_opens_it(tmp_path: Path) -> None:
    made_in(tmp_path)
    again = SideIndex(tmp_path, "m", 64)
    assert again.open()
    assert again.turn == 500
    turn, likeness = again.best(rows()[41], 3)[0]
    assert turn == 42
    assert likeness > 0.99
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())


def test_a_damaged_or_foreign_file_is_not_looked_at(tmp_path: Path) -> None:
    made_in(tmp_path)
    assert not SideIndex(tmp_path, "another", 64).open()
    file = next(tmp_path.glob("*.usearch"))
    file.write_bytes(file.read_bytes()[:-10])
    again = SideIndex(tmp_path, "m", 64)
    assert not again.open()
    assert again.best(rows()[0], 3) == []


def test_clearing_leaves_no_file(tmp_path: Path) -> None:
    made_in(tmp_path)
    clear_all(tmp_path)
    assert list(tmp_path.iterdir()) == []
