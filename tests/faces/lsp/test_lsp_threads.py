"""Work left open, in the editor: seen when it is saved, shown where it stands, closed by hand; and what is captured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsp_editor import Editor, editor, newest_vscode, until
from lsprotocol import types
from project import Project

from memlsp import Memory
from memlsp.model.event import Event, EventKind

pytestmark = pytest.mark.asyncio

TODO = "TODO: back off twice as long each time"
SETTLED = 60.0
"""Seconds in which a save is written down and understood by a process of low priority, on a busy machine."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder that the editor's server and the test share."""
    return tmp_path / "editor-data"


def add_todo(session: Editor) -> None:
    """Write a remark into `fetch` and save."""
    session.replace("client.py", "            time.sleep", f"            # {TODO}\n            time.sleep")
    session.save("client.py")


async def hints(session: Editor) -> Sequence[types.Diagnostic]:
    shown = (
        session.shown("client.py") if session.server.diagnostic_provider is None else await session.pull("client.py")
    )
    return [each for each in shown if each.code == "open-thread"]


async def has_hint(session: Editor) -> bool:
    return len(await hints(session)) == 1


def events(project: Project, data: Path, kind: EventKind) -> list[Event]:
    with Memory.open(project.root, data_dir=data) as memory:
        return [event for event in memory.events.list() if event.kind is kind]


@pytest.mark.parametrize("capabilities", [None, newest_vscode()], ids=["pushed", "pulled"])
async def test_a_saved_remark_is_shown_where_it_stands_until_it_is_closed(
    project: Project, data: Path, capabilities: types.ClientCapabilities | None
) -> None:
    async with editor(project.root, data, capabilities) as session:
        session.open("client.py")
        add_todo(session)
        await until(lambda: has_hint(session), SETTLED)
        (hint,) = await hints(session)
        assert hint.severity is types.DiagnosticSeverity.Hint
        assert hint.message.startswith(f"left open: {TODO} (editor, ")
        assert hint.range.start == session.at("client.py", TODO)
        assert await session.titles("client.py") == ["1 open thread"]
        hovered = await session.hover("client.py", "fetch")
        assert hovered is not None
        assert f"left open: {TODO}" in hovered

        actions = await session.actions("client.py", hint.range.start, diagnostics=[hint])
        answer = await session.act(actions, "Close this thread")
        assert answer["ok"], answer
        assert answer["thread"]["closed_by"].startswith("closed by ")

        async def gone() -> bool:
            return not await hints(session) and not await session.titles("client.py")

        await until(gone)
    assert [event.source for event in events(project, data, EventKind.EDIT)] == ["editor"]


async def test_work_of_an_agent_is_hovered_with_who_did_it(project: Project, data: Path) -> None:
    project.replace("client.py", "retries=3", "retries=4")
    record: dict[str, Any] = {
        "key": "edit", "at": 1_763_000_000_000, "kind": "edit", "source": "claude-code", "session": "s",
        "paths": ["client.py"], "tool": "Edit",
    }  # fmt: skip
    with Memory.open(project.root, data_dir=data) as memory:
        memory.events.take([record])
        memory.events.settle(SETTLED)
    async with editor(project.root, data) as session:
        session.open("client.py")
        hovered = await session.hover("client.py", "fetch")
        assert hovered is not None
        assert "changed in 1 episode, last: " in hovered
        assert "(Claude Code, " in hovered


async def test_threads_can_be_switched_off(project: Project, data: Path) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        project.replace("client.py", "            time.sleep", f"            # {TODO}\n            time.sleep")
        memory.events.saved("client.py")
        memory.events.settle(SETTLED)
        assert len(memory.threads.open()) == 1
    off = {"lens": {"threads": False}, "diagnostics": {"threads": "off"}, "hover": {"work": False}}
    async with editor(project.root, data, options=off) as session:
        session.open("client.py")
        assert await session.titles("client.py") == []
        assert await hints(session) == []
        assert "left open" not in (await session.hover("client.py", "fetch") or "")
        answer = await session.run("threads", session.uri("client.py"))
        assert [each["text"] for each in answer["threads"]] == [TODO]


@pytest.mark.parametrize(("editor_says", "own_file_says"), [(False, True), (True, False), (True, True)])
async def test_a_terminal_is_heard_only_where_the_user_says_so(
    project: Project,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    editor_says: bool,
    own_file_says: bool,
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f"[capture]\nterminals = {str(own_file_says).lower()}\n")
    monkeypatch.setenv("MEMLSP_CONFIG", str(own))
    options = {"capture": {"terminal": True}} if editor_says else None
    ran = {"command": "pytest -q", "exitCode": 1, "cwd": str(project.root / "pricing"), "output": "1 failed", "id": "7"}
    async with editor(project.root, data, options=options) as session:
        session.open("client.py")
        await session.hover("client.py", "fetch")
        for params in ({"nonsense": 1}, {"command": 3}, ran, ran):
            session.client.protocol.notify("memlsp/terminalCommand", params)
        session.save("client.py")  # written down behind the commands, unless their folder is looked up meanwhile
        await until(lambda: bool(events(project, data, EventKind.EDIT)))
        if editor_says and own_file_says:
            await until(lambda: bool(events(project, data, EventKind.COMMAND)))
        found = events(project, data, EventKind.COMMAND)
    if not (editor_says and own_file_says):
        assert found == []
        return
    (event,) = found
    assert event.source == "terminal"
    assert (event.text, event.exit_code, event.ok, event.folder) == ("pytest -q", 1, False, "pricing")
