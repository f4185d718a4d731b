"""`memlsp settle` and `memlsp events`: the observed events, and their processing."""

from __future__ import annotations

from time import monotonic

import click

from memlsp.faces.cli.console import base_folder, emitted, opened
from memlsp.faces.cli.options import PLACE, as_json
from memlsp.faces.render.belief_json import Json, picked
from memlsp.faces.render.wording import WORDS, count_of, listing, plain
from memlsp.model.event import Event
from memlsp.model.place import Place

_SHOWN = 160


@click.command("settle")
@click.option("--budget", type=click.FloatRange(min=0), default=60.0, show_default=True)
@as_json
def settle_command(budget: float) -> None:
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


@click.command("events")
@click.option("--at", "place", type=PLACE, metavar="PATH")
@click.option("--session", metavar="ID")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True)
@as_json
def events_command(place: Place | None, session: str | None, limit: int) -> None:
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
