"""The edit grid: cases as written in `fixtures/edits/<language>/edits.toml`, and what an edit makes of the files.

The format is told in fixtures/edits/README.md, the gold rules too. Values in, values out, but for reading the folder.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from .errors import BadData

Files = Mapping[str, str]

LINES = "lines.json"
"""The file beside `base` that maps a place to its lines; `python -m benchmarks.judgement.grid_lines` writes it."""

GROUPS: Mapping[str, tuple[str, ...]] = {
    "cosmetic": (
        "comment",
        "layout",
        "docstring",
        "quotes",
        "parentheses",
        "local-rename",
        "trailing-comma",
        "import-order",
        "type-hints",
        "literal-form",
        "elsewhere",
        "combined",
    ),
    "carrying": (
        "rename",
        "rename-comment",
        "move-in-file",
        "move-file",
        "class-rename",
        "callee-rename",
        "extract",
        "combined",
    ),
    "meaning": ("body", "condition", "literal", "default", "exception", "signature", "decorator", "combined"),
    "dependency": ("constant", "callee-signature", "base-class", "enum-value", "config-key"),
    "deletion": ("deletion",),
    "look-alike": ("look-alike",),
}
"""Every cell of the matrix, by group, in the order in which they are printed."""

STANDINGS = ("current", "carried", "changed", "contradicted", "orphaned")
"""What an edit can make of a statement; after the first two it holds."""


@dataclass(frozen=True)
class Replace:
    """`old`, which stands exactly once in the file, becomes `new`."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Write:
    """The file gets this content."""

    path: str
    content: str


@dataclass(frozen=True)
class Rename:
    """The file gets another path."""

    path: str
    to: str


@dataclass(frozen=True)
class Delete:
    """The file goes."""

    path: str


Step = Replace | Write | Rename | Delete


@dataclass(frozen=True)
class Case:
    """One statement, one edit, and what a careful colleague would say of the statement afterwards: one of STANDINGS.
    `at` is `PATH` or `PATH#Qualified.name`."""

    language: str
    id: str
    group: str
    cell: str
    belief: str
    at: str
    steps: tuple[Step, ...]
    expect: str
    why: str
    part: str = ""  # the set that it belongs to, where a grid comes in sets

    @property
    def path(self) -> str:
        """The file of the place."""
        return self.at.partition("#")[0]

    @property
    def symbol(self) -> str:
        """The qualified name of the symbol there, "" for the whole file."""
        return self.at.partition("#")[2]

    @property
    def holds(self) -> bool:
        """True when the statement can be trusted after the edit."""
        return self.expect in STANDINGS[:2]


@dataclass(frozen=True)
class Grid:
    """The cases of one language with the project that they start from. `not_applicable` maps a cell to a reason,
    `lines` a place to its first and last line in the base, from 1, for memories that keep lines."""

    language: str
    base: Files
    cases: tuple[Case, ...]
    not_applicable: Mapping[str, str]
    lines: Mapping[str, tuple[int, int]]


def load_grids(folder: Path) -> tuple[Grid, ...]:
    """All languages of a grid folder, in the order of their names: `LANGUAGE/edits.toml`, or `LANGUAGE/edits-SET.toml`
    for a grid that comes in sets.

    Raises BadData when there is none, and naming the case when one is not well formed.
    """
    found = sorted({path.parent for path in (*folder.glob("*/edits.toml"), *folder.glob("*/edits-*.toml"))})
    if not found:
        raise BadData(f"no edit grid in {folder}: --data names a folder with LANGUAGE/edits.toml in it")
    return tuple(_grid(each) for each in found)


def edited(files: Files, steps: Sequence[Step]) -> dict[str, str]:
    """The files after the steps. Raises BadData when a step does not fit."""
    now = dict(files)
    for number, step in enumerate(steps, 1):
        if isinstance(step, Write):
            now[step.path] = step.content
            continue
        if step.path not in now:
            raise BadData(f"step {number}: no file {step.path}")
        match step:
            case Replace(path, old, new):
                count = now[path].count(old)
                if count != 1:
                    raise BadData(f"step {number}: {old[:60]!r} stands {count} times in {path}")
                now[path] = now[path].replace(old, new)
            case Rename(path, to):
                now[to] = now.pop(path)
            case Delete(path):
                del now[path]
    return now


def _grid(folder: Path) -> Grid:
    root = folder / "base"
    base = {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(root.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
    cases: list[Case] = []
    reasons: dict[str, str] = {}
    for path in sorted(folder.glob("edits*.toml")):
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        part = path.stem.removeprefix("edits").removeprefix("-")
        cases += [_case(folder.name, each, part) for each in cast("list[dict[str, object]]", raw.get("case", []))]
        reasons |= cast("dict[str, str]", raw.get("not_applicable", {}))
    return Grid(folder.name, base, tuple(cases), reasons, _lines(folder / LINES, base, cases))


def _lines(path: Path, base: Files, cases: Sequence[Case]) -> dict[str, tuple[int, int]]:
    """The ranges that the file has for the places of the cases; of one that it does not have, the whole file."""
    kept = cast("dict[str, list[int]]", json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
    whole = {case.at: [1, max(1, len(base.get(case.path, "").splitlines()))] for case in cases}
    return {place: (first, last) for place, (first, last) in (whole | kept).items()}


def _case(language: str, raw: Mapping[str, object], part: str) -> Case:
    name = f"{language}/{raw.get('id', '?')}"
    try:
        at = _text(raw, "at")
        case = Case(
            language=language,
            id=_text(raw, "id"),
            group=_text(raw, "group"),
            cell=_text(raw, "cell"),
            belief=_text(raw, "belief"),
            at=at,
            steps=_steps(raw, at.partition("#")[0]),
            expect=_text(raw, "expect"),
            why=_text(raw, "why"),
            part=part,
        )
    except BadData as error:
        raise BadData(f"{name}: {error}") from error
    if case.cell not in GROUPS.get(case.group, ()):
        raise BadData(f"{name}: no cell {case.cell} in group {case.group}")
    if case.expect not in STANDINGS:
        raise BadData(f"{name}: an edit cannot make a belief {case.expect}")
    return case


def _steps(raw: Mapping[str, object], path: str) -> tuple[Step, ...]:
    steps = cast("list[dict[str, object]]", raw.get("steps", []))
    if not steps:
        raise BadData("no steps")
    done: list[Step] = []
    for step in steps:
        where = str(step.get("path", path))
        if "rename" in step:
            old, new = cast("list[str]", step["rename"])
            done.append(Rename(old, new))
        elif "delete" in step:
            done.append(Delete(_text(step, "delete")))
        elif "content" in step:
            done.append(Write(where, str(step["content"])))
        else:
            done.append(Replace(where, _text(step, "old"), str(step["new"])))
    return tuple(done)


def _text(raw: Mapping[str, object], key: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or not value:
        raise BadData(f"{key!r} is missing or is not text")
    return value
