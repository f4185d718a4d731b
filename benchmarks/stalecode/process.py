"""An adapter in a process of its own: started in a sandbox, asked line by line, with a bound on every wait.

It can end, hang, or print what is no answer; each is an AdapterFault with the program's last words. The sandbox is its
home and its folder for temporary files, so that all it keeps can be found, searched and removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from .errors import AdapterFault

PATIENCE = 600.0  # seconds for one answer
_ENDING = 10.0  # seconds to let go of what it holds
_LONGEST = 8 << 20  # characters of an answer
_LAST_WORDS = 400  # characters of what it wrote to standard error


class Sandbox:
    """A folder that is the home of one adapter's process. `lib` holds this package and nothing else."""

    def __init__(self) -> None:
        shared = Path("/dev/shm")  # noqa: S108 - a unique folder with mode 0700 is made in it
        roomy = shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 1 << 30
        self.root = Path(tempfile.mkdtemp(prefix="stalecode-", dir=shared if roomy else None))
        self.home = self.root / "home"
        (self.home / "tmp").mkdir(parents=True)
        lib = self.root / "lib"
        lib.mkdir()
        try:
            (lib / "stalecode").symlink_to(Path(__file__).resolve().parent, target_is_directory=True)
        except OSError:  # Windows without the right to make links
            shutil.copytree(
                Path(__file__).resolve().parent, lib / "stalecode", ignore=shutil.ignore_patterns("fixtures", "kept")
            )
        self.environment = {
            **os.environ,
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            **{f"XDG_{each}_HOME": str(self.home / each.lower()) for each in ("DATA", "CONFIG", "CACHE", "STATE")},
            "PYTHONPATH": os.pathsep.join(filter(None, (str(lib), os.environ.get("PYTHONPATH", "")))),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def remove(self) -> None:
        """Take it away."""
        shutil.rmtree(self.root, ignore_errors=True)


class AdapterProcess:
    """A program that speaks the protocol. Use it as a context manager, or `close()` it. Raises AdapterFault when the
    program cannot be started or does not say what it is."""

    def __init__(self, name: str, command: Sequence[str], *, patience: float = PATIENCE) -> None:
        self.name = name
        self._command, self._patience = tuple(command), patience
        self.sandbox = Sandbox()
        try:
            self._start()
        except AdapterFault:
            self._said.close()
            self.sandbox.remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=self.sandbox.environment,
                cwd=self.sandbox.home,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            self._said.close()
            raise AdapterFault(f"{self.name}: cannot run {shlex.join(self._command)}: {error.strerror}") from error
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._pump, args=(self._process, self._requests, self._answers), daemon=True).start()
        hello = self.ask("hello", protocol=1)
        can = hello.get("can")
        if not isinstance(can, list):
            self._end()
            raise AdapterFault(f"{self.name}: answered hello without `can`, the list of what it does")
        self.can = frozenset(map(str, cast("list[object]", can)))
        self.version = str(hello.get("version", ""))

    @staticmethod
    def _pump(
        process: subprocess.Popen[bytes],
        requests: queue.SimpleQueue[bytes | None],
        answers: queue.SimpleQueue[bytes | None],
    ) -> None:
        """Write and read in a thread of its own: both can block for ever."""
        assert process.stdin is not None
        assert process.stdout is not None
        while (request := requests.get()) is not None:
            try:
                process.stdin.write(request)
                process.stdin.flush()
                line = process.stdout.readline(_LONGEST)
            except (OSError, ValueError):
                line = b""
            answers.put(line or None)
            if not line:
                return

    def ask(self, op: str, **keys: object) -> Mapping[str, Any]:
        """The answer to one request. Raises AdapterFault when the program ended, says nothing for as long as it may
        take, or says what is no JSON object on one line; it is then ended."""
        self._requests.put((json.dumps({"op": op, **keys}, ensure_ascii=False) + "\n").encode())
        try:
            line = self._answers.get(timeout=self._patience)
        except queue.Empty:
            self._end()
            raise AdapterFault(
                f"{self.name}: no answer to `{op}` within {self._patience:.0f} s{self._words()}"
            ) from None
        if line is None:
            status = self._end()
            raise AdapterFault(f"{self.name}: ended at `{op}` with status {status}{self._words()}")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self._end()
            shown = line[:120].decode("utf-8", "replace").strip()
            raise AdapterFault(f"{self.name}: answered `{op}` with no JSON object: {shown!r}")
        return cast("dict[str, Any]", answer)

    def again(self) -> None:
        """Start it anew after a fault. Raises AdapterFault."""
        self._end()
        self._said.close()
        self._start()

    def close(self) -> None:
        """End it: it is given ten seconds to let go of what it holds. Its sandbox goes with it."""
        self._requests.put(None)
        with contextlib.suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING)
        self._end()
        self._said.close()
        self.sandbox.remove()

    def _end(self) -> int:
        """End it and whatever it started. The exit status it had when it ended by itself, else that of the signal."""
        self._requests.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.2)  # one that has just closed its output is about to say why
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        status = self._process.wait()
        for pipe in filter(None, (self._process.stdin, self._process.stdout)):
            with contextlib.suppress(OSError):  # what was not read is lost with it
                pipe.close()
        return status

    def _words(self) -> str:
        self._said.seek(0)
        text = self._said.read().decode("utf-8", "replace").strip()
        return f"; its last words: {text[-_LAST_WORDS:]}" if text else ""


def python(adapter: str, *words: str) -> tuple[str, ...]:
    """The command of an adapter of this package, run by this Python."""
    return (sys.executable, str(Path(__file__).resolve().parent / "adapters" / f"{adapter}.py"), *words)
