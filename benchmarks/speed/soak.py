"""The soak: many events from several processes that are killed now and then, while one process settles them.

What has to hold: every event that was taken is there, none is there twice, the tallies add up, and the process that
settles does not grow. And a working hour, replayed from the commits of a real repository: how much the store grows.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, perf_counter, sleep

import apsw

from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import table
from benchmarks.speed.soak_writer import BEGIN, STEP, key_of, record_of, taken
from benchmarks.work import working_hour
from memlsp.capture.child_process import environment
from memlsp.memory import Memory
from memlsp.store.core.database import connect
from memlsp.store.tables import journal

WRITERS = 5
EVENTS = 100_000
QUICK = 5_000
LEAST_HOUR = 500_000
"""Bytes that an hour of real work may take."""

MOST_GROWTH = 1.15
"""How much larger the settling process may be at the end than at a quarter of the events."""

_KILLED_EVERY = 4.0  # seconds, about
_ROUND = 5.0  # seconds
_PATIENCE = 3_600.0


def run_soak(data: Path | None, *, quick: bool) -> Report:
    """Soak, and where `data` holds clones replay an hour of each. Prints what was found."""
    score: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="memlsp-soak-") as folder:
        faults, measured = soak(Path(folder), QUICK if quick else EVENTS, seed=1)
    score |= measured
    rows = [[name, f"{value:,.1f}" if value % 1 else f"{value:,.0f}"] for name, value in measured.items()]
    print(table(["soak", "value"], rows))
    cases: list[dict[str, object]] = [{"case": "soak", "faults": faults}]
    for clone in sorted(data.iterdir()) if data is not None else ():
        if not (clone / ".git").exists():
            continue
        hour = working_hour.replay(clone)
        print(table([f"an hour on {clone.name}", "value"], [[name, f"{value:,.1f}"] for name, value in hour.items()]))
        score |= {f"{clone.name} {name}": value for name, value in hour.items()}
        if hour["bytes"] > LEAST_HOUR:
            faults.append(f"an hour on {clone.name} took {hour['bytes']:,.0f} bytes")
    for fault in faults:
        print(f"FAULT: {fault}")
    return Report("soak", score, {}, cases, passed=not faults)


def soak(folder: Path, events: int, *, seed: int) -> tuple[list[str], dict[str, float]]:
    """Soak in an empty folder; what did not hold, and what was measured."""
    root, data = folder / "project", folder / "data"
    _project(root)
    data.mkdir()
    random_ = random.Random(seed)  # noqa: S311 - when to kill is no secret
    end = datetime.fromtimestamp((BEGIN + events // WRITERS * STEP) / 1000, UTC)
    with Memory.open(root, data_dir=data, clock=lambda: end) as memory:
        memory.events.settle()  # the first look, before anything comes
        before = _bytes(memory.events.store_path)
        began = perf_counter()
        sizes, killed, settled_seconds, settled = _run(memory, root, data, events // WRITERS, random_)
        seconds = perf_counter() - began
        faults = _faults(memory, events)
        if memory.events.pending():
            faults.append("the time was over before all was settled")
        store = memory.events.store_path
        measured = {
            "events": float(events),
            "seconds": round(seconds, 1),
            "processes killed": float(killed),
            "settled a second": round(settled / settled_seconds, 1) if settled_seconds else 0.0,
            "MB of the settling process, early": round(sizes[0], 1),
            "MB of the settling process, late": round(sizes[-1], 1),
        }
    grown = _bytes(store) - before
    measured["MB of store"] = round(grown / 1e6, 2)
    measured["bytes an event"] = round(grown / events, 1)
    measured["ms to append one"] = round(_append_ms(store), 3)
    if events >= 20_000 and sizes[-1] > sizes[0] * MOST_GROWTH:
        faults.append(f"the settling process grew from {sizes[0]:.1f} to {sizes[-1]:.1f} MB")
    return faults, measured


class _Writers:
    """The processes that write: one of them is killed now and then, and each goes on until it has written all."""

    def __init__(self, root: Path, data: Path, each: int, random_: random.Random) -> None:
        self._root = root
        self._data = data
        self._each = each
        self._random = random_
        self._running = {number: self._started(number) for number in range(WRITERS)}
        self._next_look = 0.0
        self._next_kill = monotonic() + random_.random() * _KILLED_EVERY
        self.killed = 0

    @property
    def done(self) -> bool:
        """True when all is written."""
        return not self._running

    def look(self) -> bool:
        """Start again who was killed, kill one when it is time. Returns False, so that it can be asked for a reason to
        stop settling."""
        now = monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + 0.2
        for number, writer in list(self._running.items()):
            code = writer.poll()
            if code is not None and code > 0:
                raise RuntimeError(f"writer {number} failed with {code}")
            if code is not None:
                del self._running[number]
                if taken(str(self._data), number) < self._each:
                    self._running[number] = self._started(number)
        if self._running and now > self._next_kill:
            self._random.choice(list(self._running.values())).kill()
            self.killed += 1
            self._next_kill = now + self._random.random() * 2 * _KILLED_EVERY
        return False

    def end(self) -> None:
        """Kill them all."""
        for writer in self._running.values():
            writer.kill()
            writer.wait()

    def _started(self, number: int) -> subprocess.Popen[bytes]:
        command = (sys.executable, "-P", "-m", "benchmarks.speed.soak_writer", str(self._root), str(self._data))
        words = (*command, str(number), str(self._each))
        return subprocess.Popen(words, env=environment(), cwd=self._data, stdin=subprocess.DEVNULL)


def _run(
    memory: Memory, root: Path, data: Path, each: int, random_: random.Random
) -> tuple[list[float], int, float, int]:
    """Let the writers write, and settle meanwhile. The sizes of this process in MB from a quarter of the events on, how
    many writers were killed, how long was settled, and how many events."""
    settled = 0
    seconds = 0.0
    sizes: list[float] = []
    end = monotonic() + _PATIENCE
    with memory.events.turn() as settle:  # so that no settler is started beside us
        assert settle is not None
        writers = _Writers(root, data, each, random_)
        try:
            while monotonic() < end and not (writers.done and not memory.events.pending()):
                writers.look()
                if random_.random() < 0.2:
                    _locked_for_a_moment(memory.events.store_path)
                start = perf_counter()
                done = settle(_ROUND, writers.look)
                if done.events:
                    seconds += perf_counter() - start
                    settled += done.events
                else:
                    sleep(0.05)
                if settled >= each * WRITERS // 4:
                    sizes.append(_resident())
        finally:
            writers.end()
    return sizes or [_resident()], writers.killed, seconds, settled


def _faults(memory: Memory, events: int) -> list[str]:
    """What does not hold."""
    faults = [check.message for check in memory.doctor() if check.ok is False]
    connection = connect(memory.events.store_path, apsw.SQLITE_OPEN_READONLY)
    keys: list[bytes] = [row[0] for row in connection.execute("SELECT key FROM event WHERE kind != 'files'")]
    connection.close()
    expected = {journal.key_of(key_of(w, n)) for w in range(WRITERS) for n in range(events // WRITERS)}
    if len(keys) != len(set(keys)):
        faults.append("an event is there twice")
    if missing := expected - set(keys):
        faults.append(f"{len(missing)} events that were taken are not there")
    return faults


def _locked_for_a_moment(store: Path) -> None:
    """As a backup program would: what comes meanwhile has to wait beside the store."""
    connection = connect(store, apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(2_000)
    try:
        connection.execute("BEGIN IMMEDIATE")
        sleep(0.1)
        connection.execute("ROLLBACK")
    except apsw.BusyError:
        pass
    finally:
        connection.close()


def _append_ms(store: Path) -> float:
    """The median time of an append of one record on an open connection."""
    connection = connect(store, apsw.SQLITE_OPEN_READWRITE)
    connection.execute("PRAGMA synchronous = normal")
    times: list[float] = []
    for number in range(200):
        start = perf_counter()
        record = record_of(0, number) | {"key": f"append:{number}", "session": "append"}
        journal.append(connection, [record], BEGIN)
        times.append((perf_counter() - start) * 1000)
    connection.close()
    return sorted(times)[len(times) // 2]


def _bytes(store: Path) -> int:
    """The size of the file when its log is brought in."""
    connection = connect(store, apsw.SQLITE_OPEN_READWRITE)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    return store.stat().st_size


def _resident() -> float:
    """Megabytes of memory that this process takes."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        import resource  # late: not on every system

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * 4096 / 1e6


def _project(root: Path) -> None:
    root.mkdir(parents=True)
    (root / "pricing").mkdir()
    (root / "docs").mkdir()
    (root / "client.py").write_text("def fetch(url, retries=3):\n    return url\n", "utf-8")
    (root / "pricing" / "tax.py").write_text("def tax(net):\n    return net * 0.2\n", "utf-8")
    (root / "pricing" / "rates.py").write_text("RATE = 0.2\n", "utf-8")
    (root / "docs" / "notes.md").write_text("# Notes\n\nNothing yet.\n", "utf-8")
    for words in (
        ("init", "--quiet"),
        ("add", "--all"),
        ("-c", "user.name=Soak", "-c", "user.email=soak@example.org", "commit", "--quiet", "-m", "Begin"),
    ):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
