"""The parts: what is asked of an adapter, and how its answers are graded. PROTOCOL.md has the questions and rules.

A part is a function of an adapter's process and the data; it yields graded cases. An adapter that cannot do what a part
needs is not asked. A fault in a case counts as no answer; after three in a row the adapter is given up.
"""

from __future__ import annotations

import os
import random
import shutil
import string
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from .errors import AdapterFault
from .grading import OPEN, SEALED, SEED, Graded
from .grid import Case, Grid, edited, load_grids
from .pairs import OPEN as OPEN_PAIRS
from .pairs import SEALED as SEALED_PAIRS
from .pairs import Pair, pairs_in
from .process import AdapterProcess
from .raw_search import words_in

T = TypeVar("T")

_SEALED_SET = "b"
_MOST_FAULTS = 3
_LONGEST_REASON = 200  # characters
_MEMORIES = 60
_TREE = {"app.py": "def run():\n    return 1\n"}


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


Part = Callable[[AdapterProcess, Options], Iterator[Graded]]


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
    """Ask and grade each case; one in which the adapter fails counts as unanswered, and the adapter is started anew.
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
        yield grade(case, answer)


def _tokens(answer: Answer) -> int:
    """What the memory says beside the statement, at four bytes a token."""
    return len(str(answer.get("why") or "").encode()) // 4


def _reason(answer: Answer) -> str:
    return str(answer.get("error") or answer.get("why") or "")[:_LONGEST_REASON]


# --- edits


def edits(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """One statement, one edit: can it still be trusted?"""
    trees = Trees(adapter.sandbox.root)
    for folder in ("edits", "edits-unseen"):
        for grid in load_grids(options.fixtures / folder):
            base = f"{folder}/{grid.language}"
            cases = options.chosen(base, grid.cases, 4, _half_of)
            yield from each_case(
                adapter, cases, partial(_after_edit, adapter, trees, grid, base), partial(_trust, base)
            )


def _half_of(case: Case) -> str:
    return SEALED if case.part == _SEALED_SET else OPEN


def _after_edit(adapter: AdapterProcess, trees: Trees, grid: Grid, base: str, case: Case) -> Answer:
    project, data = trees.fresh(base, grid.base)
    told = adapter.ask("begin", folder=str(project), data=str(data))
    if "error" in told:
        return told
    lines = list(grid.lines[case.at])
    told = adapter.ask("remember", id="m", text=case.belief, path=case.path, symbol=case.symbol, lines=lines)
    if "error" in told:
        return told
    write_files(project, grid.base, edited(grid.base, case.steps))
    adapter.ask("tree", folder=str(project))
    return adapter.ask("ask", id="m")


def _trust(base: str, case: Case, answer: Answer) -> Graded:
    trust, standing, half = answer.get("trust"), answer.get("standing"), _half_of(case)
    return Graded(
        "edits",
        half,
        base,
        case.group,
        alarm=not case.holds,
        said=None if trust is None else not trust,
        exact=None if standing is None else standing == case.expect,
        tokens=_tokens(answer),
        id=f"{base}/{case.id}" if half == OPEN else "",
        why=_reason(answer) if half == OPEN else "",
    )


# --- contradictions


def contradictions(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """Two statements: do they contradict each other, or live together?"""
    trees = Trees(adapter.sandbox.root)
    for half, names in ((OPEN, OPEN_PAIRS), (SEALED, SEALED_PAIRS)):
        for name in names:
            pairs = list(enumerate(pairs_in(options.fixtures / "contradictions" / name)))
            cases = options.chosen(name, pairs, 10, partial(_of_half, half))
            yield from each_case(adapter, cases, partial(_after_both, adapter, trees), partial(_conflict, half, name))


def _of_half(half: str, numbered: tuple[int, Pair]) -> str:  # noqa: ARG001 - a file is of one half
    return half


def _after_both(adapter: AdapterProcess, trees: Trees, numbered: tuple[int, Pair]) -> Answer:
    _, pair = numbered
    files = {**_TREE, **{said.at: "\n" for said in (pair.first, pair.second) if said.at}}
    project, data = trees.fresh(" ".join(files), files)
    told = adapter.ask("begin", folder=str(project), data=str(data))
    if "error" in told:
        return told
    for id, said in (("a", pair.first), ("b", pair.second)):
        when = dict(said.when)
        told = adapter.ask("remember", id=id, text=said.text, path=said.at, symbol="", lines=[1, 1], when=when)
        if "error" in told:
            return told
    return adapter.ask("conflicts", id="b")


def _conflict(half: str, name: str, numbered: tuple[int, Pair], answer: Answer) -> Graded:
    number, pair = numbered
    met = answer.get("with")
    return Graded(
        "contradictions",
        half,
        f"{name}/{pair.origin}",
        "conflict" if pair.conflict else "together",
        alarm=pair.conflict,
        said=None if met is None else "a" in met,
        id=f"{name}/{number}" if half == OPEN else "",
        why=_reason(answer) if half == OPEN else "",
    )


# --- forgetting


def forgetting(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """Every second of some statements is forgotten by its id: are its words left in any file of the sandbox, and do
    the others still answer? What does not answer counts as said to be gone."""
    if options.share[0]:
        return  # it is one store
    chance = random.Random(20261121)  # noqa: S311 - nothing secret, and the same in every run
    words = ["zq" + "".join(chance.choices(string.ascii_lowercase, k=9)) for _ in range(_MEMORIES)]
    words = words[: 20 if options.quick else None]
    project, data = Trees(adapter.sandbox.root).fresh("app", _TREE)
    told = adapter.ask("begin", folder=str(project), data=str(data))
    if "error" in told:
        raise AdapterFault(f"{adapter.name}: cannot begin: {told['error']}")
    for number, word in enumerate(words):
        text = f"The {word} service answers late on day {number}, so that its callers wait {number % 7 + 2} seconds"
        told = adapter.ask("remember", id=word, text=text, path="app.py", symbol="run", lines=[1, 2])
        if "error" in told:
            raise AdapterFault(f"{adapter.name}: cannot remember: {told['error']}")
    gone = words[::2]
    for word in gone:
        told = adapter.ask("forget", id=word)
        if "error" in told:
            raise AdapterFault(f"{adapter.name}: cannot forget: {told['error']}")
    stay = {word: adapter.ask("ask", id=word) for word in words[1::2]}
    left = words_in(adapter.sandbox.root, gone)
    for word in words:
        said = word not in left if word in gone else stay[word].get("trust") is None
        yield Graded(
            "forgetting", OPEN, word, "forgotten" if word in gone else "kept", alarm=word in gone, said=said, id=word
        )


PARTS: Mapping[str, tuple[Part, frozenset[str]]] = {
    "edits": (edits, frozenset({"remember", "ask"})),
    "contradictions": (contradictions, frozenset({"remember", "conflicts"})),
    "forgetting": (forgetting, frozenset({"remember", "forget", "ask"})),
}
"""Each part with what an adapter has to do for it."""
