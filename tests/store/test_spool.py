"""What waits beside the store: whole or not there, and drained once."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memlsp.store.core import hook_connection, spool
from memlsp.store.core.migrations import LATEST
from memlsp.store.store import open_store

NOW = 1_795_000_000_000


def record(number: int) -> dict[str, object]:
    return {"key": f"key {number}", "at": NOW + number, "kind": "prompt", "source": "codex", "text": f"words {number}"}


def drained_by_a_process(store: str) -> int:
    with open_store(Path(store)) as opened:
        return opened.journal.drain(datetime.fromtimestamp(NOW / 1000, UTC))


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


def tallies(store: str) -> dict[str, int]:
    opened = open_store(Path(store))
    try:
        found: dict[str, int] = {}
        for tally in opened.journal.tallies():
            found[tally.what] = found.get(tally.what, 0) + tally.number
        return found
    finally:
        opened.close()


def texts(store: str) -> list[str]:
    opened = open_store(Path(store))
    try:
        return sorted(event.text for event in opened.journal.events(limit=1_000))
    finally:
        opened.close()


def test_what_is_spooled_is_drained_in_order_and_gone(store: str) -> None:
    for number in range(5):
        spool.spool(store, [record(number)], NOW + number)
    assert spool.waiting(store) == 5
    seen: list[object] = []

    def append(records: Sequence[dict[str, object]]) -> None:
        seen.extend(each["text"] for each in records)

    assert spool.drain(store, append, NOW) == 5
    assert seen == [f"words {number}" for number in range(5)]
    assert spool.waiting(store) == 0


def test_many_processes_that_drain_at_once_keep_each_record_once(store: str) -> None:
    open_store(Path(store)).close()
    for number in range(40):
        spool.spool(store, [record(number)], NOW + number)
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        done = pool.map(drained_by_a_process, [store] * 4)
    drained_by_a_process(store)  # those who found another at it left the rest
    assert sum(done) <= 40
    assert texts(store) == sorted(f"words {number}" for number in range(40))
    found = tallies(store)
    assert (found["drained"], found["received"], found["stored"]) == (40, 40, 40)


def test_what_was_drained_by_a_process_that_died_before_removing_it_is_kept_once(store: str) -> None:
    place = Path(spool.spool(store, [record(1), record(2)], NOW))
    data = place.read_bytes()
    drained_by_a_process(store)
    place.write_bytes(data)
    drained_by_a_process(store)
    assert texts(store) == ["words 1", "words 2"]
    found = tallies(store)
    assert found["received"] == found["stored"] + found["repeated"] == 4


def test_what_the_store_does_not_take_waits_on(store: str) -> None:
    spool.spool(store, [record(1)], NOW)

    def refuse(records: Sequence[dict[str, object]]) -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        spool.drain(store, refuse, NOW)
    assert spool.waiting(store) == 1


def test_a_file_that_cannot_be_read_is_set_aside_and_counted(store: str) -> None:
    place = Path(spool.spool(store, [record(1)], NOW))
    place.with_name("0-torn.json").write_text('[{"key": "x", "at"')
    assert drained_by_a_process(store) == 1
    assert texts(store) == ["words 1"]
    assert (place.parent / "0-torn.json.unreadable").exists()
    found = tallies(store)
    assert (found["received"], found["stored"], found["dropped"]) == (2, 1, 1)


def test_what_a_writer_that_died_left_half_is_never_read_and_swept_in_time(store: str) -> None:
    place = Path(spool.spool(store, [record(1)], NOW))
    half = place.parent / ".00-half"
    half.write_text('[{"key"')
    os.utime(half, (NOW / 1000 - 7_200, NOW / 1000 - 7_200))
    assert drained_by_a_process(store) == 1
    assert not half.exists()


def test_a_spool_that_nobody_drains_does_not_fill_the_disk(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MOST_FILES", 120)
    for number in range(120):
        spool.spool(store, [record(number)], NOW + number)
    with pytest.raises(spool.SpoolFull):
        spool.spool(store, [record(500)], NOW)
    assert spool.waiting(store) == 120


def test_the_quick_way_in_knows_the_present_layout() -> None:
    assert hook_connection.LAYOUT == LATEST


@pytest.mark.parametrize(("state", "why"), [("missing", "missing"), ("empty", "empty"), ("words", "damaged")])
def test_the_quick_way_in_makes_nothing(tmp_path: Path, state: str, why: str) -> None:
    path = tmp_path / "memory.db"
    if state != "missing":
        path.write_bytes(b"" if state == "empty" else b"words " * 1_000)
    with pytest.raises(hook_connection.Unready, match=why):
        hook_connection.opened(str(path))
    assert path.exists() == (state != "missing")


def test_what_cannot_be_read_is_named_and_goes_after_two_weeks(store: str) -> None:
    kept: list[object] = []
    broken = Path(spool.folder_of(store)) / "00000000000002-1-x.json"
    broken.parent.mkdir()
    broken.write_text("[{")
    now = round(broken.stat().st_mtime * 1000)
    spool.drain(store, kept.extend, now)
    assert spool.damaged(store) == [f"{broken}.unreadable"]
    spool.drain(store, kept.extend, now + 13 * 86_400_000)
    assert spool.damaged(store)
    spool.drain(store, kept.extend, now + 15 * 86_400_000)
    assert spool.damaged(store) == []
    assert kept == [{"source": "spool", "dropped": "unreadable"}]
