"""`memlsp recall` and `receipts`: questions, their answers, and the record of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import click
from attrs import frozen

from memlsp.faces.cli.console import base_folder, emitted, opened
from memlsp.faces.cli.options import Count
from memlsp.faces.render.belief_json import shape_of
from memlsp.faces.render.wording import WORDS, listing, plain
from memlsp.model.errors import BadValue
from memlsp.model.place import Place
from memlsp.model.recall import Hit, Omission, Recall, RecallOptions, Receipt

_LEFT_OUT = WORDS["left_out"]
_NAMED = 12  # ids of a reason on its line; --json has all
_SERVED = 3  # the latest receipts on the page of a belief
_QUERY = 100  # characters of a question on one line


@frozen(kw_only=True)
class RecallArguments:
    """The question and options of `memlsp recall`."""

    query: str
    place: Place | None
    budget: Count = 1200
    limit: Count = 20
    as_of: str | None
    all_branches: bool
    no_work: bool
    explain: bool


def recall_command(given: RecallArguments) -> None:
    """Ask in words: `memlsp recall "how do we retry"`. What no longer holds comes last, with the reason."""
    if not given.query.strip():
        raise BadValue("there is no question", 'ask in words: memlsp recall "how do we retry"')
    with opened() as memory:
        answer = memory.recall(
            given.query,
            RecallOptions(
                at=given.place,
                base=base_folder(),
                budget=given.budget,
                limit=given.limit,
                as_of=given.as_of,
                branch_aware=not given.all_branches,
                work=not given.no_work,
            ),
            asker="cli",
        )
        # conflicts are those of now, which say nothing of an answer as of another time
        conflicts = () if given.as_of else memory.open_conflicts(hit.judgement for hit in answer.hits)
    if emitted({**shape_of(answer), "conflicts": conflicts}):
        return
    _print_answer(answer, {id for each in conflicts for id in (each.first, each.second)}, explain=given.explain)
    for conflict in conflicts:
        click.echo(f"contradiction: {plain(conflict.reason)}; memlsp conflicts {conflict.id}", err=True)


def _print_answer(answer: Recall, clashing: AbstractSet[str], *, explain: bool) -> None:
    for hit in (*answer.hits, *answer.work):
        told = hit.served
        if isinstance(hit, Hit) and hit.judgement.standing.holds and hit.judgement.belief.id in clashing:
            told = told.replace(f", {hit.judgement.standing}", ", in conflict", 1)
        click.echo(told)
        score = f"{hit.score:.3f}: " if explain else ""
        click.echo(click.style(f"    {score}{plain('; '.join(hit.why))}", dim=True))
    if explain:
        _print_left_out(answer.left_out)
        click.echo(f"{answer.tokens} tokens", err=True)
    elif answer.left_out:
        counts = Counter(each.reason for each in answer.left_out)
        reasons = "; ".join(f"{count} ({_LEFT_OUT.get(reason, reason)})" for reason, count in counts.most_common())
        click.echo(f"left out: {reasons}", err=True)
    elif not answer.hits and not answer.work:
        click.echo("nothing that is remembered answers this", err=True)


def _print_left_out(left_out: Sequence[Omission]) -> None:
    by_reason: dict[str, list[str]] = {}
    for omission in left_out:
        by_reason.setdefault(omission.reason, []).append(omission.id)
    for reason, ids in by_reason.items():
        named = listing([_short(id) for id in ids], _NAMED)
        click.echo(f"left out: {named} ({_LEFT_OUT.get(reason, reason)})", err=True)


def receipts_command(id: str | None, limit: Count = 20) -> None:
    """What was told, where, to whom, and in how many tokens, newest first. That a belief was used is no evidence for
    it."""
    with opened() as memory:
        found = memory.receipts(limit, belief=id)
    if emitted(found):
        return
    if not found:
        click.echo("nothing was told yet" if id is None else "no telling that is kept has it", err=True)
    for receipt in found:
        click.echo(receipt_line(receipt))
        if receipt.served:
            click.echo(click.style(f"    told {', '.join(map(_short, receipt.served))}", dim=True))
        counts = Counter(each.reason for each in receipt.left_out)
        if counts:
            reasons = ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
            click.echo(click.style(f"    left out {reasons}", dim=True))


RECALL = "recall"
"""The surface whose receipts hold a question."""


def receipt_line(receipt: Receipt) -> str:
    """A receipt on one line: when, to whom, the question or the surface, and the size of the answer."""
    about = f" as of {plain(receipt.as_of, 40)}" if receipt.as_of else ""
    query = plain(receipt.query, _QUERY)
    what = f"“{query}”" if receipt.surface == RECALL else f"{receipt.surface} {query}".rstrip()
    return (
        f"{receipt.at:%Y-%m-%d %H:%M}  {plain(receipt.asker, 40)}  {what}{about}"
        f"  {len(receipt.served)} served, {receipt.tokens} tokens"
    )


def print_served(receipts: Sequence[Receipt]) -> None:
    """Print when a belief was served last, for its page."""
    if not receipts:
        return
    many = f"{len(receipts)} times" if len(receipts) > 1 else "once"
    click.echo(f"    served {many}, which is no evidence; latest:")
    for receipt in receipts[:_SERVED]:
        click.echo(click.style(f"      {receipt_line(receipt)}", dim=True))


def _short(id: str) -> str:
    return id[:10] if len(id) >= 40 else id
