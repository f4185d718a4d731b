"""`memlsp team`: the exchange of beliefs with the machines of a team."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from memlsp.faces.caller import author_of
from memlsp.faces.cli.console import emitted, opened, patience
from memlsp.faces.cli.options import Count
from memlsp.faces.render.belief_json import picked
from memlsp.faces.render.wording import age, count_of, plain
from memlsp.memory.sharing.team_exchange import TeamStatus, TeamSync

_MOST_SHOWN = 20


def team_command() -> None:
    """Exchange beliefs with the machines of your team, through git or PostgreSQL."""


def on_team(address: str, agent: str | None = None) -> None:
    """Exchange with ADDRESS from now on, and exchange once."""
    author = author_of(agent)
    with opened() as memory, patience("exchanging"):
        done = memory.team.on(address, author=author)
    _show(done)


def off_team(agent: str | None = None) -> None:
    """Exchange no more. What came stays here, what was sent stays with the others."""
    with opened() as memory:
        was_on = memory.team.off(author=author_of(agent))
    click.echo("The exchange is off." if was_on else "The exchange was off already.")


def sync_team() -> None:
    """Exchange now, instead of within some ten minutes."""
    with opened() as memory, patience("exchanging"):
        done = memory.team.sync()
    _show(done)


def status_team() -> None:
    """With whom, how far, what waits for a person, and what was forgotten on how many machines."""
    with opened() as memory:
        status = memory.team.status()
        signer = memory.team.signer_line() if status.address else ""
    if emitted({**picked(status, _STATUS), "signer": signer}):
        return
    if not status.address:
        click.echo("The exchange is off: memlsp team on ADDRESS")
        return
    now = datetime.now(UTC)
    click.echo(f"exchange   {plain(status.address)}")
    click.echo(f"last       {age(status.synced_at, now) if status.synced_at else 'never'}")
    if status.problem:
        click.echo(f"problem    {plain(status.problem, 400)}")
    for each in status.colleagues:
        trusted = ", its locks count here" if each.trusted else ""
        lines = count_of(each.lines, "line")
        click.echo(f"colleague  {plain(each.name) or each.writer}, {age(each.last, now)}, {lines}{trusted}")
    _show_waiting(status)
    click.echo(f"this one   {plain(signer)}")


def log_team(limit: Count = _MOST_SHOWN) -> None:
    """The latest that was sent and read, the newest first."""
    with opened() as memory:
        found = [(each, memory.team.words(each)) for each in memory.team.log(limit)]
    if emitted([{**picked(each, "act belief author writer state at"), "text": text} for each, text in found]):
        return
    now = datetime.now(UTC)
    for each, text in found:
        who = plain(each.author, 60) or each.writer
        click.echo(f"{each.belief}  {each.act:7} {who}, {age(each.at, now)}  {plain(text, 100)}")


def init_server_team(address: str, role: str = "", agent: str | None = None) -> None:
    """Make or update the tables in a PostgreSQL database. Its owner does this once."""
    with opened() as memory, patience("preparing the server"):
        done = memory.team.init_server(address, role=role, author=author_of(agent))
    click.echo(plain(done))


_STATUS = (
    "address writer synced_at problem colleagues(writer name last lines trusted)"
    " forgotten(belief by at reached machines waits) disputed absent faults[writer,fault]"
)


def _show(done: TeamSync) -> None:
    if emitted(picked(done, "sent read added changed disputed forgotten faults[writer,fault]")):
        return
    click.echo(f"sent {count_of(done.sent, 'line')}, read {done.read}")
    for word, ids in (
        ("new", done.added),
        ("changed", done.changed),
        ("disputed, see memlsp team status", done.disputed),
        ("forgotten", done.forgotten),
    ):
        if ids:
            more = " …" if len(ids) > _MOST_SHOWN else ""
            click.echo(f"{word}: {' '.join(ids[:_MOST_SHOWN])}{more}")
    _show_faults(done.faults)


def _show_waiting(status: TeamStatus) -> None:
    for id in status.disputed[:_MOST_SHOWN]:
        click.echo(f"disputed   {id}: another machine says something else; memlsp review, or revise {id} confirm")
    for id in status.absent[:_MOST_SHOWN]:
        click.echo(f"absent     {id}: its code is not here yet")
    for each in status.forgotten[:_MOST_SHOWN]:
        reached = f"forgotten on {each.reached} of {count_of(each.machines, 'machine')}"
        waits = f"; you stand behind it here: memlsp forget {each.belief}" if each.waits else ""
        click.echo(f"forgotten  {each.belief} by {plain(each.by, 60)}: {reached}{waits}")
    _show_faults(status.faults)


def _show_faults(faults: tuple[tuple[str, str], ...]) -> None:
    for who, what in faults:
        click.echo(f"{plain(who, 40)}: {plain(what, 300)}", err=True)
