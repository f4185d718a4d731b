"""`memlsp onboard`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memlsp.faces.cli.console import bar, emitted, interruptible, opened
from memlsp.faces.cli.options import Count
from memlsp.faces.render.belief_json import picked, shape_of
from memlsp.faces.render.confidence import origin
from memlsp.faces.render.wording import WORDS, count_of, plain
from memlsp.memory import Memory
from memlsp.model.episode import OnboardingProgress

if TYPE_CHECKING:
    from memlsp.memory.learning.proposals import Learned


def onboard_command(most: Count = 2_000, *, no_proposals: bool, dry_run: bool) -> None:
    """Propose what a project holds true, then read its git history into symbol changes. Editors do it by themselves."""
    with opened() as memory:
        if dry_run:
            _show(_learn(memory, dry_run=True))
            return
        learned = None if no_proposals or memory.read_only else _learn(memory)
        made = len(learned.made) if learned is not None else 0
        if made:
            click.echo(f"{count_of(made, 'proposal')} to look at: memlsp proposals", err=True)
        if learned is not None and learned.stopped:
            state = OnboardingProgress(stopped="cancelled")
        else:
            state = _read(memory, most)
    if not emitted({**shape_of(state), "proposals": made}):
        _print_state(state)
    if state.stopped in {"no-git", "read-only", "damaged"}:
        raise SystemExit(1)


def _print_state(state: OnboardingProgress) -> None:
    read = f"{count_of(state.read, 'commit')} read"
    if state.stopped:
        click.echo(f"{read}; {WORDS['unread'].get(state.stopped, state.stopped)}", err=True)
    else:
        click.echo(f"{read}: {count_of(state.changes, 'symbol change')}" if state.read else "nothing new to read")


def _show(learned: Learned) -> None:
    if emitted([{**picked(each, "id text kind"), "source": origin(each)} for each in learned.made]):
        return
    for each in learned.made:
        click.echo(f"{each.id}  {each.kind}: {plain(each.text)}")
        click.echo(f"          {origin(each)}")
    click.echo(f"{count_of(len(learned.made), 'proposal')} would be made; nothing was kept", err=True)


def _read(memory: Memory, most: int) -> OnboardingProgress:
    with bar("reading the history", "commits") as show:
        return interruptible(
            lambda stop: memory.onboard(
                most=most, progress=lambda state: show(state.present, state.total), cancelled=stop
            )
        )


def _learn(memory: Memory, *, dry_run: bool = False) -> Learned:
    with bar("looking for what is held true", "files") as show:
        return interruptible(lambda stop: memory.proposals.learn(progress=show, cancelled=stop, dry_run=dry_run))
