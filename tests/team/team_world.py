"""Machines of a team in one process: a clone, a data folder and a clock each, and an exchange in memory."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memlsp_team.exchange.lines import Line, Pull

from memlsp.memory import Memory
from memlsp.model.belief import Belief
from memlsp.model.errors import Refused

CLIENT = "RETRIES = 3\n\n\ndef fetch(url):\n    for _ in range(RETRIES):\n        get(url)\n"


def git(root: Path, *words: str) -> str:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout


class MemoryExchange:
    """An exchange that keeps its lines in this process. `down` refuses everything; `dies` raises after publishing."""

    def __init__(self) -> None:
        self.lines: dict[str, dict[str, bytes]] = {}
        self.down = False
        self.dies = False

    def opened(self, *_: object, **__: object) -> MemoryExchange:
        """In the place of `open_exchange`."""
        return self

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        self._reach()
        self.lines[writer] = {line.key: line.text for line in lines}
        if self.dies:
            raise KeyboardInterrupt

    def own(self, writer: str) -> frozenset[str] | None:
        self._reach()
        return frozenset(self.lines[writer]) if writer in self.lines else None

    def pull(self, cursor: str) -> Pull:
        self._reach()
        return Pull(tuple((w, Line(k, t)) for w, lines in self.lines.items() for k, t in lines.items()), "all")

    def check(self) -> str:
        self._reach()
        return "reachable"

    def close(self) -> None:
        pass

    def everything(self) -> bytes:
        return b"\n".join(text for lines in self.lines.values() for text in lines.values())

    def _reach(self) -> None:
        if self.down:
            raise Refused("the exchange cannot be reached", "try again")


class Machine:
    """One person's machine."""

    def __init__(self, folder: Path, name: str, source: Path | None = None) -> None:
        self.name = name
        self.root, self.data = folder / name / "shop", folder / f"{name}-data"
        self.ahead = timedelta()
        if source is None:
            (self.root / "src").mkdir(parents=True)
            (self.root / "src" / "client.py").write_text(CLIENT)
            git(self.root, "init", "-q", "-b", "main")
            git(self.root, "add", "-A")
            git(self.root, "commit", "-q", "-m", "client")
        else:
            git(folder, "clone", "-q", str(source), str(self.root))
            git(self.root, "remote", "remove", "origin")
        git(self.root, "remote", "add", "origin", "https://example.org/acme/shop.git")
        git(self.root, "config", "user.name", name)
        git(self.root, "config", "user.email", f"{name}@example.org")
        self.open()

    def open(self) -> None:
        self.memory = Memory.open(self.root, data_dir=self.data, clock=lambda: datetime.now(UTC) + self.ahead)

    def close(self) -> None:
        self.memory.close()

    def copied_to(self, folder: Path, name: str) -> Machine:
        """A copy of the whole home, as a restored backup of it makes one."""
        other = object.__new__(Machine)
        other.name, other.ahead = name, timedelta()
        other.root, other.data = folder / name / "shop", folder / f"{name}-data"
        self.memory.close()
        shutil.copytree(self.root, other.root)
        git(other.root, "config", "user.name", name)
        shutil.copytree(self.data, other.data)
        self.open()
        other.open()
        return other

    def believed(self) -> dict[str, Belief]:
        return {each.belief.text: each.belief for each in self.memory.beliefs()}

    def proposed(self) -> set[str]:
        return {each.belief.text for each in self.memory.proposals.list()}
