"""A bare git repository of our own, and the program `git` run in it: bounded in time, without prompts or hooks."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Self, TypeVar, cast

from memlsp.model.errors import ExchangeUnavailable
from memlsp.store.core.file_lock import turn
from memlsp_team.exchange.addresses import shown

_LOCAL, _NETWORK, _TURN = 120.0, 600.0, 60.0  # seconds for a command, for one that connects, for another process
_KEPT_VARIABLES = ("GIT_SSH", "GIT_SSL", "GIT_PROXY", "GIT_HTTP", "GIT_CONFIG_", "GIT_EXEC_PATH")
_VARIABLES = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
    **{f"GIT_{role}_NAME": "memlsp" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "memlsp@localhost" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_DATE": "946684800 +0000" for role in ("AUTHOR", "COMMITTER")},
}
_SETTINGS = (  # over those of the user, whose helpers for credentials, proxies and names of hosts remain
    *(f"core.hooksPath={os.devnull}", "core.logAllRefUpdates=false", "core.askPass=", "credential.interactive=false"),
    *("init.templateDir=", "init.defaultObjectFormat=sha1", "i18n.commitEncoding=UTF-8", "transfer.bundleURI=false"),
    *("push.gpgSign=false", "push.pushOption=", "push.followTags=false", "push.recurseSubmodules=no"),
    *("http.lowSpeedLimit=1", "http.lowSpeedTime=60", "fetch.writeCommitGraph=false", "fetch.recurseSubmodules=false"),
    *("gc.auto=1000", "gc.autoDetach=false", "maintenance.autoDetach=false", "maintenance.auto=true"),
    *("gc.pruneExpire=now", "gc.bigPackThreshold=0"),  # else a text that was taken away stays in a pack
)
_SSH_OPTIONS = "-o BatchMode=yes -o ConnectTimeout=20 -o ControlMaster=no"
_NO_WINDOW = subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0

_Result = TypeVar("_Result")


class UnreadableObject(Exception):
    """An object is missing, of another type, or larger than allowed."""


class _Damaged(Exception):
    """A command that needs no network failed."""


class SideRepository:
    """The repository at `folder`/repository, made when it is missing. It is a cache of what is at `address`."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self.path = address, folder / "repository"
        self._folder = folder
        self._unswept = folder / "unswept"
        self._ssh: dict[str, str] | None = None

    def whole(self, act: Callable[[], _Result]) -> _Result:
        """Do `act` while other processes are kept out; where the repository is damaged, again with a new one. Raises
        ExchangeUnavailable."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
        except OSError as error:
            raise ExchangeUnavailable(f"{self._folder} cannot be used: {error.strerror}") from error
        end = time.monotonic() + _TURN
        while time.monotonic() < end:
            with turn(self._folder / "lock") as ours:
                if ours:
                    try:
                        return self._prepared(act)
                    except _Damaged:
                        _remove(self.path)
                    try:
                        return self._prepared(act)
                    except _Damaged as error:
                        raise ExchangeUnavailable(f"git cannot work in {self._folder}: {error}") from None
            time.sleep(0.05)
        raise ExchangeUnavailable(f"another process is using {self._folder}", "try again in a minute")

    def _prepared(self, act: Callable[[], _Result]) -> _Result:
        for lock in self.path.rglob("*.lock"):  # of a process that was killed
            with suppress(OSError):
                if time.time() - lock.stat().st_mtime > _NETWORK:
                    lock.unlink()
        if not (self.path / "HEAD").exists():
            _remove(self.path)
            self.run("init", "--quiet", "--bare", str(self.path))
        return act()

    def sweep_later(self) -> None:
        """Let the next `sweep` do something, also where this process is killed before it."""
        self._unswept.touch(mode=0o600)

    def sweep(self) -> None:
        """Remove from the disk every object that no reference reaches, after `sweep_later`."""
        if not self._unswept.exists():
            return
        for pattern in ("*.keep", "tmp_*"):  # of a fetch that was killed: a pack with .keep would stay as it is
            for left in (self.path / "objects" / "pack").glob(pattern):
                left.unlink(missing_ok=True)
        self.run("gc", "--force", "--quiet", "--prune=now")
        self._unswept.unlink(missing_ok=True)

    def references(self) -> dict[str, str]:
        """The commit of each reference."""
        lines = self.run("for-each-ref", "--format=%(objectname) %(refname)").decode().splitlines()
        return {name: commit for commit, _, name in (line.partition(" ") for line in lines)}

    def fetch(self, *patterns: str) -> bool:
        """Make the references of `patterns` those of the address. False when some could not be written here."""
        options = ("--quiet", "--force", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        refspecs = [f"+{pattern}:{pattern}" for pattern in patterns]
        done = self.connect("fetch", *options, "--", self.address, *refspecs)
        if done.returncode:
            self.run("rev-list", "--objects", "--all", "--quiet")  # whether it is ours that is at fault
        if done.returncode > 1:
            raise self.unreachable(done)
        return done.returncode == 0

    def run(self, *words: str, data: bytes = b"") -> bytes:
        """The output of a command that needs no network."""
        done = self._run(words, data, _LOCAL)
        if done.returncode:
            raise _Damaged(_said(done.stderr))
        return done.stdout

    def connect(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """What a command that connects to the address ends with, whatever that is."""
        if self._ssh is None:  # as the user set it up, but asking nobody
            set_up = self._run(("config", "core.sshCommand"), b"", _LOCAL).stdout.decode(errors="replace").strip()
            command = os.environ.get("GIT_SSH_COMMAND") or set_up or ("" if "GIT_SSH" in os.environ else "ssh")
            is_ssh = Path(command.split(" ", 1)[0]).name in {"ssh", "ssh.exe"}
            self._ssh = {"GIT_SSH_COMMAND": f"{command} {_SSH_OPTIONS}"} if is_ssh else {}
        return self._run(words, b"", _NETWORK)

    def unreachable(self, done: subprocess.CompletedProcess[bytes]) -> ExchangeUnavailable:
        """The error for a command that could not connect."""
        hint = f"see whether this works in a terminal: git ls-remote {shown(self.address)}"
        return ExchangeUnavailable(f"git cannot reach {shown(self.address)}: {_said(done.stderr)}", hint)

    def _run(self, words: tuple[str, ...], data: bytes, seconds: float) -> subprocess.CompletedProcess[bytes]:
        with self.start(*words) as process:
            try:
                out, err = process.communicate(data, seconds)
            except BaseException as error:
                _end(process)
                if isinstance(error, subprocess.TimeoutExpired):
                    raise ExchangeUnavailable(f"git {words[0]} took more than {seconds:.0f} seconds") from None
                raise
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a command with pipes. Raises ExchangeUnavailable where there is no git."""
        theirs = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name.startswith(_KEPT_VARIABLES)
        }
        on_this_machine = self.address.lower().startswith(("http:", "git:"))  # or it would have been refused
        allowed = "https:ssh:file" + ":http:git" * on_this_machine
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        try:
            return subprocess.Popen(  # noqa: S603 - a list of words, and the address was looked at
                ["git", f"--git-dir={self.path}", *settings, *words],  # noqa: S607 - the user's own git
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self._folder,
                env=theirs | _VARIABLES | {"GIT_ALLOW_PROTOCOL": allowed} | (self._ssh or {}),
                start_new_session=sys.platform != "win32",  # no terminal to ask at, and one group to end
                creationflags=_NO_WINDOW,
            )
        except OSError as error:
            raise ExchangeUnavailable(f"git cannot be started: {error.strerror}", "install git") from error


