"""Frames between us and a process of our own: two lengths, a head in JSON, and bytes."""

from __future__ import annotations

import json
from struct import Struct
from typing import BinaryIO, cast

Head = dict[str, object]

_LENGTHS = Struct(">II")
_LARGEST = 64_000_000  # bytes; more is not one of ours


def write_frame(stream: BinaryIO, head: Head, body: bytes = b"") -> None:
    """Write a frame and flush. Raises OSError when the other end is gone."""
    told = json.dumps(head, separators=(",", ":")).encode("utf-8", "surrogatepass")
    stream.write(_LENGTHS.pack(len(told), len(body)))
    stream.write(told)
    stream.write(body)
    stream.flush()


def read_frame(stream: BinaryIO) -> tuple[Head, bytes] | None:
    """The next frame; None at the end, also at one in the middle of a frame. Raises ValueError for what is no frame."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    told, size = cast("tuple[int, int]", _LENGTHS.unpack(lengths))
    if told > _LARGEST or size > _LARGEST:
        raise ValueError("a frame too large to be one of ours")
    head, body = stream.read(told), stream.read(size)
    if len(head) < told or len(body) < size:
        return None
    found = json.loads(head.decode("utf-8", "surrogatepass"))
    if not isinstance(found, dict):
        raise ValueError("a frame without a head")  # noqa: TRY004 - it says so of the bytes, not of a caller
    return cast("Head", found), body
