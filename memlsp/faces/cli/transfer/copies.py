"""`memlsp export`, `backup`, `restore`, `move` and `join`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import click

from memlsp.faces.caller import attended, author_of
from memlsp.faces.cli.console import agreed, bar, base_folder, emitted, opened, wants_json
from memlsp.faces.render.belief_json import shape_of
from memlsp.faces.render.wording import WORDS, count_of, plain
from memlsp.memory import Memory
from memlsp.memory.transfer.relocation import join, move
from memlsp.model.errors import Refused


def export_command(*, target: Path | None, user: bool, agent: str | None) -> None:
    """Write the beliefs of this project out, with their whole history."""
    write_out(target, agent, user=user)


def write_out(target: Path | None, agent: str | None, *, user: bool) -> None:
    """Write an export to `target`, or to its default place, and report it."""
    with opened() as memory:
        if target == Path("-"):
            if wants_json():
                raise click.UsageError("--to - takes lines alone")
            memory.copies.export_to(sys.stdout.buffer, user=user)
            return
        where = target or Path("memlsp-export.jsonl")
        done = memory.copies.export(where, user=user, author=author_of(agent), via="cli")
    if emitted(done):
        return
    click.echo(str(done.path))
    click.echo(f"{count_of(done.beliefs, 'belief')} with {count_of(done.revisions, 'revision')}", err=True)


def backup_command(path: Path | None, *, verify: bool, listed: bool, user: bool, agent: str | None) -> None:
    """Write all that is kept for this project to PATH, while editors and agents go on."""
    with opened() as memory:
        if listed:
            _list(memory)
            return
        if verify:
            if path is None:
                raise click.UsageError("--verify needs the backup's PATH")
            done = memory.copies.verify(path)
        else:
            where = path or Path(f"memlsp-{'user' if user else memory.workspace.key}-{datetime.now(UTC):%Y%m%d}.db")
            with bar("backing up", "pages") as show:
                done = memory.copies.backup(where, user=user, author=author_of(agent), via="cli", progress=show)
    if not emitted(done):
        click.echo(str(done.path))
        if done.counts:
            click.echo(f"{done.bytes / 1e6:.1f} MB; {_holds(done.counts) or 'nothing yet'}", err=True)
        if done.problem:
            click.echo(f"not well: {plain(done.problem)}", err=True)
        else:
            click.echo("whole, and written on this machine" if done.sealed else "whole; not written here", err=True)
    if done.problem:
        raise SystemExit(1)


def _holds(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{number} {WORDS['copied'].get(name, name)}" for name, number in counts if number)


def _list(memory: Memory) -> None:
    known = [(copy, copy.path.exists()) for copy in memory.copies.known()]
    if emitted([{**shape_of(copy), "there": there} for copy, there in known]):
        return
    for copy, there in known:
        click.echo(f"{copy.at:%Y-%m-%d %H:%M}  {copy.kind:6}  {plain(str(copy.path))}{'' if there else '  (gone)'}")


def restore_command(path: Path, *, trust: bool, anyway: bool, user: bool, yes: bool, agent: str | None) -> None:
    """Put the backup at PATH in the place of what is remembered now."""
    with opened() as memory:
        checked = memory.copies.verify(path)
        if trust and not attended():
            raise Refused("--trust is for a person at a terminal, and there is none", "run it in a terminal")
        if not yes or trust:
            number = dict(checked.counts).get("belief", 0)
            made = f" of {checked.at:%Y-%m-%d %H:%M}" if checked.at else ""
            foreign = "" if checked.sealed else ", which this machine has not written"
            question = f"Replace this memory by the {count_of(number, 'belief')} of the backup{made}{foreign}?"
            if not agreed(question, "restoring replaces what is remembered"):
                return
        author = author_of(agent)
        done = memory.copies.restore(path, user=user, trusted=trust, anyway=anyway, author=author, via="cli")
    if emitted(done):
        return
    click.echo(f"restored: {_holds(done.counts) or 'nothing'}", err=True)
    if done.forgotten:
        click.echo(f"{count_of(done.forgotten, 'belief')} stayed forgotten", err=True)
    if not done.observations:
        click.echo("observations stayed as they are: some were forgotten since the backup was made", err=True)
    if done.aside:
        click.echo(f"what was there before is in {plain(str(done.aside))}; memlsp restore brings it back", err=True)


def move_command(
    origin: str | None, *, listed: bool, anyway: bool, dry_run: bool, yes: bool, agent: str | None
) -> None:
    """Let this project have the memory that it had before it was renamed, or got another remote."""
    if listed:
        with opened() as memory:
            found = memory.copies.stranded()
        if emitted(found):
            return
        for each in found:
            mark = "  (this folder)" if each.same_root else ""
            click.echo(f"{each.key}  {count_of(each.beliefs, 'belief')}  {plain(', '.join(each.roots))}{mark}")
        return
    start = base_folder()
    author = author_of(agent)
    if author is not None:
        raise Refused(f"{author.name} is an agent: only a person may move a memory", "ask a person")
    planned = move(start, origin, anyway=anyway, dry_run=True)
    if not dry_run and not yes:
        question = f"Move the {count_of(planned.beliefs, 'belief')} of {planned.former} to {planned.key}?"
        if not agreed(question, f"{planned.former} would be moved here", "Nothing was moved.", default=True):
            return
    done = planned if dry_run else move(start, planned.former, anyway=anyway)
    if emitted(done):
        return
    verb = "would move" if dry_run else "moved"
    click.echo(f"{verb} {count_of(done.beliefs, 'belief')} from {done.former} to {done.key}", err=True)


def join_command(name: str | None, *, leave: bool, yes: bool, agent: str | None) -> None:
    """Let this folder share the memory NAME, an id or a remote; without it, the one that the folder asks for."""
    start = base_folder()
    author = author_of(agent)
    if author is not None:
        raise Refused(f"{author.name} is an agent: only a person may say which memory a folder shares", "ask a person")
    if not leave and not yes:
        what = f"the memory {plain(name)}" if name else "the memory that it asks for"
        if not agreed(f"Let {start} share {what}?", f"{start} would share {what}"):
            return
    found = join(start, name, leave=leave)
    click.echo(f"{found.root} has the memory {plain(found.name)} ({found.key}), known by its {found.basis}", err=True)
