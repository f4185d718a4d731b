"""rohitg00/agentmemory: the JSON of its `memory_export` tool, and `~/.agentmemory/standalone.json` of its standalone
server.

Its full server keeps memories in a database of its engine that no other program reads; export it. A memory that another
one replaced (`isLatest` false) is left out. Known from 0.9.29; exports of 0.3 have summaries with `keyDecisions` too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memlsp.capture.transcripts import Statement
from memlsp.capture.transcripts.lines import below, items, mapping, text, when
from memlsp.model.belief import BeliefKind
from memlsp.store.core.foreign_database import ForeignUnreadable

SOURCE = "agentmemory"
_KINDS = {
    "architecture": BeliefKind.DECISION,
    "pattern": BeliefKind.RULE,
    "preference": BeliefKind.PREFERENCE,
    "bug": BeliefKind.GOTCHA,
    "workflow": BeliefKind.PROCEDURE,
    "fact": BeliefKind.FACT,
}


def files(origin: Path | None) -> list[Path]:
    """The export, or the JSON files of a folder of exports; the standalone server's file when nothing is named."""
    if origin is not None:
        return below(origin, "*.json")
    kept = Path.home() / ".agentmemory" / "standalone.json"
    return [kept] if kept.is_file() else []


def statements(path: Path) -> Iterator[Statement]:
    """The memories, and the decisions of the summaries. Raises ForeignUnreadable for what is no JSON of it."""
    try:
        whole = mapping(json.loads(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise ForeignUnreadable(f"{path} is no JSON: {error}", "give the output of its memory_export tool") from error
    memories = whole.get("memories", whole.get("mem:memories"))
    summaries = whole.get("summaries", whole.get("mem:summaries"))
    for memory in _each(memories):
        if memory.get("isLatest") is False or not text(memory.get("content")).strip():
            continue
        yield Statement(
            text=text(memory.get("content")),
            record=f"memories/{text(memory.get('id'))}",
            at=when(memory.get("createdAt")),
            kind=_KINDS.get(text(memory.get("type"))),
            files=tuple(each for each in items(memory.get("files")) if isinstance(each, str)),
            project=text(memory.get("project")),
            session=next((text(each) for each in items(memory.get("sessionIds"))), ""),
        )
    for summary in _each(summaries):
        for number, decision in enumerate(items(summary.get("keyDecisions")), 1):
            if text(decision).strip():
                yield Statement(
                    text=text(decision),
                    record=f"summaries/{text(summary.get('sessionId'))}/{number}",
                    at=when(summary.get("createdAt")),
                    kind=BeliefKind.DECISION,
                    project=text(summary.get("project")),
                    session=text(summary.get("sessionId")),
                )


def _each(found: Any) -> list[dict[str, Any]]:
    """A list in an export, an object by identifier in the standalone file."""
    return [mapping(each) for each in (items(found) or list(mapping(found).values()))]
