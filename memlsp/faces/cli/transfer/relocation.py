"""`memlsp move` and `memlsp join`."""

from __future__ import annotations

import click

from memlsp.faces.caller import author_of
from memlsp.faces.cli.console import agreed, base_folder, emitted, opened
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory.transfer.relocation import join, move
from memlsp.model.errors import Refused


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
