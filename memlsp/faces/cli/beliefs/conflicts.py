"""`memlsp conflicts`: beliefs that contradict each other, and what is decided about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from memlsp.faces.cli.beliefs.limits import ConditionType
from memlsp.faces.cli.shared import as_agent, as_json, author_of, emit, opened, session_of
from memlsp.faces.render.conflicts import conflict_shape, said_of
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.belief import Belief
from memlsp.model.review import Conflict, Settlement


class SideType(click.ParamType[tuple[str, tuple[str, str]]]):
    """ID:KEY=VALUE."""

    name = "side"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[str, str]]:
        """Read a side and its condition, or fail as wrong usage."""
        if isinstance(value, tuple):
            return value  # pyright: ignore[reportUnknownVariableType] - click hands back what this returned
        id, colon, condition = str(value).partition(":")
        if not colon or not id.strip():
            self.fail(
                f"not a side with a condition: {value!r}; write ID:KEY=VALUE, such as k3v9:env=staging", param, ctx
            )
        return id.strip(), ConditionType().convert(condition, param, ctx)


@click.command("conflicts")
@click.argument("id", required=False)
@click.option("--keep", metavar="ID", help="This side takes the place of the other one, which is superseded.")
@click.option("--drop", metavar="ID", help="This side is no longer true, and is retired.")
@click.option("--both", is_flag=True, help="Both stand; nobody is asked again while neither is reworded.")
@click.option(
    "--scope",
    "scopes",
    type=SideType(),
    multiple=True,
    metavar="ID:KEY=VALUE",
    help="A side applies under a condition; for the other side too where one is not enough.",
)
@click.option("--reopen", is_flag=True, help="Take back that both were to stand.")
@click.option("--note", default="", metavar="TEXT", help="Why.")
@click.option("--all", "settled", is_flag=True, help="Those that were settled, too.")
@click.option("--look", is_flag=True, help="First hold every belief against the others that was not yet.")
@as_agent
@as_json
def conflicts_command(
    id: str | None,
    keep: str | None,
    drop: str | None,
    scopes: tuple[tuple[str, tuple[str, str]], ...],
    note: str,
    agent: str | None,
    *,
    both: bool,
    reopen: bool,
    settled: bool,
    look: bool,
    json_wanted: bool,
) -> None:
    """Beliefs that contradict each other where both apply. ID is a conflict (two ids with a plus) or a belief.

    They are found when something is remembered; nothing is ever decided by itself.

    \b
      memlsp conflicts                                     what is open
      memlsp conflicts k3v9+z81w --keep z81w               z81w takes the place of k3v9
      memlsp conflicts k3v9+z81w --drop k3v9               k3v9 is no longer true
      memlsp conflicts k3v9+z81w --scope k3v9:env=staging --scope z81w:env=production
      memlsp conflicts k3v9+z81w --both --note "two servers"
      memlsp conflicts --look                              after an import
    """
    chosen = sum((keep is not None, drop is not None, both, bool(scopes), reopen))
    if chosen > 1:
        message = "--keep, --drop, --both, --scope and --reopen exclude each other"
        raise click.UsageError(message)
    if chosen and (id is None or "+" not in id):
        message = "say which conflict: two ids with a plus between them, as `memlsp conflicts` lists them"
        raise click.UsageError(message)
    with opened() as memory:
        if look:
            new = memory.conflicts.refresh()
            click.echo(f"{count_of(new, 'new contradiction')}", err=True)
        if chosen and id is not None:
            done = _decide(memory, id, keep, drop, scopes, note, agent, both=both, reopen=reopen)
            _show(memory, [done], json_wanted=json_wanted)
            return
        _show(memory, _listed(memory, id, settled=settled), json_wanted=json_wanted)


def _decide(
    memory: Memory,
    id: str,
    keep: str | None,
    drop: str | None,
    scopes: Sequence[tuple[str, tuple[str, str]]],
    note: str,
    agent: str | None,
    *,
    both: bool,
    reopen: bool,
) -> Conflict:
    author = author_of(agent)
    session = session_of(author)
    conflict = memory.conflicts.one(id)
    if reopen:
        memory.conflicts.reopen(conflict.id, author=author, source="cli", session=session)
        return memory.conflicts.one(id)
    conditions: dict[str, list[tuple[str, str]]] = {}
    for side, condition in scopes:
        conditions.setdefault(memory.belief(side).belief.id, []).append(condition)
    stays = keep
    if drop is not None:
        stays = conflict.other(memory.belief(drop).belief.id)
    settlement = Settlement.SUPERSEDED if keep else Settlement.RETIRED if drop else Settlement.SCOPED
    return memory.conflicts.settle(
        conflict.id,
        Settlement.KEPT if both else settlement,
        keep=stays,
        conditions=conditions,
        author=author,
        source="cli",
        session=session,
        note=note,
    )


def _listed(memory: Memory, id: str | None, *, settled: bool) -> list[Conflict]:
    if id is None:
        return list(memory.conflicts.all() if settled else memory.conflicts.open())
    if "+" in id:
        return [memory.conflicts.one(id)]
    return list(memory.conflicts.of(memory.belief(id).belief.id, settled=settled))


def _show(memory: Memory, conflicts: Sequence[Conflict], *, json_wanted: bool) -> None:
    if json_wanted:
        emit(
            [
                {**conflict_shape(each), "texts": [_text(memory, id) for id in (each.first, each.second)]}
                for each in conflicts
            ]
        )
        return
    for conflict in conflicts:
        click.echo(f"{conflict.id}  {plain(conflict.subject or 'contradiction')}")
        for id in (conflict.first, conflict.second):
            belief = _belief(memory, id)
            click.echo(f"  {plain(said_of(belief)) if belief else f'{id} was forgotten'}")
        if conflict.settlement is not None:
            day = f", {conflict.settled_at:%Y-%m-%d}" if conflict.settled_at else ""
            why = f": {plain(conflict.note)}" if conflict.note else ""
            click.echo(f"  {conflict.settlement} by {plain(conflict.settled_by)}{day}{why}")
    open_ = sum(conflict.settlement is None for conflict in conflicts)
    if open_:
        told = f"{count_of(open_, 'open contradiction')}; settle with --keep, --drop, --scope or --both"
        click.echo(told, err=True)
    elif not conflicts:
        click.echo("no contradictions", err=True)


def _text(memory: Memory, id: str) -> str | None:
    belief = _belief(memory, id)
    return belief.text if belief else None


def _belief(memory: Memory, id: str) -> Belief | None:
    return memory.conflicts.side(id)
