"""What an editor says, over cases of the edit grid and some of our own: each text within its budget, each read by a
person before it was accepted as a snapshot."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from attrs import evolve
from lsprotocol import types
from project import CLIENT, Project
from syrupy.assertion import SnapshotAssertion

from memlsp import Memory
from memlsp.beliefs.lifecycle import admission
from memlsp.faces.lsp.features.diagnostics import Diagnostics
from memlsp.faces.lsp.features.document_view import DocumentView
from memlsp.faces.lsp.features.hover import Hover
from memlsp.faces.lsp.features.lenses import CodeLenses
from memlsp.faces.lsp.server.positions import DocumentText
from memlsp.faces.lsp.server.settings import EditorSettings
from memlsp.faces.render.surfaces import DIAGNOSTIC_LIMIT, HOVER_LIMIT, HOVER_LINES, LENS_LIMIT, HoverFacts, hover_text
from memlsp.model.belief import Author, BeliefKind, Limits
from memlsp.model.caller import Caller
from memlsp.model.episode import PastChange, SymbolHistory
from memlsp.model.place import Place

GRID = Path(__file__).parents[3] / "fixtures" / "edits"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SAID_BY = Caller(author=Author("Ann Ode"))
CASES = [
    "python/body-decimal",
    "python/body-drops-named-call",
    "python/condition-negated",
    "python/literal-named",
    "python/literal-in-slice",
    "python/rename",
    "python/move-to-other-file",
    "python/comment-with-the-number",
    "go/condition-named",
    "go/literal-other",
    "go/deleted-constant",
    "javascript/constant-list",
    "javascript/callee-default",
    "typescript/base-class-field",
    "typescript/callee-signature",
    "rust/default-of-unwrap",
    "rust/default-other",
    "java/default-named",
    "java/default-of-field",
    "java/deleted-method",
    "kotlin/signature-nullable-named",
    "php/literal-text-named",
    "php/look-alike-survives",
    "ruby/condition-dropped",
    "c/condition-named",
    "c/condition-dropped",
    "cpp/literal-text-named",
]
HISTORY = SymbolHistory(
    tuple(
        PastChange(f"{number}fe73acd" * 5, "Bob", NOW - timedelta(days=30 * number), subject, change, "a.py", "fetch")
        for number, (subject, change) in enumerate(
            (
                ("Retry more: the API drops calls", "`fetch` changed the default of `retries` from 1 to 3."),
                (
                    "Wait between two tries, and say in the log how long",
                    "`fetch` now calls `time.sleep` and `log.info`.",
                ),
                ("Get pages", "Added `fetch`."),
                ("Begin", ""),
            ),
            start=1,
        )
    ),
    complete=False,
    stopped="limit",
)
_LINK = re.compile(r"\]\([^)]*\)")


class NoStatements:
    """Documents of which nothing is said."""

    def items(self, _: DocumentView) -> tuple[()]:
        return ()

    def at_code(self, _: DocumentView) -> tuple[()]:
        return ()


def shown(memory: Memory, path: str, history: SymbolHistory | None = None) -> list[str]:
    """Every text about a file, one a line; each is held to its budget."""
    root = memory.workspace.root
    text = DocumentText.of((root / path).read_text("utf-8"))
    found, lenses, conflicts = memory.findings(path), memory.lenses(path), memory.conflicts.at(path)
    view = DocumentView(text, found, lenses, (), conflicts, "", (root / path).as_uri(), root, path)
    settings: Callable[[], EditorSettings] = lambda: EditorSettings(lens_holding=True)  # noqa: E731
    anything = cast("Any", NoStatements())
    diagnostics = Diagnostics(anything, settings, anything)
    said: list[str] = []
    for item in diagnostics.items(view):
        assert len(item.message) <= DIAGNOSTIC_LIMIT, item.message
        said.append(f"{_level(item)} line {item.range.start.line + 1}: {item.message}")
    for line in CodeLenses(anything, settings, anything)._lines(view):  # pyright: ignore[reportPrivateUsage]
        assert len(line.title) <= LENS_LIMIT, line.title
        said.append(f"Lens line {line.line + 1}: {line.title}")
    hover = Hover(anything, anything, diagnostics, anything, settings, anything, anything)
    for lens in lenses:
        beliefs = memory.applying(path, lens.spot.line + 1) or lens.judgements
        facts = evolve(HoverFacts(lens.spot.name, beliefs), page="https://github.com/ann/shop/commit/")
        facts = hover._with_view(facts, view, lens.spot.line)  # pyright: ignore[reportPrivateUsage]
        for markdown in (True, False):
            hovered = hover_text(facts, history, NOW, markdown=markdown)
            lines = [line for line in hovered.splitlines() if line.strip()]
            assert len(lines) <= HOVER_LINES + 1, hovered
            bullets = [_LINK.sub("", line).lstrip("- [") for line in lines if line.startswith("- ")]
            assert all(len(line.replace("_", "")) <= HOVER_LIMIT for line in bullets), bullets
            if markdown:
                said += [f"  {line}" for line in lines]
    return said


def _level(item: types.Diagnostic) -> str:
    return cast("types.DiagnosticSeverity", item.severity).name


@pytest.fixture(autouse=True)
def ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids in the order of the statements, since beliefs that are equal otherwise stand in the order of their ids."""
    numbers = count(100)
    monkeypatch.setattr(admission, "new_id", lambda: f"belief{next(numbers)}")


