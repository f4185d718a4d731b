"""A class has a name of its own, a folder is seen at a look, and a function takes few values."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "memlsp"
MOST_FILES = 20
MOST_PARAMETERS = 7


@cache
def _modules() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def test_a_class_name_occurs_once_in_the_package() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path, tree in _modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_folder_has_more_modules_than_a_person_takes_in() -> None:
    counts = Counter(path.parent.relative_to(PACKAGE).as_posix() for path in _modules())
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_no_function_has_eight_parameters() -> None:
    long: list[str] = []
    for path, tree in _modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                own = len(named) - (bool(named) and named[0].arg in {"self", "cls"})
                if own > MOST_PARAMETERS:
                    long.append(f"{path.relative_to(PACKAGE)}: {node.name} takes {own}")
    assert long == []
