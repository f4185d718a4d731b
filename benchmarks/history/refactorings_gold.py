"""The gold of the suite `refactorings`: RefactoringMiner's oracle, and the sources before and after that lie beside it.

The oracle is read from the objects of a git repository, so a bare clone is enough and nothing is unpacked:

- `src/test/resources/oracle/{python,kotlin,javascript}-dataset/data.json`: what people confirmed of the tool's reports
- `src/test/resources/oracle/tse-dataset/*.json`: twenty Java projects, what people confirmed of two tools' reports
- `src/test/resources/oracle/commits/PROJECT-COMMIT.json`, `PROJECT-COMMIT/`: the changed files of each commit

A report is a sentence (`Rename Method public a(x) renamed to public b(x) in class C`); `happenings` reads it. Reports
about statements inside one body (extracted variables, split conditions) are left out: they are no change of a symbol.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

import pygit2
from attrs import frozen

from benchmarks.history.refactorings_reports import Happening, happenings
from memlsp.model.errors import BadValue, NoSuchFile

ORACLE = "src/test/resources/oracle"
_CLONES = (".", "repo", "RefactoringMiner", "RefactoringMiner.git", "tsantalis+RefactoringMiner/repo")
_DATASETS = ("python", "javascript", "kotlin")
_JAVA_PARTS = ("commonRefactoring", "ourApproach", "baseline")
_LARGEST = 2_000_000  # bytes of one source file


@frozen
class Label:
    """One report of the oracle. `true` is what people made of it."""

    report: str
    happening: Happening
    true: bool


@frozen
class Change:
    """One commit with its labels. Sources are read when they are asked for."""

    repository: str  # owner/name
    dataset: str  # python, javascript, kotlin, java
    commit: str
    labels: tuple[Label, ...]

    @property
    def part(self) -> str:
        """`develop` or `judge`: by a hash of the repository's name, so that no repository is in both."""
        return "judge" if blake2b(self.repository.lower().encode(), digest_size=1).digest()[0] % 2 else "develop"


@frozen
class Sources:
    """The changed files of a commit, path to content, before and after."""

    before: Mapping[str, bytes]
    after: Mapping[str, bytes]


class Oracle:
    """A clone of tsantalis/RefactoringMiner, bare or not, or a folder that holds one."""

    def __init__(self, folder: Path) -> None:
        """Raises NoSuchFile when the folder holds no such clone."""
        self.path = _clone_in(folder)
        repository = pygit2.Repository(str(self.path))
        self._tree = repository.revparse_single("HEAD^{tree}")
        self._repository = repository

    def changes(self, datasets: Sequence[str] = ()) -> list[Change]:
        """All labelled commits of these datasets, all by default; those of one repository lie together."""
        found = [change for name in _DATASETS if not datasets or name in datasets for change in self._reviewed(name)]
        return found + (list(self._java()) if not datasets or "java" in datasets else [])

    def sources(self, change: Change) -> Sources:
        """What the commit changed. Files that are binary, larger than 2 MB or not in the clone are left out."""
        name = change.repository.rpartition("/")[2]
        about = _object(json.loads(self._content(f"commits/{name}-{change.commit}.json")))
        parent = str(about["parentCommitId"])
        return Sources(
            self._files(f"commits/{name}-{parent}", cast("list[str]", about["filesBefore"])),
            self._files(f"commits/{name}-{change.commit}", cast("list[str]", about["filesCurrent"])),
        )

    def _files(self, folder: str, paths: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for path in paths:
            content = self._blob(f"{folder}/{path}")
            if content is not None and len(content) <= _LARGEST and b"\0" not in content[:8192]:
                found[path] = content
        return found

    def _reviewed(self, dataset: str) -> Iterator[Change]:
        for entry in json.loads(self._content(f"{dataset}-dataset/data.json")):
            about = _object(entry)
            reports = [
                (str(report["description"]), str(report["validation"]) != "FP")
                for report in map(_object, cast("list[object]", about["refactorings"]))
            ]
            yield Change(_owner_and_name(str(about["repository"])), dataset, str(about["sha1"]), _labels(reports))

    def _java(self) -> Iterator[Change]:
        folder = self._entry("tse-dataset")
        names = [str(item.name) for item in folder] if isinstance(folder, pygit2.Tree) else []
        for name in sorted(names):
            content = _object(json.loads(self._content(f"tse-dataset/{name}")))
            for about in map(_object, cast("list[object]", content["results"])):
                reports = [
                    (str(report["description"]).replace("\t", " ", 1), bool(report["validation"]))
                    for part in _JAVA_PARTS
                    for report in map(_object, cast("list[object]", about[part]))
                ]
                yield Change(_owner_and_name(str(about["repository"])), "java", str(about["sha1"]), _labels(reports))

    def _content(self, path: str) -> bytes:
        content = self._blob(path)
        if content is None:
            raise BadValue(f"{ORACLE}/{path} is not in {self.path}", "clone tsantalis/RefactoringMiner as a whole")
        return content

    def _blob(self, path: str) -> bytes | None:
        entry = self._entry(path)
        return entry.data if isinstance(entry, pygit2.Blob) else None

    def _entry(self, path: str) -> object | None:
        tree = cast("Any", self._tree)
        try:
            return cast("object", tree[f"{ORACLE}/{path}"])
        except KeyError:
            return None


def _clone_in(folder: Path) -> Path:
    for inner in _CLONES:
        try:
            repository = pygit2.Repository(str(folder / inner))
            tree = cast("Any", repository.revparse_single("HEAD^{tree}"))
            if f"{ORACLE}/commits" in tree:
                return (folder / inner).resolve()
        except (pygit2.GitError, KeyError, ValueError):
            continue
    raise NoSuchFile(
        f"no clone of tsantalis/RefactoringMiner in {folder}",
        "git clone --bare https://github.com/tsantalis/RefactoringMiner DIR/RefactoringMiner, then --data DIR",
    )


def _labels(reports: Sequence[tuple[str, bool]]) -> tuple[Label, ...]:
    """One label for each happening; a report that one tool made rightly is right."""
    verdicts: dict[str, bool] = {}
    for report, true in reports:
        verdicts[report] = verdicts.get(report, False) or true
    return tuple(
        Label(report, happening, true) for report, true in verdicts.items() for happening in happenings(report)
    )


def _owner_and_name(url: str) -> str:
    return url.removesuffix(".git").partition("github.com/")[2] or url


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value)
