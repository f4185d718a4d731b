"""Child processes that run modules of memlsp, and the frames exchanged with them (a head in JSON and bytes)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from struct import Struct
from typing import BinaryIO, cast

Head = dict[str, object]

LOW_PRIORITY = subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0
"""The flags with which a child is created on Windows, to come after everybody else and without a window."""

_LENGTHS = Struct(">II")
_LARGEST = 64_000_000  # bytes; no frame of ours is larger


def environment() -> dict[str, str]:
    """Return an environment in which a child imports the same modules as this process. Start it with -P: nothing in the
    working directory, which is the user's, may be imported."""
    ours = str(Path(__file__).resolve().parents[2])
    paths = [*(path for path in sys.path if path and path != os.getcwd()), ours]  # noqa: PTH109
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def start_module(module: str, command: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Start `module` (or `command` in its place) at a low priority, with pipes for stdin and stdout. Raises OSError."""
    return subprocess.Popen(  # noqa: S603 - our own program
        command or (sys.executable, "-P", "-m", module),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        creationflags=LOW_PRIORITY,
    )


def be_modest(niceness: int) -> None:
    """Let the starter of this process come first, and have it decide about Ctrl-C in a terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError, AttributeError):
        os.nice(niceness)  # on Windows the starter sees to it


def write_frame(stream: BinaryIO, head: Head, body: bytes = b"") -> None:
    """Write a frame and flush. Raises OSError when the other end is gone."""
    encoded = json.dumps(head, separators=(",", ":")).encode("utf-8", "surrogatepass")
    stream.write(_LENGTHS.pack(len(encoded), len(body)) + encoded)
    stream.write(body)
    stream.flush()


def read_frame(stream: BinaryIO) -> tuple[Head, bytes] | None:
    """Read the next frame; None when the stream ends, even in the middle of a frame. Raises ValueError for bytes that
    are no frame."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    head_size, body_size = cast("tuple[int, int]", _LENGTHS.unpack(lengths))
    if max(head_size, body_size) > _LARGEST:
        raise ValueError("a frame too large to be one of ours")
    encoded, body = stream.read(head_size), stream.read(body_size)
    if len(encoded) < head_size or len(body) < body_size:
        return None
    head = json.loads(encoded.decode("utf-8", "surrogatepass"))
    if not isinstance(head, dict):
        raise ValueError("a frame without a head")  # noqa: TRY004 - the bytes are wrong, not a caller
    return cast("Head", head), body
