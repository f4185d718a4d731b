"""Telling a client of new lenses until it asks for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsp_editor import until
from lsprotocol import types

from memlsp.faces.lsp.server.refresh import PERSISTENCE, Refresher
from memlsp.faces.lsp.server.settings import EditorSettings

pytestmark = pytest.mark.asyncio


class ForgetfulClient:
    """Shows one document whose lenses are outdated, or that was `opened` and never asked about. It asks for them when
    it was told `needs` times: VS Code forgets to when the editor loses the focus before it has asked."""

    def __init__(self, needs: int, *, opened: bool = False) -> None:
        self.passes = 0
        self.told_in: list[int] = []
        self.needs, self.opened = needs, opened
        lens = types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
        self.client_capabilities = types.ClientCapabilities(types.WorkspaceClientCapabilities(code_lens=lens))
        self._document = SimpleNamespace(uri="file:///a.py", version=1, edits=1)

    @property
    def told(self) -> int:
        return len(self.told_in)

    def workspace_code_lens_refresh(self, _: None) -> None:
        self.told_in.append(self.passes)

    def all(self) -> list[SimpleNamespace]:
        return [self._document]

    def get(self, _: str) -> SimpleNamespace:
        return self._document

    async def of(self, _: str) -> SimpleNamespace:
        return SimpleNamespace(problem="")

    pull = False

    def news(self, *_: object) -> None:
        """Its diagnostics are never others."""

    def moved(self, *_: object) -> bool:
        return not self.opened and self.told < self.needs

    def is_unasked(self, *_: object) -> bool:
        return self.opened and self.told < self.needs

    async def notify(self) -> None:
        self.passes += 1

    def refresher(self) -> Refresher:
        """What tells this client."""
        part = cast("Any", self)
        return Refresher(part, part, part, part, part, part, EditorSettings)


async def test_a_client_that_forgot_to_ask_for_lenses_is_told_again() -> None:
    client = ForgetfulClient(needs=3)
    refresher = client.refresher()
    refresher.now(0.001)
    await until(lambda: client.passes == 4)  # the fourth finds that it has asked
    assert client.told == 3
    refresher.stop()


async def test_a_client_that_opened_a_document_and_forgot_its_lenses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlsp.faces.lsp.server.refresh.AGAIN", 0.001)
    client = ForgetfulClient(needs=1, opened=True)
    refresher = client.refresher()
    refresher.now(0.001)
    await until(lambda: client.passes >= 3)  # the third finds that it has asked
    assert client.told_in == [1], "not in the first pass: it asks by itself, as a rule"
    refresher.stop()


async def test_a_client_that_never_asks_is_told_a_few_times_only() -> None:
    client = ForgetfulClient(needs=1000)
    refresher = client.refresher()
    refresher.now(2 * PERSISTENCE)
    await until(lambda: client.passes == 1)
    assert refresher._repeat is None  # pyright: ignore[reportPrivateUsage] - nothing else shows that nothing will come
    refresher.stop()
