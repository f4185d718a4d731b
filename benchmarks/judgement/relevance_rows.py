"""The rows of `fixtures/relevance`; code of public repositories is read from clones, never kept here.

The format is told in fixtures/relevance/README.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pygit2
from attrs import frozen

from benchmarks.judgement.drift_mining import repositories_in
from memlsp.model.errors import NoSuchFile


@frozen
class RelevanceRow:
    """A statement, the files before an edit and those that differ after it (None: removed), and what to say."""

    id: str
    language: str
    group: str
    statement: str
    kind: str
    at: str
    before: Mapping[str, str]
    after: Mapping[str, str | None]
    gold: str
    why: str


def relevance_rows(file: Path, clones: Path | None = None) -> Iterator[RelevanceRow]:
    """Read the rows of a file.

    `clones` holds the repositories in the layout of `repositories_in`. Without it, rows of real code are left out.
    Raises NoSuchFile when `clones` lacks a repository or a commit.
    """
    found = repositories_in(clones) if clones else {}
    for line in file.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        name = cast("str", row["repo"]).partition("@")[0]
        before, after = row["before"], row["after"]
        if name:
            if clones is None:
                continue
            if name not in found:
                raise NoSuchFile(f"{name} is not in {clones}")
            before, after = _filled(pygit2.Repository(str(found[name])), before, after)
        yield RelevanceRow(
            id=row["id"],
            language=row["lang"],
            group=row["class"],
            statement=row["statement"],
            kind=row["kind"],
            at=row["at"],
            before=before,
            after=after,
            gold=row["gold"],
            why=row["why"],
        )


def _filled(
    repository: pygit2.Repository, before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, str | None]]:
    first = {path: _excerpt(repository, path, part) for path, part in before.items()}
    return first, {
        path: _edited(first[path], part["edits"]) if "edits" in part else _excerpt(repository, path, part)
        for path, part in after.items()
    }


def _excerpt(repository: pygit2.Repository, path: str, part: Mapping[str, Any]) -> str:
    try:
        blob = repository[cast("pygit2.Commit", repository[part["commit"]]).tree[path].id]
    except KeyError:
        raise NoSuchFile(f"{part['commit']}:{path} is not in {repository.path}") from None
    lines = cast("pygit2.Blob", blob).data.decode().split("\n")
    return "".join(f"{line}\n" for first, last in part["lines"] for line in lines[first - 1 : last])


def _edited(text: str, edits: list[tuple[int, int, list[str]]]) -> str:
    """Lines `first` to `last` of the excerpt become others; `last` before `first` inserts."""
    lines = text.split("\n")
    for first, last, new in reversed(edits):
        lines[first - 1 : last] = new
    return "\n".join(lines)
