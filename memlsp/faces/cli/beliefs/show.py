"""`memlsp why`, `beliefs`, `belief` and `history`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import click

from memlsp.faces.caller import attended
from memlsp.faces.cli.beliefs.recall import print_served
from memlsp.faces.cli.beliefs.review_page import mark
from memlsp.faces.cli.console import base_folder, emitted, opened, patience, wants_json
from memlsp.faces.cli.options import PLACE, as_json, one_of
from memlsp.faces.render.belief_json import belief_shape, breach_shape, picked
from memlsp.faces.render.confidence import history_lines, limit_lines, source_lines
from memlsp.faces.render.wording import checked_words, earlier_commits, history_line, plain, provenance, reason_line
from memlsp.memory import Memory
from memlsp.model.belief import BeliefKind
from memlsp.model.episode import SymbolHistory
from memlsp.model.place import Place
from memlsp.model.review import Conflict
from memlsp.model.standing import Judgement, Standing

_MOST_PARTS = 6
"""Sentences about the symbols of a file that are printed for one commit."""

_COUNTED, _COUNTING = 500, 0.3
"""Commits that are counted at most where a list is cut, and the seconds that this may take a person who waits."""


@click.command("why")
@click.argument("place", type=PLACE)
@click.option("--history", "history_limit", type=click.IntRange(0), default=10, show_default=True)
@as_json
def why_command(place: Place, history_limit: int) -> None:
    """What is known about PLACE: the beliefs that apply there, and the commits that changed its meaning."""
    with opened() as memory, patience("reading the history"):
        why = memory.why(place, base=base_folder(), history_limit=history_limit)
        older = _older(memory, place, why.history, history_limit)
        conflicts = memory.open_conflicts(why.beliefs)
        mentions = memory.documents.at(why.place.path, why.place.symbol or "")
        told = [judgement.belief for judgement in why.beliefs]
        if told:
            text = "\n".join(belief.text for belief in told)
            memory.record_telling("why", [belief.id for belief in told], text, asker="cli", about=str(why.place))
    if emitted({**picked(why, "beliefs history=history.changes"), "documents": mentions, "conflicts": conflicts}):
        return
    click.echo(plain(str(why.place)))
    if not (why.beliefs or why.history.changes or mentions):
        known = "" if why.history.stopped == "damaged" else ", and git knows of no change"
        click.echo(f"nothing is remembered here{known}", err=True)
    _print_beliefs(why.beliefs, conflicts)
    for each in mentions:
        click.echo(plain(f"{each.document}:{each.line} says: {each.text}"))
    _print_history(why.history, history_limit, older, "--history")


@click.command("beliefs")
@click.option("--standing", "standings", type=one_of(Standing), multiple=True)
@click.option("--kind", "kinds", type=one_of(BeliefKind), multiple=True)
@click.option("--path")
@click.option("--all", "include_past", is_flag=True)
@as_json
def beliefs_command(
    standings: tuple[str, ...], kinds: tuple[str, ...], path: str | None, *, include_past: bool
) -> None:
    """List beliefs with their standing in the code as it is now, oldest first."""
    past = {Standing.SUPERSEDED, Standing.RETIRED}
    wanted = {Standing(word) for word in standings}
    with opened() as memory, patience("judging"):
        found = memory.beliefs(
            standings=wanted or None,
            kinds={BeliefKind(word) for word in kinds} or None,
            include_past=include_past or bool(wanted & past),
            path=memory.path_of(path, base_folder()) if path else None,
        )
        conflicts = memory.open_conflicts(found)
        filtered = bool(wanted or kinds or path) and not found and bool(memory.beliefs(limit=1))
    if emitted(found):
        return
    if filtered:
        click.echo("none of what is remembered fits; memlsp beliefs without options lists all", err=True)
    elif not found:
        click.echo('nothing is remembered yet; begin with: memlsp remember "..." --at PATH:LINE', err=True)
    _print_beliefs(found, conflicts)


@click.command("belief")
@click.argument("id")
@as_json
def belief_command(id: str) -> None:
    """Show one belief whole: statement, standing with reasons, places, every revision with what it did to how sure we
    are of it, and where it was served."""
    with opened() as memory:
        judgement = memory.belief(id)
        conflicts = memory.open_conflicts([judgement])
        revisions = memory.revisions(id)
        steps = memory.confidence(id)
        breaches = memory.breaches(id)
        served = memory.served(id)
    shown = {**belief_shape(judgement), "revisions": steps, "breaches": [*map(breach_shape, breaches)]}
    if emitted({**shown, "conflicts": conflicts, "served": served}):
        return
    _print_beliefs([judgement], conflicts)
    for guard in judgement.belief.guards:
        click.echo(f"    guard: {plain(str(guard))}")
        for breach in (each for each in breaches if each.guard == guard):
            what = plain(breach.excerpt) or f"nothing matches in {plain(breach.symbol) or 'this file'}"
            click.echo(f"      {plain(breach.path)}:{breach.span.start_line + 1} {what}")
    for tie in judgement.ties:
        for step in tie.anchor.provenance:
            click.echo(f"    {plain(step)}")
    for line in (
        *source_lines(judgement.belief),
        *limit_lines(judgement.belief),
        *history_lines(revisions, steps, judgement.belief),
    ):
        click.echo(f"    {line}")
    print_served(served)


@click.command("history")
@click.argument("place", type=PLACE)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
@as_json
def history_command(place: Place, limit: int) -> None:
    """The commits that changed what the symbol at PLACE means (not its layout), followed through renames and moves."""
    with opened() as memory, patience("reading the history"):
        history = memory.history(place, base=base_folder(), limit=limit)
        older = _older(memory, place, history, limit)
    if emitted(history.changes):
        return
    if not history.changes and history.stopped != "damaged":
        click.echo("git knows of no change to it", err=True)
    _print_history(history, limit, older, "--limit")


def _print_beliefs(judgements: Sequence[Judgement], conflicts: Sequence[Conflict]) -> None:
    now = datetime.now(UTC)
    for judgement in judgements:
        belief = judgement.belief
        clashes = [each for each in conflicts if belief.id in {each.first, each.second}]
        click.echo(f"{belief.id}  {mark(judgement, clashes=bool(clashes))}  {plain(belief.text)}")
        for each in clashes:
            click.echo(f"    {plain(each.reason)}; memlsp conflicts {each.id}")
        reason = reason_line(judgement.reasons, limit=600)
        if reason and judgement.standing is not Standing.CURRENT:
            click.echo(f"    {reason}")
        for tie in judgement.ties:
            click.echo(f"    at {plain(tie.path)}:{tie.line}" + (f" {plain(tie.symbol)}" if tie.symbol else ""))
            for candidate in tie.candidates:
                click.echo(
                    f"    perhaps {plain(candidate.path)}#{plain(candidate.symbol)} ({candidate.similarity:.0%} alike)"
                )
        foot = " · ".join(filter(None, (provenance(belief, now), checked_words(judgement))))
        click.echo(click.style(f"    {foot}", dim=True))


def _older(memory: Memory, place: Place, history: SymbolHistory, most: int) -> str:
    """What is said of the commits that a limit left out: for a person their number, as far as it is counted soon."""
    if history.stopped == "limit" and attended() and not wants_json():
        whole = memory.history(place, base=base_folder(), limit=_COUNTED, deadline=_COUNTING)
        history = whole if whole.complete or len(whole.changes) > len(history.changes) else history
    return earlier_commits(history, most)


def _print_history(history: SymbolHistory, most: int, older: str, option: str) -> None:
    now = datetime.now(UTC)
    for change in history.changes[:most]:
        click.echo(history_line(change, now, limit=600))
        for part in change.parts[:_MOST_PARTS]:
            click.echo(f"    {plain(part, 200)}")
        if len(change.parts) > _MOST_PARTS:
            click.echo(f"    and {len(change.parts) - _MOST_PARTS} more")
    if older:
        click.echo(f"and {older}: {option} {max(2 * most, 1)}", err=True)
    if history.stopped == "shallow":
        click.echo("the clone is shallow: older history is not here", err=True)
    if history.stopped == "damaged":
        click.echo("git's history cannot be read from there on: memlsp doctor says why", err=True)
