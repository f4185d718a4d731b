"""thedotmack/claude-mem: `~/.claude-mem/claude-mem.db`, SQLite.

`observations` have a type, a title, a subtitle and a list of facts; those of work done (`change`, `feature`,
`refactor`) are skipped, for git has them. Of `session_summaries` the column `learned` is read. Written after the schema
of version 13.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memlsp.capture.transcripts import ForeignStatement
from memlsp.capture.transcripts.foreign_json import as_list, as_text, as_time, files_below, home_folder, kinds, parsed
from memlsp.store.core.foreign_database import Cell, foreign_tables

SOURCE = "claude-mem"
_KINDS = kinds(decision="decision trade-off", gotcha="bugfix gotcha problem-solution", fact="discovery how-it-works")
_OBSERVATION = (
    *("id", "type", "title", "subtitle", "facts", "text", "project"),
    *("files_read", "files_modified", "created_at", "memory_session_id"),
)
_SUMMARY = ("id", "learned", "project", "files_edited", "created_at", "memory_session_id")
_MOST_FACTS = 4


def files(origin: Path | None) -> list[Path]:
    """Return the database, or those below `origin`."""
    found = files_below(origin or home_folder("CLAUDE_MEM_DATA_DIR", ".claude-mem"), "claude-mem.db")
    return [path for path in found if path.is_file()]


def statements(path: Path) -> Iterator[ForeignStatement]:
    """Yield decisions, findings and lessons."""
    with foreign_tables(path) as tables:
        for row in tables.rows("observations", _OBSERVATION):
            id, kind, title, subtitle, facts, said, project, read, modified, at, session = row
            if as_text(kind) not in _KINDS:
                continue
            whole = _sentences([as_text(title), as_text(subtitle), *_list(facts)[:_MOST_FACTS]]) or as_text(said)
            if whole.strip():
                yield ForeignStatement(
                    text=whole,
                    record=f"observations/{id}",
                    at=as_time(at),
                    kind=_KINDS[as_text(kind)],
                    files=(*_list(modified), *_list(read)),
                    project=as_text(project),
                    session=as_text(session),
                )
        for row in tables.rows("session_summaries", _SUMMARY):
            id, learned, project, edited, at, session = row
            if as_text(learned).strip():
                yield ForeignStatement(
                    text=as_text(learned),
                    record=f"session_summaries/{id}",
                    at=as_time(at),
                    files=tuple(_list(edited)),
                    project=as_text(project),
                    session=as_text(session),
                )


def _list(cell: Cell) -> list[str]:
    return [each for each in as_list(parsed(cell)) if isinstance(each, str)]


def _sentences(parts: list[str]) -> str:
    kept = dict.fromkeys(part.strip() for part in parts if part.strip())
    return " ".join(part if part[-1] in ".!?" else f"{part}." for part in kept)
