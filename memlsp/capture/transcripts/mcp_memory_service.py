"""doobidoo/mcp-memory-service: `sqlite_vec.db`, SQLite, with the texts in the table `memories`.

Deleted rows stay there with a time in `deleted_at` and are skipped. Tags are a list with commas; one is often the
project. Written after the schema of version 12.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from memlsp.capture.transcripts import ForeignStatement
from memlsp.capture.transcripts.foreign_json import as_text, as_time, files_below, kinds
from memlsp.store.core.foreign_database import foreign_tables

SOURCE = "mcp-memory-service"
_COLUMNS = ("id", "content", "tags", "memory_type", "created_at", "deleted_at")
_KINDS = kinds(
    decision="decision architecture",
    preference="preference",
    rule="rule convention pattern",
    procedure="procedure process",
    gotcha="error",
    fact="learning fact",
)


def files(origin: Path | None) -> list[Path]:
    """Return the database, or those at or below `origin`."""
    chosen = os.environ.get("MCP_MEMORY_SQLITE_PATH", "").strip()
    start = origin or (Path(chosen) if chosen else _folder())
    return [path for path in files_below(start, "**/sqlite_vec.db") if path.is_file()]


def statements(path: Path) -> Iterator[ForeignStatement]:
    """Yield the memories that were not deleted."""
    with foreign_tables(path) as tables:
        for id, content, tags, kind, at, deleted in tables.rows("memories", _COLUMNS):
            if deleted is not None or not as_text(content).strip():
                continue
            yield ForeignStatement(
                text=as_text(content),
                record=f"memories/{id}",
                at=as_time(at),
                kind=_KINDS.get(as_text(kind).lower()),
                project=as_text(tags),
            )


def _folder() -> Path:
    chosen = os.environ.get("MCP_MEMORY_BASE_DIR", "").strip()
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "mcp-memory"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "mcp-memory"
    return Path.home() / ".local" / "share" / "mcp-memory"
