"""The cache of history walks. Entries never become invalid, since git objects do not change.

It holds the symbols of a name in a blob; for a commit, the earlier commit that touched a file or a symbol; and the
predecessor of a symbol before a commit. Without a parse cache, entries live as long as one walk.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from memlsp.capture.history.compact_symbols import pack_symbols, unpack_symbols
from memlsp.capture.history.parse_cache import ParseCache
from memlsp.capture.redaction.redaction import redact
from memlsp.model.symbol import Symbol

Reference = tuple[str, str, str, str, bool]  # path, name, kind, digest of the text, gone along with its file
_LONGEST = 64_000  # bytes of a definition that is kept
_TRAIL = 8_000  # commits of one file
_STEP = 43  # bytes: two ids and a count


class WalkCache:
    """Reads from `kept`, and gathers new entries until `keep` writes them at once."""

    def __init__(self, kept: ParseCache | None) -> None:
        self._kept = kept
        self._new: dict[str, bytes] = {}
        self._texts: dict[str, list[tuple[Symbol, int, bytes]]] = {}
        self._trails: dict[str, dict[bytes, tuple[bytes, int]]] = {}
        self._read: dict[str, int] = {}  # the length of each trail when it was read
        self._predecessors: dict[str, Reference | None] = {}

    def keep(self) -> None:
        """Write the new entries, except definitions in which redaction finds a secret."""
        if self._kept is None:
            return
        for key, found in self._texts.items():
            if not any(redact(text.decode("utf-8", "replace")).found for _, _, text in found):
                self._new[key] = pack_symbols([(symbol, offset) for symbol, offset, _ in found])
        for path, trail in self._trails.items():
            if len(trail) > self._read[path]:
                self._new[f"t:{path}"] = _trail_bytes(_trail_of(self._get(f"t:{path}")) | trail)
        self._kept.put(self._new)
        self._kept.close()
        self._new, self._texts = {}, {}

    def _get(self, key: str) -> bytes | None:
        return self._kept.get(key) if self._kept else None

    def _put(self, key: str, value: bytes) -> None:
        if self._kept:
            self._new[key] = value

    def symbols(self, key: str) -> list[tuple[Symbol, int]] | None:
        """The symbols of a name, each with its offset; None when they are not known."""
        data = self._get(f"s:{key}")
        try:
            return None if data is None else unpack_symbols(data)
        except ValueError:
            return None

    def keep_symbols(self, key: str, found: Sequence[tuple[Symbol, int, bytes]]) -> None:
        """Cache the symbols of a name with their offsets; their texts are checked for secrets, and not kept."""
        if self._kept and all(len(text) <= _LONGEST and offset >= 0 for _, offset, text in found):
            self._texts[f"s:{key}"] = list(found)

    def trail(self, path: str) -> dict[bytes, tuple[bytes, int]]:
        """The trail of a file, to be added to: for a commit, the one that touched the file and the number of those
        between, by raw ids."""
        known = self._trails.get(path)
        if known is None:
            known = self._trails[path] = _trail_of(self._get(f"t:{path}"))
            self._read[path] = len(known)
        return known

    def stop(self, state: str) -> tuple[bytes, int] | None:
        """The commit that touched the symbol, and the number of those passed over."""
        data = self._get(f"j:{state}")
        return (data[:-3], int.from_bytes(data[-3:], "big")) if data and len(data) > 3 else None

    def keep_stop(self, state: str, commit: bytes, passed: int) -> None:
        """Cache the stop of a state."""
        self._put(f"j:{state}", commit + min(passed, 0xFFFFFF).to_bytes(3, "big"))

    def former_file(self, key: str) -> str | None:
        """The path that a file had before it was renamed, "" when it had none; None when that is not known."""
        data = self._new.get(f"f:{key}") or self._get(f"f:{key}")
        return None if data is None else data[1:].decode("utf-8", "surrogateescape")

    def keep_former_file(self, key: str, path: str) -> None:
        """Cache the former path of a file."""
        self._new[f"f:{key}"] = b"=" + path.encode("utf-8", "surrogateescape")

    def sentence(self, key: str) -> tuple[str, tuple[str, ...]] | None:
        """The sentence of a change and its clauses; None when they are not known."""
        data = self._get(f"p:{key}")
        try:
            sentence, clauses = cast("tuple[str, list[str]]", json.loads(data)) if data else (None, [])
        except (ValueError, TypeError):
            return None
        return None if sentence is None else (sentence, tuple(clauses))

    def keep_sentence(self, key: str, sentence: str, clauses: Sequence[str]) -> None:
        """Cache the sentence and clauses, which must be free of secrets."""
        self._put(f"p:{key}", json.dumps([sentence, list(clauses)]).encode())

    def predecessor(self, key: str) -> tuple[Reference | None] | None:
        """The cached result of a search in a tuple: the predecessor, None for none; None when it is not cached."""
        if key not in self._predecessors:
            try:
                entry = cast("list[object] | None", json.loads(self._get(f"o:{key}") or b""))
                self._predecessors[key] = None if entry is None else _reference(entry)
            except (ValueError, TypeError):
                return None
        return (self._predecessors[key],)

    def keep_predecessor(self, key: str, found: Reference | None) -> None:
        """Cache the result of a search."""
        self._predecessors[key] = found
        self._put(f"o:{key}", json.dumps(found).encode())


def _reference(entry: Sequence[object]) -> Reference:
    path, name, kind, text, gone = entry
    return str(path), str(name), str(kind), str(text), bool(gone)


def _trail_of(data: bytes | None) -> dict[bytes, tuple[bytes, int]]:
    if not data or len(data) % _STEP:
        return {}
    steps = (data[at : at + _STEP] for at in range(0, len(data), _STEP))
    return {step[:20]: (step[20:40], int.from_bytes(step[40:], "big")) for step in steps}


def _trail_bytes(trail: dict[bytes, tuple[bytes, int]]) -> bytes:
    last = list(trail.items())[-_TRAIL:]
    return b"".join(start + stop + min(passed, 0xFFFFFF).to_bytes(3, "big") for start, (stop, passed) in last)
