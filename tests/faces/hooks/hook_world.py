"""What the tests of hooks share: a repository, a data folder, and the hook as agents run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from patience import patience

import memlsp
from memlsp.capture.workspace.identity import resolve
from memlsp.model.event import Event
from memlsp.store.core.locations import store_path
from memlsp.store.store import open_store

ENTRY = Path(memlsp.__file__).parent / "faces" / "hooks" / "entry.py"
PATIENCE = 60  # seconds; a busy machine is slow


class Hooked:
    """What a hook did."""

    def __init__(self, status: int, out: bytes, err: bytes) -> None:
        self.status, self.out, self.err = status, out.decode(), err.decode()

    def json(self) -> Any:
        """The answer."""
        return json.loads(self.out)


class HookWorld:
    """A repository whose agents run hooks."""

    def __init__(self, root: Path, data: Path) -> None:
        self.root, self.data = root, data

    @property
    def store(self) -> Path:
        """Where its memory is."""
        return store_path(resolve(self.root).key, self.data)

    @property
    def spooled(self) -> list[Path]:
        """The files that wait."""
        return sorted((self.store.parent / "spool").glob("*.json"))

    @property
    def log(self) -> str:
        """What went wrong."""
        path = self.data / "hook.log"
        return path.read_text() if path.exists() else ""

    def make_store(self) -> None:
        """Open the memory once, as an editor would."""
        open_store(self.store).close()

    def events(self) -> list[Event]:
        """What is in the store."""
        store = open_store(self.store)
        try:
            return store.journal.events(limit=10_000)
        finally:
            store.close()

    def environment(self, **more: str) -> dict[str, str]:
        """As an agent's, without a settler."""
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
        return {**kept, "HOME": str(self.data), "MEMLSP_DATA_DIR": str(self.data), "MEMLSP_SETTLER": "off", **more}

    def command(self, agent: str = "claude-code") -> list[str]:
        """The command line as `memlsp init` writes it."""
        return [sys.executable, "-I", "-S", str(ENTRY), agent]

    def start(
        self,
        agent: str = "claude-code",
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        before: Callable[[], object] | None = None,
    ) -> subprocess.Popen[bytes]:
        """A hook that waits for its payload."""
        return subprocess.Popen(
            self.command(agent),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or self.root,
            env=self.environment() if env is None else dict(env),
            preexec_fn=before,  # noqa: PLW1509 - these tests have no threads
        )

    def hook(
        self,
        payload: object,
        agent: str = "claude-code",
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        before: Callable[[], object] | None = None,
    ) -> Hooked:
        """Run a hook with a payload, a value or bytes."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        with self.start(agent, cwd=cwd, env=env, before=before) as process:
            try:
                out, err = process.communicate(data, timeout=patience(PATIENCE))
            except BaseException:
                process.kill()
                raise
            return Hooked(process.returncode, out, err)

    def prompt(self, words: str = "fix the tax", **more: object) -> dict[str, object]:
        """Somebody asks an agent for something."""
        return {
            "session_id": "s1", "hook_event_name": "UserPromptSubmit", "cwd": str(self.root), "prompt": words, **more
        }  # fmt: skip

    def ran(self, command: str, output: str = "", call: str = "t1") -> dict[str, object]:
        """An agent ran a command."""
        return {
            "session_id": "s1",
            "hook_event_name": "PostToolUse",
            "cwd": str(self.root),
            "tool_name": "Bash",
            "tool_use_id": call,
            "tool_input": {"command": command},
            "tool_response": {"stdout": output, "stderr": "", "interrupted": False, "isImage": False},
        }
