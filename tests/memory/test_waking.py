"""However many hooks find that nobody settles, one settler is started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memlsp.memory.ingest import start_worker
from memlsp.store.core.file_lock import turn

WAKER = (
    "import sys; from memlsp.memory.ingest.start_worker import started;"
    " print(started(sys.argv[1], (sys.executable, '-c', sys.argv[2], sys.argv[3], *sys.argv[4:])))"
)
WAITS = "import os, sys, time, pathlib\npathlib.Path(sys.argv[1], str(os.getpid())).touch()\nopen(sys.argv[2]).read()"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a lock that is handed on, and a named pipe to wait at")


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Where a store would be."""
    return str(tmp_path / "memory.db")


def answers(store: str, born: Path, script: str, *words: str, number: int = 12) -> list[str]:
    """What so many hooks at once are told when they try to start a settler."""
    tries = [
        subprocess.Popen([sys.executable, "-c", WAKER, store, script, str(born), *words], stdout=subprocess.PIPE)
        for _ in range(number)
    ]
    return [each.communicate(timeout=60)[0].decode().strip() for each in tries]


def test_of_many_hooks_at_once_one_starts_a_settler(store: str, tmp_path: Path) -> None:
    born, gate = tmp_path / "born", tmp_path / "gate"
    born.mkdir()
    os.mkfifo(gate)
    assert sorted(answers(store, born, WAITS, str(gate))) == ["False"] * 11 + ["True"]
    os.utime(store + start_worker.ALIVE, (0, 0))  # time passes; it lives on
    assert set(answers(store, born, WAITS, str(gate), number=4)) == {"False"}
    with gate.open("w"):  # lets it end
        pass
    assert len(list(born.iterdir())) == 1


def test_one_that_dies_at_once_is_not_started_with_every_step_of_an_agent(store: str, tmp_path: Path) -> None:
    # a program of this kind once started a thousand processes
    answered = [answer for _ in range(5) for answer in answers(store, tmp_path, "raise SystemExit(1)", number=2)]
    assert answered.count("True") == 1


def test_after_one_that_ended_well_another_may_start_at_once(store: str, tmp_path: Path) -> None:
    assert answers(store, tmp_path, "", number=1) == ["True"]
    handle = os.open(store + start_worker.ALIVE, os.O_RDWR)
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_EX)  # it has ended when its lock can be had
    os.close(handle)
    start_worker.rested(store)
    assert answers(store, tmp_path, "", number=1) == ["True"]


def test_none_is_started_while_somebody_settles(store: str, tmp_path: Path) -> None:
    with turn(Path(store + ".settling")) as mine:
        assert mine
        assert set(answers(store, tmp_path, "", number=3)) == {"False"}


def test_none_is_started_where_that_was_switched_off(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(start_worker.SWITCH, "off")
    assert not start_worker.wake(store, str(tmp_path), str(tmp_path))
    assert not Path(store + start_worker.ALIVE).exists()
