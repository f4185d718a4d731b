"""`memlsp review` and `memlsp proposals`."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import click
from attrs import evolve, frozen

from memlsp.faces.caller import caller_of, keep_locks
from memlsp.faces.cli.beliefs.review_page import brief, page
from memlsp.faces.cli.console import emitted, opened, patience
from memlsp.faces.cli.options import Condition, Count, WriteArguments
from memlsp.faces.render.belief_json import belief_shape, picked, shape_of
from memlsp.faces.render.confidence import origin
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.caller import Caller
from memlsp.model.review import Decision, ReviewItem, ReviewKind

_LOOKED_AT = 500
"""Beliefs that are compared with the others first, where they were not yet."""

_QUOTED = 4  # lines of a passage that are shown


@frozen(kw_only=True)
class ReviewArguments(WriteArguments):
    """The arguments and options of `memlsp review`."""

    item: str | None
    choice: str | None
    text: str | None
    list_wanted: bool
    kinds: tuple[ReviewKind, ...]
    limit: Count | None
    undo_wanted: bool
    note: str = ""
    conditions: tuple[Condition, ...]


def review_command(given: ReviewArguments) -> None:
    """Go through what waits for a decision: contradictions, what the code no longer agrees with, proposals."""
    if given.undo_wanted and (given.item or given.list_wanted):
        raise click.UsageError("--undo takes back the last decision, whatever it was about")
    by = caller_of(given.agent, given.note)
    with opened() as memory:
        if given.undo_wanted:
            decision = memory.review.undo(author=by.author, source="cli", session=by.session)
            _print_decision(decision, "undone: ")
        elif given.item is None:
            _review_queue(memory, given, by)
        elif given.choice is None:
            _print_item(memory, memory.review.item(given.item))
        else:
            sides = [each.belief for each in memory.review.item(given.item).judgements]
            by = evolve(by, source=keep_locks(by.author, sides))
            decision = memory.review.settle(
                given.item, given.choice, given.text, conditions=given.conditions or None, by=by
            )
            _print_decision(decision, "")


def _review_queue(memory: Memory, given: ReviewArguments, by: Caller) -> None:
    with patience("judging"):
        if not memory.read_only:  # beliefs that nobody stated here: imports, merges, another version's rules
            memory.conflicts.refresh(most=_LOOKED_AT)
        waiting = memory.review.queue(given.limit, given.kinds or None)
    if emitted(waiting):
        return
    if not waiting:
        click.echo("nothing waits for a decision", err=True)
    elif given.list_wanted or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print_queue(waiting)
    else:
        _hold_session(memory, waiting, by)


def _hold_session(memory: Memory, waiting: tuple[ReviewItem, ...], by: Caller) -> None:
    from memlsp.faces.cli.beliefs.review_session import ReviewSession  # only with a terminal
    from memlsp.faces.cli.interruption import STATUS

    review = ReviewSession(memory, waiting, author=by.author, session=by.session)
    try:
        review.run()
    except (KeyboardInterrupt, click.Abort):
        click.echo()
        click.echo(review.summary)
        raise SystemExit(STATUS) from None
    click.echo(review.summary)


def _print_queue(waiting: tuple[ReviewItem, ...]) -> None:
    for each in waiting:
        for line in brief(each):
            click.echo(line)
    click.echo(
        f"{count_of(len(waiting), 'decision')} to make; memlsp review in a terminal, or memlsp review ITEM CHOICE",
        err=True,
    )


def _print_item(memory: Memory, item: ReviewItem) -> None:
    changes = memory.review.changes(item)
    if emitted({**shape_of(item), "changes": changes}):
        return
    for line in page(item, changes, datetime.now(UTC), whole=True):
        click.echo(line)
    click.echo(f"choices: {', '.join(item.choices)}", err=True)


def _print_decision(decision: Decision, before: str) -> None:
    if emitted(decision):
        return
    click.echo(decision.judgement.belief.id if decision.judgement is not None else decision.item)
    click.echo(f"{before}{plain(decision.choice)} of {decision.item}", err=True)


def proposals_command(*, quote: bool) -> None:
    """What was found and waits for you: nothing of it is told to anybody before you admit it."""
    with opened() as memory:
        waiting = memory.proposals.list()
    if emitted([{**belief_shape(each), **picked(each.belief, "status evidence")} for each in waiting]):
        return
    for each in waiting:
        click.echo(f"{each.belief.id}  {each.belief.kind}: {plain(each.belief.text)}")
        click.echo(f"          {origin(each.belief)}")
        if each.has_caveat and each.reasons:
            click.echo(f"          {plain(each.reasons[0].message)}")
        if quote and each.belief.evidence:
            lines = each.belief.evidence[0].quote.splitlines()
            for line in lines[:_QUOTED]:
                click.echo(f"          | {plain(line)}")
            if len(lines) > _QUOTED:
                click.echo(f"          | ... {count_of(len(lines) - _QUOTED, 'line')} more")
    if waiting:
        click.echo(f"{count_of(len(waiting), 'proposal')}; memlsp revise ID admit, or retire", err=True)
    else:
        click.echo("no proposals; memlsp onboard looks for some", err=True)
