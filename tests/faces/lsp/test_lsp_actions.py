"""Which code actions are offered, in which order, and what the user is told after one."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import Editor, editor, until
from lsprotocol import types
from project import Project

from memlsp import Memory
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio

ASKS = {"memlsp": {"asks": True}}
FETCH = "fetch gives up after 3 retries"


async def titles(session: Editor, path: str, line: int, end: int | None = None) -> list[str]:
    """The titles for a selection of whole lines, from 1."""
    select = types.Range(types.Position(line - 1, 0), types.Position((end or line) - 1, 0))
    context = types.CodeActionContext([], None, types.CodeActionTriggerKind.Invoked)
    params = types.CodeActionParams(session.document(path), select, context)
    return [each.title for each in await session.client.text_document_code_action_async(params) or []]


@pytest.mark.parametrize("options", [None, {"memlsp": {"asks": "yes"}}, {"memlsp": {"commands": ["memlsp.peek"]}}])
async def test_nothing_that_lacks_a_text_is_offered_to_a_client_that_cannot_ask(
    options: object, project: Project, tmp_path: Path
) -> None:
    async with editor(project.root, tmp_path / "data", options=options) as session:
        session.open("client.py")
        assert await titles(session, "client.py", 4) == []
        await session.remember("client.py", 4, FETCH)
        assert [each.partition(":")[0] for each in await titles(session, "client.py", 4)] == ["No longer true", "Lock"]


async def test_remember_comes_first_and_stays_first(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", options=ASKS) as session:
        session.open("client.py")
        first = "Remember a decision about fetch…"
        assert await titles(session, "client.py", 4) == [first]
        await session.run("remember", session.uri("client.py"), None, "the shop has one client")
        await session.remember("client.py", 4, FETCH)
        offered = await titles(session, "client.py", 4)
        assert offered[0] == first
        assert [each for each in offered if each.startswith("No longer true")] == [
            f"No longer true: “{FETCH}”",
            "No longer true: “the shop has one client”",  # about the whole file, so last
        ]


async def test_remember_names_what_it_will_be_about(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", options=ASKS) as session:
        session.open("client.py")
        for line, end, about in (
            (6, 6, "fetch"),  # in its body
            (7, 7, "fetch"),  # on the use of another name
            (2, 2, "client.py"),  # blank, between the import and the function
            (2, 6, "fetch"),  # a selection that begins there
            (1, 1, "client.py"),
        ):
            (first, *_) = await titles(session, "client.py", line, end)
            assert first == f"Remember a decision about {about}…", (line, end)


async def test_twelve_beliefs_in_conflict_are_settled_one_at_a_time(project: Project, tmp_path: Path) -> None:
    with Memory.open(project.root, data_dir=tmp_path / "data") as memory:
        for number in range(12):
            text = f"In every region and for every customer the price of `fetch` is {10 + number} euros."
            memory.remember(text, at=[Place("client.py", symbol="fetch")])
        assert len(memory.conflicts.open()) == 66
    async with editor(project.root, tmp_path / "data", options=ASKS) as session:
        session.open("client.py")
        await until(lambda: session.shown("client.py"))
        shown = list(session.shown("client.py"))
        fixes = await session.actions("client.py", shown[0].range.start, diagnostics=shown)
        assert [each.title.partition(" ")[0] for each in fixes] == ["Keep", "Keep", "Say", "Keep", "Remember"]
        assert len({each.title for each in fixes}) == len(fixes)  # what differs is shown
        assert all(len(each.title) <= 66 for each in fixes)  # a line of 80 in Neovim, with its number and our name


async def test_every_decision_is_confirmed_in_one_line(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", options=ASKS) as session:
        session.open("client.py")
        known = await session.remember("client.py", 4, FETCH)
        await session.run("lock", known)
        await session.run("remember", session.uri("client.py"), 4, "fetch gives up after 9 retries")
        await session.run("forget", known)
        said = session.said(types.MessageType.Info)
        assert said[:2] == [f"Remembered: “{FETCH}”", f"Locked: “{FETCH}”"]
        assert said[2].startswith("Remembered: “fetch gives up after 9 retries” Contradicted: ")
        assert "Contradiction: " in said[2]
        assert said[3:] == ["Forgotten."]
        assert all("\n" not in each for each in said)
        await session.run("remember", session.uri("client.py"), 4, "fetch " + "waits longer and " * 9)
        assert len(session.said()[-1]) <= 60  # "memlsp: " and this fit a line of Neovim, beside its own 11


async def test_a_client_with_commands_says_itself_what_was_done(project: Project, tmp_path: Path) -> None:
    options = {"memlsp": {"commands": ["memlsp.belief.supersede"]}}
    async with editor(project.root, tmp_path / "data", options=options) as session:
        session.open("client.py")
        assert (await titles(session, "client.py", 4))[0].startswith("Remember")  # it asks too
        await session.remember("client.py", 4, FETCH)
        assert session.said() == []


async def test_a_document_without_a_file_is_no_cause_for_a_box(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data", options=ASKS) as session:
        answer = await session.run("remember", "file://", 1, "x")
        assert not answer["ok"]
        assert session.said() == []


async def test_what_was_confirmed_for_a_text_that_is_discarded_is_taken_back(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data") as session:
        session.open("client.py")
        known = await session.remember("client.py", 4, FETCH)
        session.replace("client.py", "retries=3", "retries=5")
        await session.diagnostics("client.py", 1)
        await session.run("confirm", known)
        await session.diagnostics("client.py", 0)
        session.replace("client.py", "retries=5", "retries=3")
        assert (await session.ask("belief", id=known))["belief"]["standing"] == "current"
        session.replace("client.py", "retries=3", "retries=5")
        await session.diagnostics("client.py", 1)  # and nobody confirmed that
