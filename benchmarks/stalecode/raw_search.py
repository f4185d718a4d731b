"""Searches raw files for words, with code that shares nothing with the product's own search."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

_STREAM = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_MOST = 4 << 20  # bytes of one inflated stream


def words_in(place: Path, words: Collection[str]) -> dict[str, set[str]]:
    """Each of the words (lower case, ASCII) that stands in a file at or below `place`, with the names of those files:
    as bytes, as UTF-16, as hexadecimal and base64, and in zlib streams; in the files' names too."""
    found: dict[str, set[str]] = {}
    paths = sorted(place.rglob("*")) if place.is_dir() else [place]
    for path in paths:
        if not path.is_file():
            continue
        data = path.read_bytes()
        for text in (path.name.encode(), data, data.replace(b"\0", b""), *_inflated(data)):
            lowered = text.lower()
            for word in words:
                plain = word.encode()
                if plain in lowered or plain.hex().encode() in lowered or base64.b64encode(plain)[:-4] in text:
                    found.setdefault(word, set()).add(path.name)
    return found


def _inflated(data: bytes) -> Iterator[bytes]:
    for found in _STREAM.finditer(data):
        inflater = zlib.decompressobj()
        out = bytearray()
        for at in range(found.start(), min(len(data), found.start() + _MOST), 1024):
            try:
                out += inflater.decompress(data[at : at + 1024])
            except zlib.error:
                break  # it goes on in another page of the file
            if inflater.eof or len(out) > _MOST:
                break
        if len(out) > 4:
            yield bytes(out)
