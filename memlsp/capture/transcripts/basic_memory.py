"""basicmachines-co/basic-memory: folders of Markdown notes, named in `~/.basic-memory/config.json`.

Observations of a note are list items: `- [decision] text #tag (context)`. Tasks (`[ ]`, `[x]`) and links are skipped.
As of the parser of 0.18.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from memlsp.capture.transcripts import ForeignStatement
from memlsp.capture.transcripts.foreign_json import as_object, as_text, files_below, home_folder, json_object, kinds

SOURCE = "basic-memory"
_OBSERVATION = re.compile(r"^\s*[-*+]\s+\[(?P<category>[^\[\]()\d][^\[\]()]{1,60})\]\s+(?P<text>\S.*)$")
_TAGS = re.compile(r"(?:\s+#[\w/-]+)+(?=\s*(?:\(|$))")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")
_KINDS = kinds(
    decision="decision design",
    rule="rule requirement convention",
    preference="preference",
    procedure="technique method procedure step",
    gotcha="gotcha issue problem warning",
    fact="tip fact",
)


def files(origin: Path | None) -> list[Path]:
    """Return the notes of all projects in its settings, or those at or below `origin`."""
    folders = [origin] if origin is not None else _projects()
    return [path for folder in folders for path in files_below(folder, "**/*.md") if path.is_file()]


def statements(path: Path) -> Iterator[ForeignStatement]:
    """Yield the observations of one note."""
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
            yield ForeignStatement(
                text=said,
                record=path.name,
                at=at,
                kind=_KINDS.get(found["category"].strip().lower()),
                project=path.parent.name,
                quote=line.strip(),
                line=number,
            )


def _projects() -> list[Path]:
    settings = json_object(home_folder("BASIC_MEMORY_CONFIG_DIR", ".basic-memory") / "config.json")
    # a project is its folder, in later versions an object with a path
    projects = as_object(settings.get("projects")).values()
    folders = [as_text(each) or as_text(as_object(each).get("path")) for each in projects]
    return [Path(folder) for folder in folders if folder] or [Path.home() / "basic-memory"]
