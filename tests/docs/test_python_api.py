"""The public Python API is what tests/docs/python_surface.txt says, and the examples of its pages do what they say."""

from __future__ import annotations

import builtins
import collections.abc
import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest
from project import Project

from docs.generate import python_surface
from docs.generate.python_surface import ALIASES, OWN, SNAPSHOT, parts, surface, values
from memlsp import Memory
from tests.docs.test_documentation import ROOT

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.py"))
STANDARD = {"Any", "Self", "Path", "IO", "Exception", *dir(builtins), *dir(collections.abc)}
MADE_HERE = {"Memory", "MemlspError"}


def test_the_public_api_is_as_a_reviewer_last_saw_it() -> None:
    assert surface() == SNAPSHOT.read_text(encoding="utf-8"), "python -m docs.generate.python_surface writes it"


def test_every_type_in_a_public_signature_has_its_page() -> None:
    signatures = [line for line in surface().splitlines() if line.startswith("    ") and ": " in line]
    unquoted = [re.sub(r'"[^"]*"|\'[^\']*\'', "", line.partition(": ")[2]) for line in signatures]
    named = {word for line in unquoted for word in re.findall(r"(?<!\.)\b[A-Z][A-Za-z]*[a-z]\w*\b", line)}
    assert named - STANDARD - MADE_HERE - values().keys() - ALIASES.keys() == set()


def test_what_is_memlsps_own_is_there_to_be_left_out() -> None:
    owners = {"Memory": Memory, **parts()}
    assert [f"{name}.{each}" for name, own in OWN.items() for each in own if not hasattr(owners[name], each)] == []


def test_a_changed_parameter_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def recall(self: object, query: str, *, limit: int = 3) -> str:
        return query * limit

    recall.__module__ = Memory.__module__
    monkeypatch.setattr(Memory, "recall", recall)
    assert "    recall(query: str, *, limit: int = 3) -> str\n" in python_surface.surface()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_it_says(example: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(example), run_name="__main__")
    promised = re.findall(r"^ *# -> (.*)$", example.read_text(encoding="utf-8"), re.MULTILINE)
    assert printed.getvalue().splitlines() == promised
    assert promised
