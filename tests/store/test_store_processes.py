"""Several processes at one store, one of them killed at any moment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from patience import patience
from statements import belief_of, revision_of

from memlsp.store.store import open_store

_PROGRAM = Path(__file__).with_name("store_process.py")
_PATIENCE = 60  # seconds; a bound, not a wait


def start(role: str, path: Path, name: str, number: int = 0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(_PROGRAM), role, str(path), name, str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_PROGRAM.parents[1])},
    )


def let_go(*processes: subprocess.Popen[str]) -> None:
    """Wait until all have started, then let them go at once."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def finished(process: subprocess.Popen[str]) -> list[str]:
    """The ids that were acknowledged by a process that ends by itself."""
    out, err = process.communicate(timeout=patience(_PATIENCE))
    assert process.returncode == 0, err
    return out.split()


def killed_after(process: subprocess.Popen[str], acknowledged: int) -> list[str]:
    """The ids that a process acknowledged before it was killed; a line that it could not finish is none."""
    assert process.stdout is not None
    ids = [process.stdout.readline() for _ in range(acknowledged)]
    process.kill()
    ids += process.stdout.readlines()  # not communicate(), which would pass over what is buffered already
    process.wait(patience(_PATIENCE))
    process.communicate()
    return [line.strip() for line in ids if line.endswith("\n")]


def test_nothing_acknowledged_is_lost_when_many_write_and_one_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    writers = [start("writer", path, f"w{number}", 40) for number in range(2)]
    reader = start("reader", path, "r")
    victims = [start("victim", path, f"v{number}") for number in range(2)]
    let_go(*writers, reader, *victims)

    acknowledged = [id for number, victim in enumerate(victims) for id in killed_after(victim, 7 + 11 * number)]
    for writer in writers:
        acknowledged += finished(writer)
    with open_store(path) as store:
        store.set_info("done", "yes")
        finished(reader)

        assert len(acknowledged) >= 80 + 7 + 18
        lost = [id for id in acknowledged if store.belief(id) is None]
        assert not lost
        found = {hit.id for hit in store.search([["statement"]], limit=10_000)}
        assert set(acknowledged) <= found
        assert len(found) - len(acknowledged) <= len(victims), "more than the one that each was writing"
        assert store.integrity() == "ok"
        assert store.notice == ""


@pytest.mark.parametrize("state", ["absent", "damaged"])
def test_processes_that_start_together_share_one_store(tmp_path: Path, state: str) -> None:
    path = tmp_path / "data" / "memory.db"
    content = b"this was never a database" * 2000
    if state == "damaged":
        path.parent.mkdir()
        path.write_bytes(content)
    processes = [start("writer", path, f"w{number}", 3) for number in range(3)]
    let_go(*processes)
    acknowledged = [id for process in processes for id in finished(process)]

    assert len(acknowledged) == 9
    with open_store(path) as store:
        assert sorted(belief.id for belief in store.beliefs()) == sorted(acknowledged)
        assert store.integrity() == "ok"
    kept = list(path.parent.glob("memory.db.corrupt-*"))
    assert [each.read_bytes() for each in kept] == ([content] if state == "damaged" else [])


def test_what_one_process_writes_another_sees_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_store(path) as store:
        before = store.data_version()
        writer = start("writer", path, "w", 1)
        let_go(writer)
        assert finished(writer) == ["w-0"]
        assert store.data_version() != before
        assert store.belief("w-0") is not None
        mine = belief_of("mine", "statement of mine")
        store.add(mine, revision_of(mine))
        assert {hit.id for hit in store.search([["statement"]], limit=5)} == {"w-0", "mine"}
