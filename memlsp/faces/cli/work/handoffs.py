"""`memlsp handoff`, `memlsp catch-up` and `memlsp brief`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import click
from attrs import frozen

from memlsp.faces.cli.console import emitted, opened, up_to_date
from memlsp.faces.cli.options import Earlier, WriteArguments
from memlsp.faces.render.handoffs import catch_up_lines, handoff_body, handoff_head
from memlsp.faces.render.wording import plain
from memlsp.memory import Memory
from memlsp.model.handoff import Handoff, HandoffNotes


@frozen(kw_only=True)
class HandoffText(WriteArguments):
    """The parts of a handoff that `memlsp handoff write` leaves, and how it prints the id."""

    title: str
    done: tuple[str, ...]
    next_steps: tuple[str, ...]
    questions: tuple[str, ...]
    places: tuple[str, ...]
    stuck: str = ""


def handoff_command() -> None:
    """Work that sessions left unfinished: list it, read it, take it, leave some."""
    list_handoff(include_past=False)


def list_handoff(*, include_past: bool) -> None:
    """What waits, most useful first: not taken, with something left to do, made on this branch, the latest."""
    with opened() as memory:
        up_to_date(memory)
        found = memory.handoffs.list(include_past=include_past)
    if emitted(found):
        return
    if not found:
        click.echo("no handoff waits", err=True)
    now = datetime.now(UTC)
    for each in found:
        click.echo(handoff_head(each, now))
        click.echo(f"  {plain(each.title, 110)}")


def show_handoff(id: str = "") -> None:
    """One handoff in full; without ID that of most use. Changes nothing."""
    with opened() as memory:
        _print(memory.handoffs.peek(id))


def claim_handoff(id: str, agent: str | None) -> None:
    """Take a handoff; others see who took it, and when."""
    with opened() as memory:
        _print(memory.handoffs.claim(id, _name(memory, agent)))


def write_handoff(given: HandoffText) -> None:
    """Leave a handoff, and print its id. Secrets in it are replaced before anything is stored."""
    with opened() as memory:
        left = memory.handoffs.write(
            given.title,
            HandoffNotes(
                done=given.done,
                questions=given.questions,
                next_steps=given.next_steps,
                places=given.places,
                stuck=given.stuck,
            ),
            by=_name(memory, given.agent),
            made_by="agent" if given.agent else "person",
        )
    if not emitted(left):
        click.echo(left.id)


def catch_up_command(since: Earlier | None, size: Literal["line", "digest", "story"] | None, agent: str | None) -> None:
    """What happened while you were away: what was done and decided, what no longer holds, what is open."""
    with opened() as memory:
        up_to_date(memory)
        found = memory.handoffs.catch_up(since, asker=agent or "cli")
    if emitted(found):
        return
    for line in catch_up_lines(found, datetime.now(UTC), size=size or ""):
        click.echo(line)


def brief_command() -> None:
    """What an agent would be told if it started here now. Nothing when there is nothing to say."""
    with opened() as memory:
        up_to_date(memory)
        text = memory.handoffs.briefing()
    if text:
        click.echo(text)
    else:
        click.echo("an agent that started now would be told nothing", err=True)


def _name(memory: Memory, agent: str | None) -> str:
    return agent or memory.person().name


def _print(handoff: Handoff) -> None:
    if emitted(handoff):
        return
    click.echo(handoff_head(handoff, datetime.now(UTC)))
    for line in handoff_body(handoff):
        click.echo(f"  {line}")
