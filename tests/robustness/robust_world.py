"""What the tests of bad input share: the three faces as real processes, small disks, and somebody without rights."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from patience import patience
from project import shop
from warm_start import warm_program

import memlsp as package
from benchmarks.speed.wire import Wire
from memlsp.faces.cli.app import memlsp
from memlsp.memory import Memory
from memlsp.model.caller import Caller
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place

PROGRAM = (sys.executable, "-m", "memlsp")
PATIENCE = 30.0  # seconds for one answer; a busy machine is slow
NOBODY = 65534

FETCH = '''def fetch(url, retries=3):
    """Get a page."""
    for attempt in range(retries):
        try:
            return get(url)
        except IOError:
            wait(attempt)
    raise TimeoutError(url)
'''


def environment(data: Path) -> dict[str, str]:
    """The environment of a process that keeps its memory in `data`."""
    return {**os.environ, "MEMLSP_DATA_DIR": str(data)}


class Said:
    """What a command printed, and its exit status."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def lines(self) -> list[str]:
        """The lines on stderr."""
        return self.err.splitlines()

    def json(self) -> Any:
        """What it printed with --json."""
        return json.loads(self.out)


def cli(root: Path, *words: str) -> Said:
    """Run a command in this process. An exception that is no error of ours fails the test."""
    done = CliRunner().invoke(memlsp, ["-C", str(root), *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Said(done.exit_code, done.stdout, done.stderr)


def program(words: Sequence[str], cwd: Path, data: Path) -> Said:
    """Run a command as a process of its own."""
    done = subprocess.run(
        [*PROGRAM, *words], cwd=cwd, env=environment(data), capture_output=True, text=True, timeout=60, check=False
    )
    return Said(done.returncode, done.stdout, done.stderr)


class Editor(Wire):
    """`memlsp lsp` with an editor that pulls its diagnostics, so that there is an answer for every state. A `fresh` one
    can be killed by its id."""

    def __init__(
        self, root: Path, data: Path, *, folders: Sequence[Path] = (), cwd: Path | None = None, fresh: bool = False
    ) -> None:
        command = [*PROGRAM, "lsp"] if fresh else warm_program("lsp")
        super().__init__(command, framed=True, cwd=cwd or root, env=environment(data))
        self.root = root
        self._version = 0
        self._shown: list[tuple[str, str]] = []
        self.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": root.as_uri(),
                "workspaceFolders": [{"uri": each.as_uri(), "name": each.name} for each in folders or (root,)],
                "capabilities": {
                    "textDocument": {"diagnostic": {}, "hover": {"contentFormat": ["plaintext"]}},
                    "workspace": {"diagnostics": {"refreshSupport": True}},
                },
            },
            timeout=patience(PATIENCE),
        )
        self.notify("initialized", {})

    def uri(self, path: str) -> str:
        """A file's URI; an absolute path stays where it is."""
        return (self.root / path).as_uri()

    def open(self, path: str, text: str) -> None:
        """Open a file with this text."""
        self._version += 1
        item = {"uri": self.uri(path), "languageId": "x", "version": self._version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, path: str, *changes: Mapping[str, object]) -> None:
        """Change an open file: `{"text": ...}` for all of it, with a range for a part."""
        self._version += 1
        document = {"uri": self.uri(path), "version": self._version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def hover(self, path: str, line: int, character: int = 5) -> str:
        """What hovering (from 0) shows, "" for nothing."""
        params = {"textDocument": {"uri": self.uri(path)}, "position": {"line": line, "character": character}}
        shown = cast("dict[str, Any] | None", self.ask("textDocument/hover", params, timeout=patience(PATIENCE))[0])
        return str(shown["contents"]["value"]) if shown else ""

    def diagnostics(self, path: str) -> list[dict[str, Any]]:
        """The diagnostics of an open file as it is now."""
        params = {"textDocument": {"uri": self.uri(path)}}
        report = cast("dict[str, Any]", self.ask("textDocument/diagnostic", params, timeout=patience(PATIENCE))[0])
        return list(report["items"])

    def remember(self, path: str, line: int, text: str) -> dict[str, Any]:
        """The answer of the command; `line` from 1."""
        return self.run("remember", self.uri(path), line, text, "decision")

    def run(self, command: str, *arguments: object) -> dict[str, Any]:
        """The answer of a command of the server."""
        params = {"command": f"memlsp.server.{command}", "arguments": list(arguments)}
        return cast("dict[str, Any]", self.ask("workspace/executeCommand", params, timeout=patience(PATIENCE))[0])

    def waits_for(self, method: str, words: str) -> str:
        """The message of this method that holds these words, as soon as it comes."""
        found = self.notification(
            method, lambda params: words in str(params.get("message", "")), timeout=patience(PATIENCE)
        )
        return str(cast("dict[str, Any]", found.content["params"])["message"])

    def said(self, method: str) -> list[str]:
        """The messages of this method that nobody has waited for yet, once everything sent before was answered."""
        self.ask("textDocument/codeLens", {"textDocument": {"uri": "file:///nowhere"}}, timeout=patience(PATIENCE))
        found = [message.content for message in self._notifications if message.content.get("method") == method]
        return [str(cast("dict[str, Any]", content["params"]).get("message", "")) for content in found]


class Agent(Wire):
    """`memlsp mcp` with an agent. A `fresh` one can be killed by its id."""

    def __init__(
        self, root: Path, data: Path, *, words: Sequence[str] = (), cwd: Path | None = None, fresh: bool = False
    ) -> None:
        command = [*PROGRAM, "mcp", *words] if fresh else warm_program("mcp", *words)
        super().__init__(command, framed=False, cwd=cwd or root, env=environment(data))
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "Tester", "version": "1"}}
        self.ask("initialize", hello, timeout=patience(PATIENCE))
        self.notify("notifications/initialized", {})

    def call(self, tool: str, **arguments: object) -> tuple[bool, str]:
        """Whether it went well, and the text of the answer."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments}, timeout=patience(PATIENCE))[0]
        answer = cast("dict[str, Any]", result)
        return not answer.get("isError"), "\n".join(part["text"] for part in answer["content"])


@contextmanager
def small_disk(folder: Path, size: str = "3m") -> Generator[Path]:
    """A disk of its own at `folder`; skips the test where that is not allowed."""
    folder.mkdir(parents=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(words, capture_output=True, check=False, timeout=30).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("a disk of its own needs the right to mount one")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=30)


def fill(disk: Path) -> Path:
    """Leave no room on a disk; the file to remove for making room again."""
    filler = disk / "filler"
    with filler.open("wb") as file, suppress(OSError):
        while True:
            os.write(file.fileno(), b"x" * 4096)
    return filler


def remount(disk: Path, how: str) -> None:
    """Make a disk read-only ("ro") or writable again ("rw")."""
    subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=True, timeout=30)


@contextmanager
def without_rights() -> Generator[None]:
    """Act as somebody whom permissions bind: root gives its rights away meanwhile."""
    if sys.platform == "win32":
        pytest.skip("permissions are of another kind there")
    if os.geteuid() != 0:
        yield
        return
    load_everything()
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@cache
def load_everything() -> None:
    """Read all of the program, which may lie where nobody may look: what is loaded late could not be loaded then."""
    for module in pkgutil.walk_packages(package.__path__, "memlsp."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    with tempfile.TemporaryDirectory() as name:
        project = shop(Path(name) / "shop")
        with Memory.open(project.root, data_dir=Path(name) / "data") as memory:
            fetch = Place("client.py", symbol="fetch")
            said = memory.remember(
                "fetch tries 3 times, a1B2c3D4e5F6a7B8c9D0", at=[fetch], by=Caller(folder=project.root)
            )
            project.replace("client.py", "retries=3", "retries=5")
            memory.why(fetch, base=project.root)
            memory.recall("how often is it tried")
            memory.revise(said.belief.id, "confirm")
            memory.status()
            memory.doctor()
            with suppress(MemlspError):
                memory.why(Place("client.py", symbol="fetcher"), base=project.root)


@contextmanager
def open_folder() -> Generator[Path]:
    """A temporary folder that everybody may look into."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder
