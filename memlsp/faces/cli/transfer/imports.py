"""`memlsp import`: from other programs, and from exports and backups of memlsp."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from memlsp.faces.caller import attended, author_of
from memlsp.faces.cli.console import agreed, bar, emitted, interruptible, opened
from memlsp.faces.cli.options import WriteArguments
from memlsp.faces.hooks import payload_records
from memlsp.faces.render.belief_json import Json, picked
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory.learning.imports import SOURCES, ImportedProposal, ImportScope, SourceImport
from memlsp.model.copy import CopyImport, ImportResult
from memlsp.model.errors import Refused

_SHOWN = 20
_LENGTH = 160
_SIDE_LENGTH = 110  # of one side of a belief that both sides changed


@frozen(kw_only=True)
class ImportArguments(WriteArguments):
    """The argument and options of `memlsp import`."""

    source: str
    origin: Path | None
    everything: bool
    events: bool
    dry_run: bool
    trust: bool
    locks: bool
    damaged: bool

    @property
    def is_for_copies(self) -> bool:
        """Whether an option was given that only the import of a PATH takes."""
        return self.trust or self.locks or self.damaged or bool(self.agent)


def import_command(given: ImportArguments) -> None:
    """Take in what agents have kept on this machine, or a memory that was exported."""
    source = given.source
    if source not in SOURCES:
        if given.everything or given.events or given.origin is not None:
            raise click.UsageError("--from, --all and --events are for transcripts")
        _import_copy(given)
        return
    if given.is_for_copies:
        raise click.UsageError("--trust, --keep-locks, --damaged and --agent are for a PATH")
    with opened() as memory, bar(f"reading {source}", "files") as show:
        done = interruptible(
            lambda stop: memory.imports.run(
                source,
                _records,
                origin=given.origin,
                progress=show,
                cancelled=stop,
                scope=ImportScope(everything=given.everything, events=given.events, dry_run=given.dry_run),
            )
        )
    if not emitted(_shape(done, dry_run=given.dry_run)):
        _print(done, dry_run=given.dry_run)


def _import_copy(given: ImportArguments) -> None:
    path = Path(given.source)
    if "/" not in given.source and not path.exists():
        near = get_close_matches(given.source, SOURCES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"a PATH, or one of {', '.join(SOURCES)}"
        raise click.UsageError(f"there is no {given.source!r} here; {hint}")
    author = author_of(given.agent)
    asks = [option for option, wanted in (("--trust", given.trust), ("--keep-locks", given.locks)) if wanted]
    if asks and not given.dry_run and not attended():
        raise Refused(f"{' and '.join(asks)} is for a person at a terminal, and there is none", "run it in a terminal")
    with opened() as memory:

        def take(*, dry_run: bool) -> ImportResult:
            return memory.copies.take(
                path,
                CopyImport(trusted=given.trust, locks=given.locks, damaged=given.damaged, dry_run=dry_run),
                author=author,
                via="cli",
            )

        if asks and not given.dry_run and not _confirmed(take(dry_run=True), " and ".join(asks)):
            return
        done = take(dry_run=given.dry_run)
    if not emitted(done):
        _print_taken(done)


def _records(agent: str, payload: dict[str, Any]) -> Iterable[Mapping[str, Any]]:
    return payload_records.read(agent, payload)


def _print(done: SourceImport, *, dry_run: bool) -> None:
    if not done.files:
        click.echo(f"{done.source} has kept nothing here; --from names another place", err=True)
        return
    for each in done.proposals[: None if dry_run else _SHOWN]:
        click.echo(f"{each.id}  {each.kind}: {plain(each.text, _LENGTH)}")
        click.echo(f"          {plain(_where(each))}")
    more = len(done.proposals) - _SHOWN
    if more > 0 and not dry_run:
        click.echo(f"          and {more} more")
    click.echo(_counts(done), err=True)
    for path in done.unreadable[:_SHOWN]:
        click.echo(f"could not be read: {plain(path)}", err=True)
    if len(done.unreadable) > _SHOWN:
        click.echo(f"could not be read: {len(done.unreadable) - _SHOWN} more", err=True)
    if done.stopped:
        click.echo("stopped; what was kept stays, and importing again goes on", err=True)
    if dry_run:
        click.echo("nothing was kept", err=True)
    elif done.proposals:
        click.echo("memlsp review goes through them; memlsp revise ID admit holds one true", err=True)
        click.echo(f"memlsp undo --import {done.session} takes all of it back", err=True)


def _counts(done: SourceImport) -> str:
    read = done.done - len(done.unreadable)
    line = f"{count_of(read, 'file')} of {done.files} read: {count_of(len(done.proposals), 'new proposal')}"
    for number, words in (
        (done.known, "known before"),
        (done.elsewhere, "of other projects (--all takes them too)"),
        (done.unfit, "left out: empty, very long, or with a secret"),
        (done.events, "observations kept"),
    ):
        line += f", {number} {words}" if number else ""
    return line


def _where(each: ImportedProposal) -> str:
    line = f":{each.evidence.first_line}" if each.evidence.first_line else ""
    tied = f"; about {', '.join(each.places)}" if each.places else ""
    return f"from {each.evidence.path}{line}{tied}"


def _shape(done: SourceImport, *, dry_run: bool) -> Json:
    return {
        **picked(done, "source"),
        "session": None if dry_run else done.session,
        "dry_run": dry_run,
        **picked(done, "files read=done sessions looked_at known elsewhere unfit unreadable events repeated stopped"),
        "proposals": [
            {**picked(each, "id text kind places"), **picked(each.evidence, "path line=first_line session at@ quote")}
            for each in done.proposals
        ],
    }


def _print_taken(done: ImportResult) -> None:
    """Print the ids of new beliefs on stdout, one a line, and everything else on stderr."""
    for id in (*done.added, *done.advanced, *done.proposed):
        click.echo(id)
    for line in (_copy_counts(done), *_details(done), *_advice(done)):
        click.echo(line, err=True)


def _confirmed(plan: ImportResult, terms: str) -> bool:
    """Print what an import would take, and ask whether to take it on these terms."""
    _print_taken(plan)
    return agreed(f"Take this with {terms}?", "more would be trusted", "Nothing was taken.")


def _copy_counts(done: ImportResult) -> str:
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
        yield f"        here  {plain(clash.here, _SIDE_LENGTH)}"
        yield f"        there {plain(clash.there, _SIDE_LENGTH)}"
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
