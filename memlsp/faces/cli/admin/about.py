"""`memlsp status` and `memlsp doctor`."""

from __future__ import annotations

import click

from memlsp.faces.cli.console import emit, opened
from memlsp.faces.cli.options import as_json
from memlsp.faces.render import belief_json
from memlsp.faces.render.wording import plain


@click.command("status")
@as_json
def status_command(*, json_wanted: bool) -> None:
    """This workspace's memory in numbers: where it is kept, what holds, what does not."""
    with opened() as memory:
        status = memory.status()
    if json_wanted:
        emit(belief_json.status_shape(status))
        return
    workspace = status.workspace
    click.echo(f"{plain(workspace.name)}  ({workspace.key}, known by its {workspace.basis})")
    click.echo(f"  root    {workspace.root}")
    click.echo(f"  store   {status.store_path}")
    if status.head:
        click.echo(f"  git     {status.branch or 'detached'} at {status.head[:10]}")
    counts = dict(status.counts)
    standings = ", ".join(f"{count} {standing}" for standing, count in status.standings) or "none yet"
    size = (counts.get("bytes", 0) + counts.get("user.bytes", 0)) / 1e6
    click.echo(f"  beliefs {standings}")
    click.echo(
        f"  kept    {counts.get('anchors', 0)} anchors, {counts.get('revisions', 0)} revisions, "
        f"{counts.get('receipts', 0)} recalls; {size:.1f} MB; {counts.get('user.beliefs', 0)} beliefs of user scope"
    )
    for notice in status.notices:
        click.echo(f"  note    {plain(notice)}")


@click.command("doctor")
@as_json
def doctor_command(*, json_wanted: bool) -> None:
    """Look at the store, the workspace and the surroundings; exit 1 when something is wrong."""
    with opened() as memory:
        checks = memory.doctor()
    if json_wanted:
        emit([belief_json.check_shape(check) for check in checks])
    else:
        for check in checks:
            mark = {True: click.style("ok  ", fg="green"), False: click.style("BAD ", fg="red"), None: "note"}[check.ok]
            click.echo(f"{mark}  {check.name}: {plain(check.message)}")
            if check.advice and check.ok is not True:
                click.echo(f"      {plain(check.advice)}")
    if any(check.ok is False for check in checks):
        raise SystemExit(1)
