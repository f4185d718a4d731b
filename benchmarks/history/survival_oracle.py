"""The oracles of the suite `survival`: for a method at one commit, the commits that changed it, tagged by people.

HistoryFinder (https://github.com/SQMLab/history-finder) corrected the Java oracle of CodeShovel and added one of its
own; CodeShovel (https://github.com/ataraxie/codeshovel) has a small one for Python. They are read from the head commits
of clones of these repositories, wherever those are; nothing of them is copied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pygit2
from attrs import frozen

from memlsp.model.errors import NoSuchFile

_JAVA = ("SQMLab+history-finder", ("oracle/codeshovel-oracle-updated", "oracle/historyfinder-oracle"))
_PYTHON = ("ataraxie+codeshovel", ("src/test/resources/oracles/python",))
_TAGS: Mapping[str, str] = {
    "Ybodychange": "BODY",
    "Ybodychagne": "BODY",  # written so in one case
    "Yparameterchange": "PARAMETER",
    "Yparametermetachange": "PARAMETER",
    "Yreturntypechange": "RETURN_TYPE",
    "Ymodifierchange": "MODIFIER",
    "Yexceptionschange": "EXCEPTION",
    "Yannotationchange": "ANNOTATION",
    "Yrename": "RENAME",
    "Yfilerename": "FILE_MOVE",
    "Ymovefromfile": "MOVE",
    "Yintroduced": "INTRODUCTION",
}
WITHOUT_MEANING = frozenset({"FORMAT", "DOCUMENTATION"})
PLACES = frozenset({"RENAME", "MOVE", "FILE_MOVE"})


@frozen
class Method:
    """A method at its start commit, and the commits that changed it by their full hashes, newest first. Lines from 1;
    `end_line` is 0 where the oracle does not say. `folder` is a clone that has the commit."""

    id: str
    oracle: str
    repository: str
    folder: Path
    start: str
    path: str
    name: str
    line: int
    end_line: int
    commits: Mapping[str, frozenset[str]]

    @property
    def python(self) -> bool:
        """Whether it is of the Python oracle."""
        return self.path.endswith(".py")

    def gold(self, *, everything: bool) -> frozenset[str]:
        """The commits that changed it; those that changed layout or documentation alone only with `everything`."""
        return frozenset(c for c, tags in self.commits.items() if everything or tags - WITHOUT_MEANING)


def load_methods(data: Path) -> tuple[list[Method], dict[str, int]]:
    """All methods whose repository is in `data` and has their start commit, and how many were left out by repository.

    Raises NoSuchFile when no oracle is there.
    """
    clones = clones_in(data)
    found: list[Method] = []
    missing: dict[str, int] = {}
    for entry in _entries(data, clones):
        folder = clones.get(entry.repository)
        if folder is None or not _has(folder, entry.start):
            missing[entry.repository] = missing.get(entry.repository, 0) + 1
            continue
        found.append(entry.at(folder))
    return found, missing


def clones_in(data: Path) -> dict[str, Path]:
    """The git folders in `data` by repository name (and by its owner where no repository is called so): `NAME`,
    `OWNER+NAME`, or such a folder with `repo` in it."""
    found: dict[str, Path] = {}
    owned: dict[str, Path] = {}
    for folder in sorted(data.iterdir()):
        for place in (folder / "repo", folder):
            git = place / ".git" if (place / ".git").exists() else place
            if (git / "objects").exists():
                owner, _, name = folder.name.rpartition("+")
                found.setdefault(name, git)
                owned.setdefault(owner, git)
                break
    return owned | found


@frozen
class _Entry:
    id: str
    oracle: str
    repository: str
    start: str
    path: str
    name: str
    line: int
    end_line: int
    commits: Mapping[str, frozenset[str]]

    def at(self, folder: Path) -> Method:
        return Method(
            self.id, self.oracle, self.repository, folder, self.start, self.path, self.name, self.line, self.end_line,
            self.commits,
        )  # fmt: skip


def _entries(data: Path, clones: Mapping[str, Path]) -> Iterator[_Entry]:
    seen = False
    for name, folders in (_JAVA, _PYTHON):
        clone = clones.get(name.rpartition("+")[2])
        if clone is None:
            continue
        repository = pygit2.Repository(str(clone))
        top = repository.head.peel(pygit2.Tree)
        for folder in folders:
            tree = top / folder if folder in top else None
            if not isinstance(tree, pygit2.Tree):
                continue
            seen = True
            for item in tree:
                if isinstance(item, pygit2.Blob) and str(item.name).endswith(".json"):
                    content = cast("dict[str, object]", json.loads(item.data))
                    yield _read(str(item.name).removesuffix(".json"), folder.rpartition("/")[2], content)
    if not seen:
        raise NoSuchFile(
            f"no oracle in {data}",
            f"--data DIR is a folder of clones: {_JAVA[0].replace('+', '/')}, {_PYTHON[0].replace('+', '/')} and the "
            "repositories that they speak of",
        )


def _read(stem: str, oracle: str, content: Mapping[str, object]) -> _Entry:
    commits: dict[str, frozenset[str]] = {}
    if "expectedResult" in content:
        for commit, change in cast("dict[str, str]", content["expectedResult"]).items():
            words = cast("list[str]", re.findall(r"Y[a-z]+", change))
            commits[commit] = frozenset(_TAGS[word] for word in words if word in _TAGS)
        path, name = str(content["filePath"]), str(content["functionName"])
        line, end, start = int(str(content["functionStartLine"])), 0, str(content["startCommitName"])
    else:
        for entry in cast("list[dict[str, object]]", content["commits"]):
            commits[str(entry["commitHash"])] = frozenset(cast("list[str]", entry["changeTags"]))
        path, name = str(content["file"]), str(content["element"])
        line, end, start = int(str(content["startLine"])), int(str(content["endLine"])), str(content["startCommitHash"])
    return _Entry(f"{oracle}/{stem}", oracle, str(content["repositoryName"]), start, path, name, line, end, commits)


def _has(folder: Path, commit: str) -> bool:
    try:
        return pygit2.Repository(str(folder)).get(commit) is not None
    except (pygit2.GitError, ValueError, OSError):
        return False
