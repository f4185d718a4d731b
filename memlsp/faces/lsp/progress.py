"""A progress bar for what takes longer than a second, where the editor has one; the user may cancel it."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Awaitable
from concurrent.futures import Future
from typing import TypeVar, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds before a progress bar appears; shorter work shows none."""


async def with_progress(
    server: LanguageServer, title: str, work: Awaitable[T], cancelled: threading.Event | None = None
) -> T:
    """Wait for `work`, showing progress from the first second on.

    Cancelling sets `cancelled`, which the work heeds; without it the user is offered no cancelling.
    """
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
        await asyncio.wait_for(server.window_work_done_progress_create_async(create), timeout=PATIENCE)
    except Exception:  # noqa: BLE001 - a client that refuses a bar still gets its answer
        return await task
    # pygls answers window/workDoneProgress/cancel by cancelling the future behind the token
    tokens[token] = Future()
    if cancelled is not None:
        tokens[token].add_done_callback(lambda future: cancelled.set() if future.cancelled() else None)
    progress.begin(token, types.WorkDoneProgressBegin(title=f"memlsp: {title}", cancellable=cancelled is not None))
    try:
        return await task
    finally:
        stopped = cancelled is not None and cancelled.is_set()
        progress.end(token, types.WorkDoneProgressEnd(message="cancelled" if stopped else None))
        tokens.pop(token, None)
