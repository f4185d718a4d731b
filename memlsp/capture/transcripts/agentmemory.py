"""rohitg00/agentmemory: the JSON of its `memory_export` tool, and `~/.agentmemory/standalone.json` of its standalone
server.

The full server uses a database of its engine that no other program reads; export it. Replaced memories (`isLatest`
false) are skipped. As of 0.9.29; exports of 0.3 have summaries with `keyDecisions` too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlsp.capture.transcripts import ForeignStatement
from memlsp.capture.transcripts.foreign_json import as_list, as_object, as_text, as_time, files_below, kinds
from memlsp.model.belief import BeliefKind
from memlsp.store.core.foreign_database import ForeignUnreadable

SOURCE = "agentmemory"
_KINDS = kinds(
    decision="architecture", rule="pattern", preference="preference", gotcha="bug", procedure="workflow", fact="fact"
)


def files(origin: Path | None) -> list[Path]:
    """Return the export, or the JSON files of a folder of exports; without `origin` the standalone server's file."""
    if origin is not None:
        return files_below(origin, "*.json")
    kept = Path.home() / ".agentmemory" / "standalone.json"
    return [kept] if kept.is_file() else []


def statements(path: Path) -> Iterator[ForeignStatement]:
    """Yield the memories, and the decisions of summaries. Raises ForeignUnreadable for a file that is no JSON."""
    try:
        whole = as_object(json.loads(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise ForeignUnreadable(f"{path} is no JSON: {error}", "give the output of its memory_export tool") from error
    memories = whole.get("memories", whole.get("mem:memories"))
    summaries = whole.get("summaries", whole.get("mem:summaries"))
    for memory in _each(memories):
        if memory.get("isLatest") is False or not as_text(memory.get("content")).strip():
            continue
        yield ForeignStatement(
            text=as_text(memory.get("content")),
            record=f"memories/{as_text(memory.get('id'))}",
            at=as_time(memory.get("createdAt")),
            kind=_KINDS.get(as_text(memory.get("type"))),
            files=tuple(each for each in as_list(memory.get("files")) if isinstance(each, str)),
            project=as_text(memory.get("project")),
            session=next((as_text(each) for each in as_list(memory.get("sessionIds"))), ""),
        )
    for summary in _each(summaries):
        for number, decision in enumerate(as_list(summary.get("keyDecisions")), 1):
            if as_text(decision).strip():
                yield ForeignStatement(
                    text=as_text(decision),
                    record=f"summaries/{as_text(summary.get('sessionId'))}/{number}",
                    at=as_time(summary.get("createdAt")),
                    kind=BeliefKind.DECISION,
                    project=as_text(summary.get("project")),
                    session=as_text(summary.get("sessionId")),
                )


def _each(found: Any) -> list[dict[str, Any]]:
    """Return the records: a list in an export, the values of an object in the standalone file."""
    return [as_object(each) for each in (as_list(found) or list(as_object(found).values()))]
