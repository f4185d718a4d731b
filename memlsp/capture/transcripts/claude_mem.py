"""thedotmack/claude-mem: `~/.claude-mem/claude-mem.db`, SQLite.

`observations` have a type, a title, a subtitle and a list of facts; what was merely done (`change`, `feature`,
`refactor`) is told by git already and left out. Of `session_summaries` what was learned is taken. Written after the
schema of version 13.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memlsp.capture.transcripts import Statement
from memlsp.capture.transcripts.lines import below, home, items, structure, text, when
from memlsp.model.belief import BeliefKind
from memlsp.store.core.foreign_database import Cell, foreign_tables

SOURCE = "claude-mem"
_KINDS = {
    "decision": BeliefKind.DECISION,
    "bugfix": BeliefKind.GOTCHA,
    "gotcha": BeliefKind.GOTCHA,
    "problem-solution": BeliefKind.GOTCHA,
    "discovery": BeliefKind.FACT,
    "how-it-works": BeliefKind.FACT,
    "trade-off": BeliefKind.DECISION,
}
_OBSERVATION = (
    *("id", "type", "title", "subtitle", "facts", "text", "project"),
    *("files_read", "files_modified", "created_at", "memory_session_id"),
)
_SUMMARY = ("id", "learned", "project", "files_edited", "created_at", "memory_session_id")
_MOST_FACTS = 4


def files(origin: Path | None) -> list[Path]:
    """The database, or those below `origin`."""
    found = below(origin or home("CLAUDE_MEM_DATA_DIR", ".claude-mem"), "claude-mem.db")
    return [path for path in found if path.is_file()]


def statements(path: Path) -> Iterator[Statement]:
    """What was decided, found out and learned."""
    with foreign_tables(path) as tables:
        for row in tables.rows("observations", _OBSERVATION):
            id, kind, title, subtitle, facts, said, project, read, modified, at, session = row
            if text(kind) not in _KINDS:
                continue
            whole = _sentences([text(title), text(subtitle), *_list(facts)[:_MOST_FACTS]]) or text(said)
            if whole.strip():
                yield Statement(
                    text=whole,
                    record=f"observations/{id}",
                    at=when(at),
                    kind=_KINDS[text(kind)],
                    files=(*_list(modified), *_list(read)),
                    project=text(project),
                    session=text(session),
                )
        for row in tables.rows("session_summaries", _SUMMARY):
            id, learned, project, edited, at, session = row
            if text(learned).strip():
                yield Statement(
                    text=text(learned),
                    record=f"session_summaries/{id}",
                    at=when(at),
                    files=tuple(_list(edited)),
                    project=text(project),
                    session=text(session),
                )


def _list(cell: Cell) -> list[str]:
    return [each for each in items(structure(cell)) if isinstance(each, str)]


def _sentences(parts: list[str]) -> str:
    """One text of several, each ended, none said twice."""
    kept = dict.fromkeys(part.strip() for part in parts if part.strip())
    return " ".join(part if part[-1] in ".!?" else f"{part}." for part in kept)
