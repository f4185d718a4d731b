"""memlsp, asked through `Memory`, its public Python API, and about documents by `memlsp check`. Run by a Python that
has memlsp.

For `recall` it needs a checkout: there memlsp is given what it would have read from git by itself.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from stalecode.serve import serve


class Memlsp:
    """One memory for each `begin`."""

    name = "memlsp"

    def __init__(self) -> None:
        api = importlib.import_module("memlsp")
        self._open, self._place = api.Memory.open, importlib.import_module("memlsp.model.place").Place
        self._model = importlib.import_module("memlsp.model.belief")
        self._caller = importlib.import_module("memlsp.model.caller").Caller
        self._audit = importlib.import_module("memlsp.model.audit")
        self.version = importlib.import_module("memlsp.version").VERSION
        self._no_symbol: Any = importlib.import_module("memlsp.model.errors").NoSuchSymbol
        self._memory: Any = None
        self._history: Any = None

    def begin(self, folder: str, data: str) -> None:
        """Open a new memory."""
        self.close()
        self._ids = dict[str, str]()
        self._root = Path(folder)
        self._memory = self._open(self._root, data_dir=Path(data))
        self._by = self._caller(author=self._model.Author("StaleCode"), folder=self._root)

    def remember(self, id: str, text: str, path: str = "", symbol: str = "", **more: Any) -> None:
        """Tied to the symbol or the file; to the first line where memlsp knows no such symbol."""
        given: dict[str, str] = more.get("when") or {}
        when = tuple(given.items())
        limits = self._model.Limits(conditions=when) if when else None
        at = [self._place(path, symbol=symbol or None)] if path else []
        try:
            made = self._memory.remember(text, at=at, limits=limits, by=self._by)
        except self._no_symbol:
            at = [self._place(path, line=more["lines"][0])]
            made = self._memory.remember(text, at=at, limits=limits, by=self._by)
        self._ids[id] = made.belief.id

    def tree(self, folder: str) -> None:  # noqa: ARG002 - it is the folder that it watches
        """What a watcher would say."""
        self._memory.files_changed(None)

    def ask(self, id: str) -> dict[str, Any]:
        """Its standing, its reasons, and the place where it now is."""
        judged = self._memory.belief(self._ids[id])
        tie = next((tie for tie in judged.ties if tie.found), None)
        return {
            "trust": judged.standing.holds,
            "standing": judged.standing.value,
            "why": "; ".join(reason.message for reason in judged.reasons),
            "where": {"path": tie.path, "symbol": tie.symbol, "line": tie.line} if tie else None,
        }

    def conflicts(self, id: str) -> dict[str, Any]:
        """The open conflicts of one statement."""
        own = self._ids[id]
        others = {conflict.other(own) for conflict in self._memory.conflicts.of(own)}
        return {"with": [name for name, other in self._ids.items() if other in others]}

    def forget(self, id: str) -> None:
        """By its id."""
        self._memory.forgetting.forget(self._audit.Selector(self._audit.SelectorKind.BELIEF, self._ids.pop(id)))

    def check(self, folder: str, file: str) -> dict[str, Any]:
        """The lines that `memlsp check` tells of, warnings included."""
        command = [sys.executable, "-m", "memlsp", "check", "--format", "json", file]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in {0, 1}:
            return {"error": done.stderr.strip()[-300:]}
        found = json.loads(done.stdout)["findings"]
        return {"lines": sorted({each["line"] for each in found if each["path"] == file})}

    def learn(self, notes: Sequence[dict[str, Any]]) -> None:
        """As commits that memlsp read."""
        records = importlib.import_module("benchmarks.codememory.records")
        if self._history is None:
            self._history = importlib.import_module("benchmarks.codememory.ours").History()
        self._history.learn(
            [
                records.Note(
                    note["id"],
                    datetime.fromisoformat(note["at"]),
                    note["author"],
                    note["subject"],
                    note["text"],
                    tuple(
                        records.NotedChange(tuple(kinds), old and tuple(old), new and tuple(new), sentence)
                        for kinds, old, new, sentence in note["changes"]
                    ),
                )
                for note in notes
            ]
        )

    def recall(self, text: str, k: int) -> dict[str, Any]:
        """Earlier work, the best first."""
        answer = self._history.recall(text, k)
        return {"ids": list(answer.ids), "tokens": list(answer.tokens or ())}

    def close(self) -> None:
        """Close what is open."""
        for each in filter(None, (self._memory, self._history)):
            each.close()
        self._memory = self._history = None


if __name__ == "__main__":
    serve(Memlsp())
