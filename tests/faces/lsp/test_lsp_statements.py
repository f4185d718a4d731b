"""What AGENTS.md says and is not true any more stands in it as a diagnostic, with the words that would be true."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.faces.lsp.lsp_editor import Editor, editor, newest_vscode, until

pytestmark = pytest.mark.asyncio

_GUIDE = "# Guide\n\nRun `make lint` first.\n\nSettings are in `src/settings.py`.\n"


def _git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", root, *who, *words], check=True, capture_output=True)


@pytest_asyncio.fixture
async def stale(tmp_path: Path) -> AsyncGenerator[Editor]:
    """An editor on a repository in which a file moved that AGENTS.md names."""
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    (root / "AGENTS.md").write_text(_GUIDE)
    (root / "src" / "settings.py").write_text("DEBUG = False\nLEVEL = 1\n")
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "start")
    (root / "src" / "settings.py").rename(root / "src" / "config.py")
    async with editor(root, tmp_path / "data", newest_vscode()) as session:
        yield session


async def test_a_line_that_is_no_longer_true_is_shown_where_it_stands(stale: Editor) -> None:
    stale.open("AGENTS.md", language="markdown")
    (told,) = await stale.diagnostics("AGENTS.md", 1)
    assert told.message == "`src/settings.py` is named, and is src/config.py now"
    assert (told.code, told.severity) == ("path-moved", types.DiagnosticSeverity.Information)
    assert told.range == types.Range(types.Position(4, 17), types.Position(4, 32))


async def test_it_moves_with_its_line_and_goes_when_that_is_rewritten(stale: Editor) -> None:
    stale.open("AGENTS.md", language="markdown")
    await stale.diagnostics("AGENTS.md", 1)
    stale.replace("AGENTS.md", "# Guide", "# Guide\n\nNew.")
    (told,) = await stale.diagnostics("AGENTS.md", 1)
    assert told.range.start.line == 6
    (fix,) = [
        each
        for each in await stale.actions("AGENTS.md", told.range.start, diagnostics=[told])
        if isinstance(each, types.CodeAction) and each.edit is not None
    ]
    assert fix.title == "Write src/config.py"
    assert fix.edit is not None
    assert fix.edit.changes is not None
    (edit,) = fix.edit.changes[stale.uri("AGENTS.md")]
    stale.replace("AGENTS.md", "src/settings.py", edit.new_text)
    stale.save("AGENTS.md")
    assert not await stale.diagnostics("AGENTS.md", 0)


@pytest_asyncio.fixture
async def stated(tmp_path: Path) -> AsyncGenerator[Editor]:
    """An editor on a repository whose AGENTS.md tells a value of the code."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / "AGENTS.md").write_text("# Guide\n\n`MAX_TRIES` = 5 in `client.py` bounds `fetch_page`.\n")
    (root / "client.py").write_text("MAX_TRIES = 5\n\n\ndef fetch_page(url):\n    return url, MAX_TRIES\n")
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "start")
    async with editor(root, tmp_path / "data", newest_vscode()) as session:
        yield session


async def test_the_code_says_which_line_of_a_document_speaks_of_it(stated: Editor) -> None:
    stated.open("client.py")

    async def told() -> bool:  # who asks while another thread reads the documents for the first time is told nothing
        return "AGENTS.md:3 says “" in (await stated.hover("client.py", "fetch_page") or "")

    await until(told)


async def test_a_saved_change_that_makes_a_line_false_stands_above_the_code(stated: Editor) -> None:
    stated.open("client.py")
    assert await stated.titles("client.py") == []
    stated.replace("client.py", "MAX_TRIES = 5", "MAX_TRIES = 9")
    stated.save("client.py")

    async def told() -> bool:
        return any("AGENTS.md:3 says" in title for title in await stated.titles("client.py"))

    await until(told)
    stated.replace("client.py", "MAX_TRIES = 9", "MAX_TRIES = 5")
    stated.save("client.py")

    async def quiet() -> bool:
        return await stated.titles("client.py") == []

    await until(quiet)
