"""`memlsp review`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import click

from memlsp.faces.cli.beliefs.limits import when_option
from memlsp.faces.cli.beliefs.review_page import brief, page
from memlsp.faces.cli.shared import as_agent, as_json, author_of, emit, opened, patience, session_of
from memlsp.faces.render.review_json import decision_shape, item_shape
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.belief import Author
from memlsp.model.review import Decision, ReviewItem, ReviewKind

_LOOKED_AT = 500
"""Beliefs that are held against the others first, where that was not done yet."""


@click.command("review")
@click.argument("item", required=False)
@click.argument("choice", required=False)
@click.argument("text", required=False)
@click.option("--list", "list_wanted", is_flag=True, help="Only list what waits; what happens without a terminal too.")
@click.option(
    "--kind", "kinds", type=click.Choice([str(kind) for kind in ReviewKind]), multiple=True, help="Only these."
)
@click.option("--limit", type=click.IntRange(1), default=None, help="So many at the most, the weightiest.")
@click.option("--undo", "undo_wanted", is_flag=True, help="Take back the last decision, also of an earlier sitting.")
@click.option("--note", default="", help="Why; kept with the decision.")
@when_option
@as_agent
@as_json
def review_command(
    item: str | None,
    choice: str | None,
    text: str | None,
    kinds: tuple[str, ...],
    limit: int | None,
    note: str,
    conditions: tuple[tuple[str, str], ...],
    agent: str | None,
    *,
    list_wanted: bool,
    undo_wanted: bool,
    json_wanted: bool,
) -> None:
    """Go through what waits for a decision: contradictions, what the code no longer agrees with, proposals.

    The weightiest comes first. Each is shown with the code before and after and with its evidence, and answered with a
    key; what was decided is kept whenever you stop. ITEM alone shows one, with CHOICE it is decided without a terminal.

    \b
      memlsp review
      memlsp review --list --kind proposal
      memlsp review k3v9
      memlsp review k3v9 supersede "Retries five times"
      memlsp review --undo

    \b
      a proposal       admit (TEXT: in these words), reject
      a stale belief   confirm, supersede TEXT, retire, reanchor PLACE, scope --when KEY=VALUE
      a contradiction  first, second (takes the other's place), both, apart --when KEY=VALUE (of the first)
      any of them      propose TEXT: what should stand instead, for a person to admit
    """
    if undo_wanted and (item or list_wanted):
        message = "--undo takes back the last decision, whatever it was about"
        raise click.UsageError(message)
    author = author_of(agent)
    session = session_of(author)
    with opened() as memory:
        if undo_wanted:
            _told(memory.review.undo(author=author, source="cli", session=session), "undone: ", json_wanted=json_wanted)
            return
        if item is not None and choice is not None:
            decision = memory.review.settle(
                item,
                choice,
                text,
                author=author,
                source="cli",
                session=session,
                note=note,
                conditions=conditions or None,
            )
            _told(decision, "", json_wanted=json_wanted)
            return
        if item is not None:
            _shown(memory, memory.review.item(item), json_wanted=json_wanted)
            return
        with patience("judging"):
            if not memory.read_only:  # what came in without being said: imports, merges, another version's rules
                memory.conflicts.refresh(most=_LOOKED_AT)
            waiting = memory.review.queue(limit, {ReviewKind(word) for word in kinds} or None)
        if json_wanted:
            emit([item_shape(each) for each in waiting])
        elif not waiting:
            click.echo("nothing waits for a decision", err=True)
        elif list_wanted or not (sys.stdin.isatty() and sys.stdout.isatty()):
            _listed(waiting)
        else:
            _sit(memory, waiting, author, session)


def _sit(memory: Memory, waiting: tuple[ReviewItem, ...], author: Author | None, session: str) -> None:
    from memlsp.faces.cli.beliefs.review_session import Sitting, ended  # only with a terminal
    from memlsp.faces.cli.interruption import STATUS

    sitting = Sitting(memory, waiting, author=author, session=session)
    try:
        sitting.run()
    except (KeyboardInterrupt, click.Abort):
        click.echo()
        click.echo(ended(sitting))
        raise SystemExit(STATUS) from None
    click.echo(ended(sitting))


def _listed(waiting: tuple[ReviewItem, ...]) -> None:
    for each in waiting:
        for line in brief(each):
            click.echo(line)
    click.echo(
        f"{count_of(len(waiting), 'decision')} to make; memlsp review in a terminal, or memlsp review ITEM CHOICE",
        err=True,
    )


def _shown(memory: Memory, item: ReviewItem, *, json_wanted: bool) -> None:
    changes = memory.review.changes(item)
    if json_wanted:
        emit(item_shape(item, changes))
        return
    for line in page(item, changes, datetime.now(UTC), whole=True):
        click.echo(line)
    click.echo(f"choices: {', '.join(item.choices)}", err=True)


def _told(decision: Decision, before: str, *, json_wanted: bool) -> None:
    if json_wanted:
        emit(decision_shape(decision))
        return
    click.echo(decision.judgement.belief.id if decision.judgement is not None else decision.item)
    click.echo(f"{before}{plain(decision.choice)} of {decision.item}", err=True)
