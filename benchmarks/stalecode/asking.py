"""How an adapter is asked: which cases, in which trees, and what becomes of one that fails."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .errors import AdapterFault
from .grading import OPEN, SEALED, SEED, Graded
from .process import AdapterProcess

T = TypeVar("T")

_MOST_FAULTS = 3
_LONGEST_REASON = 200  # characters


@dataclass(frozen=True)
class Options:
    """How much is asked. `fixtures` is the folder of the labels, `data` one of clones, for the parts that need some.
    `quick` takes a small sample of each part; `open` so many cases of each base of the open half, 0 for all, and all of
    the sealed half. `share` is (number, of how many): those of the chosen cases that one process is asked."""

    fixtures: Path
    data: Path | None = None
    quick: bool = False
    open: int = 0
    share: tuple[int, int] = (0, 1)

    def chosen(self, base: str, cases: Sequence[T], few: int, half: Callable[[T], str]) -> list[T]:
        """The cases of one base that are asked, in their order: `few` of each half with `quick`. A sample is the same
        in every run."""
        limits = (few, few) if self.quick else (self.open or len(cases), len(cases))
        found: list[int] = []
        for name, limit in zip((OPEN, SEALED), limits, strict=True):
            of_half = [at for at, case in enumerate(cases) if half(case) == name]
            found += random.Random(f"{SEED} {base}").sample(of_half, min(limit, len(of_half)))  # noqa: S311
        number, count = self.share
        return [cases[at] for at in sorted(found)][number::count]


class Trees:
    """Projects under git for one adapter: a commit of everything on `main`, brought back to it for each case."""

    def __init__(self, root: Path) -> None:
        self._root, self._number = root, 0
        self._made: dict[str, Path] = {}

    def fresh(self, name: str, files: Mapping[str, str]) -> tuple[Path, Path]:
        """The project of that name as it was committed, without what the adapter left in it, and an empty folder for
        the adapter's data; the data of the case before is gone."""
        project = self._made.get(name)
        if project is None:
            project = self._made[name] = self._root / f"project-{len(self._made)}"
            write_files(project, {}, files)
            commit(project, "Lay the base")
        else:
            restore(project, files)
        shutil.rmtree(self._root / f"data-{self._number}", ignore_errors=True)
        self._number += 1
        data = self._root / f"data-{self._number}"
        data.mkdir()
        return project, data


def restore(project: Path, files: Mapping[str, str]) -> None:
    """Bring a project back to these files; what is the same is not written."""
    wanted = {project / path: text.encode() for path, text in files.items()}
    folders = {folder for path in wanted for folder in path.parents}
    for folder, inner, names in os.walk(project):
        here = Path(folder)
        for name in names:
            if here / name not in wanted:
                (here / name).unlink()
        for name in inner:
            if here / name not in folders and name != ".git":
                shutil.rmtree(here / name)
        inner[:] = [name for name in inner if here / name in folders]
    for path, content in wanted.items():
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def commit(folder: Path, message: str) -> None:
    """Commit everything in a folder, made a repository where it is none. Raises CalledProcessError."""
    who = ("-c", "user.name=StaleCode", "-c", "user.email=stalecode@example.org", "-c", "commit.gpgsign=false")
    if not (folder / ".git").exists():
        _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", "--all")
    _git(folder, *who, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)


def write_files(root: Path, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Bring a folder from one state to another; what is the same is not written."""
    for path in before.keys() - after.keys():
        (root / path).unlink()
    for path, text in after.items():
        if before.get(path) != text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


Answer = Mapping[str, Any]


def each_case(
    adapter: AdapterProcess, cases: Sequence[T], ask: Callable[[T], Answer], grade: Callable[[T, Answer], Graded]
) -> Iterator[Graded]:
    """Ask and grade each case, as `each_answer` does."""
    for case, answer in each_answer(adapter, cases, ask):
        yield grade(case, answer)


def each_answer(adapter: AdapterProcess, cases: Sequence[T], ask: Callable[[T], Answer]) -> Iterator[tuple[T, Answer]]:
    """Each case with its answer; one in which the adapter fails counts as unanswered, and the adapter is started anew.
    Raises AdapterFault after three faults in a row."""
    row = 0
    for case in cases:
        try:
            answer = ask(case)
            row = 0
        except AdapterFault as fault:
            row += 1
            if row == _MOST_FAULTS:
                raise
            answer = {"error": str(fault)}
            adapter.again()
        yield case, answer


def tokens_of(answer: Answer) -> int:
    """What the memory says beside the statement, at four bytes a token."""
    return len(str(answer.get("why") or "").encode()) // 4


def reason_of(answer: Answer) -> str:
    """What an answer says, cut to a line."""
    return str(answer.get("error") or answer.get("why") or "")[:_LONGEST_REASON]
