"""Shows a progress bar, which the user may cancel, for work that takes longer than a second."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

T = TypeVar("T")

EVERY = 0.25
"""Seconds between two messages of a bar."""

PATIENCE = 1.0
"""Seconds before a progress bar appears; shorter work shows none."""


class ProgressReports:
    """The messages of a bar. Any thread may call `say`; at most a few are sent each second, and only to a bar."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._send: Callable[[str, int | None], None] | None = None
        self._waiting: tuple[str, int | None] | None = None

    def say(self, message: str, percentage: int | None = None) -> None:
        """Set the message to show next; it replaces one that was not sent yet."""
        first, self._waiting = self._waiting is None, (message, percentage)
        if first:
            with suppress(RuntimeError):  # the loop is closed: the server ends
                self._loop.call_soon_threadsafe(lambda: self._loop.call_later(EVERY, self._flush))

    def show_with(self, send: Callable[[str, int | None], None] | None) -> None:
        """Send messages with this function from now on; None drops them."""
        self._send = send

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and self._send is not None:
            self._send(*waiting)


async def with_progress(
    server: LanguageServer,
    title: str,
    work: Awaitable[T],
    cancelled: threading.Event | None = None,
    reports: ProgressReports | None = None,
) -> T:
    """Wait for `work`, with a progress bar after the first second. Cancelling sets `cancelled`, which the work must
    heed; without it the bar cannot be cancelled. `reports` are shown."""
    task = asyncio.ensure_future(work)
    done, _ = await asyncio.wait({task}, timeout=PATIENCE)
    window = server.client_capabilities.window
    if done or window is None or not window.work_done_progress:
        return await task
    progress = server.work_done_progress
    tokens = cast("dict[int | str, Future[None]]", progress.tokens)  # pyright: ignore[reportUnknownMemberType]
    token = f"memlsp-{uuid.uuid4()}"
    create = types.WorkDoneProgressCreateParams(token)
    try:
        asked = server.window_work_done_progress_create_async(create)
        await asyncio.wait_for(asyncio.shield(asked), timeout=PATIENCE)  # pygls fails at answers to what was cancelled
    except Exception:  # noqa: BLE001 - a client that refuses a bar still gets its answer
        return await task
    # pygls answers window/workDoneProgress/cancel by cancelling the future behind the token
    tokens[token] = Future()
    if cancelled is not None:
        tokens[token].add_done_callback(lambda future: cancelled.set() if future.cancelled() else None)
    measured = 0 if reports is not None else None
    cancellable = cancelled is not None
    progress.begin(token, types.WorkDoneProgressBegin(f"memlsp: {title}", cancellable=cancellable, percentage=measured))
    if reports is not None:
        reports.show_with(
            lambda message, part: progress.report(
                token, types.WorkDoneProgressReport(cancellable=cancellable, message=message, percentage=part)
            )
        )
    try:
        return await task
    finally:
        if reports is not None:
            reports.show_with(None)
        stopped = cancelled is not None and cancelled.is_set()
        progress.end(token, types.WorkDoneProgressEnd(message="cancelled" if stopped else None))
        tokens.pop(token, None)
