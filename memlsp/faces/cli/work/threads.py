"""`memlsp threads`: work left open, and the reason why each was closed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import click

from memlsp.faces.cli.console import base_folder, emitted, opened, patience, up_to_date
from memlsp.faces.render.belief_json import picked
from memlsp.faces.render.threads import thread_line
from memlsp.faces.render.wording import plain
from memlsp.memory import Memory
from memlsp.model.place import Place
from memlsp.model.thread import Thread, ThreadKind


def threads_command(
    *, place: Place | None, kinds: tuple[ThreadKind, ...], include_closed: bool, scan: bool, closing: str | None
) -> None:
    """Work left open, newest first: TODOs and stubs that were added, failing tests, unfinished plans, next steps."""
    if closing is not None:
        close_threads(closing)
        return
    wanted = kinds or None
    with opened() as memory:
        up_to_date(memory)
        path, symbol, line = _place_parts(memory, place)
        if scan:
            _print_scan(memory, path, wanted)
            return
        find = memory.threads.all if include_closed else memory.threads.open
        found = [each for each in find(path, kinds=wanted) if _is_at(memory, each, symbol, line)]
        any_at_all = bool(found) or bool(memory.threads.open())
    if emitted(found):
        return
    if not found:
        click.echo("nothing is left open" + (" there" if any_at_all else ""), err=True)
    _print(found)


def close_threads(id: str, why: str = "", agent: str | None = None) -> None:
    """Close a thread by hand. Its code does not open it again."""
    with opened() as memory:
        closed = memory.threads.close(id, why, by=f"{agent} (agent)" if agent else "")
    _print_one(closed)


def reopen_threads(id: str) -> None:
    """Take a closing back."""
    with opened() as memory:
        thread = memory.threads.reopen(id)
    _print_one(thread)


def _place_parts(memory: Memory, place: Place | None) -> tuple[str | None, str | None, int | None]:
    if place is None:
        return None, None, None
    return memory.path_of(place.path, base_folder()), place.symbol, place.line


def _is_at(memory: Memory, thread: Thread, symbol: str | None, line: int | None) -> bool:
    if symbol is None and line is not None:
        here = memory.symbol_at(thread.path, line)
        symbol = here.name if here else ""
        if thread.line == line:
            return True
    return not symbol or thread.symbol == symbol or thread.symbol.startswith(f"{symbol}.")


def _print_scan(memory: Memory, path: str | None, kinds: Sequence[ThreadKind] | None) -> None:
    with patience("reading the files"):
        ends = memory.threads.scan([path] if path else None)
    ends = tuple(end for end in ends if kinds is None or end.kind in kinds)
    if emitted([picked(end, "kind text path symbol line") for end in ends]):
        return
    if not ends:
        click.echo("no remark and no stub", err=True)
    for end in ends:
        click.echo(plain(f"{end.path}:{end.line} {end.text}"))


def _print(threads: Sequence[Thread]) -> None:
    now = datetime.now(UTC)
    for thread in threads:
        click.echo(thread_line(thread, now, with_id=True))


def _print_one(thread: Thread) -> None:
    if not emitted(thread):
        _print([thread])
