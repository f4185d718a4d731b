"""Decodes the bytes of a file to UTF-8 for the parser, and maps offsets back to the file."""

from __future__ import annotations

from bisect import bisect_left

from attrs import frozen

_MARK = b"\xef\xbb\xbf"


@frozen
class Decoded:
    """A source as valid UTF-8; `offset` maps an offset in it to the one in the file."""

    file: bytes
    utf8: bytes
    skipped: int = 0  # bytes of a byte order mark
    widened: tuple[int, ...] = ()  # offsets in `utf8` of the second bytes that latin-1 characters grew

    @classmethod
    def read(cls, source: bytes) -> Decoded:
        """UTF-8 with or without its mark, else latin-1, which every byte sequence is."""
        skipped = len(_MARK) if source.startswith(_MARK) else 0
        body = source[skipped:]
        try:
            body.decode("utf-8")
        except UnicodeDecodeError:
            wide = body.decode("latin-1").encode("utf-8")
            return cls(source, wide, skipped, tuple(at for at, byte in enumerate(wide) if 0x80 <= byte < 0xC0))
        return cls(source, body, skipped)

    def offset(self, at: int) -> int:
        """The offset in the file."""
        return at - bisect_left(self.widened, at) + self.skipped
