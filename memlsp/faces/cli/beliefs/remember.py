"""`memlsp remember` and `memlsp revise`."""

from __future__ import annotations

import sys
from typing import Annotated

import click
from attrs import evolve, frozen

from memlsp.faces.caller import caller_of, keep_locks
from memlsp.faces.cli.console import base_folder, emitted, opened
from memlsp.faces.cli.options import Condition, Days, Until, WriteArguments, one_of
from memlsp.faces.render.belief_json import belief_shape
from memlsp.faces.render.wording import WORDS, checked_words, plain, reason_line, standing_mark
from memlsp.model.belief import Authority, BeliefKind, Limits, RevisionAction, Scope
from memlsp.model.place import Place
from memlsp.model.standing import Judgement

_NOT_REVISING = {RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.EDIT}
_ACTIONS = [str(action) for action in RevisionAction if action not in _NOT_REVISING]


@frozen(kw_only=True)
class RememberArguments(WriteArguments):
    """The text and options of `memlsp remember`."""

    text: str
    places: tuple[Place, ...]
    kind: BeliefKind | None
    scope: Scope | None
    until: Until | None
    stale_after: Days | None
    conditions: tuple[Condition, ...]
    because_of: tuple[str, ...]
    guards: tuple[str, ...]


@frozen(kw_only=True)
class ReviseArguments(WriteArguments):
    """The arguments and options of `memlsp revise`."""

    id: str
    action: Annotated[str, one_of(_ACTIONS)]
    text: str | None
    text_option: str | None
    place: Place | None
    note: str = ""
    guards: tuple[str, ...]
    no_guard: bool
    conditions: tuple[Condition, ...]
    everywhere: bool
    until: Until | None
    forever: bool
    stale_after: Days | None
    scope: Scope | None


def remember_command(given: RememberArguments) -> None:
    """Hold TEXT true, and print the new belief's id."""
    text = sys.stdin.read() if given.text == "-" else given.text
    with opened() as memory:
        judgement = memory.remember(
            text,
            at=given.places,
            kind=given.kind,
            guards=given.guards,
            because_of=given.because_of,
            limits=Limits(
                scope=given.scope,
                expires_at=given.until,
                conditions=tuple(given.conditions),
                stale_after=given.stale_after,
            ),
            by=caller_of(given.agent, folder=base_folder()),
        )
        conflicts = memory.conflicts.of(judgement.belief.id)
    if emitted({**belief_shape(judgement), "conflicts": conflicts}):
        return
    click.echo(judgement.belief.id)
    for conflict in conflicts:
        click.echo(f"contradiction: {plain(conflict.reason)}; memlsp conflicts {conflict.id}", err=True)
    known = judgement.belief.updated_at > judgement.belief.created_at
    _print_standing(judgement, "already known, and confirmed" if known else "")


def revise_command(given: ReviseArguments) -> None:
    """Change what is believed; the former state is kept and can be brought back."""
    if given.guards and given.no_guard:
        raise click.UsageError("--guard and --no-guard exclude each other")
    statement = given.text_option or given.text
    if given.conditions and given.everywhere:
        raise click.UsageError("--when and --everywhere exclude each other")
    if statement and given.action not in {RevisionAction.SUPERSEDE, RevisionAction.ADMIT}:
        raise click.UsageError(f"{given.action} takes no text; use --note for the reason")
    by = caller_of(given.agent, given.note, base_folder())
    with opened() as memory:
        locking = given.action == RevisionAction.LOCK
        by = evolve(by, source=keep_locks(by.author, [memory.belief(given.id).belief], locking=locking))
        judgement = memory.revise(
            given.id,
            given.action,
            text=statement,
            at=given.place,
            guards=given.guards if given.guards or given.no_guard else None,
            limits=Limits(
                conditions=tuple(given.conditions) if given.conditions or given.everywhere else None,
                expires_at=given.until,
                forever=given.forever,
                stale_after=given.stale_after,
                scope=given.scope,
            ),
            by=by,
        )
    if emitted(judgement):
        return
    click.echo(judgement.belief.id)
    done = WORDS["revised"][given.action]
    if given.action == RevisionAction.RETIRE and judgement.belief.authority is Authority.PROPOSED:
        done = "rejected"
    _print_standing(judgement, done)


def _print_standing(judgement: Judgement, done: str = "") -> None:
    """Print the standing on stderr, so that scripts read the id alone."""
    reason = reason_line(judgement.reasons)
    places = ", ".join(f"{tie.path}#{tie.symbol}" if tie.symbol else tie.path for tie in judgement.ties)
    line = f"{standing_mark(judgement)} {judgement.standing} {judgement.belief.kind}"
    line += f" at {plain(places)}" if places else f" for the {judgement.belief.scope}"
    locked = ", locked" if judgement.belief.locked else ""
    line = f"{done}: {line}{locked}" if done else line
    if checked := checked_words(judgement):
        line = f"{line} ({checked})"
    click.echo(f"{line}: {reason}" if reason and judgement.has_caveat else line, err=True)