def remembered(root: Path, data: Path, statement: str, place: Place, **more: Any) -> None:
    with Memory.open(root, data_dir=data, clock=lambda: NOW - timedelta(days=3)) as memory:
        memory.remember(statement, at=[place], by=SAID_BY, **more)


@pytest.mark.parametrize("name", CASES)
def test_a_case_of_the_grid(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    language, _, id = name.partition("/")
    cases = tomllib.loads((GRID / language / "edits.toml").read_text("utf-8"))["case"]
    case = next(each for each in cases if each["id"] == id)
    root = tmp_path / "project"
    shutil.copytree(GRID / language / "base", root)
    path, _, symbol = case["at"].partition("#")
    remembered(root, tmp_path / "data", case["belief"], Place(path, symbol=symbol))
    for step in case["steps"]:
        at = root / step.get("path", path)
        at.write_text(
            step["content"] if "content" in step else at.read_text("utf-8").replace(step["old"], step["new"], 1)
        )
    with Memory.open(root, data_dir=tmp_path / "data", clock=lambda: NOW) as memory:
        paths = sorted({path, *(tie.path for tie in memory.beliefs()[0].ties)})
        assert [line for each in paths for line in shown(memory, each)] == snapshot


FETCH = Place("client.py", symbol="fetch")
OWN: dict[str, tuple[tuple[str, ...], tuple[str, str]]] = {
    "three that fell on one symbol": (
        ("fetch tries three times", "fetch gives up after 30 seconds", "fetch raises TimeoutError in the end"),
        ("retries=3, timeout=30", "retries=9, timeout=60"),
    ),
    "two that conflict": (("The `fetch` timeout is 30 seconds.", "The `fetch` timeout is 90 seconds."), ("", "")),
    "twelve that conflict": (tuple(f"The `fetch` timeout is {number} seconds." for number in range(31, 43)), ("", "")),
    "one that conflicts and fell": (
        ("The `fetch` timeout is 30 seconds.", "The `fetch` timeout is 90 seconds."),
        ("timeout=30", "timeout=60"),
    ),
    "names that markdown takes for emphasis": (
        ("`__init__` is never called, __init__ takes *args and **options, snake_case stays", ), ("", "")
    ),
    "a cut inside of code": (
        ("This is about who waits for a page, " * 4 + "and about `time.sleep(attempt * attempt + attempt)` and more",),
        ("retries=3", "retries=4"),
    ),
    "an exception that is another": (("fetch raises TimeoutError in the end",), ("TimeoutError", "OSError")),
    "five that hold": (tuple(f"Page {number} is what an editor waits for" for number in "abcde"), ("", "")),
}  # fmt: skip


@pytest.mark.parametrize("name", OWN)
def test_a_case_of_our_own(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    statements, (old, new) = OWN[name]
    project = Project(tmp_path / "shop")
    project.write("client.py", CLIENT)
    for statement in statements:
        remembered(project.root, tmp_path / "data", statement, FETCH, kind=BeliefKind.DECISION)
    project.write("client.py", CLIENT.replace(old, new) if old else CLIENT)
    with Memory.open(project.root, data_dir=tmp_path / "data", clock=lambda: NOW) as memory:
        assert shown(memory, "client.py", HISTORY) == snapshot


def test_a_guard_a_date_and_a_file(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    project = Project(tmp_path / "shop")
    project.write("client.py", CLIENT)
    remembered(project.root, tmp_path / "data", "fetch never prints", FETCH, guards=["must not print($$$)"])
    until = Limits(expires_at=NOW - timedelta(days=1))
    remembered(project.root, tmp_path / "data", "Pages are fetched one by one", FETCH, limits=until)
    remembered(project.root, tmp_path / "data", "This file knows no other site", Place("client.py"))
    project.replace("client.py", "time.sleep(attempt)", "print(attempt)")
    with Memory.open(project.root, data_dir=tmp_path / "data", clock=lambda: NOW) as memory:
        assert shown(memory, "client.py") == snapshot


def test_three_contradictions_do_not_read_the_same(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    project.write("client.py", CLIENT)
    for statement in ("fetch tries three times", "fetch gives up after 30 seconds", "it raises TimeoutError"):
        remembered(project.root, tmp_path / "data", f"{statement}, as the people of the shop asked", FETCH)
    project.write("client.py", CLIENT.replace("3", "4").replace("TimeoutError", "OSError"))
    with Memory.open(project.root, data_dir=tmp_path / "data", clock=lambda: NOW) as memory:
        found = memory.findings("client.py")
        begins = {line.partition(": ")[2][:12] for line in shown(memory, "client.py") if line.startswith("Warning")}
        assert len(begins) == len(found) == 3
        assert {finding.spot.line for finding in found} == {3, 10}
