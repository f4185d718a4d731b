"""Start the settler, the short-lived process that understands events, where none runs.

Hooks come in bursts, and each may find that none runs. So a lock is taken before one is started, and handed on to it:
while that process lives no other is started, not even before it has the turn itself. (A program of this kind once
started a thousand processes on one machine.)
"""

from __future__ import annotations

import os
import sys
from time import time

from memlsp.store.tables.journal import is_being_settled

ALIVE = ".settler"
"""The suffix of the lock file, beside the store, that a started settler holds as long as it lives."""

SWITCH = "MEMLSP_SETTLER"
"""Environment variable: with `off` no background process is started; the next process that opens the store settles."""

_FRESH = 5.0
"""Seconds after a start within which no other settler is started, unless the first reported a good end (`rested`). A
settler that cannot even start is then not started at every keystroke of an agent."""


def wake(store: str, root: str, data: str) -> bool:
    """Start a settler for the workspace at `root`, unless one runs or was started. True when one was started. Raises
    OSError."""
    if not sys.executable or os.environ.get(SWITCH, "").strip().lower() in {"off", "0", "no", "false"}:
        return False
    command = (sys.executable, "-P", "-m", "memlsp.memory.ingest.worker", root, "--data", data)
    return started(store, command)


def _environment() -> dict[str, str]:
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    # -P, and no working folder among the paths: a workspace is no place to import from
    paths = [path for path in sys.path if path and os.path.isabs(path) and path != ours]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, ours])}


def rested(store: str) -> None:
    """Record that a settler ended well: another may be started at once."""
    try:
        os.utime(store + ALIVE, (0, 0))
    except OSError:
        pass


def _is_needless(mark: int, store: str) -> bool:
    """True where a settler runs, or was started a moment ago: by the open lock file, which is empty before its first
    use, whatever its time."""
    known = os.fstat(mark)
    return bool(known.st_size and 0 <= time() - known.st_mtime < _FRESH) or is_being_settled(store)


if sys.platform == "win32":

    def started(store: str, command: tuple[str, ...]) -> bool:
        """Start `command` as the settler of a store, unless there is one. True when it was started."""
        mark = os.open(store + ALIVE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if _is_needless(mark, store):
                return False
            os.write(mark, b"s")
        finally:
            os.close(mark)
        os.utime(store + ALIVE)
        import subprocess

        flags = subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW | subprocess.DETACHED_PROCESS
        nothing = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603 - our own program
            command,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            env=_environment(),
            cwd=os.path.dirname(store),
            creationflags=flags,
        )
        return True

else:
    import fcntl

    def started(store: str, command: tuple[str, ...]) -> bool:
        """Start `command` as the settler of a store, unless there is one. True when it was started."""
        alive = os.open(store + ALIVE, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        try:
            try:
                fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
            if _is_needless(alive, store):
                return False
            os.pwrite(alive, b"s", 0)
            os.utime(alive)
            # the lock belongs to what is open, not to who opened it: the copy that the settler has keeps it
            actions = [(os.POSIX_SPAWN_DUP2, alive, 3 if alive != 3 else 4)]
            actions += [(os.POSIX_SPAWN_OPEN, handle, os.devnull, os.O_RDWR, 0) for handle in range(3)]
            os.chdir(os.path.dirname(store))  # ours may be gone, and the settler must not hold on to it
            try:  # a session of its own, so that it outlives a terminal that is closed
                os.posix_spawn(command[0], command, _environment(), file_actions=actions, setsid=True)
            except NotImplementedError:
                os.posix_spawn(command[0], command, _environment(), file_actions=actions, setpgroup=0)
            return True
        finally:
            os.close(alive)
