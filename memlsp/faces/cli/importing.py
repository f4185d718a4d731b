"""`memlsp import`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from memlsp.faces.cli.onboarding import bar, heard
from memlsp.faces.cli.shared import as_json, emit, opened
from memlsp.faces.hooks import reading
from memlsp.faces.shapes import Json
from memlsp.faces.wording import count_of, plain
from memlsp.memory.importing import SOURCES, Imported, Proposed

_SHOWN = 20
_LENGTH = 160


@click.command("import")
@click.argument("source", type=click.Choice(SOURCES), metavar="SOURCE")
@click.option(
    "--from",
    "origin",
    type=click.Path(path_type=Path),
    default=None,
    help="The file, or the folder that holds the files, instead of where that program keeps them.",
)
@click.option("--all", "everything", is_flag=True, help="Also what belongs to other projects.")
@click.option("--events", is_flag=True, help="Of transcripts: keep the past sessions too, at their times.")
@click.option("--dry-run", is_flag=True, help="Show what would be proposed, and keep nothing.")
@as_json
def import_command(
    source: str, origin: Path | None, *, everything: bool, events: bool, dry_run: bool, json_wanted: bool
) -> None:
    """Take in what another program has kept on this machine, as proposals (`memlsp proposals`).

    \b
    SOURCE is one of
      claude-code, cursor, codex, gemini                           transcripts of agents
      agentmemory, claude-mem, basic-memory, mcp-memory-service    other memories

    Of transcripts it takes what you told the agent that lasts: corrections, rules, decisions. Only what belongs to this
    project, unless --all. Nothing is changed at the source, nothing is held true unasked, and importing again makes
    nothing twice. Ctrl-C stops it; what was kept until then stays.
    """
    with opened() as memory, bar(f"reading {source}", "files") as show:
        done = heard(
            lambda stop: memory.imports.run(
                source,
                _records,
                origin=origin,
                everything=everything,
                events=events,
                dry_run=dry_run,
                progress=show,
                cancelled=stop,
            )
        )
    if json_wanted:
        emit(_shape(done, dry_run=dry_run))
    else:
        _tell(done, dry_run=dry_run)


def _records(agent: str, payload: dict[str, Any]) -> Iterable[Mapping[str, Any]]:
    return reading.read(agent, payload)


def _tell(done: Imported, *, dry_run: bool) -> None:
    if not done.files:
        click.echo(f"{done.source} has kept nothing here; --from names another place", err=True)
        return
    for each in done.proposals[: None if dry_run else _SHOWN]:
        click.echo(f"{each.id}  {each.kind}: {plain(each.text, _LENGTH)}")
        click.echo(f"          {plain(_where(each))}")
    more = len(done.proposals) - _SHOWN
    if more > 0 and not dry_run:
        click.echo(f"          and {more} more")
    read = done.done - len(done.unreadable)
    said = f"{count_of(read, 'file')} of {done.files} read: {count_of(len(done.proposals), 'new proposal')}"
    for number, what in (
        (done.known, "known before"),
        (done.elsewhere, "of other projects (--all takes them too)"),
        (done.unfit, "left out: empty, very long, or with a secret"),
        (done.events, "observations kept"),
    ):
        said += f", {number} {what}" if number else ""
    click.echo(said, err=True)
    for path in done.unreadable[:_SHOWN]:
        click.echo(f"could not be read: {plain(path)}", err=True)
    if len(done.unreadable) > _SHOWN:
        click.echo(f"could not be read: {len(done.unreadable) - _SHOWN} more", err=True)
    if done.stopped:
        click.echo("stopped; what was kept stays, and importing again goes on", err=True)
    if dry_run:
        click.echo("nothing was kept", err=True)
    elif done.proposals:
        click.echo("memlsp proposals shows them; memlsp revise ID admit holds one true", err=True)


def _where(each: Proposed) -> str:
    line = f":{each.evidence.first_line}" if each.evidence.first_line else ""
    tied = f"; about {', '.join(each.places)}" if each.places else ""
    return f"from {each.evidence.path}{line}{tied}"


def _shape(done: Imported, *, dry_run: bool) -> Json:
    return {
        "source": done.source,
        "dry_run": dry_run,
        "files": done.files,
        "read": done.done,
        "sessions": done.sessions,
        "looked_at": done.looked_at,
        "known": done.known,
        "elsewhere": done.elsewhere,
        "unfit": done.unfit,
        "unreadable": list(done.unreadable),
        "events": done.events,
        "repeated": done.repeated,
        "stopped": done.stopped,
        "proposals": [
            {
                "id": each.id,
                "text": each.text,
                "kind": each.kind,
                "places": list(each.places),
                "path": each.evidence.path,
                "line": each.evidence.first_line,
                "session": each.evidence.session,
                "at": each.evidence.at.isoformat() if each.evidence.at else None,
                "quote": each.evidence.quote,
            }
            for each in done.proposals
        ],
    }
