"""Events from several processes that are killed: nothing that was acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from project import Project
from thorough import examples

from benchmarks.speed.soak import soak
from memlsp import Memory
from memlsp.capture.child_process import environment
from memlsp.model.errors import StoreUnavailable
from memlsp.store.core.database import Database, connect
from memlsp.store.store import Store, open_store
from memlsp.store.tables import journal

WRITER = """
import sys
from memlsp.store.core import hook_connection
from memlsp.store.core.database import transaction
from memlsp.store.tables import journal
store, name = sys.argv[1:]
for number in range(1_000_000):
    connection = hook_connection.opened(store, 5_000)
    record = {"key": f"{name}:{number}", "at": 1_700_000_000_000 + number, "kind": "command", "source": name}
    record |= {"session": name, "text": f"make {number}", "output": "line\\n" * 200, "paths": [f"a{number % 7}.py"]}
    delivered = [record, record] if number % 3 == 0 else [record]
    with transaction(connection):
        counts = journal.append(connection, delivered, 1_700_000_000_000)
    assert counts.stored + counts.repeated == len(delivered), (counts.stored, counts.repeated, counts.dropped)
    connection.close()
    print(f"{name}:{number}", flush=True)
"""
ROOM = 400  # events of each writer


def rows_of(store: Store, table: str) -> int:
    return store.journal._number(f"SELECT count(*) FROM {table}")  # pyright: ignore[reportPrivateUsage]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no signal that cannot be caught")
def test_five_processes_killed_at_any_moment_lose_and_double_nothing(tmp_path: Path) -> None:
    random_ = random.Random(7)
    path = tmp_path / "memory.db"
    with open_store(path) as store:
        acknowledged: list[str] = []
        writers = [
            subprocess.Popen(
                [sys.executable, "-P", "-c", WRITER, str(path), f"w{number}"],
                stdout=subprocess.PIPE,
                env=environment(),
                cwd=tmp_path,
                text=True,
            )
            for number in range(5)
        ]
        for writer in writers:
            assert writer.stdout is not None
            acknowledged += [writer.stdout.readline().strip() for _ in range(random_.randrange(1, ROOM // 4))]
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            rest, _ = writer.communicate(timeout=60)
            acknowledged += [line for line in rest.splitlines(keepends=False) if line]
        kept = [event.key for event in store.journal.events()]
        assert len(kept) == len(set(kept))
        assert {journal.key_of(key).hex() for key in acknowledged} <= set(kept)
        totals: dict[str, int] = {}
        for tally in store.journal.tallies():
            totals[tally.what] = totals.get(tally.what, 0) + tally.number
        assert totals["received"] == totals["stored"] + totals["repeated"] + totals.get("dropped", 0)
        assert totals["stored"] == len(kept)
        assert sum(session.events for session in store.journal.sessions()) == len(kept)
        assert rows_of(store, "passage") == 1
        assert store.integrity() == "ok"


def test_an_append_that_fails_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    good: dict[str, object] = {"key": "a", "at": 1, "kind": "prompt", "source": "x", "text": "long " * 200}

    def records() -> Iterator[dict[str, object]]:
        yield good
        raise OSError("the pipe broke")

    with open_store(path) as store:
        with pytest.raises(StoreUnavailable, match="the pipe broke"):
            store.journal.append(records())
        for table in ("event", "session", "passage", "tally", "event_day"):
            assert rows_of(store, table) == 0
        assert store.journal.append([good]).stored == 1


@pytest.mark.skipif(sys.platform == "win32", reason="as above")
@pytest.mark.timeout(600)
def test_the_events_of_five_processes_are_all_there_and_settled(tmp_path: Path) -> None:
    faults, measured = soak(tmp_path, examples(5_000), seed=3)
    assert faults == []
    assert measured["bytes an event"] < 1_000


@pytest.mark.skipif(sys.platform == "win32", reason="as above")
def test_a_settler_killed_at_any_moment_tells_every_change_once(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    random_ = random.Random(5)
    with Memory.open(project.root, data_dir=data) as memory:
        memory.events.settle()
        for number in range(40):
            project.write(
                f"made_{number}.py", f"def made_{number}(x):\n    return x + {number}\n\n\nLIMIT = {number}\n"
            )
            record = {"key": f"k{number}", "at": time.time_ns() // 1_000_000, "kind": "edit", "source": "codex"}
            memory.events.take([record | {"session": "s", "paths": [f"made_{number}.py"]}])
        command = [sys.executable, "-P", "-m", "memlsp.memory.ingest.worker", str(project.root), "--data", str(data)]
        store = connect(memory.events.store_path, apsw.SQLITE_OPEN_READONLY)
        killed = 0
        deadline = time.monotonic() + 90
        while memory.events.pending() and time.monotonic() < deadline:
            settler = subprocess.Popen([*command, "--grace", "0"], env=environment(), cwd=data)
            left = waiting(store)
            until = max(left - random_.randrange(8, 22), 0)
            while settler.poll() is None and waiting(store) > until and time.monotonic() < deadline:
                threading.Event().wait(0.002)
            if until:
                settler.kill()
                killed += 1
            settler.wait(60)
        told = [change.new.path for event in memory.events.list() for change in event.changes if change.new]
        assert sorted(told) == sorted(f"made_{number}.py" for number in range(40))
        assert killed >= 1
        store.close()


def waiting(store: Database) -> int:
    """How many events wait to be settled."""
    return int(store.execute("SELECT count(*) FROM event WHERE settled = 0").get or 0)
