"""`memlsp proposals`: found statements that wait for a person."""

from __future__ import annotations

import click

from memlsp.faces.cli.console import emitted, opened
from memlsp.faces.render.belief_json import belief_shape, picked
from memlsp.faces.render.confidence import origin
from memlsp.faces.render.wording import count_of, plain

_QUOTED = 4  # lines of a passage that are shown


def proposals_command(*, quote: bool) -> None:
    """What was found and waits for you: nothing of it is told to anybody before you admit it."""
    with opened() as memory:
        waiting = memory.proposals.list()
    if emitted([{**belief_shape(each), **picked(each.belief, "status evidence")} for each in waiting]):
        return
    for each in waiting:
        click.echo(f"{each.belief.id}  {each.belief.kind}: {plain(each.belief.text)}")
        click.echo(f"          {origin(each.belief)}")
        if each.standing.has_caveat and each.reasons:
            click.echo(f"          {plain(each.reasons[0].message)}")
        if quote and each.belief.evidence:
            lines = each.belief.evidence[0].quote.splitlines()
            for line in lines[:_QUOTED]:
                click.echo(f"          | {plain(line)}")
            if len(lines) > _QUOTED:
                click.echo(f"          | ... {count_of(len(lines) - _QUOTED, 'line')} more")
    if waiting:
        click.echo(f"{count_of(len(waiting), 'proposal')}; memlsp revise ID admit, or retire", err=True)
    else:
        click.echo("no proposals; memlsp onboard looks for some", err=True)
