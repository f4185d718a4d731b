"""The report of `memlsp import PATH`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from memlsp.faces.cli.console import emit
from memlsp.faces.render.copy_json import taken_shape
from memlsp.faces.render.wording import count_of, plain
from memlsp.model.copy import ImportResult

_SHOWN = 20
_LENGTH = 110


def print_import(done: ImportResult, *, json_wanted: bool) -> None:
    """Print JSON, or the ids of new beliefs on stdout, one a line, and everything else on stderr."""
    if json_wanted:
        emit(taken_shape(done))
        return
    for id in (*done.added, *done.advanced, *done.proposed):
        click.echo(id)
    for line in (_counts(done), *_details(done), *_advice(done)):
        click.echo(line, err=True)


def confirmed(plan: ImportResult, terms: str) -> bool:
    """Print what an import would take, and ask whether to take it on these terms."""
    print_import(plan, json_wanted=False)
    if click.confirm(f"Take this with {terms}?", default=False, err=True):
        return True
    click.echo("Nothing was taken.", err=True)
    return False


def _counts(done: ImportResult) -> str:
    counts = [
        (len(done.added), "added"),
        (len(done.advanced), "went on there"),
        (len(done.joined), "said here already, joined"),
        (done.known, "known"),
        (len(done.proposed), "proposed"),
        (done.past, "of the past, left out"),
        (len(done.clashes), "changed on both sides"),
        (len(done.passed), "passed over"),
    ]
    line = ", ".join(f"{number} {words}" for number, words in counts if number) or "nothing to take"
    return f"{line} (nothing was written: a dry run)" if done.dry_run else line


def _details(done: ImportResult) -> Iterator[str]:
    for clash in done.clashes[:_SHOWN]:
        yield f"both    {clash.id}: {plain(clash.reason)}"
        yield f"        here  {plain(clash.here, _LENGTH)}"
        yield f"        there {plain(clash.there, _LENGTH)}"
        if clash.there_id:
            yield f"        what is said there waits as proposal {clash.there_id}"
    for each in done.passed[:_SHOWN]:
        yield f"passed  {plain(each.name)}: {plain(each.reason)}"
    for label, items in (("both", done.clashes), ("passed", done.passed)):
        if len(items) > _SHOWN:
            yield f"{label:7} and {len(items) - _SHOWN} more (--json has all)"


def _advice(done: ImportResult) -> Iterator[str]:
    if done.unlocked:
        yield f"{count_of(len(done.unlocked), 'belief')} lost a lock: --keep-locks keeps them"
    if done.ended:
        ended = f"{len(done.ended)} of those known are no longer held true here, and stay so"
        yield f"{ended}: memlsp belief {done.ended[0]} says why, memlsp undo --list what was taken back"
    if done.conflicts:
        yield f"{count_of(len(done.conflicts), 'contradiction')}: memlsp conflicts"
    if done.proposed:
        why = "" if done.trusted else "; what this machine has not written is not taken at its word (--trust does)"
        yield f"memlsp proposals shows what waits{why}"
    if (done.added or done.advanced) and not done.dry_run:
        yield f"taken back as one by memlsp undo --import {done.batch}"
