"""basicmachines-co/basic-memory: folders of Markdown notes, named in `~/.basic-memory/config.json`.

What a note observes stands in lists: `- [decision] text #tag (context)`. A box (`[ ]`, `[x]`) is a task, a link a
relation; neither is taken. Known from the parser of 0.18.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from memlsp.capture.transcripts import Statement
from memlsp.capture.transcripts.lines import below, home, mapping, text
from memlsp.model.belief import BeliefKind

SOURCE = "basic-memory"
_OBSERVATION = re.compile(r"^\s*[-*+]\s+\[(?P<category>[^\[\]()\d][^\[\]()]{1,60})\]\s+(?P<text>\S.*)$")
_TAGS = re.compile(r"(?:\s+#[\w/-]+)+(?=\s*(?:\(|$))")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")
_KINDS = {
    "decision": BeliefKind.DECISION,
    "design": BeliefKind.DECISION,
    "rule": BeliefKind.RULE,
    "requirement": BeliefKind.RULE,
    "convention": BeliefKind.RULE,
    "preference": BeliefKind.PREFERENCE,
    "technique": BeliefKind.PROCEDURE,
    "method": BeliefKind.PROCEDURE,
    "procedure": BeliefKind.PROCEDURE,
    "step": BeliefKind.PROCEDURE,
    "gotcha": BeliefKind.GOTCHA,
    "issue": BeliefKind.GOTCHA,
    "problem": BeliefKind.GOTCHA,
    "warning": BeliefKind.GOTCHA,
    "tip": BeliefKind.FACT,
    "fact": BeliefKind.FACT,
}


def files(origin: Path | None) -> list[Path]:
    """The notes of all projects in its settings, or those at or below `origin`."""
    folders = [origin] if origin is not None else _projects()
    return [path for folder in folders for path in below(folder, "**/*.md") if path.is_file()]


def statements(path: Path) -> Iterator[Statement]:
    """The observations of one note."""
    at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        found = None if fenced else _OBSERVATION.match(line)
        if found is None:
            continue
        said = _TAGS.sub("", _CONTEXT.sub("", found["text"])).strip()
        if said:
            yield Statement(
                text=said,
                record=path.name,
                at=at,
                kind=_KINDS.get(found["category"].strip().lower()),
                project=path.parent.name,
                quote=line.strip(),
                line=number,
            )


def _projects() -> list[Path]:
    try:
        settings = mapping(json.loads((home("BASIC_MEMORY_CONFIG_DIR", ".basic-memory") / "config.json").read_bytes()))
    except (OSError, ValueError, RecursionError):
        settings = {}
    told = mapping(settings.get("projects")).values()
    # a project is its folder, in later versions an object that has it
    folders = [text(each) or text(mapping(each).get("path")) for each in told]
    return [Path(folder) for folder in folders if folder] or [Path.home() / "basic-memory"]
