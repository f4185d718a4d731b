"""memlsp as a user and an agent reach it: the command line, the hook's process and the MCP server, in a workspace and a
data folder of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from attrs import frozen
from click.testing import CliRunner

from benchmarks.speed.clients import MCP, environment
from benchmarks.speed.hooks import ENTRY
from benchmarks.speed.wire import Wire
from memlsp.faces.cli.app import memlsp
from memlsp.memory.ingest.start_worker import SWITCH
from memlsp.version import VERSION

_PATIENCE = 3_600.0  # seconds: on a busy machine everything takes long


@frozen
class Answered:
    """An answer, and the seconds it took."""

    text: str
    seconds: float


class DoorError(Exception):
    """A command of memlsp failed; the message has its words and what it said."""


class MemoryDoors:
    """The doors of one workspace. `seconds` counts the time spent behind them since the last `reset`."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root = root
        self.data = data
        self.seconds = 0.0
        home = data / "home"
        home.mkdir(parents=True, exist_ok=True)
        variables = environment(data / "memlsp")
        # nothing of this machine's settings, and no process in the background: `settle` is called where one would be
        self._variables = {"MEMLSP_DATA_DIR": variables["MEMLSP_DATA_DIR"], "HOME": str(home), SWITCH: "off"}
        self._variables["XDG_CONFIG_HOME"] = str(home / "config")
        self.environment = {**variables, **self._variables}
        self.environment.pop("CLAUDE_PROJECT_DIR", None)

    def keep_state(self) -> None:
        """Keep the memory as it is now, for `restore_state`."""
        shutil.copytree(self.data / "memlsp", self.data / "kept")

    def restore_state(self) -> None:
        """Put the kept memory back."""
        shutil.rmtree(self.data / "memlsp")
        shutil.copytree(self.data / "kept", self.data / "memlsp")

    def reset(self) -> None:
        """Begin to count the seconds anew."""
        self.seconds = 0.0

    def command(self, *words: str) -> str:
        """Run `memlsp` with these words, in this process; what it printed. Raises DoorError."""
        began = perf_counter()
        done = CliRunner().invoke(memlsp, ["-C", str(self.root), *words], env=self._variables)
        self.seconds += perf_counter() - began
        if done.exit_code:
            raise DoorError(f"memlsp {' '.join(words)}: {done.stderr.strip() or done.exception}")
        return done.stdout

    def hook(self, event: str, session: str, **fields: object) -> str:
        """Tell the hook an event of Claude Code; the context that it answers with, "" for none."""
        payload = {"hook_event_name": event, "session_id": session, "cwd": str(self.root), **fields}
        began = perf_counter()
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(ENTRY), "claude-code"],
            cwd=self.root,
            env=self.environment,
            input=json.dumps(payload),
            capture_output=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            check=False,
        )
        self.seconds += perf_counter() - began
        answer: dict[str, Any] = json.loads(done.stdout) if done.stdout.strip() else {}
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def recall(self, questions: Sequence[str]) -> dict[str, Answered]:
        """Ask over MCP, as an agent does."""
        found: dict[str, Answered] = {}
        with Wire(MCP, framed=False, cwd=self.root, env=self.environment) as wire:
            client = {"name": "claude-code", "version": VERSION}
            start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            wire.ask("initialize", start, timeout=_PATIENCE)
            wire.notify("notifications/initialized", {})
            for question in questions:
                call = {"name": "recall", "arguments": {"query": question}}
                result, took = wire.ask("tools/call", call, timeout=_PATIENCE)
                content = cast("list[Mapping[str, str]]", cast("dict[str, object]", result or {}).get("content") or [])
                found[question] = Answered("\n".join(each.get("text", "") for each in content), took / 1_000)
        return found

    def settle(self) -> None:
        """Wait until everything that was observed is understood, as a minute of thought would."""
        began = self.seconds
        self.command("settle")
        self.seconds = began  # not what an agent waits for
