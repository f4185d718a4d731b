"""The commands and code actions, and what they say when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_editor import Editor, editor, until, within
from lsprotocol import types
from project import Project
from pygls.exceptions import JsonRpcException

from memlsp import Memory

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMES = [
    *("confirm", "retire", "supersede", "lock", "unlock", "reanchor", "scope", "worked", "failed", "rollback"),
    *("remember", "why", "show", "status", "recall"),
    *("threads", "closeThread", "conflicts", "settle", "forget"),
]


async def test_the_commands_are_those_that_are_documented(shared: Editor) -> None:
    provider = shared.server.execute_command_provider
    assert provider is not None
    assert sorted(provider.commands) == sorted(f"memlsp.server.{name}" for name in NAMES)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("confirm", [], "the belief's id is missing"),
        ("forget", [], "the belief's id is missing"),
        ("forget", ["nothing"], "nothing"),
        ("scope", ["nothing"], "a condition such as env=staging is missing"),
        ("confirm", ["nothing"], "nothing"),
        ("confirm", [{"id": 1}], "expected the belief's id"),
        ("retire", ["a", "b", "c"], "not the folder of a workspace: c"),
        ("retire", ["a", "b", "c", "d"], "4 arguments"),
        ("remember", [], "the document's uri is missing"),
        ("remember", ["untitled:1", 1, "x"], "not a file"),
        ("remember", ["FILE", 0, "x"], "not a line"),
        ("remember", ["FILE", True, "x"], "not a line"),
        ("remember", ["FILE", 4, "  "], "expected a text"),
        ("remember", ["FILE", 4, "x", "wish"], "not a kind"),
        ("remember", ["FILE", "no_such_name", "x"], "no_such_name"),
        ("remember", ["FILE", 4], "needs the statement"),
        ("recall", [], "a question is missing"),
        ("closeThread", [], "the thread's id is missing"),
        ("closeThread", ["nothing"], "no thread 'nothing'"),
        ("settle", [], "a conflict's id is missing"),
        ("settle", ["nothing", "kept"], "not a conflict"),
        ("settle", ["a+b", "scoped", "a"], "which condition"),
        ("settle", ["a+b", "scoped", "a", "staging"], "not a condition"),
        ("why", ["FILE", "no_such_name"], "no_such_name"),
    ],
)
async def test_a_wrong_argument_is_said_in_the_editor_and_in_the_answer(
    shared: Editor, name: str, arguments: list[object], said: str
) -> None:
    shared.client.messages.clear()
    arguments = [shared.uri("client.py") if each == "FILE" else each for each in arguments]
    answer = await shared.run(name, *arguments)
    assert answer["ok"] is False
    assert said in answer["error"]
    (message,) = shared.said(types.MessageType.Error)
    assert said in message
    assert "\n" not in message


async def test_a_lock_is_evaded_only_after_the_editor_asked_its_person(project: Project, tmp_path: Path) -> None:
    """A program that starts a server and hides that it is an agent sends commands, and presses no button."""
    async with editor(project.root, tmp_path / "data", answers=False) as session:
        session.open("pricing/tax.py")
        known = await session.remember("pricing/tax.py", 6, "the tax is rounded to cents")
        assert (await session.run("lock", known))["ok"]
        assert session.asked == []
        for words in (("unlock", known), ("retire", known), ("forget", known), ("supersede", known, "it is not")):
            assert "nobody at the editor" in (await session.run(*words))["error"]
        assert len(session.asked) == 4
        assert all("the tax is rounded to cents" in question for question in session.asked)
    async with editor(project.root, tmp_path / "data") as session:
        assert (await session.run("unlock", known))["belief"]["authority"] == "person"
    with Memory.open(project.root, data_dir=tmp_path / "data") as memory:
        assert memory.revisions(known)[-1].source.endswith(", asked")


async def test_an_unknown_command_is_an_error_of_the_protocol(shared: Editor) -> None:
    params = types.ExecuteCommandParams("memlsp.server.nothing", [])
    with pytest.raises(JsonRpcException):
        await within(shared.client.workspace_execute_command_async(params))


async def test_a_belief_is_locked_unlocked_retired_and_brought_back(shared: Editor) -> None:
    shared.open("pricing/tax.py")
    known = await shared.remember("pricing/tax.py", 6, "the tax is rounded to cents")
    assert (await shared.run("lock", known))["belief"]["authority"] == "locked"
    assert "locked" in (await shared.hover("pricing/tax.py", "compute_tax") or "")
    assert (await shared.run("unlock", known))["belief"]["authority"] == "person"
    assert (await shared.run("retire", known))["belief"]["standing"] == "retired"
    assert await shared.titles("pricing/tax.py") == []
    assert (await shared.run("rollback", known))["ok"]
    assert await shared.titles("pricing/tax.py") == ["= “the tax is rounded to cents”"]
    assert (await shared.run("retire", known))["ok"]


async def test_what_was_said_in_this_editor_names_it_as_its_source(shared: Editor) -> None:
    answer = await shared.run("remember", shared.uri("client.py"), "fetch", "waits longer each time")
    assert answer["belief"]["source"] == "lsp:test editor"
    assert (await shared.run("retire", answer["id"]))["ok"]


async def test_a_click_on_a_lens_shows_what_is_remembered(shared: Editor) -> None:
    shared.open("client.py")
    known = await shared.remember("client.py", 4, "fetch gives up after 3 retries")
    (lens,) = await shared.lenses("client.py")
    assert lens.command is not None
    shared.client.messages.clear()
    params = types.ExecuteCommandParams(lens.command.command, lens.command.arguments)
    await within(shared.client.workspace_execute_command_async(params))
    (message,) = shared.said(types.MessageType.Info)
    assert "fetch gives up after 3 retries" in message
    assert (await shared.run("retire", known))["ok"]


async def test_no_message_holds_a_link_that_runs_something(shared: Editor) -> None:
    shared.client.messages.clear()
    link = "[see](command:workbench.action.quit)"
    assert not (await shared.run("closeThread", link))["ok"]
    known = await shared.remember("client.py", 4, f"fetch gives up after 3 retries, {link}")
    await shared.run("show", shared.uri("client.py"), 4)
    refused, _, shown = shared.said()
    assert "[see] (command:" in refused
    assert "[see] (command:" in shown
    assert (await shared.run("retire", known))["ok"]


async def test_why_answers_with_beliefs_and_history(shared: Editor) -> None:
    known = await shared.remember("client.py", 4, "fetch gives up after 3 retries")
    answer = await shared.run("why", shared.uri("client.py"), 4)
    assert answer["place"] == "client.py#fetch"
    assert known in [belief["id"] for belief in answer["beliefs"]]
    assert [change["subject"] for change in answer["history"]] == ["Add the shop"]
    assert (await shared.run("retire", known))["ok"]


async def test_recall_finds_what_was_remembered(shared: Editor) -> None:
    known = await shared.remember("client.py", 4, "pages are fetched with exponential patience")
    answer = await shared.run("recall", "exponential patience", shared.uri("client.py"), 4)
    assert known in [hit["id"] for hit in answer["hits"]]
    typing = await shared.run("recall", "exponential patience", shared.uri("client.py"), 4, True)
    # what the first question had to do without, a vector that was being made, may explain the second
    assert [hit["id"] for hit in typing["hits"]] == [hit["id"] for hit in answer["hits"]]
    folder = await shared.run("recall", "exponential patience", shared.root.as_uri())
    assert known in [hit["id"] for hit in folder["hits"]]
    assert not any("anchored to" in reason for hit in folder["hits"] for reason in hit["why"])
    assert (await shared.run("retire", known))["ok"]


async def test_status_counts(shared: Editor) -> None:
    answer = await shared.run("status", shared.uri("client.py"))
    assert answer["ok"]
    assert answer["workspace"]


async def test_actions_keep_to_the_kinds_that_are_asked_for(shared: Editor) -> None:
    known = await shared.remember("client.py", 4, "fetch gives up after 3 retries")
    at = shared.at("client.py", "fetch")
    everything = await shared.actions("client.py", at)
    assert {each.kind for each in everything if isinstance(each, types.CodeAction)} == {"refactor.memlsp"}
    assert await shared.actions("client.py", at, only=["quickfix"]) == []
    assert await shared.actions("client.py", at, only=["source"]) == []
    assert await shared.actions("client.py", at, only=["refactor"]) == everything
    assert await shared.actions("client.py", at, only=[""]) == everything
    assert (await shared.run("retire", known))["ok"]


async def test_no_light_bulb_follows_the_cursor(shared: Editor) -> None:
    at = shared.at("client.py", "fetch")
    assert await shared.actions("client.py", at, trigger=types.CodeActionTriggerKind.Automatic) == []


async def test_a_decision_can_be_remembered_from_an_action(shared: Editor) -> None:
    offered = await shared.actions("client.py", shared.at("client.py", "fetch"))
    (action,) = [each for each in offered if each.title.startswith("Remember")]
    assert isinstance(action, types.CodeAction)
    assert action.title == "Remember a decision about fetch…"
    assert action.command is not None
    assert list(action.command.arguments or ()) == [shared.uri("client.py"), 4]


async def test_a_belief_whose_code_went_is_tied_to_where_it_may_be(shared: Editor) -> None:
    text = "def area(width, height):\n    if width < 0:\n        raise ValueError(width)\n    return width * height\n"
    shared.open("shapes.py", text)
    known = await shared.remember("shapes.py", 1, "an area is never negative")
    body = text.removeprefix("def area").replace("height)", "height, depth)", 1)
    shared.replace("shapes.py", text, f"def volume{body}\n\ndef volumes{body}")
    (found,) = await shared.diagnostics("shapes.py", 1)
    assert found.code == "orphaned"
    actions = await shared.actions("shapes.py", found.range.start, diagnostics=[found])
    answer = await shared.act(actions, "Tie to volume:")
    assert answer["ok"], answer
    await shared.diagnostics("shapes.py", 0)
    assert answer["id"] == known
    await until(lambda: _titles(shared, "shapes.py"))


async def _titles(session: Editor, path: str) -> bool:
    return await session.titles(path) == ["= “an area is never negative”"]
