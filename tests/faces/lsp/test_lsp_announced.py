"""What a client announces of itself, and what it gets for it; every other client is served as before."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from lsp_editor import READS_HISTORY, Editor, editor, newest_vscode, plain_of, until
from lsprotocol import types
from project import Project, shop

from memlsp import Memory
from memlsp.faces.lsp.features.links import links_line
from memlsp.faces.lsp.server.refresh import POLL
from memlsp.faces.lsp.server.settings import ClientOptions
from memlsp.model.caller import Caller
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio

COMMANDS = [
    *("memlsp.openBelief", "memlsp.peek"),
    *("memlsp.belief.confirm", "memlsp.belief.supersede", "memlsp.belief.retire"),
]
HOSTILE = "fetch waits [Open](command:workbench.action.quit) and `](command:memlsp.peek)` 3 times"
_LINK = re.compile(r"(?<!\\)\[([^\]\\]*)\]\(([^)]*)\)")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return shop(tmp_path / "shop")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def told(session: Editor) -> list[dict[str, Any]]:
    """The notifications that something moved, as they come."""
    heard: list[dict[str, Any]] = []

    def changed(params: Mapping[str, object]) -> None:  # of `object` pygls would hand over the client
        heard.append(plain_of(params))

    session.client.feature("memlsp/changed")(changed)
    return heard


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (None, ClientOptions()),
        ({}, ClientOptions()),
        ({"memlsp": "yes"}, ClientOptions()),
        ({"memlsp": {"tellChanges": 1, "commands": "memlsp.peek"}}, ClientOptions()),
        ({"memlsp": {"tellChanges": True, "trusted": False}}, ClientOptions(tell_changes=True, trusted=False)),
        ({"memlsp": {"trusted": None}}, ClientOptions(trusted=False)),
        ({"memlsp": {"asks": True}}, ClientOptions(asks=True)),
        (
            {"memlsp": {"commands": ["memlsp.peek", "workbench.action.quit", "memlsp.x?1", 7]}},
            ClientOptions(commands=frozenset({"memlsp.peek"})),
        ),
    ],
)
async def test_what_is_announced_is_read_and_trust_is_not_given_by_mistake(
    options: object, expected: ClientOptions
) -> None:
    assert ClientOptions.of(options) == expected


async def test_a_hover_links_to_what_the_client_runs_with_the_id_and_the_root_alone(
    project: Project, data: Path
) -> None:
    options = {"memlsp": {"commands": COMMANDS}}
    async with editor(project.root, data, newest_vscode(), options=options) as session:
        session.open("client.py")
        known = await session.remember("client.py", 4, HOSTILE)
        shown = await session.hover("client.py", "fetch") or ""
        links = _LINK.findall(shown)
        assert [title for title, _ in links] == ["Open", "Replace…", "No longer true"]
        about = f'[{{"id": "{known}", "root": "{project.root.as_uri()}"}}]'
        assert [unquote(address) for _, address in links] == [
            f"command:memlsp.openBelief?{about}",
            f"command:memlsp.belief.supersede?{about}",
            f"command:memlsp.belief.retire?{about}",
        ]
        session.replace("client.py", "retries=3", "retries=5")
        shown = await session.hover("client.py", "fetch") or ""
        assert "Still true" in [title for title, _ in _LINK.findall(shown)]


async def test_a_lens_opens_the_peek_of_a_client_that_has_one(project: Project, data: Path) -> None:
    options = {"memlsp": {"commands": COMMANDS, "lens": {"holding": True}}}
    async with editor(project.root, data, newest_vscode(), options=options) as session:
        session.open("client.py")
        await session.remember("client.py", 4, "fetch is patient")
        (lens,) = await session.lenses("client.py")
        assert lens.command is not None
        assert lens.command.command == "memlsp.peek"
        assert list(lens.command.arguments or ()) == [session.uri("client.py"), "fetch"]


async def test_a_client_that_announces_nothing_gets_no_link_and_no_notification(project: Project, data: Path) -> None:
    async with editor(project.root, data, newest_vscode()) as session:
        heard = told(session)
        session.open("client.py")
        await session.remember("client.py", 4, HOSTILE)
        shown = await session.hover("client.py", "fetch") or ""
        assert _LINK.findall(shown) == []
        (lens,) = await session.lenses("client.py")
        assert lens.command is not None
        assert lens.command.command == "memlsp.server.show"
        assert heard == []


async def test_plain_text_carries_no_link(project: Project, data: Path) -> None:
    options = {"memlsp": {"commands": COMMANDS}}
    async with editor(project.root, data, types.ClientCapabilities(), options=options) as session:
        session.open("client.py")
        await session.remember("client.py", 4, "fetch is patient")
        assert "command:" not in (await session.hover("client.py", "fetch") or "command:")


async def test_a_belief_with_an_id_that_is_none_of_ours_has_no_links(memory: Memory) -> None:
    from attrs import evolve

    judgement = memory.remember("fetch is patient")
    assert links_line(judgement, frozenset(COMMANDS), "file:///shop")
    link = links_line(judgement, frozenset(COMMANDS), 'file:///a)b](command:workbench.action.quit) "x')
    assert all(address.startswith("command:memlsp.") for _, address in _LINK.findall(link))
    assert len(_LINK.findall(link)) == 3
    foreign = evolve(judgement, belief=evolve(judgement.belief, id='x"],["'))
    assert links_line(foreign, frozenset(COMMANDS), "file:///shop") == ""


async def test_a_client_is_told_when_it_or_another_process_remembers_and_when_typing_pauses(
    project: Project, data: Path
) -> None:
    options = {"memlsp": {"tellChanges": True}}
    async with editor(project.root, data, options=options) as session:
        heard = told(session)
        session.open("client.py")
        await until(lambda: len(heard) > 0)
        assert heard[0] == {"roots": [project.root.as_uri()]}

        heard.clear()
        await session.remember("client.py", 4, "fetch gives up after 3 retries")
        await until(lambda: len(heard) > 0)

        heard.clear()
        session.replace("client.py", "retries=3", "retries=5")
        await until(lambda: len(heard) > 0)
        queue = await session.ask("review")
        assert queue["stale"] == 1

        heard.clear()
        with Memory.open(project.root, data_dir=data) as other:
            other.remember("said elsewhere", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root))
        await until(lambda: len(heard) > 0)


async def test_asking_is_no_change(project: Project, data: Path) -> None:
    options = {"memlsp": {"tellChanges": True}}
    project.write("elsewhere.py", "")
    async with editor(project.root, data, options=options) as session:
        heard = told(session)
        session.open("client.py")
        await session.remember("client.py", 4, "fetch gives up after 3 retries")
        code = (project.root / "client.py").read_text(encoding="utf-8")
        (project.root / "moved.py").write_text(code, encoding="utf-8")
        session.replace("client.py", code, "")  # what is remembered is found in the other file
        await until(lambda: len(heard) > 0)

        async def quiet() -> bool:
            """Ask everything, and for longer than the memory is polled; True when nothing was told meanwhile."""
            count = len(heard)
            for _ in range(3):
                await session.ask("beliefs", scope="workspace")
                await session.ask("review")
                await session.ask("belief", id=known)
                await asyncio.sleep(2 * POLL)
            return len(heard) == count

        (known,) = await listed(session)
        await until(quiet)


async def listed(session: Editor) -> Sequence[str]:
    answer = await session.ask("beliefs", scope="workspace")
    return [belief["id"] for group in answer["groups"] for belief in group["beliefs"]]


async def test_a_folder_reached_by_a_link_keeps_the_editors_own_name(project: Project, data: Path) -> None:
    link = project.root.parent / "link"
    link.symlink_to(project.root, target_is_directory=True)
    async with editor(link, data) as session:
        session.open("client.py")
        known = await session.remember("client.py", 4, "fetch is patient")
        page = await session.ask("belief", id=known)
        assert page["belief"]["root"] == link.as_uri()


async def test_two_folders_are_told_apart_by_uri(project: Project, data: Path) -> None:
    other = shop(project.root.parent / "other shop")
    async with editor(project.root, data, folders=[project.root, other.root]) as session:
        kept = await session.ask("remember", text="Only here", uri=other.root.as_uri())
        assert kept["belief"]["root"] == other.root.as_uri()

        async def total(root: Path) -> int:
            return (await session.ask("beliefs", scope="workspace", uri=root.as_uri()))["total"]

        assert await total(other.root) == 1
        assert await total(project.root) == 0
        found = await session.ask("belief", id=kept["belief"]["id"])  # without a uri: whoever knows it
        assert found["belief"]["root"] == other.root.as_uri()


async def test_in_a_folder_that_is_not_trusted_only_open_documents_are_followed(project: Project, data: Path) -> None:
    options = {"memlsp": {"trusted": False, "tellChanges": True, "capture": {"terminal": True}, **READS_HISTORY}}
    async with editor(project.root, data, options=options) as session:
        session.open("client.py")
        known = await session.remember("client.py", 4, "fetch gives up after 3 retries")
        session.replace("client.py", "retries=3", "retries=5")
        await session.diagnostics("client.py", 1)  # the buffer speaks
        session.save("client.py")
        session.client.protocol.notify("memlsp/terminalCommand", {"command": "make", "exitCode": 0})
        params = types.DidChangeWatchedFilesParams(
            [types.FileEvent(session.uri("pricing/tax.py"), types.FileChangeType.Changed)]
        )
        session.client.workspace_did_change_watched_files(params)
        assert (await session.ask("belief", id=known))["belief"]["standing"] == "contradicted"
        assert (await session.run("why", session.uri("client.py"), 4))["history"] == []
    with Memory.open(project.root, data_dir=data) as memory:
        assert list(memory.events.list()) == []
        assert memory.stats().history.commits == 0
        assert memory.proposals.is_due()
