"""The history read in the background of an editor, and standing over a checkout."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsp_editor import READS_HISTORY, editor, until
from lsprotocol import types
from project import Project
from pygls.lsp.server import LanguageServer

from memlsp import Memory
from memlsp.faces.lsp.features import onboarding as onboarding_module
from memlsp.faces.lsp.features.onboarding import OnboardingRunner
from memlsp.faces.lsp.server import progress as progress_module
from memlsp.faces.lsp.server.progress import ProgressReports, with_progress
from memlsp.faces.lsp.server.settings import EditorSettings, read_settings
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.model.caller import Caller
from memlsp.model.episode import OnboardingProgress
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio


class Bar:
    """Stands where the server would, and notes what a progress bar was told."""

    def __init__(self) -> None:
        self.client_capabilities = types.ClientCapabilities(
            window=types.WindowClientCapabilities(work_done_progress=True)
        )
        self.work_done_progress = self
        self.tokens: dict[object, Any] = {}
        self.said: list[types.WorkDoneProgressReport] = []
        self.began = asyncio.Event()
        self.ended: list[str | None] = []

    async def window_work_done_progress_create_async(self, params: types.WorkDoneProgressCreateParams) -> None:
        del params

    def begin(self, _token: object, value: types.WorkDoneProgressBegin) -> None:
        assert value.cancellable
        assert value.percentage == 0
        self.began.set()

    def report(self, _token: object, value: types.WorkDoneProgressReport) -> None:
        self.said.append(value)

    def end(self, _token: object, value: types.WorkDoneProgressEnd) -> None:
        self.ended.append(value.message)

    @property
    def server(self) -> LanguageServer:
        return cast("LanguageServer", self)


class Reader:
    """A workspace whose memory reads until it is told to end, and how often it did."""

    def __init__(self) -> None:
        self.closing = threading.Event()
        self.release = threading.Event()
        self.states: list[OnboardingProgress] = []
        self.memory = SimpleNamespace(
            onboard=self.onboard, workspace=SimpleNamespace(git=True, name="shop", root=Path())
        )

    def onboard(
        self, *, most: int, progress: Callable[[OnboardingProgress], None], cancelled: Callable[[], bool]
    ) -> OnboardingProgress:
        assert most == 2_000
        progress(OnboardingProgress(10, 5))
        while not self.release.wait(0.01) and not cancelled():
            pass
        self.states.append(OnboardingProgress(10, 5, stopped="cancelled" if cancelled() else ""))
        return self.states[-1]

    async def aside(self, work: Callable[[], OnboardingProgress]) -> OnboardingProgress:
        return await asyncio.get_running_loop().run_in_executor(None, work)

    @property
    def workspace(self) -> EditorWorkspace:
        return cast("EditorWorkspace", self)


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(onboarding_module, "REST", 0.0)
    monkeypatch.setattr(onboarding_module, "BUSY_AGAIN", 0.0)
    monkeypatch.setattr(progress_module, "PATIENCE", 0.02)
    monkeypatch.setattr(progress_module, "EVERY", 0.0)


async def test_a_bar_says_how_far_it_is_and_can_be_cancelled_for_good() -> None:
    bar, reader = Bar(), Reader()
    onboarding = OnboardingRunner(bar.server, EditorSettings)
    onboarding.look(reader.workspace)
    await asyncio.wait_for(bar.began.wait(), 20)
    (token,) = bar.tokens.values()
    token.cancel()
    await until(lambda: reader.states)
    assert reader.states[0].stopped == "cancelled"
    await until(lambda: bar.ended)
    assert bar.ended == ["cancelled"]
    onboarding.look(reader.workspace)
    await asyncio.sleep(0)
    assert len(reader.states) == 1


async def test_what_is_said_before_the_bar_is_there_is_not_lost_behind_it() -> None:
    bar, release = Bar(), threading.Event()
    reports = ProgressReports()
    work = asyncio.get_running_loop().run_in_executor(None, release.wait, 20)
    shown = asyncio.ensure_future(with_progress(bar.server, "reading", work, threading.Event(), reports))
    await asyncio.wait_for(bar.began.wait(), 20)
    reports.say("5 of 10 commits", 50)
    await until(lambda: bar.said)
    assert (bar.said[0].message, bar.said[0].percentage) == ("5 of 10 commits", 50)
    release.set()
    await shown
    reports.say("6 of 10 commits", 60)
    await asyncio.sleep(0)
    assert len(bar.said) == 1


async def test_looking_twice_reads_one_after_the_other() -> None:
    bar, reader = Bar(), Reader()
    onboarding = OnboardingRunner(bar.server, EditorSettings)
    onboarding.look(reader.workspace)
    await asyncio.wait_for(bar.began.wait(), 20)
    for _ in range(5):
        onboarding.look(reader.workspace)
    reader.release.set()
    await until(lambda: len(bar.ended) == 2 or len(reader.states) == 2)
    onboarding.close()
    assert len(reader.states) == 2


async def test_it_can_be_switched_off_and_ends_with_the_server() -> None:
    bar, reader = Bar(), Reader()
    off, problems = read_settings({"onboarding": {"enabled": False, "commits": 0}})
    assert (off.onboarding_enabled, off.onboarding_commits) == (False, 2_000)
    assert "onboarding.commits" in problems[0]
    OnboardingRunner(bar.server, lambda: off).look(reader.workspace)
    await asyncio.sleep(0.05)
    assert reader.states == []
    onboarding = OnboardingRunner(bar.server, EditorSettings)
    onboarding.look(reader.workspace)
    await asyncio.wait_for(bar.began.wait(), 20)
    onboarding.close()
    await until(lambda: reader.states)


async def test_an_editor_reads_the_history_and_over_a_checkout_the_standing_is_that_of_the_code(
    project: Project, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with Memory.open(project.root, data_dir=data) as memory:
        memory.remember("fetch is patient", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root))
        first = project.git("rev-parse", "HEAD").strip()
        project.replace("client.py", "def fetch(", "def fetch_all(")
        renamed = project.commit("Rename fetch")
        async with editor(project.root, data, options=READS_HISTORY) as session:

            async def hover(line: int) -> str:
                found = await session.client.text_document_hover_async(
                    types.HoverParams(session.document("client.py"), types.Position(line, 5))
                )
                return cast("types.MarkupContent", found.contents).value if found else ""

            async def hovers(part: str) -> None:
                for _ in range(400):
                    if part in await hover(3):
                        return
                    await asyncio.sleep(0.05)
                raise AssertionError(f"{part!r} is not in {await hover(3)!r}")

            session.open("client.py")
            await hovers(f"carried across {renamed[:8]}")
            assert len(memory.commit_episodes()) == 2

            session.close("client.py")
            project.git("checkout", "--quiet", first)
            session.open("client.py")
            await hovers("**current**" if "**" in await hover(3) else "current")

            session.close("client.py")
            project.git("checkout", "--quiet", "main")
            session.open("client.py")
            await hovers(f"carried across {renamed[:8]}")

            project.write("extra.py", "LIMIT = 3\n")
            project.commit("Limit")
            await until(lambda: len(memory.commit_episodes()) == 3)


async def test_what_stands_in_the_project_waits_as_a_proposal_once_the_history_is_read(
    project: Project, tmp_path: Path
) -> None:
    project.write(
        "CONTRIBUTING.md", "# Contributing\n\n- Never call `fetch` without a timeout: it would wait forever.\n"
    )
    project.commit("Say how we work")
    async with editor(project.root, tmp_path / "data", options=READS_HISTORY) as session:
        session.open("client.py")

        async def proposed() -> bool:
            return (await session.ask("review"))["proposals"] == 1

        await until(proposed, 60)
        (item,) = (await session.ask("review"))["items"]
        assert "without a timeout" in item["beliefs"][0]["text"]
        await session.ask("decide", id=item["id"], choice="reject")
    with Memory.open(project.root, data_dir=tmp_path / "data") as memory:
        assert not memory.proposals.is_due()
