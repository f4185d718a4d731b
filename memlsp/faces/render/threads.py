"""Open threads and episodes in words, the same in every face."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memlsp.faces.render.wording import WORDS, age, count_of, escape_markdown, plain
from memlsp.model.episode import Episode
from memlsp.model.event import source_name
from memlsp.model.place import Place
from memlsp.model.thread import Thread

TEXT_LIMIT = 200

_NOBODY = frozenset({"git", "files", "terminal"})  # where something was observed, not its author


def thread_place(thread: Thread) -> str:
    """The place of a thread as PATH:LINE or PATH; "" without one."""
    if not thread.path:
        return ""
    return plain(str(Place(thread.path, line=thread.line) if thread.line else Place(thread.path)), 120)


def thread_line(thread: Thread, now: datetime, *, with_id: bool = False) -> str:
    """A thread on one plain line: kind, text, place, source, age, the reason for its closing and, if asked, its id."""
    said = [f"{WORDS['threads'][thread.kind]}: {plain(thread.text, TEXT_LIMIT)}"]
    place = thread_place(thread)
    if place:
        symbol = f" in {plain(thread.symbol, 60)}" if thread.symbol else ""
        said.append(f"at {place}{symbol}")
    origin = ", ".join(part for part in (source_name(thread.source), age(thread.opened_at, now)) if part)
    line = f"{' '.join(said)} ({origin})"
    if thread.closed_at is not None:
        line += f" [closed {age(thread.closed_at, now)}: {plain(thread.closed_by, 120)}]"
    elif thread.note:
        line += f" [{plain(thread.note, 160)}]"
    return f"{thread.id} {line}" if with_id else line


def thread_message(thread: Thread) -> str:
    """The text of a diagnostic for a thread. It has no age: the text must stay the same from day to day."""
    said = f"left open: {plain(thread.text, TEXT_LIMIT)}"
    if thread.source:
        said += f" ({source_name(thread.source)}, {thread.opened_at:%Y-%m-%d})"
    return f"{said} [{plain(thread.note, 160)}]" if thread.note else said


def threads_title(threads: Sequence[Thread]) -> str:
    """The title of a lens: "1 open thread", "2 open threads"."""
    return count_of(len(threads), "open thread")


def threads_hover(threads: Sequence[Thread], now: datetime, *, markdown: bool) -> str:
    """One line about the open threads of a symbol: the newest, and the number of others; "" for none."""
    if not threads:
        return ""
    first = threads[0]
    text = f"left open: {plain(first.text, 120)} ({source_name(first.source)}, {age(first.opened_at, now)})"
    if len(threads) > 1:
        text += f", and {len(threads) - 1} more"
    return escape_markdown(text) if markdown else text


def episodes_hover(last: Episode | None, number: int, now: datetime, *, markdown: bool) -> str:
    """One line about the work that changed a symbol, "" for none: "changed in 3 episodes, last: Replace retry loop by
    tenacity (Claude Code, 3 days ago)"."""
    if last is None:
        return ""
    sources = [source for source in last.sources if source not in _NOBODY] or last.sources
    who = " and ".join(source_name(source) for source in sources[:2])
    about = ", ".join(part for part in (who, age(last.last_at, now)) if part)
    text = f"changed in {count_of(number, 'episode')}, last: {plain(last.title, 90)} ({about})"
    return f"_{escape_markdown(text.replace('_', ' ').replace('`', chr(39)))}_" if markdown else text
