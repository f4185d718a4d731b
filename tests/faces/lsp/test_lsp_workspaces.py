"""In which thread what is done: what takes long holds up neither hovers nor each other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lsp_editor import within

from memlsp import Memory
from memlsp.faces.lsp.server.workspaces import EditorWorkspace
from memlsp.model.errors import MemlspError

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def workspace(memory: Memory) -> AsyncIterator[EditorWorkspace]:
    workspace = EditorWorkspace(memory)
    yield workspace
    workspace.close()


async def test_a_hover_goes_on_while_a_long_answer_and_a_history_are_worked_out(workspace: EditorWorkspace) -> None:
    release = threading.Event()
    answer = asyncio.ensure_future(workspace.answer(release.wait))
    history = asyncio.ensure_future(workspace.read(release.wait))
    assert await within(workspace.run(lambda: "hovered")) == "hovered"
    assert not answer.done()
    release.set()
    assert await within(asyncio.gather(answer, history)) == [True, True]


async def test_an_answer_knows_of_every_edit_that_was_sent_before(workspace: EditorWorkspace) -> None:
    done: list[str] = []
    release = threading.Event()
    workspace.post(release.wait)
    workspace.post(lambda: done.append("edited"))
    answer = asyncio.ensure_future(workspace.answer(lambda: list(done)))
    await asyncio.sleep(0)
    release.set()
    assert await within(answer) == ["edited"]


async def test_an_answer_that_nobody_wants_any_more_is_not_begun(workspace: EditorWorkspace) -> None:
    done: list[str] = []
    release, busy = threading.Event(), threading.Event()

    def block() -> None:
        busy.set()
        release.wait()

    first = asyncio.ensure_future(workspace.answer(block))
    await within(asyncio.to_thread(busy.wait))
    second = asyncio.ensure_future(workspace.answer(lambda: done.append("second")))
    await within(workspace.run(lambda: None))  # it waits behind the first now
    second.cancel()
    await asyncio.wait({second})
    release.set()
    await within(first)
    await within(workspace.answer(lambda: None))
    assert done == []


async def test_an_error_reaches_who_asked(workspace: EditorWorkspace) -> None:
    def fail() -> None:
        raise MemlspError("no", "nothing to do")

    with pytest.raises(MemlspError, match="no"):
        await within(workspace.answer(fail))
