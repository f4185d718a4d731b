"""An hour of real work, made from the last commits of a repository: what an agent's hooks would have told of it.

For each commit somebody asks for what its message says, the agent looks at the files that it changed and at some of
their neighbours, writes them in a few steps, runs the tests, and commits. File contents, steps and messages are those
of the repository; how often files are read and tests are run is what agents' transcripts show (about 300 tool calls
an hour).
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import apsw

from memlsp.memory import Memory
from memlsp.memory.ingest.hook_ingest import ingest_payload
from memlsp.store.core.database import connect

EVENTS = 300
"""Events that agents' hooks tell in an hour of work without a pause."""

_READS = 4  # files looked at for each that is changed
_STEPS = 3  # writings of a changed file


def replay(clone: Path) -> dict[str, float]:
    """Work for an hour in a copy of a clone. Bytes that the store grew by, events, and how long settling took: each
    event alone, with git asked and what hooks say worked out again after it, in processor time."""
    with tempfile.TemporaryDirectory(prefix="memlsp-hour-") as folder:
        root, data = Path(folder) / clone.name, Path(folder) / "data"
        _git(Path(folder), "clone", "--quiet", "--shared", str(clone), str(root))
        commits = _git(root, "log", "--no-merges", "--format=%H", "-n", "120").split()
        _git(root, "checkout", "--quiet", "-b", "hour", f"{commits[-1]}")
        data.mkdir()
        with Memory.open(root, data_dir=data) as memory, memory.events.turn() as settle:
            assert settle is not None
            settle(60.0, lambda: False)
            store = memory.events.store_path
            before = _size(store)
            hour = _Hour(root, data)
            told = 0
            digested: list[float] = []
            seconds = 0.0
            for commit in reversed(commits[:-1]):
                for is_edit in hour.commit(commit):
                    start = process_time()
                    told += settle(60.0, lambda: False).events
                    took = process_time() - start
                    seconds += took
                    if is_edit:
                        digested.append(took * 1000)
                if hour.events >= EVENTS:
                    break
            told += settle(60.0, lambda: False).events
            changes = sum(len(event.changes) for event in memory.events.list(limit=10_000))
        grown = _size(store) - before
    digested.sort()
    return {
        "bytes": float(grown),
        "events": float(told),
        "bytes an event": round(grown / max(told, 1), 1),
        "symbol changes": float(changes),
        "settled a second of processor": round(told / seconds, 1) if seconds else 0.0,
        "edit settled, ms of processor, p50": round(digested[len(digested) // 2], 1) if digested else 0.0,
        "edit settled, ms of processor, p95": round(digested[len(digested) * 95 // 100], 1) if digested else 0.0,
    }


class _Hour:
    """What an agent does, told as its hooks would."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root = root
        self.data = data
        self.events = 0
        self._now = 1_760_000_000_000

    def commit(self, commit: str) -> Iterator[bool]:
        """Work towards a commit; gives True after an edit, False after anything else."""
        status = _git(self.root, "diff", "--name-only", "--diff-filter=AM", "HEAD", commit).split("\n")
        paths = [path for path in status if path][:12]
        message = _git(self.root, "log", "-1", "--format=%B", commit).strip()
        yield self._record("prompt", text=message)
        neighbours = sorted(path for path in _git(self.root, "ls-files").split("\n") if path.endswith((".py", ".md")))
        for number, path in enumerate(paths):
            for step in range(_READS):
                near = neighbours[(len(message) * 7 + number * 13 + step) % len(neighbours)] if neighbours else path
                yield self._record("read", paths=[near if step else path], tool="Read")
            yield self._record(
                "command", text=f"grep -rn {Path(path).stem} .", output=self._grep(path), ok=True, exit=0
            )
            for text in self._steps(path, commit):
                (self.root / path).parent.mkdir(parents=True, exist_ok=True)
                (self.root / path).write_bytes(text)
                self._record("edit", paths=[path], tool="Edit")
                yield True
            yield self._record(
                "command", text="python -m pytest -q", output=self._tests(number), ok=number % 3 > 0, exit=0
            )
        yield self._record("say", text=f"Done. {message}")
        _git(self.root, "add", "--all")
        _git(self.root, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        yield False

    def _steps(self, path: str, commit: str) -> Iterator[bytes]:
        """The states in which a file is written: line by line nearer to what the commit holds."""
        try:
            before = (self.root / path).read_bytes().splitlines(keepends=True)
        except OSError:
            before = []
        after = _git_bytes(self.root, "show", f"{commit}:{path}").splitlines(keepends=True)
        start = next(
            (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
        )
        rest = after[start:]
        old = before[start:]
        for step in range(1, _STEPS):
            cut = len(rest) * step // _STEPS
            yield b"".join([*before[:start], *rest[:cut], *old[len(old) * step // _STEPS :]])
        yield b"".join(after)

    def _record(self, kind: str, **more: object) -> bool:
        self.events += 1
        self._now += 12_000
        record: dict[str, object] = {
            "key": f"hour:{self.events}",
            "at": self._now,
            "kind": kind,
            "source": "claude-code",
            "session": "5b1c7a0e-7f0d-4e0c-a9a3-2f1d8c7b6a55",
            **more,
        }
        came = ingest_payload([record], str(self.root), now_ms=self._now, data=str(self.data))
        assert came.fate in {"stored", "spooled"}, came.trouble
        return False

    def _grep(self, path: str) -> str:
        done = subprocess.run(["git", "grep", "-n", Path(path).stem], cwd=self.root, capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace")[:20_000]

    def _tests(self, number: int) -> str:
        lines = [path for path in _git(self.root, "ls-files", "tests").split("\n") if path.endswith(".py")]
        return (
            "\n".join(f"{path} {'.' * (len(path) % 40)}" for path in lines) + f"\n{100 + number} passed in 2.{number}s"
        )


def _git(folder: Path, *words: str) -> str:
    return _git_bytes(folder, *words).decode("utf-8", "replace")


def _git_bytes(folder: Path, *words: str) -> bytes:
    identity = ("-c", "user.name=Hour", "-c", "user.email=hour@example.org")
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True).stdout


def _size(store: Path) -> int:
    connection = connect(store, apsw.SQLITE_OPEN_READWRITE)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    found = connection.execute("SELECT sum(pgsize) FROM dbstat").get
    connection.close()
    return int(found or 0)
