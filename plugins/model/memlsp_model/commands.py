"""`memlsp model` and `memlsp distill`: a model that the user names proposes statements."""

from __future__ import annotations

from collections.abc import Sequence

import click

from memlsp.faces.caller import author_of
from memlsp.faces.cli.console import emitted, opened, patience
from memlsp.faces.cli.options import Count, Earlier
from memlsp.faces.render.belief_json import picked
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.errors import MemlspError
from memlsp_model.distiller import Distilled, ModelDistiller

_BUDGET = 50_000


def model_command() -> None:
    """Have a model that you name propose statements; off by default."""


def on_model(address: str, name: str, budget: Count = _BUDGET, agent: str | None = None) -> None:
    """Let `memlsp distill` ask the model NAME at ADDRESS from now on. Sends nothing yet."""
    with opened() as memory:
        ModelDistiller(memory).on(address, name, budget=budget, author=author_of(agent))
    click.echo(f"memlsp distill asks {plain(name, 80)} at {plain(address)}: {budget} tokens a day at most.")


def off_model(agent: str | None = None) -> None:
    """Ask it no more."""
    with opened() as memory:
        was_on = ModelDistiller(memory).off(author=author_of(agent))
    click.echo("No model is asked any more." if was_on else "No model was on.")


def status_model() -> None:
    """Which model, its budget of tokens, and what it was sent today."""
    with opened() as memory:
        status = ModelDistiller(memory).status()
    if emitted(picked(status, "address? model? budget spent")):
        return
    if not status.address:
        click.echo("No model is on: memlsp model on ADDRESS NAME")
        return
    click.echo(f"model   {plain(status.model, 80)} at {plain(status.address)}")
    click.echo(f"today   {status.spent} of {status.budget} tokens")


def distill_command(session: str = "", since: Earlier | None = None, *, show: bool) -> None:
    """Have the model propose what a session, or each since a time, states; a person decides."""
    if bool(session) == bool(since):
        raise click.UsageError("name a session, or --since a time; memlsp events lists the sessions")
    with opened() as memory:
        sessions = [session] if since is None else ModelDistiller(memory).sessions(since)
        if show:
            click.echo("\n".join(ModelDistiller(memory).prompt(each) for each in sessions))
            return
        done = list[Distilled]()
        try:
            with patience("asking"):
                done += (
                    ModelDistiller(memory).distill(each) for each in sessions
                )  # each is proposed before the next is asked
        except MemlspError:
            if done:  # as where the budget of the day ends among them
                _show(memory, done)
            raise
        _show(memory, done)


def _show(memory: Memory, done: Sequence[Distilled]) -> None:
    if emitted([picked(each, "session proposals left_out[text,reason] tokens") for each in done]):
        return
    for each in done:
        for id in each.proposals:
            click.echo(f"{id}  {plain(memory.belief(id).belief.text)}")
        for text, reason in each.left_out:
            click.echo(f"left out: {plain(text, 200)} ({plain(reason)})", err=True)
    proposals = sum(len(each.proposals) for each in done)
    click.echo(f"{count_of(len(done), 'session')}, {count_of(proposals, 'proposal')}", err=True)
