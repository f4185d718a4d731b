"""`memlsp import`: from other programs, and from copies of memories of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from memlsp.faces.cli.shared import as_agent, as_json, author_of, emit, opened
from memlsp.faces.cli.transfer.copies import attended
from memlsp.faces.cli.transfer.import_report import tell
from memlsp.faces.cli.work.onboarding import bar, heard
from memlsp.faces.hooks import payload_records
from memlsp.faces.render.belief_json import Json
from memlsp.faces.render.copy_json import taken_shape
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory.learning.imports import SOURCES, Imported, Proposed
from memlsp.model.copy import ImportResult
from memlsp.model.errors import Refused

_SHOWN = 20
_LENGTH = 160


@click.command("import")
@click.argument("source", metavar="SOURCE|PATH")
@click.option(
    "--from",
    "origin",
    type=click.Path(path_type=Path),
    default=None,
    help="The file, or the folder that holds the files, instead of where that program keeps them.",
)
@click.option("--all", "everything", is_flag=True, help="Also what belongs to other projects.")
@click.option("--events", is_flag=True, help="Of transcripts: keep the past sessions too, at their times.")
@click.option("--dry-run", is_flag=True, help="Show what would be taken, and keep nothing.")
@click.option("--trust", is_flag=True, help="Of a PATH: take what another machine wrote at its word; asks.")
@click.option("--keep-locks", "locks", is_flag=True, help="Of a PATH: what is locked there is locked here; asks.")
@click.option("--damaged", is_flag=True, help="Of an export that is cut off: take what can be read.")
@click.option(
    "--prefer", type=click.Choice(["vault", "memory"]), default=None,
    help="Of a vault: whose words stand where both were changed.",
)  # fmt: skip
@click.option("--retire-deleted", is_flag=True, help="Of a vault: retire the beliefs whose files were deleted.")
@click.option("-y", "--yes", is_flag=True, help="Of a vault: do not ask before its edits are taken.")
@as_agent
@as_json
def import_command(
    source: str,
    origin: Path | None,
    prefer: str | None,
    agent: str | None,
    *,
    everything: bool,
    events: bool,
    dry_run: bool,
    trust: bool,
    locks: bool,
    damaged: bool,
    retire_deleted: bool,
    yes: bool,
    json_wanted: bool,
) -> None:
    """Take in what another program has kept on this machine, or a memory that was exported.

    \b
    SOURCE is one of
      claude-code, cursor, codex, gemini                           transcripts of agents
      agentmemory, claude-mem, basic-memory, mcp-memory-service    other memories

    Of transcripts it takes what you told the agent that lasts: corrections, rules, decisions. Only what belongs to this
    project, unless --all. Nothing is changed at the source, nothing is held true unasked (`memlsp proposals`), and
    importing again makes nothing twice. Ctrl-C stops it; what was kept until then stays.

    \b
    PATH is something that memlsp wrote
      memlsp import shop.jsonl        an export: beliefs with their history
      memlsp import notes/            a vault: edits become revisions, new notes beliefs
      memlsp import shop.db           the beliefs of a backup; memlsp restore takes the whole

    What this machine wrote is taken at its word, what another wrote as proposals unless you --trust it. Locks are left
    behind unless you --keep-locks. What was changed here and there is reported, and nothing of it is lost.
    """
    if source not in SOURCES:
        if everything or events or origin is not None:
            message = "--from, --all and --events are for transcripts and other memories"
            raise click.UsageError(message)
        _copy(
            source, agent, trust=trust, locks=locks, damaged=damaged, prefer=prefer,
            retire_deleted=retire_deleted, yes=yes, dry_run=dry_run, json_wanted=json_wanted,
        )  # fmt: skip
        return
    if trust or locks or damaged or prefer or retire_deleted or agent or yes:
        message = "--trust, --keep-locks, --damaged, --prefer, --retire-deleted, --yes and --agent are for a PATH"
        raise click.UsageError(message)
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


def _copy(
    source: str,
    agent: str | None,
    *,
    trust: bool,
    locks: bool,
    damaged: bool,
    prefer: str | None,
    retire_deleted: bool,
    yes: bool,
    dry_run: bool,
    json_wanted: bool,
) -> None:
    """A memory of ours that was written out."""
    path = Path(source)
    if "/" not in source and not path.exists():
        near = get_close_matches(source, SOURCES, n=1)
        meant = f"did you mean {near[0]}?" if near else f"a PATH, or one of {', '.join(SOURCES)}"
        message = f"there is no {source!r} here; {meant}"
        raise click.UsageError(message)
    author = author_of(agent)
    asks = [option for option, wanted in (("--trust", trust), ("--keep-locks", locks)) if wanted]
    if asks and not dry_run and not attended():
        raise Refused(f"{' and '.join(asks)} is for a person at a terminal, and there is none", "run it in a terminal")
    # a note may have been edited by anybody who reaches the folder, and its edits are taken as a person's own words
    asks += ["its edits as your own words"] if path.is_dir() and author is None and not yes else []
    if asks and not dry_run and not attended():
        raise Refused("the edits of a vault are taken as your own words, and there is nobody to ask", "--yes does it")
    with opened() as memory:

        def take(*, dry: bool) -> ImportResult:
            return memory.copies.take(
                path, trusted=trust, locks=locks, damaged=damaged, prefer=prefer, retire_deleted=retire_deleted,
                dry_run=dry, author=author, via="cli",
            )  # fmt: skip

        if asks and not dry_run:
            tell(take(dry=True))
            if not click.confirm(f"Take this with {' and '.join(asks)}?", default=False, err=True):
                click.echo("Nothing was taken.", err=True)
                return
        done = take(dry=dry_run)
    if json_wanted:
        emit(taken_shape(done))
    else:
        tell(done)


def _records(agent: str, payload: dict[str, Any]) -> Iterable[Mapping[str, Any]]:
    return payload_records.read(agent, payload)


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
        click.echo("memlsp review goes through them; memlsp revise ID admit holds one true", err=True)
        click.echo(f"memlsp undo --import {done.session} takes all of it back", err=True)


def _where(each: Proposed) -> str:
    line = f":{each.evidence.first_line}" if each.evidence.first_line else ""
    tied = f"; about {', '.join(each.places)}" if each.places else ""
    return f"from {each.evidence.path}{line}{tied}"


def _shape(done: Imported, *, dry_run: bool) -> Json:
    return {
        "source": done.source,
        "session": None if dry_run else done.session,
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
