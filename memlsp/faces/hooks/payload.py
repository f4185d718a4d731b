"""What an agent writes to a hook's standard input, read within a time limit, as a value.

`json` is not imported for it: that compiles patterns, which costs a quarter of a hook's time; what it calls in the end
is called here directly.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

LARGEST = 16 << 20
"""Bytes of a payload that is still read; of a longer one nothing is kept."""

LIMIT = 3.0
"""Seconds after which a program that neither writes nor closes is not waited for."""

_QUIET = 0.15  # seconds without a byte after which a payload that is whole is taken, though it was not closed
_CHUNK = 1 << 16


class Unreadable(Exception):
    """A payload that is no JSON object; the message says what it is, and holds nothing of it."""


def received(handle: int = 0, limit: float = LIMIT) -> bytes:
    """Everything that comes from `handle` until it is closed, until it is a whole object and nothing more comes, or
    until the limit.

    What is longer than LARGEST is read and thrown away, for a writer may not survive a closed pipe. Raises Unreadable
    when it is too long.
    """
    from time import monotonic

    chunks: list[bytes] = []
    size = [0]
    arrived, ended = allocate_lock(), allocate_lock()
    arrived.acquire()
    ended.acquire()

    def read() -> None:
        # in a thread, for there is no other way to wait for a pipe with a limit on every system
        try:
            while chunk := os.read(handle, _CHUNK):
                size[0] += len(chunk)
                if size[0] <= LARGEST:
                    chunks.append(chunk)
        except OSError:
            pass  # closed, or never open
        ended.release()

    start_new_thread(read, ())
    until = monotonic() + limit
    before = 0
    while not ended.acquire(timeout=min(_QUIET, max(until - monotonic(), 0.0))):
        if size[0] and size[0] == before and _is_whole(b"".join(chunks)):
            break
        before = size[0]
        if monotonic() >= until:
            break
    if size[0] > LARGEST:
        raise Unreadable(f"a payload of more than {LARGEST >> 20} MB")
    return b"".join(chunks)


def parsed(data: bytes) -> dict[str, object]:
    """The JSON object in `data`. Raises Unreadable for anything else."""
    text = _text(data)
    try:
        start = len(text) - len(text.lstrip())
        value = _scan(text, start)
    except (ValueError, StopIteration, RecursionError, SystemError) as error:
        # SystemError is what the scanner makes of an error while `json`, where its class is, was not imported
        raise Unreadable(f"{len(data)} bytes that are no JSON ({type(error).__name__})") from None
    if not isinstance(value, dict):
        raise Unreadable(f"JSON that is no object but {type(value).__name__}")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON has strings for keys


def _text(data: bytes) -> str:
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:  # PowerShell's pipes
        return data.decode("utf-16", "replace")
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _is_whole(data: bytes) -> bool:
    if not data.rstrip().endswith(b"}"):
        return False
    try:
        parsed(data)
    except Unreadable:
        return False
    return True


def _no_number(name: str) -> None:
    """NaN and the infinities are no JSON."""


try:
    from _json import make_scanner
except ImportError:  # another implementation of Python

    def _scan(text: str, start: int) -> object:
        import json

        return json.JSONDecoder(strict=False).raw_decode(text, start)[0]

else:

    class _Context:
        """What the scanner asks for, as `json.JSONDecoder` has it."""

        strict = False  # control characters in strings, as broken programs send them
        object_hook = None
        object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = staticmethod(_no_number)
        memo: dict[str, str] = {}  # noqa: RUF012

    def _scan(text: str, start: int) -> object:
        return make_scanner(_Context())(text, start)[0]  # pyright: ignore[reportArgumentType] - typeshed has it wrong
