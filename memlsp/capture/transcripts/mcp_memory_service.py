"""doobidoo/mcp-memory-service: `sqlite_vec.db`, SQLite, with the texts in the table `memories`.

What was deleted stays there with a time in `deleted_at`, and is left out. Tags are a list with commas; among them often
the project. Written after the schema of version 12.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from memlsp.capture.transcripts import Statement
from memlsp.capture.transcripts.lines import below, text, when
from memlsp.model.belief import BeliefKind
from memlsp.store.core.foreign_database import foreign_tables

SOURCE = "mcp-memory-service"
_COLUMNS = ("id", "content", "tags", "memory_type", "created_at", "deleted_at")
_KINDS = {
    "decision": BeliefKind.DECISION,
    "architecture": BeliefKind.DECISION,
    "preference": BeliefKind.PREFERENCE,
    "rule": BeliefKind.RULE,
    "convention": BeliefKind.RULE,
    "pattern": BeliefKind.RULE,
    "procedure": BeliefKind.PROCEDURE,
    "process": BeliefKind.PROCEDURE,
    "error": BeliefKind.GOTCHA,
    "learning": BeliefKind.FACT,
    "fact": BeliefKind.FACT,
}


def files(origin: Path | None) -> list[Path]:
    """The database, or those at or below `origin`."""
    told = os.environ.get("MCP_MEMORY_SQLITE_PATH", "").strip()
    start = origin or (Path(told) if told else _folder())
    return [path for path in below(start, "**/sqlite_vec.db") if path.is_file()]


def statements(path: Path) -> Iterator[Statement]:
    """The memories that were not deleted."""
    with foreign_tables(path) as tables:
        for id, content, tags, kind, at, deleted in tables.rows("memories", _COLUMNS):
            if deleted is not None or not text(content).strip():
                continue
            yield Statement(
                text=text(content),
                record=f"memories/{id}",
                at=when(at),
                kind=_KINDS.get(text(kind).lower()),
                project=text(tags),
            )


def _folder() -> Path:
    told = os.environ.get("MCP_MEMORY_BASE_DIR", "").strip()
    if told:
        return Path(told)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "mcp-memory"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "mcp-memory"
    return Path.home() / ".local" / "share" / "mcp-memory"
