"""Another memory, in its own process and environment, asked over standard input."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.codememory.records import Note
from benchmarks.codememory.systems import Answer
from memlsp.model.errors import BadValue

_PACKAGE = Path(__file__).resolve().parents[2]  # so that an adapter finds `serve` without memlsp being installed there


class Peer:
    """A program that serves an adapter. Raises BadValue when it ends before its time or says what nobody asked."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        path = os.pathsep.join(filter(None, (str(_PACKAGE), os.environ.get("PYTHONPATH", ""))))
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env={**os.environ, "PYTHONPATH": path},
                text=True,
                encoding="utf-8",
            )
        except OSError as error:
            raise BadValue(f"{name}: cannot run {shlex.join(command)}: {error.strerror}") from error

    def learn(self, notes: Sequence[Note]) -> None:
        """Hand them over: id, text and date."""
        self._ask({"learn": [{"id": note.id, "text": note.text, "at": note.at.isoformat()} for note in notes]})

    def recall(self, text: str, k: int) -> Answer:
        """What it answers."""
        ids = self._ask({"recall": text, "k": k}).get("ids")
        if not isinstance(ids, list):
            raise BadValue(f"{self.name} gave no ids")
        return Answer(tuple(map(str, ids)))  # pyright: ignore[reportUnknownArgumentType] - whatever it is, as text

    def close(self) -> None:
        """End it: it is given ten seconds to let go of what it holds."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._said.close()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError) as error:
            raise BadValue(
                f"{self.name} ended before its time, or answered with no JSON: {self._last_words()}"
            ) from error

    def _last_words(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"


def peers_of(entries: Sequence[str]) -> dict[str, Callable[[], Peer]]:
    """The peers of `NAME=COMMAND` entries. Raises BadValue for one that has another form."""
    found: dict[str, Callable[[], Peer]] = {}
    for entry in entries:
        name, equals, command = entry.partition("=")
        words = shlex.split(command)
        if not equals or not name.strip() or not words:
            raise BadValue(f"--peer {entry!r} is not NAME=COMMAND", "--peer 'other=venv/bin/python adapter.py'")
        found[name.strip()] = _maker(name.strip(), words)
    return found


def _maker(name: str, command: Sequence[str]) -> Callable[[], Peer]:
    return lambda: Peer(name, command)
