"""`memlsp undo` and `memlsp audit`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Literal

import click
from attrs import frozen

from memlsp.faces.caller import author_of, keep_locks
from memlsp.faces.cli.console import emitted, opened, wants_json
from memlsp.faces.cli.options import Count, Earlier, WriteArguments
from memlsp.faces.render.confidence import source_lines
from memlsp.faces.render.wording import count_of, listing, plain
from memlsp.memory import Memory
from memlsp.memory.curation.undo import IMPORT, MERGE, UndoResult
from memlsp.model.belief import BeliefStatus, EvidenceKind
from memlsp.model.errors import MemlspError
from memlsp.model.event import source_name

_SHOWN = 40
_TARGETS = 6  # of one entry


@frozen(kw_only=True)
class UndoArguments(WriteArguments):
    """The options of `memlsp undo`."""

    what: Literal["last"] | None
    session_name: str | None
    import_name: str | None
    since: Earlier | None
    until: Earlier | None
    to: Earlier | None
    list_wanted: bool
    dry_run: bool
    yes: bool
    note: str = ""


@frozen(kw_only=True)
class AuditArguments:
    """The options of `memlsp audit`."""

    since: Earlier | None
    until: Earlier | None
    action: str | None
    author: str | None
    session: str | None
    target: str | None
    limit: Count = 50


def undo_command(given: UndoArguments) -> None:
    """Take back the last thing noted, what a session or an import taught, or what was done since a date."""
    named = [
        each for each in (given.what, given.session_name, given.import_name, given.since, given.to) if each is not None
    ]
    if (len(named) != 1) != given.list_wanted or (given.until is not None and given.since is None):
        raise click.UsageError(
            "give last, or one of --session, --import, --since (with --until) and --to; --list shows what there is"
        )
    with opened() as memory:
        if given.list_wanted:
            _print_sessions(memory)
            return
        take_back = _undoing(memory, given)
        plan = take_back(dry_run=True)
        if given.dry_run or not plan.changed:
            _print(plan, planned=True)
            return
        states = [state for each in plan.changed for state in (each.before, each.after)]
        source = keep_locks(author_of(given.agent), states)
        asked = not given.yes and not given.what and not wants_json() and sys.stdin.isatty()
        if asked:
            _print(plan, planned=True)
            if not click.confirm(f"Take back {count_of(len(plan.changed), 'belief')}?", default=False):
                click.echo("nothing was changed", err=True)
                return
        done = take_back(dry_run=False, source=source)
        if asked:
            click.echo(done.session)
            click.echo(f"memlsp undo --session {done.session} brings it back", err=True)
        elif given.what is not None and not wants_json() and done.changed:
            _print_last(memory, done)
        else:
            _print(done, planned=False)


def _undoing(memory: Memory, given: UndoArguments) -> Callable[..., UndoResult]:
    """The call that takes back what the options name; it takes `dry_run`."""
    said = {"author": author_of(given.agent), "source": "cli", "note": given.note}
    if given.what is not None:
        return partial(memory.undo.last, **said)
    name = given.session_name
    if given.import_name is not None:
        name = given.import_name if given.import_name.startswith((IMPORT, MERGE)) else f"{IMPORT}{given.import_name}"
    if name is not None:
        return partial(memory.undo.session, memory.undo.named(name), **said)
    return partial(memory.undo.since, given.since or given.to, given.until, **said)


def _print_last(memory: Memory, done: UndoResult) -> None:
    """One sentence for each belief: what was taken back, and what stands now."""
    for each in done.changed:
        if each.after.status is BeliefStatus.ACTIVE and each.before.status is not BeliefStatus.ACTIVE:
            click.echo(f"stands again: {plain(each.after.text, 240)}")
            continue
        undone = next((one for one in memory.revisions(each.before.id) if one.number == each.number), None)
        prompt = next((one for one in reversed(each.before.evidence) if one.kind is EvidenceKind.PROMPT), None)
        what = f"{undone.action} by {plain(undone.author.name, 60)}, {undone.at:%Y-%m-%d %H:%M}" if undone else ""
        if prompt is not None:
            what = f"noted from a prompt to {source_name(prompt.source)}, {each.before.updated_at:%Y-%m-%d %H:%M}"
        click.echo(f"taken back: {plain(each.before.text, 240)} ({what})")
    click.echo(f"memlsp undo --session {done.session} brings it back", err=True)


def _print_sessions(memory: Memory) -> None:
    sessions = memory.undo.sessions()
    if emitted(sessions):
        return
    for each in sessions:
        taught = f"{count_of(each.beliefs, 'belief')}, {count_of(each.revisions, 'revision')}"
        click.echo(f"{plain(each.session)}  {each.last:%Y-%m-%d %H:%M}  {taught}")
    if not sessions:
        click.echo("no session or import has taught anything here", err=True)


def _print(undone: UndoResult, *, planned: bool) -> None:
    if emitted(undone):
        return
    if undone.session:
        click.echo(undone.session)
    err = not planned  # the name of the undoing is all that a script reads
    for each in undone.changed[:_SHOWN]:
        became = "gone" if each.after.status is BeliefStatus.RETIRED else f"{each.after.status} again"
        if each.after.status is each.before.status:
            became = "as before" if each.after.text == each.before.text else f"again: {plain(each.after.text, 160)}"
        click.echo(f"{each.before.id}  {became}  {plain(each.before.text, 160)}", err=err)
    if len(undone.changed) > _SHOWN:
        click.echo(f"and {len(undone.changed) - _SHOWN} more", err=err)
    for each in undone.left:
        click.echo(f"{each.belief.id}  left: {plain(each.reason, 240)}", err=err)
    parts = [f"{count_of(len(undone.changed), 'belief')} {'would be ' if planned else ''}taken back"]
    if undone.left:
        parts.append(f"{len(undone.left)} left")
    if undone.already:
        parts.append(f"{undone.already} as they were already")
    if undone.session:
        parts.append(f"memlsp undo --session {undone.session} brings it back")
    click.echo("; ".join(parts), err=True)


def audit_command(given: AuditArguments) -> None:
    """Who changed what, and when, newest first, with what is remembered now, where it is from, and how to take the
    last change back. The log itself holds no statement, so it stays when something is forgotten."""
    with opened() as memory:
        id = given.target
        if id is not None:
            with suppress(MemlspError):  # a forgotten one has its entries still
                id = memory.belief(id).belief.id
        entries = memory.audit.list(
            since=given.since,
            until=given.until,
            action=given.action,
            author=given.author,
            session=given.session,
            target=id,
            limit=given.limit,
        )
        left = {} if wants_json() else memory.audit.beliefs(entries)
    if emitted(entries):
        return
    for entry in entries:
        targets = listing([plain(each) for each in entry.targets], _TARGETS)
        who = plain(entry.author.name, 60) or "somebody who was forgotten"
        through = f" ({plain(entry.source, 60)})" if entry.source else ""
        session = f" in {plain(entry.session, 60)}" if entry.session else ""
        note = f"; {plain(entry.note, 200)}" if entry.note else ""
        what = f"{plain(entry.action)} {targets}".rstrip()
        click.echo(f"{entry.at:%Y-%m-%d %H:%M:%S}  {what}  by {who}{through}{session}{note}")
        for belief in (left.pop(id) for id in entry.targets[:_TARGETS] if id in left):  # at its last change
            for line in (f"| {plain(belief.text)}", *source_lines(belief), f"undo: memlsp revise {belief.id} rollback"):
                click.echo(f"    {line}")
    if not entries:
        click.echo("nothing of that kind was done here", err=True)
