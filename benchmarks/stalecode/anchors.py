"""The part `anchors`: a method of a real history between two commits that changed it: is it found, and did it change?

The oracles are those of HistoryFinder (SQMLab/history-finder) and of CodeShovel (ataraxie/codeshovel), read from clones
and never copied. They name a method's place at the newest commit alone, so a stretch begins where the place before is
known: the same, or by git's own record of renamed files. Stretches before a rename or a move of the method are left
out, and so are those at whose ends the name has not one definition in its file.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from .asking import Answer, Options, each_case, reason_of
from .clones import checked_out, clones_in
from .grading import OPEN, SEALED, SEED, Graded
from .process import AdapterProcess

_ORACLES = {
    "SQMLab/history-finder": ("oracle/codeshovel-oracle-updated", "oracle/historyfinder-oracle"),
    "ataraxie/codeshovel": ("src/test/resources/oracles/python",),
}
_WITHOUT_MEANING = frozenset(
    ["FORMAT", "DOCUMENTATION", "RENAME", "MOVE", "FILE_MOVE", "Yrename", "Yfilerename", "Ymovefromfile"]
)
_ELSEWHERE = frozenset(["RENAME", "MOVE", "Yrename", "Ymovefromfile", "INTRODUCTION", "Yintroduced"])
_FILE_MOVES = frozenset(["FILE_MOVE", "Yfilerename"])
_MOST = 4  # stretches of a method
_FEW = 4  # with --quick


@dataclass(frozen=True)
class Stretch:
    """A method after the commit `first`, and what is true of it after `last`: its file, and whether it changed."""

    repository: str
    clone: Path
    first: str
    last: str
    path: str
    symbol: str
    lines: tuple[int, int]
    later_path: str
    alarm: bool

    @property
    def half(self) -> str:
        """By a hash of the repository's name, as the suite `survival` splits them."""
        name = self.repository.partition("/")[2]
        return OPEN if sha256(name.encode()).digest()[0] % 2 else SEALED


