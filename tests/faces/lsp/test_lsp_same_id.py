"""Two open workspaces that know a belief by the same id, as after an import: what is decided reaches the one that is
meant."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import pytest_asyncio
from attrs import frozen
from lsp_editor import Editor, editor, newest_vscode
from lsprotocol import types
from project import Project, shop

from memlsp import Memory
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio

ANNOUNCED = {"memlsp": {"commands": ["memlsp.openBelief", "memlsp.belief.retire"]}}
_LINK = re.compile(r"\((command:[^)]*)\)")


@frozen
class Pair:
    """An editor on two shops which both know `id`, the first of them opened first, and `clash`, a contradiction."""

    editor: Editor
    one: Project
    two: Project
    id: str
    clash: str

    def root(self, project: Project) -> str:
        """The root of a shop, as an answer has it."""
        return project.root.as_uri()

    def file(self, project: Project) -> str:
        """A file of a shop, as the editor's session takes it."""
        return str(project.root / "client.py")

    async def standing(self, project: Project) -> str:
        """What the belief is in a shop."""
        page = await self.editor.ask("belief", id=self.id, uri=self.root(project))
        return str(page["belief"]["standing"])

    async def actions(self, project: Project, needle: str) -> dict[str, list[Any]]:
        """The arguments of what is offered at a word of a shop's file, by command; of other beliefs nothing."""
        session = self.editor
        offered = await session.actions(self.file(project), session.at(self.file(project), needle))
        commands = [each.command if isinstance(each, types.CodeAction) else each for each in offered]
        found = [(each.command, list(each.arguments or ())) for each in commands if isinstance(each, types.Command)]
        return {name: arguments for name, arguments in found if arguments[0] in (self.id, self.clash)}


@pytest.fixture
def options() -> dict[str, Any]:
    """What the client announces."""
    return ANNOUNCED


@pytest_asyncio.fixture
async def pair(tmp_path: Path, options: dict[str, Any]) -> AsyncIterator[Pair]:
    data = tmp_path / "data"
    one, two = shop(tmp_path / "one"), shop(tmp_path / "two (copy)")
    written = tmp_path / "out.jsonl"
    with Memory.open(one.root, data_dir=data) as memory:
        id = memory.remember("fetch is patient", at=[Place("client.py", symbol="fetch")]).belief.id
        memory.remember("The `fetch` timeout is 30 seconds.", at=[Place("client.py")])
        memory.remember("The `fetch` timeout is 90 seconds.", at=[Place("pricing/tax.py", symbol="compute_tax")])
        clash = memory.conflicts.open()[0].id
        memory.copies.export(written)
    with Memory.open(two.root, data_dir=data) as memory:
        memory.copies.take(written)
    async with editor(one.root, data, newest_vscode(), options=options, folders=[one.root, two.root]) as session:
        found = Pair(session, one, two, id, clash)
        for project in (one, two):
            session.open(found.file(project))
            assert await found.standing(project) == "current"
        yield found


async def test_a_decision_with_a_root_reaches_that_workspace_alone(pair: Pair) -> None:
    answer = await pair.editor.run("retire", pair.id, "it was copied", pair.root(pair.two))
    assert answer["ok"], answer
    assert (await pair.standing(pair.one), await pair.standing(pair.two)) == ("current", "retired")
    assert (await pair.editor.run("rollback", pair.id, None, pair.root(pair.two)))["ok"]
    assert await pair.standing(pair.two) == "current"


async def test_forgetting_with_a_root_forgets_there_alone(pair: Pair) -> None:
    answer = await pair.editor.run("forget", pair.id, pair.root(pair.two))
    assert answer["ok"], answer
    assert await pair.standing(pair.one) == "current"
    again = await pair.editor.run("forget", pair.id, pair.root(pair.two))
    assert not again["ok"]  # and not the other one's in its place
    assert await pair.standing(pair.one) == "current"


async def test_a_contradiction_is_settled_in_the_workspace_that_is_named(pair: Pair) -> None:
    async def open_in(project: Project) -> list[str]:
        found = await pair.editor.run("conflicts", (project.root / "client.py").as_uri())
        return [each["id"] for each in found["conflicts"]]

    assert pair.clash in await open_in(pair.one)
    assert pair.clash in await open_in(pair.two)
    answer = await pair.editor.run("settle", pair.clash, "kept", None, None, pair.root(pair.two))
    assert answer["ok"], answer
    assert pair.clash in await open_in(pair.one)
    assert pair.clash not in await open_in(pair.two)


async def test_a_root_that_is_none_is_refused_and_nothing_is_done(pair: Pair) -> None:
    wrong: list[tuple[object, str]] = [
        ("somewhere", "not the folder of a workspace: somewhere"),
        ("file:///there/is/no/such/folder", "not the folder of a workspace"),
        ((pair.one.root / "client.py").as_uri(), "not the folder of a workspace"),
        ("", "the uri of a workspace's folder"),
        (3, "the uri of a workspace's folder"),
        ({"uri": "x"}, "the uri of a workspace's folder"),
    ]
    for root, said in wrong:
        for name, arguments in (("retire", [pair.id, None, root]), ("forget", [pair.id, root])):
            answer = await pair.editor.run(name, *arguments)
            assert answer["ok"] is False
            assert said in answer["error"]
    assert (await pair.standing(pair.one), await pair.standing(pair.two)) == ("current", "current")


async def test_a_link_in_a_hover_says_which_workspace_it_is_about(pair: Pair) -> None:
    for project in (pair.one, pair.two):
        shown = await pair.editor.hover(pair.file(project), "fetch") or ""
        about = [json.loads(unquote(link).partition("?")[2]) for link in _LINK.findall(shown)]
        assert [{"id": pair.id, "root": pair.root(project)}] in about
        assert {each["root"] for [each] in about} == {pair.root(project)}


async def test_an_action_carries_its_workspace_to_a_client_with_commands_of_its_own(pair: Pair) -> None:
    offered = await pair.actions(pair.two, "import")
    assert offered["memlsp.server.settle"] == [pair.clash, "kept", None, None, pair.root(pair.two)]
    offered = await pair.actions(pair.two, "fetch")
    assert offered["memlsp.server.retire"] == [pair.id, None, pair.root(pair.two)]
    assert (await pair.editor.run("retire", *offered["memlsp.server.retire"]))["ok"]
    assert (await pair.standing(pair.one), await pair.standing(pair.two)) == ("current", "retired")


@pytest.mark.parametrize("options", [{}])
async def test_an_action_is_as_it_was_for_every_other_client(pair: Pair) -> None:
    assert (await pair.actions(pair.two, "fetch"))["memlsp.server.retire"] == [pair.id]
    assert (await pair.actions(pair.two, "import"))["memlsp.server.settle"] == [pair.clash, "kept"]
