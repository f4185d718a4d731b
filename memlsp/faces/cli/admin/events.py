"""`memlsp settle`, `events` and `replay`: the observed events, their processing, and a session step by step."""

from __future__ import annotations

from time import monotonic
from typing import Annotated

import click

from memlsp.faces.cli.console import base_folder, emitted, opened
from memlsp.faces.cli.options import Count
from memlsp.faces.render.belief_json import Json, picked, shape_of
from memlsp.faces.render.wording import WORDS, count_of, listing, plain
from memlsp.memory import Memory
from memlsp.model.event import Event, source_name
from memlsp.model.place import Place

_SHOWN = 160
_WIDE = 220
_MOST_SESSIONS = 20


def settle_command(budget: Annotated[float, click.FloatRange(min=0)] = 60.0) -> None:
    """Understand now what was observed: what edits did, which task it belongs to, what it left open."""
    began = monotonic()
    with opened() as memory:
        done = memory.events.settle(budget)
        left = memory.events.pending()
        read = memory.vectors.tend(max(budget - (monotonic() - began), 0))
    if emitted({**picked(done, "events changes drained stopped"), "pending": left, "vectors": read}):
        return
    click.echo(
        f"{done.events} events settled, {done.changes} symbol changes"
        + (f"; {WORDS['unsettled'][done.stopped]}" if left else "")
    )
    if read:
        click.echo(f"{count_of(read, 'text')} encoded")


def events_command(place: Place | None, session: str | None, limit: Count = 50) -> None:
    """What was observed, oldest first: who, what, and what it did to symbols."""
    with opened() as memory:
        path = memory.path_of(place.path, base_folder()) if place else None
        found = memory.events.list(path=path, session=session, limit=limit)
    if emitted([_shape(event) for event in found]):
        return
    for event in found:
        click.echo(_line(event))
        for change in event.changes:
            click.echo(f"    {plain(change.sentence)}")


def replay_command(session: str | None, source: str = "") -> None:
    """A session step by step: what the agent did, and what it was told there and in how many tokens."""
    with opened() as memory:
        if session is None:
            _list_sessions(memory, source)
            return
        shown = memory.replay(session, source=source)
    steps: list[Json] = []
    total = 0
    for each in shown.steps:
        tokens = 0 if isinstance(each, Event) else each.tokens
        total += tokens
        step = {"event": _shape(each)} if isinstance(each, Event) else {"told": shape_of(each)}
        steps.append({**step, "tokens": tokens, "sum": total})
    if emitted({**picked(shown, "source session=name"), "tokens": total, "steps": steps, "texts": shown.texts}):
        return
    click.echo(f"{plain(source_name(shown.source))} {plain(shown.name)}: {count_of(total, 'token')} told")
    for each, step in zip(shown.steps, steps, strict=True):
        if isinstance(each, Event):
            click.echo(f"{step['sum']:>6}         {_line(each)}")
            continue
        when = f"{each.at.astimezone():%Y-%m-%d %H:%M:%S}"
        line = f"{step['sum']:>6} {f'+{each.tokens}':>6}  {when}  {'memlsp':12}  {each.surface:13}  {plain(each.query)}"
        click.echo(line.rstrip()[:_WIDE])
        for id in each.served:
            click.echo(click.style(f"{'':17}{id[:10]}  {plain(shown.texts.get(id, ''), _SHOWN)}".rstrip(), dim=True))


def _list_sessions(memory: Memory, source: str) -> None:
    found = [each for each in memory.events.sessions() if each.name and source in {"", each.source}][:_MOST_SESSIONS]
    if emitted([picked(each, "source session=name began_at last_at ended_at events") for each in found]):
        return
    if not found:
        click.echo("no session of an agent is kept", err=True)
    for each in found:
        when = f"{each.last_at.astimezone():%Y-%m-%d %H:%M}"
        click.echo(f"{when}  {each.source:12}  {plain(each.name)}  {count_of(each.events, 'event')}")


def _line(event: Event) -> str:
    what = event.text or listing(event.paths, 3)
    how = {True: "", False: " (failed)", None: ""}[event.ok]
    return f"{event.at.astimezone():%Y-%m-%d %H:%M:%S}  {event.source:12}  {event.kind:13}  {plain(what)[:_SHOWN]}{how}"


def _shape(event: Event) -> Json:
    return {
        **picked(event, "id at@ kind source session text output paths ok exit_code tool branch commit"),
        "changes": [change.sentence for change in event.changes],
        **picked(event, "redacted=found cut episode"),
    }
