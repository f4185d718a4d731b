"""`memlsp status`, `doctor` and `stats`: the state of a memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memlsp.faces.cli.console import emitted, opened, patience, row
from memlsp.faces.render.belief_json import picked, shape_of
from memlsp.faces.render.wording import WORDS, count_of, plain
from memlsp.model.view import HealthCheck

if TYPE_CHECKING:
    from memlsp.model.episode import HistoryKept
    from memlsp.model.recall import TellingSummary
    from memlsp.model.view import Stats

_DAYS_SHOWN = 8


def status_command() -> None:
    """This workspace's memory in numbers: where it is kept, what holds, what does not."""
    with opened() as memory:
        status = memory.status()
    if emitted(status):
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
        f"{counts.get('receipts', 0)} receipts; {size:.1f} MB; {counts.get('user.beliefs', 0)} beliefs of user scope"
    )
    for notice in status.notices:
        click.echo(f"  note    {plain(notice)}")


def doctor_command() -> None:
    """Look at the store, the workspace and the surroundings; exit 1 when something is wrong."""
    with opened() as memory:
        checks = (*memory.doctor(), *setup_checks())
    if not emitted(checks):
        for check in checks:
            mark = {True: click.style("ok  ", fg="green"), False: click.style("BAD ", fg="red"), None: "note"}[check.ok]
            click.echo(f"{mark}  {check.name}: {plain(check.message)}")
            if check.advice and check.ok is not True:
                click.echo(f"      {plain(check.advice)}")
    if any(check.ok is False for check in checks):
        raise SystemExit(1)


def setup_checks() -> Iterator[HealthCheck]:
    """The agents and editors whose files an earlier `memlsp init` wrote."""
    from memlsp.faces.cli.admin.setup import machine_here  # late: all clients are imported
    from memlsp.faces.setup.clients.all_clients import CLIENTS
    from memlsp.faces.setup.machine import Extent
    from memlsp.faces.setup.plan import outdated

    machine = machine_here()
    for client in CLIENTS:
        for extent in Extent:
            edits = client.edits(machine, extent).all
            if any(edit.path.exists() for edit in edits) and (unfit := client.unfit(machine)):
                yield HealthCheck("setup", None, f"{client.title} {unfit}", "install a later one")
            found = dict(outdated(edits))
            if not found:
                continue
            missing = [event for events in found.values() for event in events]
            what = f"no hook for {', '.join(missing)}" if missing else "written by an earlier memlsp"
            decides = ", so that what your settings enforce is only told there" if missing and machine.enforces else ""
            yield HealthCheck(
                "setup",
                ok=False if decides else None,
                message=f"{client.title}: {what} in {', '.join(machine.shown(path) for path in found)}{decides}",
                advice=f"memlsp init {'--project ' if extent is Extent.PROJECT else ''}--{client.kind} {client.name}",
            )


def stats_command() -> None:
    """What is kept for this workspace: beliefs, what agents were told and in how many tokens, what the git history was
    read into and how much smaller that is than the file states it stands for, caches, files on disk."""
    with opened() as memory, patience("counting"):
        stats = memory.stats()
    told = {**shape_of(stats.told), "latest": picked(stats.told, "beliefs corrections session=latest?")}
    if emitted({**shape_of(stats), "told": told}):
        return
    click.echo(plain(stats.workspace.name))
    row("beliefs", ", ".join(f"{count} {standing}" for standing, count in stats.standings) or "none yet")
    if stats.kinds:
        row("", ", ".join(count_of(count, kind) for kind, count in stats.kinds))
    row("", f"{stats.locked} locked, {stats.learned} learned")
    _told(stats.told)
    _history(stats)
    row("caches", ", ".join(f"{count} {name}" for name, count in stats.caches))
    for number, (name, size) in enumerate(stats.disk):
        row("" if number else "disk", f"{bytes_of(size):>9}  {plain(name)}")


def _told(told: TellingSummary) -> None:
    if not told.days:
        row("told", "nothing yet")
    from memlsp.model.event import source_name  # late: for `stats` alone

    for number, day in enumerate(told.days[:_DAYS_SHOWN]):
        asker = plain(source_name(day.asker), 40)
        row("" if number else "told", f"{day.day}  {asker}: {count_of(day.tokens, 'token')} in {day.times}")
    if told.latest:
        beliefs = f"{count_of(told.beliefs, 'belief')}, {told.corrections} of them a person's"
        row("", f"{count_of(told.sessions, 'session')}; the latest was told {beliefs}")
    if told.obeyed or told.broken or told.unknown:
        left = f"{told.obeyed} {'was' if told.obeyed == 1 else 'were'} left"
        unknown = f"; of {told.unknown} nobody knows" if told.unknown else ""
        row("", f"of acts that were told of, {left} and {told.broken} done all the same{unknown}")


def _history(stats: Stats) -> None:
    history = stats.history
    if not history.commits:
        row("history", "not read yet; memlsp onboard, or an editor, reads it")
        return
    row("history", f"{count_of(history.commits, 'commit')} read{'' if stats.onboarded else ', more to read'}")
    for why, count in history.passed_over:
        row("", f"  {count} {WORDS['passed_over'].get(why, why)}")
    capped = f", {history.more} beyond what is kept of one commit" if history.more else ""
    row(
        "",
        f"{count_of(history.changes, 'change')} of {count_of(history.symbols, 'symbol')} in "
        f"{count_of(history.episodes, 'commit episode')}; {history.cosmetic} cosmetic ones left out{capped}",
    )
    row("", _sizes(history))
    if history.git_bytes is not None:
        row("", f"git itself takes {bytes_of(history.git_bytes)} for all of its history, packed as it is now")


def _sizes(history: HistoryKept) -> str:
    kept = f"{bytes_of(history.bytes)} kept"
    if history.saved is None:
        return kept
    if history.saved < 0:
        return f"{kept} for {bytes_of(history.state_bytes)} of file states: a history too short to save anything"
    return f"{kept} for {bytes_of(history.state_bytes)} of file states: {100 * history.saved:.1f} % smaller"


def bytes_of(size: int) -> str:
    """`812 B`, `3.1 kB`, `24.0 MB`; decimal units."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size} B"
