"""The map leads to places that exist, and names every room. No module imports itself through others."""

from __future__ import annotations

import graphlib
import re
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "memlsp"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FOLDERS = (PACKAGE, ROOT, ROOT / "vscode-extension", ROOT / "vscode-extension" / "src")
MOST_MODULES_OF_A_WALK = 15
CODE_MAP = PAGE.partition("## Code map")[2].partition("### Outside the wheel")[0]


def test_every_path_on_the_map_exists() -> None:
    paths = re.findall(r"`((?:[\w-]+/)+(?:[\w-]+\.\w+)?)`", PAGE)
    assert len(paths) > 80
    assert [path for path in paths if not any((folder / path).exists() for folder in FOLDERS)] == []


def test_every_module_named_in_a_room_is_in_that_room() -> None:
    room = PACKAGE
    lost: list[str] = []
    for line in CODE_MAP.splitlines():
        if heading := re.match(r"### (\w+)|- `([\w/]+)/`", line):
            room = PACKAGE / (heading[1] or heading[2])
        names = re.findall(r"`(\w+\.(?:py|json|txt|toml|scm))`", line)
        lost += [
            f"{room.name}/{name}" for name in names if not list(room.rglob(name)) and not (room.parent / name).exists()
        ]
    assert lost == []


def test_every_room_has_its_place_on_the_map() -> None:
    rooms = {folder.relative_to(PACKAGE).as_posix() for folder in PACKAGE.glob("*/*") if any(folder.glob("[!_]*.py"))}
    named = {floor or room for floor, room in re.findall(r"### (\w+)|- `([\w/]+)/`", CODE_MAP)}
    assert {room for room in rooms if not any(f"{each}/".startswith(f"{room}/") for each in named)} == set()


def test_a_walk_opens_few_files() -> None:
    walks = re.findall(r"^## Walk: (.+?)$(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    assert len(walks) == 4
    for title, steps in walks:
        assert len(set(re.findall(r"`[\w/]+\.py`", steps))) <= MOST_MODULES_OF_A_WALK, title


def test_no_import_circle() -> None:
    """Imports under TYPE_CHECKING and inside functions count: docs/decisions/0027-rooms-and-a-context.md."""
    graph = grimp.build_graph("memlsp", cache_dir=None)
    order = graphlib.TopologicalSorter({each: graph.find_modules_directly_imported_by(each) for each in graph.modules})
    try:
        order.prepare()
    except graphlib.CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None
