"""Baselines: how other tools judge whether a memory of code is stale, on the same edits and gold.

Each answers `holds`, `stale` or `gone`; none tells changed from contradicted, or current from carried.

- raw hash: the text of the symbol of that name in that file, compared byte for byte. It is handed our own outline to
  find the symbol by its name, which is kinder than the line ranges that tools keep.
- mtime: stale when the file was written to, gone when it is not there.
- path exists: holds as long as the file is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from benchmarks.judgement.grid import Files
from memlsp.code.syntax.outline import outline
from memlsp.code.syntax.regions import source_of
from memlsp.model.place import Place
from memlsp.model.standing import Standing


class Verdict(StrEnum):
    """What can be said without telling how a statement came to be false."""

    HOLDS = "holds"
    STALE = "stale"
    GONE = "gone"

    @property
    def trusted(self) -> bool:
        """The answer to "should I trust it"."""
        return self is Verdict.HOLDS


def verdict_of(standing: Standing) -> Verdict:
    """A standing in the words that a baseline has."""
    if standing.holds:
        return Verdict.HOLDS
    return Verdict.GONE if standing is Standing.ORPHANED else Verdict.STALE


def raw_hash(place: Place, before: Files, after: Files) -> Verdict:
    """By the text of the symbol."""
    if place.path not in after:
        return Verdict.GONE
    new = _symbol_text(place, after)
    if new is None:
        return Verdict.GONE
    return Verdict.HOLDS if new == _symbol_text(place, before) else Verdict.STALE


def mtime(place: Place, before: Files, after: Files) -> Verdict:
    """By the file's time of modification, taken as moved whenever the content did."""
    if place.path not in after:
        return Verdict.GONE
    return Verdict.HOLDS if after[place.path] == before[place.path] else Verdict.STALE


def path_exists(place: Place, before: Files, after: Files) -> Verdict:  # noqa: ARG001 - one signature for all
    """By the file's being there."""
    return Verdict.HOLDS if place.path in after else Verdict.GONE


BASELINES: Mapping[str, Callable[[Place, Files, Files], Verdict]] = {
    "raw hash": raw_hash,
    "mtime": mtime,
    "path exists": path_exists,
}


def _symbol_text(place: Place, files: Files) -> str | None:
    source = files[place.path].encode()
    symbol = outline(place.path, source).find(place.symbol or "")
    return None if symbol is None else source_of(symbol, source)
