"""Standing follows what is in the editor, on the disk, and in other processes' hands."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lsp_editor import Editor, editor, until, within
from lsprotocol import types
from project import Project

from memlsp import Memory
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio(loop_scope="module")


def memlsp(root: Path, data: Path, *words: str) -> str:
    """Run the command line as another process does."""
    done = subprocess.run(
        [sys.executable, "-m", "memlsp", *words],
        cwd=root,
        env={**os.environ, "MEMLSP_DATA_DIR": str(data)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_what_another_process_remembers_appears_in_the_open_editor(
    shared: Editor, shared_project: Project, shared_data: Path
) -> None:
    shared.open("client.py")
    assert await shared.titles("client.py") == []
    shared.replace("client.py", "retries=3", "retries=5")
    words = ["remember", "fetch gives up after 3 retries", "--at", "client.py#fetch", "--kind", "decision"]
    known = await asyncio.to_thread(memlsp, shared_project.root, shared_data, *words)
    await shared.diagnostics("client.py", 1)
    assert await shared.titles("client.py") == ["⚠ retries 3 → 5 · “fetch gives up after 3 retries”"]
    await asyncio.to_thread(memlsp, shared_project.root, shared_data, "revise", known.strip(), "retire")
    await shared.diagnostics("client.py", 0)
    shared.close("client.py")


async def test_an_unsaved_edit_moves_the_standing_and_undoing_it_moves_it_back(shared: Editor) -> None:
    shared.open("pricing/tax.py")
    known = await shared.remember("pricing/tax.py", 6, "the tax is rounded to 2 digits")
    shared.replace("pricing/tax.py", "RATE, 2", "RATE, 4")
    (found,) = await shared.diagnostics("pricing/tax.py", 1)
    assert found.code == "contradicted"
    shared.replace("pricing/tax.py", "RATE, 4", "RATE, 2")
    await shared.diagnostics("pricing/tax.py", 0)
    assert (await shared.run("retire", known))["ok"]


async def test_an_edit_of_a_constant_reaches_the_open_file_that_uses_it(shared: Editor) -> None:
    shared.open("pricing/rates.py")
    shared.open("pricing/tax.py")
    known = await shared.remember("pricing/tax.py", 6, "applies the default 20 % rate")
    shared.replace("pricing/rates.py", "0.20", "0.25")
    (found,) = await shared.diagnostics("pricing/tax.py", 1)
    assert found.code == "contradicted"
    assert found.range.start == shared.at("pricing/tax.py", "RATE, 2")
    assert (await shared.run("retire", known))["ok"]
    await shared.diagnostics("pricing/tax.py", 0)
    shared.close("pricing/rates.py")


async def test_layout_and_comments_are_nothing(shared: Editor) -> None:
    shared.open("notes.py", "def add(a, b):\n    return a + b\n")
    await shared.remember("notes.py", 1, "adds two numbers")
    shared.replace("notes.py", "    return a + b", "    # both of them\n    return (a +\n            b)")
    shared.replace("notes.py", "def add(a, b):", "\n\ndef add(a, b):")
    assert await shared.titles("notes.py") == ["= “adds two numbers”"]
    assert list(shared.shown("notes.py")) == []


async def test_an_edit_outside_the_editor_is_seen(shared: Editor, shared_project: Project) -> None:
    shared.open("pricing/tax.py")
    known = await shared.remember("pricing/tax.py", 6, "applies the default 20 % rate")
    shared_project.write("pricing/rates.py", "RATE = 0.30\n")

    async def told() -> bool:  # a look may fall between emptying the file and writing it
        return "0.3" in (await shared.diagnostics("pricing/tax.py", 1))[0].message

    await until(told)
    shared_project.write("pricing/rates.py", "RATE = 0.20\n")
    await shared.diagnostics("pricing/tax.py", 0)
    assert (await shared.run("retire", known))["ok"]


async def test_closing_a_file_takes_its_diagnostics_away(shared: Editor) -> None:
    shared.open("closing.py", "def one():\n    return 1\n")
    await shared.remember("closing.py", 1, "one returns 1")
    shared.replace("closing.py", "return 1", "return 2")
    await shared.diagnostics("closing.py", 1)
    shared.close("closing.py")
    await shared.diagnostics("closing.py", 0)


async def test_a_symbol_that_is_gone_is_shown_on_a_line_with_text(shared: Editor) -> None:
    shared.open("gone.py", "\n\nimport os\n\n\ndef lost(path):\n    return os.stat(path).st_size\n")
    await shared.remember("gone.py", 6, "sizes are in bytes")
    shared.replace("gone.py", "def lost(path):\n    return os.stat(path).st_size\n", "")
    (found,) = await shared.diagnostics("gone.py", 1)
    assert found.code == "orphaned"
    assert found.severity is types.DiagnosticSeverity.Information
    assert found.range == types.Range(types.Position(2, 0), types.Position(2, 9))


async def test_a_renamed_file_keeps_its_beliefs(shared: Editor, shared_project: Project) -> None:
    shared_project.write("before.py", "def lonely(depth):\n    return [depth] * 7\n")
    shared.open("before.py")
    await shared.remember("before.py", 1, "seven of them")
    shared.close("before.py")
    (shared_project.root / "before.py").rename(shared_project.root / "after.py")
    shared.client.workspace_did_rename_files(
        types.RenameFilesParams([types.FileRename(shared.uri("before.py"), shared.uri("after.py"))])
    )
    shared.open("after.py")
    await until(lambda: _has_lens(shared, "after.py"))


async def _has_lens(session: Editor, path: str) -> bool:
    return len(await session.titles(path)) == 1


async def test_several_folders_have_a_memory_each(project: Project, tmp_path: Path) -> None:
    other = Project(tmp_path / "other")
    other.write("main.py", "def run():\n    return 1\n")
    other.commit("Run")
    loose = tmp_path / "loose"
    loose.mkdir()
    (loose / "notes.py").write_text("def note():\n    return 1\n")
    data = tmp_path / "data"
    async with editor(project.root, data, folders=[project.root, other.root]) as session:
        for path in (other.root / "main.py", loose / "notes.py", project.root / "client.py"):
            session.open(path)
            line = 4 if path.name == "client.py" else 1
            await session.remember(path, line, f"about {path.name}")
            assert await session.titles(path) == [f"✓ “about {path.name}”"]
    for root, name in ((other.root, "main.py"), (loose, "notes.py"), (project.root, "client.py")):
        with Memory.open(root, data_dir=data) as memory:
            assert [each.belief.text for each in memory.beliefs()] == [f"about {name}"]


async def test_what_the_editor_remembers_another_process_knows(
    shared: Editor, shared_project: Project, shared_data: Path
) -> None:
    shared.open("client.py")
    known = await shared.remember("client.py", 4, "waits longer each time")
    with Memory.open(shared_project.root, data_dir=shared_data) as memory:
        assert known in [
            each.belief.id for each in memory.why(Place(str(shared_project.root / "client.py"), symbol="fetch")).beliefs
        ]


async def test_changes_that_come_faster_than_answers_end_in_the_right_answer(shared: Editor) -> None:
    shared.open("fast.py", "def speed():\n    return 0\n")
    await shared.remember("fast.py", 1, "speed returns 0")
    for number in range(50):
        shared.replace("fast.py", f"return {number}", f"return {number + 1}")
    # what was shown meanwhile may be of any state; what is shown in the end is of the last
    await until(lambda: any("50" in each.message for each in shared.shown("fast.py")))
    shared.replace("fast.py", "return 50", "return 0")
    await shared.diagnostics("fast.py", 0)


async def test_typing_is_answered_while_a_history_is_read(shared: Editor) -> None:
    shared.open("client.py")
    params = types.HoverParams(shared.document("client.py"), shared.at("client.py", "fetch"))
    hovers = [shared.client.text_document_hover_async(params) for _ in range(5)]
    assert await within(shared.client.text_document_code_lens_async(types.CodeLensParams(shared.document("client.py"))))
    await within(asyncio.gather(*hovers))


async def test_a_guard_that_an_edit_breaks_is_a_warning_at_the_offending_place(
    shared: Editor, shared_project: Project, shared_data: Path
) -> None:
    shared_project.write("ledger.py", "def post(entry):\n    return entry\n")
    words = ["remember", "Nothing prints here", "--scope", "workspace", "--guard", "must not python: print($$$)"]
    known = await asyncio.to_thread(memlsp, shared_project.root, shared_data, *words)
    shared.open("ledger.py")
    shared.replace("ledger.py", "return entry", "return print(entry)")
    (found,) = await shared.diagnostics("ledger.py", 1)
    assert found.severity is types.DiagnosticSeverity.Warning
    assert "must not be here" in found.message
    place = found.range
    assert (place.start.line, place.start.character, place.end.character) == (1, 11, 23)
    shared.replace("ledger.py", "return print(entry)", "return entry")
    await shared.diagnostics("ledger.py", 0)
    await asyncio.to_thread(memlsp, shared_project.root, shared_data, "revise", known.strip(), "retire")
    shared.close("ledger.py")


async def test_a_statement_that_is_false_when_it_is_made_is_a_diagnostic_at_once_and_a_plan_is_none(
    shared: Editor,
) -> None:
    shared.open("pricing/tax.py")
    known = await shared.remember("pricing/tax.py", 6, "compute_tax applies 25 % by default", "fact")
    (found,) = await shared.diagnostics("pricing/tax.py", 1)
    assert found.code == "contradicted"
    assert "has RATE=0.2, not 25 %" in found.message
    assert (await shared.run("retire", known))["ok"]
    await shared.diagnostics("pricing/tax.py", 0)
    planned = await shared.remember("pricing/tax.py", 6, "compute_tax must apply 30 % by default")
    known = await shared.remember("pricing/tax.py", 6, "compute_tax raises KeyError", "fact")
    (found,) = await shared.diagnostics("pricing/tax.py", 1)  # of what was said after the plan
    assert "KeyError" in found.message
    for id in (known, planned):
        assert (await shared.run("retire", id))["ok"]
    shared.close("pricing/tax.py")
