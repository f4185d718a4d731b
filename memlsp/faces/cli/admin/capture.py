"""`memlsp capture`: the state of capture, and the switches for it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from memlsp.agents import NAMES
from memlsp.faces.cli.console import base_folder, emitted
from memlsp.faces.render.wording import plain
from memlsp.memory.ingest.capture_switches import SOURCES, capture_status, switch
from memlsp.model.errors import UsageError


def capture_command() -> None:
    """What is captured here, and the switches for it."""


def status_capture(session: str = "") -> None:
    """What is captured here, and why what is not is not."""
    status = capture_status(base_folder(), session=session)
    if emitted(status):
        return
    for source in status.sources:
        mark = click.style("on ", fg="green") if source.on else click.style("off", fg="yellow")
        click.echo(f"{source.name:10} {mark}  {plain(source.why)}".rstrip())
    click.echo(f"ignored    {plain(', '.join(status.ignore))}")
    click.echo(f"personal   {', '.join(status.personal) or 'kept: no setting takes it out'}")
    click.echo(f"caps       {', '.join(f'{name} {most:,}' for name, most in status.caps)}")
    for path in status.files:
        click.echo(f"settings   {plain(str(path))}")
    for each in status.switches:
        day = datetime.fromtimestamp(each.at / 1000, UTC).astimezone().date()
        click.echo(f"switched   {each.kind} {plain(each.name)} off since {day}".replace("  ", " "))
    for message in status.messages:
        click.echo(f"memlsp: {plain(message)}", err=True)


def off_capture(folder: str = "", session: str = "", source: str = "", *, everything: bool) -> None:
    """Capture no more; by default in this workspace. What was captured stays."""
    _turn(folder, session, source, everything=everything, off=True)


def on_capture(folder: str = "", session: str = "", source: str = "", *, everything: bool) -> None:
    """Capture again what `off` with the same options switched off."""
    _turn(folder, session, source, everything=everything, off=False)


def _turn(folder: str, session: str, source: str, *, everything: bool, off: bool) -> None:
    if sum(map(bool, (folder, session, source, everything))) > 1:
        raise UsageError("one of --folder, --session, --source and --all", "call it twice for two")
    if off and source and source not in {*SOURCES, *NAMES}:
        # with a switch that has no effect somebody would believe that nothing is captured
        raise UsageError(f"no source {source!r}", f"one of {', '.join(SOURCES)}; or an agent: {', '.join(NAMES[:-1])}")
    kind, name = "folder", folder
    if session:
        kind, name = "session", session
    elif source:
        kind, name = "source", source
    elif everything:
        kind, name = "all", ""
    start = base_folder()
    if kind == "folder" and name and not Path(name).expanduser().is_absolute():
        name = str(start / name)
    changed = switch(start, kind, name, off=off)
    places = {"folder": "here" if not name else f"in {name}", "session": f"of session {session}", "all": "everywhere"}
    words = plain(places.get(kind, f"from {source}"))
    click.echo(f"{'off' if off else 'on'} {words}" if changed else f"was {'off' if off else 'on'} {words} before")
    for each in () if off else capture_status(start, session=session).sources:
        if not each.on and each.name != "terminals":
            click.echo(f"  but {each.name}: {plain(each.why)}")
