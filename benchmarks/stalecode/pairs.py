"""Pairs of statements that contradict each other, and pairs that live together: `fixtures/contradictions/*.toml`.

The format is told in the README there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from .errors import BadData

OPEN = ("develop.toml", "opened.toml", "opened-c.toml", "opened-d.toml")
SEALED = ("held-out.toml", "sealed-c.toml", "sealed-d.toml")


@dataclass(frozen=True)
class Said:
    """A statement as it was remembered: its text, the conditions given to it, and the file that it is tied to."""

    text: str
    when: tuple[tuple[str, str], ...] = ()
    at: str = ""


@dataclass(frozen=True)
class Pair:
    """Two statements, whether they contradict each other, and where the pair is from."""

    first: Said
    second: Said
    conflict: bool
    origin: str


def pairs_in(path: Path) -> list[Pair]:
    """The pairs of one file. Raises BadData when it is not there, KeyError for what is not of its form."""
    if not path.is_file():
        raise BadData(f"no pairs at {path}; they are in fixtures/contradictions of a checkout")
    patterns = cast("list[dict[str, Any]]", tomllib.loads(path.read_text(encoding="utf-8"))["pattern"])
    return [
        Pair(_said(first), _said(second), kind == "conflict", pattern["name"])
        for pattern in patterns
        for kind in ("conflict", "together")
        for first, second in pattern.get(kind, ())
    ]


def _said(entry: str | Mapping[str, Any]) -> Said:
    if isinstance(entry, str):
        return Said(entry)
    return Said(entry["text"], tuple(entry.get("when", {}).items()), entry.get("at", ""))
