"""What `memlsp import FILE` and `memlsp merge` tell of what was taken in."""

from __future__ import annotations

import click

from memlsp.faces.render.wording import count_of, plain
from memlsp.model.copy import ImportResult

_SHOWN = 20
_LENGTH = 110


def tell(done: ImportResult) -> None:
    """Ids of what is new on stdout, one a line, everything else on stderr."""
    for id in (*done.added, *done.advanced, *done.revised, *done.proposed):
        click.echo(id)
    said = [
        (len(done.added), "added"),
        (len(done.advanced), "went on there"),
        (len(done.revised), "revised"),
        (len(done.joined), "said here already, joined"),
        (done.known, "known"),
        (len(done.proposed), "proposed"),
        (done.past, "of the past, left out"),
        (len(done.clashes), "changed on both sides"),
        (len(done.passed), "passed over"),
    ]
    told = ", ".join(f"{number} {what}" for number, what in said if number)
    click.echo(f"{told or 'nothing to take'}{' (nothing was written: a dry run)' if done.dry_run else ''}", err=True)
    for clash in done.clashes[:_SHOWN]:
        click.echo(f"both    {clash.id}: {plain(clash.reason)}", err=True)
        click.echo(f"        here  {plain(clash.here, _LENGTH)}", err=True)
        click.echo(f"        there {plain(clash.there, _LENGTH)}", err=True)
        if clash.there_id:
            click.echo(f"        what is said there waits as proposal {clash.there_id}", err=True)
    for each in done.passed[:_SHOWN]:
        click.echo(f"passed  {plain(each.name)}: {plain(each.reason)}", err=True)
    for what, items in (("both", done.clashes), ("passed", done.passed)):
        if len(items) > _SHOWN:
            click.echo(f"{what:7} and {len(items) - _SHOWN} more (--json has all)", err=True)
    if done.unlocked:
        click.echo(f"{count_of(len(done.unlocked), 'belief')} lost a lock: --keep-locks keeps them", err=True)
    if done.ended:
        told = f"{len(done.ended)} of those known are no longer held true here, and stay so"
        click.echo(f"{told}: memlsp belief {done.ended[0]} says why, memlsp undo --list what was taken back", err=True)
    if done.conflicts:
        click.echo(f"{count_of(len(done.conflicts), 'contradiction')}: memlsp conflicts", err=True)
    if done.proposed:
        why = "" if done.trusted else "; what this machine has not written is not taken at its word (--trust does)"
        click.echo(f"memlsp proposals shows what waits{why}", err=True)
    if (done.added or done.advanced or done.revised) and not done.dry_run:
        click.echo(f"taken back as one by memlsp undo --import {done.batch}", err=True)
