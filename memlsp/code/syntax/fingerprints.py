"""Computes digests and sketches.

A digest reads a slice of the tree's keys, in which every inner node has its number of children, so the sequence
determines the tree. Locals are numbered by first appearance, so any consistent renaming gives the same. The
sketch keeps the k smallest hashes of token shingles (bottom-k, Broder 1997): the overlap of two sketches estimates the
overlap of the shingle sets, and sketches of parts merge into the sketch of the whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from zlib import crc32

K = 64  # hashes kept in a sketch
SHINGLE = 3  # tokens in a shingle
_LARGEST = 1 << 32


def digest(parts: Iterable[str]) -> str:
    """32 hex characters that stand for a sequence of texts."""
    return blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def digest_bytes(source: bytes) -> str:
    """32 hex characters that stand for some bytes."""
    return blake2b(source, digest_size=16).hexdigest()


def sketch(tokens: Sequence[str], others: Iterable[Sequence[int]] = ()) -> tuple[int, ...]:
    """The bottom-k sketch of a token sequence, merged with sketches of its parts. 32-bit numbers, ascending."""
    hashes = [crc32(token.encode("utf-8", "surrogatepass")) for token in tokens]
    if 0 < len(hashes) < SHINGLE:
        hashes += [0] * (SHINGLE - len(hashes))
    found = {
        (((a * 0x9E3779B1) ^ (b * 0x85EBCA77) ^ (c * 0xC2B2AE3D)) * 0x27D4EB2F + 0x165667B1 >> 7) & 0xFFFFFFFF
        for a, b, c in zip(hashes, hashes[1:], hashes[2:], strict=False)
    }
    for other in others:
        found.update(other)
    return tuple(sorted(found)[:K])


def merged(sketches: Sequence[Sequence[int]], guess: int = _LARGEST) -> tuple[int, ...]:
    """The sketch of a whole from the sketches of its parts: the same as of all their tokens at once. Parts are only
    read up to `guess`, the largest number that is expected to stay, as long as that leaves enough."""
    found: set[int] = set()
    for each in sketches:
        found.update(each[: bisect_right(each, guess)])
    if len(found) < K and guess < _LARGEST:
        return merged(sketches)
    return tuple(sorted(found)[:K])
