"""The edit grid: cases as written in `fixtures/edits/<language>/edits.toml`, and what an edit makes of the files.

The format is told in fixtures/edits/README.md. Everything here is values in, values out, but for reading the folder.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from attrs import frozen

from memlsp.model.errors import BadValue, NoSuchFile
from memlsp.model.place import Place
from memlsp.model.standing import Standing

Files = Mapping[str, str]

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

_GOLD = frozenset({Standing.CURRENT, Standing.CARRIED, Standing.CHANGED, Standing.CONTRADICTED, Standing.ORPHANED})


@frozen
class Replace:
    """`old`, which stands exactly once in the file, becomes `new`."""

    path: str
    old: str
    new: str


@frozen
class Write:
    """The file gets this content."""

    path: str
    content: str


@frozen
class Rename:
    """The file gets another path."""

    path: str
    to: str


@frozen
class Delete:
    """The file goes."""

    path: str


Step = Replace | Write | Rename | Delete


@frozen
class Case:
    """One statement, one edit, and what a careful colleague would say of the statement afterwards."""

    language: str
    id: str
    group: str
    cell: str
    belief: str
    at: Place
    steps: tuple[Step, ...]
    expect: Standing
    why: str
    part: str = ""  # the set that it belongs to, where a grid comes in sets


@frozen
class Grid:
    """The cases of one language with the project that they start from. `not_applicable` maps a cell to a reason."""

    language: str
    base: Files
    cases: tuple[Case, ...]
    not_applicable: Mapping[str, str]


def load_grids(folder: Path) -> tuple[Grid, ...]:
    """All languages of a grid folder, in the order of their names: `LANGUAGE/edits.toml`, or `LANGUAGE/edits-SET.toml`
    for a grid that comes in sets.

    Raises NoSuchFile when there is none, BadValue naming the case when one is not well formed.
    """
    found = sorted({path.parent for path in (*folder.glob("*/edits.toml"), *folder.glob("*/edits-*.toml"))})
    if not found:
        raise NoSuchFile(f"no edit grid in {folder}", "--data names a folder with LANGUAGE/edits.toml in it")
    return tuple(_grid(each) for each in found)


def edited(files: Files, steps: Sequence[Step]) -> dict[str, str]:
    """The files after the steps. Raises BadValue when a step does not fit."""
    now = dict(files)
    for number, step in enumerate(steps, 1):
        if isinstance(step, Write):
            now[step.path] = step.content
            continue
        if step.path not in now:
            raise BadValue(f"step {number}: no file {step.path}")
        match step:
            case Replace(path, old, new):
                count = now[path].count(old)
                if count != 1:
                    raise BadValue(f"step {number}: {old[:60]!r} stands {count} times in {path}")
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
    return Grid(folder.name, base, tuple(cases), reasons)


def _case(language: str, raw: Mapping[str, object], part: str) -> Case:
    name = f"{language}/{raw.get('id', '?')}"
    try:
        at = Place.parse(_text(raw, "at"))
        case = Case(
            language=language,
            id=_text(raw, "id"),
            group=_text(raw, "group"),
            cell=_text(raw, "cell"),
            belief=_text(raw, "belief"),
            at=at,
            steps=_steps(raw, at.path),
            expect=Standing(_text(raw, "expect")),
            why=_text(raw, "why"),
            part=part,
        )
    except (BadValue, ValueError) as error:
        raise BadValue(f"{name}: {error}") from error
    if case.cell not in GROUPS.get(case.group, ()):
        raise BadValue(f"{name}: no cell {case.cell} in group {case.group}")
    if case.expect not in _GOLD:
        raise BadValue(f"{name}: an edit cannot make a belief {case.expect}")
    return case


def _steps(raw: Mapping[str, object], path: str) -> tuple[Step, ...]:
    steps = cast("list[dict[str, object]]", raw.get("steps", []))
    if not steps:
        raise BadValue("no steps")
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
        raise BadValue(f"{key!r} is missing or is not text")
    return value