class ObjectReader:
    """Reads objects of a side repository one by one, each after a look at its type and size."""

    def __init__(self, side: SideRepository) -> None:
        self._side = side
        self._processes: dict[str, subprocess.Popen[bytes]] = {}  # by what they are asked for

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes.values():
            _end(process)
            with process:
                pass

    def size(self, name: str, kind: str) -> int:
        """The bytes of an object. Raises UnreadableObject where it is missing or of another type."""
        found, _ = self._ask("--batch-check", name)
        if len(found) != 3 or found[1] != kind:
            raise UnreadableObject(f"there is no {kind} where one should be")
        return int(found[2])

    def content(self, name: str, kind: str, most: int) -> bytes:
        """An object of at most `most` bytes. Raises UnreadableObject where it is missing, another type, or larger."""
        size = self.size(name, kind)
        if size > most:
            raise UnreadableObject(f"a {kind} has more than {most} bytes")
        _, stream = self._ask("--batch", name)
        return stream.read(size + 1)[:size]

    def _ask(self, what: str, name: str) -> tuple[list[str], IO[bytes]]:
        """The line that answers, and the stream of what comes after it."""
        process = self._processes.get(what)
        if process is None:
            process = self._processes[what] = self._side.start("cat-file", what)
        questions, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        answer = b""
        with suppress(OSError):
            questions.write(name.encode() + b"\n")
            questions.flush()
            answer = answers.readline()
        if not answer:  # git ends at an object that it cannot unpack
            raise _Damaged("an object cannot be read")
        return answer.decode().split(), answers


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command with all that it started; by a signal at which git takes its locks away, where there is one."""
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
            return


def _remove(path: Path) -> None:
    if sys.platform == "win32":  # where what git wrote cannot be removed as it is
        for each in path.rglob("*"):
            each.chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


def _said(text: bytes) -> str:
    """What git complained of, in one harmless line without credentials."""
    lines = [line for line in text.decode(errors="replace").splitlines() if line.strip()] or ["no reason"]
    chosen = next((line for line in lines if line.startswith(("fatal:", "ERROR:"))), lines[-1])
    return shown(chosen, 300)
