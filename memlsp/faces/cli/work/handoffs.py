"""`memlsp handoff`, `memlsp catch-up` and `memlsp brief`."""

from __future__ import annotations

from datetime import UTC, datetime

import click
from attrs import frozen

from memlsp.faces.cli.console import emitted, opened, up_to_date
from memlsp.faces.cli.options import PAST, WriteArguments, argument, as_agent, as_json, as_value, option
from memlsp.faces.render.handoffs import catch_up_lines, handoff_body, handoff_head
from memlsp.faces.render.wording import plain
from memlsp.memory import Memory
from memlsp.model.handoff import Handoff, HandoffNotes


@frozen(kw_only=True)
class HandoffText(WriteArguments):
    """The parts of a handoff that `memlsp handoff write` leaves, and how it prints the id."""

    title: str = argument()
    done: tuple[str, ...] = option("--done", multiple=True, metavar="TEXT")
    next_steps: tuple[str, ...] = option("--next", multiple=True, metavar="TEXT")
    questions: tuple[str, ...] = option("--question", multiple=True, metavar="TEXT")
    places: tuple[str, ...] = option("--at", multiple=True, metavar="PLACE")
    stuck: str = option("--stuck", default="", metavar="TEXT")


@click.group("handoff", invoke_without_command=True)
@click.pass_context
def handoff_command(ctx: click.Context) -> None:
    """Work that sessions left unfinished: list it, read it, take it, leave some."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(_list, include_past=False)


@handoff_command.command("list")
@click.option("--all", "include_past", is_flag=True)
@as_json
def _list(*, include_past: bool) -> None:
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


@handoff_command.command("show")
@click.argument("id", required=False, default="")
@as_json
def _show(id: str) -> None:
    """One handoff in full; without ID that of most use. Changes nothing."""
    with opened() as memory:
        _print(memory.handoffs.peek(id))


@handoff_command.command("claim")
@click.argument("id")
@as_agent
@as_json
def _claim(id: str, agent: str | None) -> None:
    """Take a handoff; others see who took it, and when."""
    with opened() as memory:
        _print(memory.handoffs.claim(id, _name(memory, agent)))


@handoff_command.command("write")
@as_value(HandoffText)
def _write(given: HandoffText) -> None:
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


@click.command("catch-up")
@click.option("--since", type=PAST, metavar="WHEN")
@click.option("--size", type=click.Choice(["line", "digest", "story"]))
@as_agent
@as_json
def catch_up_command(since: datetime | None, size: str | None, agent: str | None) -> None:
    """What happened while you were away: what was done and decided, what no longer holds, what is open."""
    with opened() as memory:
        up_to_date(memory)
        found = memory.handoffs.catch_up(since, asker=agent or "cli")
    if emitted(found):
        return
    for line in catch_up_lines(found, datetime.now(UTC), size=size or ""):
        click.echo(line)


@click.command("brief")
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
