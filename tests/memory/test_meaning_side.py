"""With many vectors the side index answers for most of them, and forgets what the store forgets."""

from __future__ import annotations

import pytest

from memlsp.memory import Memory
from memlsp.memory.recall import vectors as module
from memlsp.model.belief import Author, RevisionAction
from memlsp.model.caller import Caller
from memlsp.recall import side_index

pytest.importorskip("usearch", reason="usearch comes with the extra `semantic`")

ANN = Author("Ann")


def test_a_large_store_is_asked_through_its_side_index(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_index, "FROM", 5)
    monkeypatch.setattr(module, "_MOST_LOADED", 3)
    words = ("retries", "taxes", "caching", "logging", "parsing", "hashing", "sorting", "locking")
    ids = [memory.remember(f"A statement about {word}.", by=Caller(author=ANN)).belief.id for word in words]
    folder = memory.events.store_path.parent
    assert memory.vectors.refresh(20) == len(words)
    assert list(folder.glob("vectors-*.usearch"))
    assert memory.vectors.near("sorting", 3)[0][1] == ids[6]
    memory.revise(ids[6], RevisionAction.RETIRE, by=Caller(author=ANN))
    assert ids[6] not in {id for _, id, _ in memory.vectors.near("sorting", 3)}
    added = memory.remember("We do sorting with timsort.", by=Caller(author=ANN)).belief
    memory.vectors.refresh(5)
    assert memory.vectors.near("sorting", 3)[0][1] == added.id
    memory.vectors.clear()
    assert memory.vectors.near("sorting", 3) == []
    assert not list(folder.glob("vectors-*"))
