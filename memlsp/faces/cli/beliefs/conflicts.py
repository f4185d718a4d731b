"""`memlsp conflicts`: beliefs that contradict each other, and decisions about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import click
from attrs import evolve, frozen

from memlsp.faces.arguments import condition_of
from memlsp.faces.caller import caller_of, keep_locks
from memlsp.faces.cli.console import emitted, opened
from memlsp.faces.cli.options import ParsedType, WriteArguments
from memlsp.faces.render.belief_json import shape_of
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.belief import AuthorKind, Belief
from memlsp.model.errors import BadValue
from memlsp.model.review import Conflict, Settlement


def _side(value: str) -> tuple[str, tuple[str, str]]:
    """ID:KEY=VALUE: one side of a conflict, and its condition."""
    id, colon, text = value.partition(":")
    if not colon or not id.strip():
        raise BadValue(f"not a side with a condition: {value!r}", "write ID:KEY=VALUE, such as k3v9:env=staging")
    return id.strip(), condition_of(text)


@frozen(kw_only=True)
class ConflictsArguments(WriteArguments):
    """The argument and options of `memlsp conflicts`."""

    id: str | None
    keep: str | None
    drop: str | None
    both: bool
    scopes: tuple[Annotated[tuple[str, tuple[str, str]], ParsedType("side", _side)], ...]
    reopen: bool
    note: str = ""
    settled: bool
    look: bool


def conflicts_command(given: ConflictsArguments) -> None:
    """Beliefs that contradict each other where both apply. ID is a conflict (two ids with a plus) or a belief."""
    chosen = sum((given.keep is not None, given.drop is not None, given.both, bool(given.scopes), given.reopen))
    if chosen > 1:
        raise click.UsageError("--keep, --drop, --both, --scope and --reopen exclude each other")
    if chosen and (given.id is None or "+" not in given.id):
        raise click.UsageError("say which conflict: two ids with a plus between them, as `memlsp conflicts` lists them")
    with opened() as memory:
        if given.look:
            new = memory.conflicts.refresh()
            click.echo(f"{count_of(new, 'new contradiction')}", err=True)
        if chosen and given.id is not None:
            found = [_decide(memory, given.id, given)]
        else:
            found = _listed(memory, given.id, settled=given.settled)
        _show(memory, found)


def _decide(memory: Memory, id: str, given: ConflictsArguments) -> Conflict:
    by = caller_of(given.agent, given.note)
    conflict = memory.conflicts.get(id)
    if given.reopen:
        memory.conflicts.reopen(conflict.id, author=by.author, source="cli", session=by.session)
        return memory.conflicts.get(id)
    conditions: dict[str, list[tuple[str, str]]] = {}
    for side, pair in given.scopes:
        conditions.setdefault(memory.belief(side).belief.id, []).append(pair)
    sides = [side for id in (conflict.first, conflict.second) if (side := memory.conflicts.side(id))]
    by = evolve(by, source=keep_locks(by.author, sides))
    stays = given.keep
    if given.drop is not None:
        stays = conflict.other(memory.belief(given.drop).belief.id)
    settlement = Settlement.SUPERSEDED if given.keep else Settlement.RETIRED if given.drop else Settlement.SCOPED
    return memory.conflicts.settle(
        conflict.id, Settlement.KEPT if given.both else settlement, keep=stays, conditions=conditions, by=by
    )


def _listed(memory: Memory, id: str | None, *, settled: bool) -> list[Conflict]:
    if id is None:
        return list(memory.conflicts.all() if settled else memory.conflicts.open())
    if "+" in id:
        return [memory.conflicts.get(id)]
    return list(memory.conflicts.of(memory.belief(id).belief.id, settled=settled))


def _show(memory: Memory, conflicts: Sequence[Conflict]) -> None:
    sides = [[memory.conflicts.side(id) for id in (each.first, each.second)] for each in conflicts]
    texts = [[side.text if side else None for side in both] for both in sides]
    if emitted([{**shape_of(each), "texts": both} for each, both in zip(conflicts, texts, strict=True)]):
        return
    for conflict, both in zip(conflicts, sides, strict=True):
        click.echo(f"{conflict.id}  {plain(conflict.subject or 'contradiction')}")
        for id, belief in zip((conflict.first, conflict.second), both, strict=True):
            click.echo(f"  {plain(_said(belief)) if belief else f'{id} was forgotten'}")
        if conflict.settlement is not None:
            day = f", {conflict.settled_at:%Y-%m-%d}" if conflict.settled_at else ""
            why = f": {plain(conflict.note)}" if conflict.note else ""
            click.echo(f"  {conflict.settlement} by {plain(conflict.settled_by)}{day}{why}")
    open_ = sum(conflict.settlement is None for conflict in conflicts)
    if open_:
        click.echo(f"{count_of(open_, 'open contradiction')}; settle with --keep, --drop, --scope or --both", err=True)
    elif not conflicts:
        click.echo("no contradictions", err=True)


def _said(belief: Belief) -> str:
    """A statement with its author, date, conditions, place and id; one line, without escaping."""
    who = belief.author.name if belief.author.kind is AuthorKind.PERSON else f"{belief.author.name} (agent)"
    under = "".join(f", for {key}={value}" for key, value in belief.conditions)
    place = f", at {belief.anchors[0].place}" if belief.anchors else ""
    text = " ".join(belief.text.split())
    return f"\u201c{text}\u201d (said by {who} on {belief.created_at:%Y-%m-%d}{under}{place}; {belief.id})"
