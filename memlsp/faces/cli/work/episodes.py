"""`memlsp episodes` and `memlsp timeline`: tasks, and everything else that happened."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from memlsp.faces.cli.console import base_folder, emitted, opened, row, up_to_date
from memlsp.faces.cli.options import Earlier, Page
from memlsp.faces.render.wording import WORDS, age, count_of, plain, short_id
from memlsp.memory import Memory
from memlsp.model.episode import CommandRun, Episode, TimelineEntry
from memlsp.model.event import source_name, source_names
from memlsp.model.place import Place

_WIDE = 100  # characters of a title
_MOST_LINES = 12  # of each list of one episode

_OUTCOMES = WORDS["outcomes"]


def episodes_command(id: str | None, *, open_only: bool, place: Place | None, limit: Page = 20) -> None:
    """The tasks that were worked at, latest first; with ID one of them whole."""
    with opened() as memory:
        up_to_date(memory)
        if id is not None:
            episode = memory.episodes.get(id)
            if not emitted(episode):
                _print_whole(episode)
            return
        path, symbol = _place_parts(memory, place)
        found = memory.episodes.list(limit=limit, open_only=open_only, path=path, symbol=symbol)
    if emitted(found):
        return
    if not found:
        click.echo("no task was seen" + (" there" if place else "; memlsp init lets agents and editors tell"), err=True)
    now = datetime.now(UTC)
    for episode in found:
        click.echo(_line(episode, now))


def timeline_command(since: Earlier | None, place: Place | None, limit: Page = 50) -> None:
    """What happened, latest first: tasks, commits, beliefs learned and revised, handoffs."""
    with opened() as memory:
        up_to_date(memory)
        path, _ = _place_parts(memory, place)
        found = memory.episodes.timeline(since=since, path=path, limit=limit)
    if emitted(found):
        return
    if not found:
        click.echo("nothing happened" + (" there" if place else ""), err=True)
    day = ""
    for entry in found:
        local = entry.at.astimezone()
        if f"{local:%Y-%m-%d}" != day:
            day = f"{local:%Y-%m-%d}"
            click.echo(day)
        click.echo(_entry(entry))


def _place_parts(memory: Memory, place: Place | None) -> tuple[str | None, str | None]:
    """Path and symbol of a place; a line stands for the symbol there."""
    if place is None:
        return None, None
    if place.symbol is None and place.line is None and (folder := _folder(memory, place.path)) is not None:
        return folder, None
    path = memory.path_of(place.path, base_folder())
    if place.symbol is not None or place.line is None:
        return path, place.symbol
    here = memory.symbol_at(path, place.line)
    return path, here.name if here and here.name else None


def _folder(memory: Memory, typed: str) -> str | None:
    """A folder of the workspace, relative to its root; None for anything else."""
    root = memory.workspace.root
    for full in (base_folder() / typed, root / typed):
        if full.is_dir() and full.resolve().is_relative_to(root):
            return full.resolve().relative_to(root).as_posix()
    return None


def _line(episode: Episode, now: datetime) -> str:
    who = " and ".join(source_name(source) for source in episode.sources if source != "git")
    files = count_of(len(episode.paths), "file") if episode.paths else ""
    parts = [who, age(episode.last_at, now), _OUTCOMES[episode.outcome], files]
    return f"{short_id(episode.id)}  {plain(episode.title, _WIDE)} ({', '.join(filter(None, parts))})"


def _print_whole(episode: Episode) -> None:
    now = datetime.now(UTC)
    click.echo(plain(episode.title))
    closed = f", closed by {episode.closed_by.replace('-', ' ')}" if episode.closed_by else ""
    row("outcome", f"{_OUTCOMES[episode.outcome]}{closed}")
    row("when", f"{age(episode.began_at, now)} to {age(episode.last_at, now)}, {count_of(episode.events, 'event')}")
    sessions = f", {count_of(len(episode.sessions), 'session')}" if episode.sessions else ""
    row("who", " and ".join(source_name(source) for source in episode.sources) + sessions)
    if episode.branch:
        row("branch", plain(episode.branch, 80))
    if episode.intent:
        row("asked", plain(episode.intent, 400))
    _list(
        "changed", [plain(sentence, 160) for sentence in episode.sentences] or [plain(path) for path in episode.paths]
    )
    _list("worked", [_run(run) for run in episode.commands if run.worked])
    _list("failed", [_run(run) for run in episode.commands if run.worked is False])
    _list("commits", [commit[:10] for commit in episode.commits])


def _run(run: CommandRun) -> str:
    code = f" (exit {run.exit_code})" if run.exit_code else ""
    return f"{plain(run.command, 140)}{code}"


def _list(label: str, lines: list[str]) -> None:
    for number, line in enumerate(lines[:_MOST_LINES]):
        row("" if number else label, line)
    if len(lines) > _MOST_LINES:
        row("", f"and {len(lines) - _MOST_LINES} more")


def _entry(entry: TimelineEntry) -> str:
    local = entry.at.astimezone()
    name = entry.id[:10] if entry.what == "commit" else short_id(entry.id)
    who = source_names(entry.source) if entry.what in {"episode", "handoff"} else plain(entry.source, 40)
    did = WORDS["acts"].get(entry.detail, entry.detail) if entry.what == "belief" else entry.detail
    detail = ", ".join(filter(None, (did, who)))
    about = f" ({detail})" if detail else ""
    return f"  {local:%H:%M}  {entry.what:<8} {name:<10}  {plain(entry.title, _WIDE)}{about}"
