"""Two beliefs that contradict each other, in the editor: shown at both of their places, and settled from there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from lsp_editor import Editor, editor, newest_vscode, until
from lsprotocol import types
from project import Project

from memlsp import Memory
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio

HERE = "The `fetch` timeout is 30 seconds."
THERE = "The `fetch` timeout is 90 seconds."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder that the editor's server and the test share."""
    return tmp_path / "editor-data"


def told(project: Project, data: Path) -> tuple[str, str]:
    """Remember both sides, tied to two files; their ids."""
    with Memory.open(project.root, data_dir=data) as memory:
        here = memory.remember(HERE, at=[Place("client.py", symbol="fetch")]).belief.id
        there = memory.remember(THERE, at=[Place("pricing/tax.py", symbol="compute_tax")]).belief.id
    return here, there


async def clashes(session: Editor, path: str) -> Sequence[types.Diagnostic]:
    shown = session.shown(path) if session.server.diagnostic_provider is None else await session.pull(path)
    return [each for each in shown if each.code == "conflict"]


@pytest.mark.parametrize("capabilities", [None, newest_vscode()], ids=["pushed", "pulled"])
async def test_both_sides_are_shown_each_with_the_other_beside_it(
    project: Project, data: Path, capabilities: types.ClientCapabilities | None
) -> None:
    here, there = told(project, data)
    async with editor(project.root, data, capabilities) as session:
        for path, own, elsewhere in (("client.py", here, "pricing/tax.py"), ("pricing/tax.py", there, "client.py")):
            session.open(path)

            async def one(path: str = path) -> bool:
                return len(await clashes(session, path)) == 1

            await until(one)
            (clash,) = await clashes(session, path)
            assert clash.severity is types.DiagnosticSeverity.Warning
            assert own not in clash.message
            assert clash.message.startswith("2 beliefs conflict about ")  # the fault first, whatever is cut
            assert "memlsp" not in clash.message  # it is settled by an action
            ours, theirs = (HERE, THERE) if path == "client.py" else (THERE, HERE)
            assert clash.message.index(ours[-12:-1]) < clash.message.index(theirs[-12:-1])  # its own side first
            if capabilities is not None:
                (beside,) = list(clash.related_information or [])
                assert beside.location.uri == session.uri(elsewhere)
                assert beside.message == theirs


async def test_a_contradiction_is_settled_where_it_is_shown(project: Project, data: Path) -> None:
    here, there = told(project, data)
    async with editor(project.root, data, None) as session:
        session.open("client.py")

        async def shown() -> bool:
            return len(await clashes(session, "client.py")) == 1

        await until(shown)
        (clash,) = await clashes(session, "client.py")
        actions = await session.actions("client.py", clash.range.start, diagnostics=[clash])
        answer = await session.act(actions, "Keep “…timeout is 90 seconds.”, not")
        assert answer["ok"], answer
        assert answer["conflict"]["settlement"] == "superseded"
        assert session.said() == [f"Settled: “{THERE}” stays"]

        async def gone() -> bool:
            return not await clashes(session, "client.py")

        await until(gone)
        assert (await session.run("conflicts"))["conflicts"] == []
    with Memory.open(project.root, data_dir=data) as memory:
        assert memory.belief(here).belief.superseded_by == there


async def test_a_condition_parts_the_two_sides(project: Project, data: Path) -> None:
    here, there = told(project, data)
    async with editor(project.root, data, None) as session:
        session.open("client.py")
        (known,) = (await session.run("conflicts"))["conflicts"]
        assert {known["first"], known["second"]} == {here, there}
        answer = await session.run("settle", known["id"], "scoped", here, "env=staging")
        assert answer["ok"], answer
        assert session.said() == [f"Settled: “{HERE[:30]}…” where env=staging"]
        assert (await session.run("conflicts"))["conflicts"] == []


async def test_each_answer_about_a_side_names_the_contradiction_until_it_is_settled(
    project: Project, data: Path
) -> None:
    here, there = told(project, data)
    async with editor(project.root, data, None) as session:
        uri, item = session.uri("client.py"), "+".join(sorted((here, there)))

        async def named() -> list[list[str] | None]:
            listed = await session.ask("beliefs", scope="file", uri=uri)
            page = await session.ask("belief", id=here)
            why = await session.ask("why", uri=uri, symbol="fetch")
            hits = await session.ask("recall", query="fetch timeout", uri=uri)
            sides = [listed["groups"][0]["beliefs"][0], page["belief"], why["beliefs"][0], *hits["hits"]]
            return [side.get("conflicts") for side in sides]

        assert await named() == [[item]] * 5
        await session.ask("decide", id=item, choice="both")
        assert await named() == [None] * 5