def anchors(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """Each stretch in a clone that is checked out at its first commit, then at its last."""
    found = stretches(options.data) if options.data else []
    number, count = options.share
    chosen = found[: _FEW if options.quick else None][number::count]
    yield from each_case(adapter, chosen, partial(_later, adapter), _graded)


def _later(adapter: AdapterProcess, stretch: Stretch) -> Answer:
    root = adapter.sandbox.root
    tree = checked_out(root / stretch.repository.replace("/", "+"), stretch.clone, stretch.first)
    data = root / f"data-{stretch.first}-{stretch.last}-{stretch.symbol.replace('/', '.')}"
    data.mkdir(exist_ok=True)
    told = adapter.ask("begin", folder=str(tree), data=str(data))
    if "error" in told:
        return told
    name = stretch.symbol.rpartition(".")[2]
    text = f"`{name}` was read by two people"
    told = adapter.ask(
        "remember", id="m", text=text, path=stretch.path, symbol=stretch.symbol, lines=list(stretch.lines)
    )
    if "error" in told:
        return told
    checked_out(tree, stretch.clone, stretch.last)
    adapter.ask("tree", folder=str(tree))
    return adapter.ask("ask", id="m")


def _graded(stretch: Stretch, answer: Answer) -> Graded:
    trust = answer.get("trust")
    where: dict[str, Any] = answer.get("where") or {}
    same = str(where.get("symbol", "")).rpartition(".")[2] == stretch.symbol.rpartition(".")[2]
    name = f"{stretch.repository}@{stretch.first[:12]}-{stretch.last[:12]}:{stretch.path}#{stretch.symbol}"
    return Graded(
        "anchors",
        stretch.half,
        stretch.repository,
        "changed" if stretch.alarm else "as it was",
        alarm=stretch.alarm,
        said=None if trust is None else not trust,
        value=float(where.get("path") == stretch.later_path and same),
        id=name if stretch.half == OPEN else "",
        why=reason_of(answer) if stretch.half == OPEN else "",
    )


@cache
def stretches(data: Path) -> list[Stretch]:
    """Those of all methods whose repository is in `data`, at most four of a method, the same in every run."""
    clones = clones_in(data)
    by_name = {name.partition("/")[2]: name for name in clones}
    found: list[Stretch] = []
    for oracle, folders in _ORACLES.items():
        for entry in _entries(clones.get(oracle), folders):
            repository = by_name.get(str(entry["repositoryName"]))
            if repository is None:
                continue
            of_method = list(_of_method(entry, repository, clones[repository]))
            few = random.Random(f"{SEED} {entry}").sample(of_method, min(_MOST, len(of_method)))  # noqa: S311
            found += sorted(few, key=of_method.index)
    return found


def _entries(clone: Path | None, folders: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if clone is None:
        return
    for folder in folders:
        for name in _git(clone, "ls-tree", "-r", "--name-only", "HEAD", folder).splitlines():
            if name.endswith(".json"):
                yield json.loads(_git(clone, "show", f"HEAD:{name}"))


def _of_method(entry: Mapping[str, Any], repository: str, clone: Path) -> Iterator[Stretch]:
    """The stretches of one method, the newest first."""
    if "expectedResult" in entry:
        tags = {commit: frozenset(re.findall(r"Y[a-z]+", text)) for commit, text in entry["expectedResult"].items()}
        path, name, start = entry["filePath"], entry["functionName"], entry["startCommitName"]
    else:
        tags = {each["commitHash"]: frozenset(each["changeTags"]) for each in entry["commits"]}
        path, name, start = entry["file"], entry["element"], entry["startCommitHash"]
    commits = list(tags)
    ends = [(commits[0], start, path, path, False)] if commits else []
    for newer, older in pairwise(commits):
        if tags[newer] & _ELSEWHERE:
            break
        former = _before(clone, newer, path) if tags[newer] & _FILE_MOVES else path
        if former is None:
            break
        parent = _git(clone, "rev-parse", f"{newer}^").strip()
        ends.append((older, parent, former, former, False))
        ends.append((older, newer, former, path, bool(tags[newer] - _WITHOUT_MEANING)))
        path = former
    for first, last, where, later, alarm in ends:
        if first == last or not last:
            continue
        was, now = (definition(_git(clone, "show", f"{c}:{p}"), name, p) for c, p in ((first, where), (last, later)))
        if was is not None and now is not None:
            yield Stretch(repository, clone, first, last, where, was[0], was[1], later, alarm)


def _before(clone: Path, commit: str, path: str) -> str | None:
    """The path that a file had before a commit that moved it, as git sees it."""
    for line in _git(clone, "diff", "--name-status", "--find-renames", f"{commit}^", commit).splitlines():
        kind, _, paths = line.partition("\t")
        old, _, new = paths.partition("\t")
        if kind.startswith("R") and new == path:
            return old
    return None


# --- definitions

_NO_TYPE = frozenset(["return", "new", "throw", "else", "assert", "case", "await", "do"])
_CLASS = re.compile(r"^(?P<indent>\s*)(?:[\w@]+\s+)*(?:class|interface|enum|record)\s+(?P<name>\w+)")


def definition(text: str, name: str, path: str) -> tuple[str, tuple[int, int]] | None:
    """The qualified name and the lines, from 1, of the one function of that name in a Python or Java file; None where
    there is none, or more than one."""
    lines = text.splitlines()
    python = path.endswith(".py")
    head = re.compile(
        rf"^(?P<indent>\s*)(?:async\s+)?def\s+{re.escape(name)}\s*\("
        if python
        else rf"^(?P<indent>\s+)(?P<type>[\w<>\[\],.?@ ]*\s)?{re.escape(name)}\s*\("
    )
    found: list[tuple[int, int, str]] = []
    for at, line in enumerate(lines):
        match = head.match(line)
        if not match or (not python and set((match["type"] or "").split()[:1]) & _NO_TYPE):
            continue
        last = _python_end(lines, at, len(match["indent"])) if python else _java_end(lines, at)
        if last is not None:
            found.append((at, last, match["indent"]))
    if len(found) != 1:
        return None
    first, last, indent = found[0]
    return ".".join([*_classes(lines[:first], len(indent)), name]), (first + 1, last + 1)


def _python_end(lines: list[str], at: int, indent: int) -> int:
    last = at
    closed = False
    for number in range(at, len(lines)):
        line = lines[number]
        if number > at and closed and line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        closed = closed or line.rstrip().endswith(":") or line.partition("#")[0].rstrip().endswith(":")
        last = number if line.strip() else last
    return last


def _java_end(lines: list[str], at: int) -> int | None:
    """The line of the closing brace; None for a call, or a method without a body."""
    depth = 0
    for number in range(at, min(len(lines), at + 2_000)):
        line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*', "", lines[number])
        for sign in line:
            if sign == ";" and depth == 0:
                return None
            depth += (sign == "{") - (sign == "}")
            if sign == "}" and depth == 0:
                return number
    return None


def _classes(above: list[str], indent: int) -> list[str]:
    found: list[str] = []
    for line in reversed(above):
        match = _CLASS.match(line)
        if match and len(match["indent"]) < indent:
            found.insert(0, match["name"])
            indent = len(match["indent"])
    return found


def _git(clone: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *words], check=False, capture_output=True)
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
