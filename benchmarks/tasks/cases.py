"""The cases of the suite `tasks`: what earlier sessions did and learned, the task, and what is right at its start."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from memlsp.model.errors import NoSuchFile


@frozen
class KnownFact:
    """A statement that an earlier session learned. `bears` on the task, `holds` at its start; a `rule` binds. It was
    told where one paragraph has all `marks`, which are patterns."""

    id: str
    text: str
    said: str
    at: str
    scope: str
    bears: bool
    holds: bool
    rule: bool
    marks: tuple[str, ...]

    def is_in(self, paragraph: str) -> bool:
        """Whether a paragraph says it."""
        return all(re.search(mark, paragraph) for mark in self.marks)


@frozen
class HastyAct:
    """A tool's call that a hasty agent would make, and the id of the rule against it."""

    tool: str
    call: dict[str, str]
    breaks: str


@frozen
class EarlierSession:
    """A session at a commit: its steps are tables with the key `act`, as the file has them."""

    commit: str
    steps: tuple[dict[str, Any], ...]


@frozen
class TaskCase:
    """One task. `start` is the commit that the agent begins at, `files` what the real fix changed, `notes` the text
    that a person wrote for agents when the sessions ended."""

    name: str
    about: str
    repository: str
    start: str
    files: tuple[str, ...]
    prompts: tuple[str, ...]
    sessions: tuple[EarlierSession, ...]
    facts: tuple[KnownFact, ...]
    acts: tuple[HastyAct, ...]
    notes: str

    def fact(self, id: str) -> KnownFact:
        """The fact of this id."""
        return next(each for each in self.facts if each.id == id)


def cases_in(folder: Path) -> list[TaskCase]:
    """The cases of a folder, by name. Raises NoSuchFile without any."""
    found = [_case(path) for path in sorted(folder.glob("*.toml"))]
    if not found:
        raise NoSuchFile(f"no tasks in {folder}", "fixtures/tasks of a whole checkout has them")
    return found


def _case(path: Path) -> TaskCase:
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    return TaskCase(
        name=path.stem,
        about=read["about"],
        repository=read["repository"],
        start=read["start"],
        files=tuple(read["files"]),
        prompts=tuple(read["prompts"]),
        sessions=tuple(EarlierSession(each["commit"], tuple(each["steps"])) for each in read["sessions"]),
        facts=tuple(_fact(each) for each in read["facts"]),
        acts=tuple(_act(each) for each in read.get("acts", ())),
        notes=path.with_name(f"{path.stem}.notes.txt").read_text(encoding="utf-8"),
    )


def _fact(read: dict[str, Any]) -> KnownFact:
    return KnownFact(
        id=read["id"],
        text=read["text"],
        said=read.get("said", ""),
        at=read.get("at", ""),
        scope=read.get("scope", ""),
        bears=read["bears"],
        holds=read["holds"],
        rule=read.get("rule", False),
        marks=tuple(read["marks"]),
    )


def _act(read: dict[str, str]) -> HastyAct:
    names = {"path": "file_path", "old": "old_string", "new": "content" if read["tool"] == "Write" else "new_string"}
    call = {names.get(key, key): value for key, value in read.items() if key not in {"tool", "breaks"}}
    return HastyAct(read["tool"], call, read["breaks"])


def paragraphs(text: str) -> Sequence[str]:
    """What was told, as items that are read one by one: an indented line goes on with the one before."""
    found: list[str] = []
    for line in text.splitlines():
        if found and line[:1].isspace() and line.strip():
            found[-1] += f" {line.strip()}"
        elif line.strip():
            found.append(line.strip())
    return found
