"""A hook's standard input, read within a time limit and parsed as JSON. `json` is not imported: it compiles patterns,
which costs a quarter of a hook's time. Its C scanner is called directly."""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

LARGEST = 16 << 20
"""Bytes of the largest payload that is kept."""

LIMIT = 3.0
"""Seconds to wait for a program that neither writes nor closes."""

_QUIET = 0.15  # seconds without a byte after which a complete payload is taken, though the pipe is still open
_CHUNK = 1 << 16


class Unreadable(Exception):
    """A payload that is no JSON object; the message describes it, and quotes nothing of it."""


def received(handle: int = 0, limit: float = LIMIT) -> bytes:
    """Read `handle` until it is closed, until a complete object came and nothing more follows, or until the limit. A
    payload longer than LARGEST is read and thrown away, for a writer may not survive a closed pipe; then Unreadable is
    raised, as it is where nothing came before the limit."""
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
            if not size[0]:
                raise Unreadable(f"nothing within {limit:g} s")
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
        # the scanner raises SystemError for an error while `json`, which has its class, is not imported
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
    """None for NaN and the infinities, which are no JSON."""


try:
    from _json import make_scanner
except ImportError:  # another implementation of Python

    def _scan(text: str, start: int) -> object:
        import json

        return json.JSONDecoder(strict=False).raw_decode(text, start)[0]

else:

    class _ScannerSettings:
        """The attributes that the scanner reads of a `json.JSONDecoder`."""

        strict = False  # control characters in strings, as broken programs send them
        object_hook = None
        object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = staticmethod(_no_number)
        memo: dict[str, str] = {}  # noqa: RUF012

    def _scan(text: str, start: int) -> object:
        return make_scanner(_ScannerSettings())(text, start)[0]  # pyright: ignore[reportArgumentType] - typeshed has it wrong
