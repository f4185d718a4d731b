"""Progress, histories in the background, and features that fail, without a wire in between."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from lsp_editor import until
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from memlsp.faces.lsp.features import history as history_module
from memlsp.faces.lsp.features.history import SymbolHistories
from memlsp.faces.lsp.server import progress as progress_module
from memlsp.faces.lsp.server.progress import with_progress
from memlsp.faces.lsp.server.server import create_server
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.model.episode import PastChange, SymbolHistory
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio

NOW = datetime(2026, 11, 21, tzinfo=UTC)
CHANGE = PastChange("0" * 40, "Ann", NOW, "Add it", "Added.", "a.py", "f")


class Client:
    """Stands where the server would, and notes what the client would be sent."""

    def __init__(self, *, can: bool = True) -> None:
        self.client_capabilities = types.ClientCapabilities(
            window=types.WindowClientCapabilities(work_done_progress=can)
        )
        self.work_done_progress = self
        self.tokens: dict[object, Any] = {}
        self.sent: list[object] = []
        self.began = asyncio.Event()

    async def window_work_done_progress_create_async(self, params: types.WorkDoneProgressCreateParams) -> None:
        self.sent.append(params)

    def begin(self, token: object, value: types.WorkDoneProgressBegin) -> None:
        del token
        self.sent.append(value)
        self.began.set()

    def end(self, token: object, value: types.WorkDoneProgressEnd) -> None:
        del token
        self.sent.append(value)

    @property
    def server(self) -> LanguageServer:
        return cast("LanguageServer", self)


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(progress_module, "PATIENCE", 0.02)


async def forever_until(event: threading.Event) -> str:
    return await asyncio.get_running_loop().run_in_executor(None, lambda: str(event.wait(20)))


async def test_short_work_shows_no_progress() -> None:
    client = Client()
    assert await with_progress(client.server, "x", asyncio.sleep(0, "done")) == "done"
    assert client.sent == []


async def test_long_work_shows_progress_and_takes_it_away() -> None:
    client, release = Client(), threading.Event()
    work = asyncio.ensure_future(with_progress(client.server, "reading", forever_until(release)))
    await asyncio.wait_for(client.began.wait(), 20)
    release.set()
    assert await work == "True"
    created, began, ended = client.sent
    assert isinstance(created, types.WorkDoneProgressCreateParams)
    assert isinstance(began, types.WorkDoneProgressBegin)
    assert (began.title, began.cancellable) == ("memlsp: reading", False)
    assert isinstance(ended, types.WorkDoneProgressEnd)
    assert client.tokens == {}


async def test_cancelling_reaches_the_work() -> None:
    client, cancelled = Client(), threading.Event()
    work = asyncio.ensure_future(with_progress(client.server, "reading", forever_until(cancelled), cancelled))
    await asyncio.wait_for(client.began.wait(), 20)
    (token,) = client.tokens.values()
    token.cancel()
    await work
    assert client.sent[-1] == types.WorkDoneProgressEnd(message="cancelled")


async def test_a_client_without_progress_is_spared_it() -> None:
    client = Client(can=False)
    assert await with_progress(client.server, "x", asyncio.sleep(0.05, "done")) == "done"
    assert client.sent == []


async def test_a_client_that_answers_late_answers_a_question_that_still_waits() -> None:
    client, answer, ended = Client(), asyncio.Event(), asyncio.Event()

    async def create(params: types.WorkDoneProgressCreateParams) -> None:
        del params
        await answer.wait()
        ended.set()

    client.window_work_done_progress_create_async = create
    assert await with_progress(client.server, "x", asyncio.sleep(0.1, "done")) == "done"
    answer.set()
    await asyncio.wait_for(ended.wait(), 20)


class SlowWorkspace:
    """A workspace whose git answers when it is told to."""

    root = Path("/work")

    def __init__(self) -> None:
        self.closing = threading.Event()
        self.release = threading.Event()
        self.asked = 0
        self.ended: list[str] = []
        self.memory = self

    def history(self, place: Place, *, cancelled: Callable[[], bool], limit: int = 0, **_: object) -> SymbolHistory:
        self.asked += 1
        while not self.release.wait(0.01):
            if cancelled():
                self.ended.append(str(place.symbol))
                return SymbolHistory(complete=False, stopped="cancelled")
        return SymbolHistory((CHANGE,))

    async def read(self, work: Callable[[], SymbolHistory]) -> SymbolHistory:
        return await asyncio.get_running_loop().run_in_executor(None, work)

    @property
    def workspace(self) -> EditorWorkspace:
        return cast("EditorWorkspace", self)


async def test_a_history_that_takes_long_is_there_at_the_next_hover() -> None:
    workspace, histories = SlowWorkspace(), SymbolHistories(Client(can=False).server)
    assert await histories.of(workspace.workspace, "a.py", "f", wait=0.01) is None
    assert await histories.of(workspace.workspace, "a.py", "f", wait=0.01) is None
    workspace.release.set()
    read = await histories.of(workspace.workspace, "a.py", "f", wait=20)
    assert read is not None
    assert read.changes == (CHANGE,)
    assert workspace.asked == 1


class LongHistory(SlowWorkspace):
    """A symbol of ten changes. The latest are there at once, all of them when git is told to answer."""

    def history(self, place: Place, *, cancelled: Callable[[], bool], limit: int = 0, **_: object) -> SymbolHistory:
        if limit > history_module.SHOWN:
            read = super().history(place, cancelled=cancelled)
            return SymbolHistory(10 * read.changes, read.complete, read.stopped)
        return SymbolHistory(limit * (CHANGE,), complete=False, stopped="limit")


async def test_what_is_older_is_counted_after_the_answer() -> None:
    workspace, histories = LongHistory(), SymbolHistories(Client(can=False).server)
    latest = await histories.of(workspace.workspace, "a.py", "f", wait=20)
    workspace.release.set()
    whole = await histories.of(workspace.workspace, "a.py", "f", wait=20, older=20)
    assert latest is not None
    assert whole is not None
    assert (len(latest.changes), len(whole.changes), whole.complete) == (history_module.SHOWN, 10, True)


async def test_what_is_older_is_not_counted_once_something_else_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "QUIET", 0)
    workspace, histories = LongHistory(), SymbolHistories(Client(can=False).server)
    await histories.of(workspace.workspace, "a.py", "f", wait=20)
    await until(lambda: workspace.asked == 1)
    await histories.of(workspace.workspace, "a.py", "g", wait=20)
    await until(lambda: workspace.ended == ["f"])
    workspace.release.set()


async def test_a_cursor_that_wanders_does_not_pile_up_histories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "MOST_WAITING", 2)
    workspace, histories = SlowWorkspace(), SymbolHistories(Client(can=False).server)
    for number in range(6):
        assert await histories.of(workspace.workspace, "a.py", f"f{number}", wait=0.01) is None
    await until(lambda: sorted(workspace.ended) == ["f0", "f1", "f2"])
    workspace.release.set()
    again = await histories.of(workspace.workspace, "a.py", "f0", wait=20)
    assert again is not None
    assert again.changes == (CHANGE,)


async def test_a_feature_that_fails_answers_nothing_and_shows_no_box(caplog: pytest.LogCaptureFixture) -> None:
    server = create_server()

    async def fail() -> str:
        raise ZeroDivisionError

    assert await server.isolated("hover", fail(), "nothing") == "nothing"
    assert "hover failed" in caplog.text
    server.finish()
