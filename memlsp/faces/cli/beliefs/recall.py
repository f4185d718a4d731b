"""`memlsp recall` and `receipts`: questions, their answers, and the record of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from memlsp.faces.cli.shared import PLACE, as_json, base_folder, emit, opened
from memlsp.faces.render import recall_json
from memlsp.faces.render.conflicts import conflict_shape
from memlsp.faces.render.wording import plain
from memlsp.model.errors import BadValue
from memlsp.model.place import Place
from memlsp.model.recall import Omission, Recall, Receipt

_LEFT_OUT = {
    "budget": "what answers better took the room",
    "limit": "beyond --limit",
    "below-cutoff": "far less to the point than the best",
    "branch": "learned on a branch that is not here; --all-branches asks those too",
    "as-of": "not known then, or not in these words",
}
_NAMED = 12  # ids of a reason on its line; --json has all
_QUERY = 100  # characters of a question on one line


@click.command(
    "recall",
    epilog="""Examples:

\b
  memlsp recall "how do we retry"
  memlsp recall "why three times" --at client.py#fetch --explain
  memlsp recall "how do we retry" --as-of v1.2
  memlsp recall "how do we retry" --as-of 2026-10-01
""",
)
@click.argument("query")
@click.option(
    "--at", "place", type=PLACE, metavar="PLACE", help="What the question is about; what is tied nearby comes first."
)
@click.option("--budget", type=click.IntRange(1), default=1200, show_default=True, help="Tokens at the most.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Beliefs at the most.")
@click.option(
    "--as-of",
    metavar="COMMIT|DATE",
    default=None,
    help="The memory as it was then: a hash, branch or tag, or a date (2026-10-01, its end).",
)
@click.option(
    "--all-branches", is_flag=True, help="Also what was learned on branches that have not come to the one checked out."
)
@click.option("--no-work", is_flag=True, help="Beliefs alone, no commits and episodes.")
@click.option("--explain", is_flag=True, help="Why each answer is there, and what was left out and why.")
@as_json
def recall_command(
    query: str,
    place: Place | None,
    budget: int,
    limit: int,
    as_of: str | None,
    *,
    all_branches: bool,
    no_work: bool,
    explain: bool,
    json_wanted: bool,
) -> None:
    """Ask in words: `memlsp recall "how do we retry"`. What no longer holds comes last, with the reason."""
    if not query.strip():
        raise BadValue("there is no question", 'ask in words: memlsp recall "how do we retry"')
    with opened() as memory:
        answer = memory.recall(
            query,
            at=place,
            base=base_folder(),
            budget=budget,
            limit=limit,
            asker="cli",
            as_of=as_of,
            branch_aware=not all_branches,
            work=not no_work,
        )
        # what was believed at another time is not held against what is open now
        served = () if as_of else [hit.judgement.belief.id for hit in answer.hits]
        conflicts = {each.id: each for id in served for each in memory.conflicts.of(id)}
    if json_wanted:
        told = [conflict_shape(each) for each in conflicts.values()]
        emit({**recall_json.recall_shape(answer), "conflicts": told})
        return
    _print_answer(answer, explain=explain)
    for conflict in conflicts.values():
        click.echo(f"contradiction: {plain(conflict.reason)}; memlsp conflicts {conflict.id}", err=True)


def _print_answer(answer: Recall, *, explain: bool) -> None:
    for hit in (*answer.hits, *answer.work):
        click.echo(hit.served)
        score = f"{hit.score:.3f}: " if explain else ""
        click.echo(click.style(f"    {score}{plain('; '.join(hit.why))}", dim=True))
    if explain:
        _print_left_out(answer.left_out)
        click.echo(f"{answer.tokens} tokens", err=True)
    elif answer.left_out:
        counts = Counter(each.reason for each in answer.left_out)
        told = "; ".join(f"{count} ({_LEFT_OUT.get(reason, reason)})" for reason, count in counts.most_common())
        click.echo(f"left out: {told}", err=True)
    elif not answer.hits and not answer.work:
        click.echo("nothing that is remembered answers this", err=True)


def _print_left_out(left_out: Sequence[Omission]) -> None:
    for reason, ids in _by_reason(left_out).items():
        named = ", ".join(map(_short, ids[:_NAMED]))
        more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
        click.echo(f"left out: {named}{more} ({_LEFT_OUT.get(reason, reason)})", err=True)


def _by_reason(left_out: Sequence[Omission]) -> dict[str, list[str]]:
    """The ids that were left out for each reason, in their order."""
    found: dict[str, list[str]] = {}
    for omission in left_out:
        found.setdefault(omission.reason, []).append(omission.id)
    return found


@click.command(
    "receipts",
    epilog="""Examples:

\b
  memlsp receipts
  memlsp receipts --belief k3x9 --limit 5
  memlsp receipts --json
""",
)
@click.option("--belief", "id", metavar="ID", default=None, help="Only those that served this belief.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Receipts at the most.")
@as_json
def receipts_command(id: str | None, limit: int, *, json_wanted: bool) -> None:
    """What was asked, by whom, and what was served, newest first. That a belief was used is no evidence for it."""
    with opened() as memory:
        found = memory.receipts(limit, belief=id)
    if json_wanted:
        emit([recall_json.receipt_shape(receipt) for receipt in found])
        return
    if not found:
        click.echo("nothing was asked yet" if id is None else "no recall that is kept served it", err=True)
    for receipt in found:
        click.echo(receipt_line(receipt))
        if receipt.served:
            click.echo(click.style(f"    served {', '.join(map(_short, receipt.served))}", dim=True))
        counts = Counter(each.reason for each in receipt.left_out)
        if counts:
            told = ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
            click.echo(click.style(f"    left out {told}", dim=True))


def receipt_line(receipt: Receipt) -> str:
    """When, by whom, what, and how much of an answer there was, on one line."""
    about = f" as of {plain(receipt.as_of, 40)}" if receipt.as_of else ""
    return (
        f"{receipt.at:%Y-%m-%d %H:%M}  {plain(receipt.asker, 40)}  “{plain(receipt.query, _QUERY)}”{about}"
        f"  {len(receipt.served)} served, {receipt.tokens} tokens"
    )


def print_served(receipts: Sequence[Receipt], most: int = 3) -> None:
    """Where a belief was used, for its page."""
    if not receipts:
        return
    many = f"{len(receipts)} times" if len(receipts) > 1 else "once"
    click.echo(f"    served {many}, which is no evidence; latest:")
    for receipt in receipts[:most]:
        click.echo(click.style(f"      {receipt_line(receipt)}", dim=True))


def _short(id: str) -> str:
    """Commits by the beginning of their hash."""
    return id[:10] if len(id) >= 40 else id
