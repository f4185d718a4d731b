"""Threads on disk: whole values, found by place and beginning of an id, and a number that moves when they do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memlsp.model.errors import NotFound
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.store import Store, open_store
from memlsp.store.tables.threads import KeptThread, LostRemark, StandingRemark

START = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "memory.db") as opened:
        yield opened


def thread(id: str, minute: int = 0, path: str = "a.py", closed: bool = False) -> KeptThread:
    at = START + timedelta(minutes=minute)
    ended = at if closed else None
    return KeptThread(Thread(id, ThreadKind.TODO, f"TODO: {id}", at, id, path, "f", 3, "git", closed_at=ended))


def test_a_thread_comes_back_as_it_was_written(store: Store) -> None:
    kept = thread("tabc")
    store.threads.write([kept])
    assert store.threads.resolve("tabc") == kept


def test_open_ones_are_listed_newest_first_by_file(store: Store) -> None:
    store.threads.write([thread("t1"), thread("t2", 1), thread("t3", 2, "b.py"), thread("t4", 3, closed=True)])
    assert [kept.thread.id for kept in store.threads.open()] == ["t3", "t2", "t1"]
    assert [kept.thread.id for kept in store.threads.open("a.py")] == ["t2", "t1"]
    assert [kept.thread.id for kept in store.threads.closed()] == ["t4"]


def test_the_beginning_of_an_id_is_enough_while_it_is_the_only_one(store: Store) -> None:
    store.threads.write([thread("tabc"), thread("tabd")])
    assert store.threads.resolve("tabc").thread.id == "tabc"
    for wrong in ("tab", "x", ""):
        with pytest.raises(NotFound):
            store.threads.resolve(wrong)


def test_the_generation_moves_with_threads_and_with_nothing_else(store: Store, tmp_path: Path) -> None:
    before = store.threads.generation()
    store.threads.write(lost=[LostRemark(ThreadKind.TODO, "x", "a.py", "f")])
    store.threads.write()
    assert store.threads.generation() == before
    with open_store(tmp_path / "memory.db") as other:
        other.threads.write([thread("t1")])
    assert store.threads.generation() != before


def test_what_was_lost_is_known_until_the_next_commit(store: Store) -> None:
    lost = LostRemark(ThreadKind.TODO, "x", "a.py", "f")
    store.threads.write(lost=[lost])
    assert store.threads.lost(ThreadKind.TODO, "x") == [lost]
    store.threads.write(committed=True)
    assert store.threads.lost(ThreadKind.TODO, "x") == []


def test_a_file_that_said_nothing_is_told_from_one_never_seen(store: Store) -> None:
    stood = StandingRemark(ThreadKind.STUB, "stub", "f", 2)
    store.threads.write(stood={"a.py": [stood], "b.py": []})
    assert (store.threads.stood("a.py"), store.threads.stood("b.py"), store.threads.stood("c.py")) == (
        [stood],
        [],
        None,
    )
