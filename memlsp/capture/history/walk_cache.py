"""What walks through the past found out, ready to be kept between them.

Four kinds, all of them true for ever: the symbols of one name in one blob; from which commit one comes to which that
touched a file, or a symbol of it; and what a symbol was before a commit. Without a cache they live as long as one walk.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from memlsp.capture.history.compact_symbols import pack, unpack
from memlsp.capture.history.parse_cache import ParseCache
from memlsp.capture.redaction.redaction import redact
from memlsp.model.symbol import Symbol

Reference = tuple[str, str, str, str, bool]  # path, name, kind, digest of the text, gone along with its file
_LONGEST = 64_000  # bytes of a definition that is kept
_TRAIL = 8_000  # commits of one file
_STEP = 43  # bytes: two ids and a count


class WalkCache:
    """Reads from `kept`, and gathers what is new until `keep` writes it there at once."""

    def __init__(self, kept: ParseCache | None) -> None:
        self._kept = kept
        self._new: dict[str, bytes] = {}
        self._texts: dict[str, list[tuple[Symbol, int, bytes]]] = {}
        self._trails: dict[str, dict[bytes, tuple[bytes, int]]] = {}
        self._read: dict[str, int] = {}  # how long the trails were when they were read
        self._origins: dict[str, Reference | None] = {}

    def keep(self) -> None:
        """Write what is new, but no definition in which redaction finds a secret."""
        if self._kept is None:
            return
        for key, found in self._texts.items():
            if not any(redact(text.decode("utf-8", "replace")).found for _, _, text in found):
                self._new[key] = pack([(symbol, offset) for symbol, offset, _ in found])
        for path, trail in self._trails.items():
            if len(trail) > self._read[path]:
                self._new[f"t:{path}"] = _trail_bytes(_trail_of(self._kept.get(f"t:{path}")) | trail)
        self._kept.put(self._new)
        self._kept.rest()
        self._new, self._texts = {}, {}

    # --- symbols of a blob

    def symbols(self, key: str, path: str) -> list[tuple[Symbol, int]] | None:
        """The symbols of a name, each with its offset; None when they are not known."""
        data = self._kept.get(f"s:{key}") if self._kept else None
        try:
            return None if data is None else unpack(data, path)
        except ValueError:
            return None

    def keep_symbols(self, key: str, found: Sequence[tuple[Symbol, int, bytes]]) -> None:
        """Remember the symbols of a name with their offsets and texts (which are looked at, and not kept)."""
        if self._kept and all(len(text) <= _LONGEST and offset >= 0 for _, offset, text in found):
            self._texts[f"s:{key}"] = list(found)

    # --- commits

    def trail(self, path: str) -> dict[bytes, tuple[bytes, int]]:
        """From one commit to the one that touched the file, by raw ids, with the number of those between. To be added
        to."""
        known = self._trails.get(path)
        if known is None:
            known = self._trails[path] = _trail_of(self._kept.get(f"t:{path}") if self._kept else None)
            self._read[path] = len(known)
        return known

    def stop(self, state: str) -> tuple[bytes, int] | None:
        """The commit that touched the symbol, and the number of those before it."""
        data = self._kept.get(f"j:{state}") if self._kept else None
        return (data[:-3], int.from_bytes(data[-3:], "big")) if data and len(data) > 3 else None

    def keep_stop(self, state: str, commit: bytes, passed: int) -> None:
        """Remember it."""
        if self._kept:
            self._new[f"j:{state}"] = commit + min(passed, 0xFFFFFF).to_bytes(3, "big")

    def former_file(self, key: str) -> str | None:
        """The path that a file had before it was renamed, "" when it had none; None when that is not known."""
        data = self._new.get(f"f:{key}") or (self._kept.get(f"f:{key}") if self._kept else None)
        return None if data is None else data[1:].decode("utf-8", "surrogateescape")

    def keep_former_file(self, key: str, path: str) -> None:
        """Remember it."""
        self._new[f"f:{key}"] = b"=" + path.encode("utf-8", "surrogateescape")

    # --- what is said of it

    def told(self, key: str) -> tuple[str, tuple[str, ...]] | None:
        """The sentence of a change and its clauses; None when they are not known."""
        data = self._kept.get(f"p:{key}") if self._kept else None
        try:
            told, clauses = cast("tuple[str, list[str]]", json.loads(data)) if data else (None, [])
        except (ValueError, TypeError):
            return None
        return None if told is None else (told, tuple(clauses))

    def keep_told(self, key: str, told: str, clauses: Sequence[str]) -> None:
        """Remember it, which must be free of secrets."""
        if self._kept:
            self._new[f"p:{key}"] = json.dumps([told, list(clauses)]).encode()

    # --- what it was before

    def has_origin(self, key: str) -> bool:
        """Whether a search was made before."""
        if key in self._origins:
            return True
        data = self._kept.get(f"o:{key}") if self._kept else None
        if data is None:
            return False
        try:
            told = cast("list[object] | None", json.loads(data))
            self._origins[key] = None if told is None else _reference(told)
        except (ValueError, TypeError):
            return False
        return True

    def origin(self, key: str) -> Reference | None:
        """What it found."""
        return self._origins[key]

    def keep_origin(self, key: str, found: Reference | None) -> None:
        """Remember it."""
        self._origins[key] = found
        if self._kept:
            self._new[f"o:{key}"] = json.dumps(found).encode()


def _reference(told: Sequence[object]) -> Reference:
    path, name, kind, text, gone = told
    return str(path), str(name), str(kind), str(text), bool(gone)


def _trail_of(data: bytes | None) -> dict[bytes, tuple[bytes, int]]:
    if not data or len(data) % _STEP:
        return {}
    steps = (data[at : at + _STEP] for at in range(0, len(data), _STEP))
    return {step[:20]: (step[20:40], int.from_bytes(step[40:], "big")) for step in steps}


def _trail_bytes(trail: dict[bytes, tuple[bytes, int]]) -> bytes:
    last = list(trail.items())[-_TRAIL:]
    return b"".join(start + stop + min(passed, 0xFFFFFF).to_bytes(3, "big") for start, (stop, passed) in last)
