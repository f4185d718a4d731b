"""`memlsp forget`, and `memlsp user`: what holds in every workspace, listed, exported and deleted."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click
from attrs import frozen

from memlsp.faces.caller import author_of, keep_locks, session_of
from memlsp.faces.cli.console import emitted, opened, patience, wants_json
from memlsp.faces.cli.options import WriteArguments
from memlsp.faces.cli.transfer.copies import write_out
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory import Memory
from memlsp.model.audit import ErasureReceipt, Preview, Selector, SelectorKind
from memlsp.model.belief import ScopeKind
from memlsp.model.errors import NotFound, Refused

_SHOWN = 12
_IN_COPIES = frozenset({SelectorKind.QUERY, SelectorKind.PERSON})
"""Selections by words, which may match in a copy alone; only a search of the copy shows that."""


@frozen(kw_only=True)
class ErasureArguments(WriteArguments):
    """The options that every command has that forgets."""

    dry_run: bool
    yes: bool


@frozen(kw_only=True)
class ForgetArguments(ErasureArguments):
    """The argument and options of `memlsp forget`."""

    id: str | None
    query: str | None
    session: str | None
    path: str | None
    person: str | None
    workspace: bool
    receipts: bool

    @property
    def selector(self) -> Selector:
        """The one thing to forget. Raises click's UsageError for none or several."""
        named = {
            SelectorKind.BELIEF: self.id,
            SelectorKind.QUERY: self.query,
            SelectorKind.SESSION: self.session,
            SelectorKind.FILE: self.path,
            SelectorKind.PERSON: self.person,
            SelectorKind.WORKSPACE: "" if self.workspace else None,
        }
        given = [Selector(kind, value) for kind, value in named.items() if value is not None]
        if len(given) != 1:
            raise click.UsageError(
                "name one thing to forget: an ID, --query, --session, --file, --person or --workspace"
            )
        return given[0]


def forget_command(given: ForgetArguments) -> None:
    """Take something out of the memory for good, with everything that was derived from it."""
    with opened() as memory:
        if given.receipts:
            _print_receipts(memory.forgetting.receipts())
        else:
            _forget(memory, given.selector, given)


def _forget(memory: Memory, selector: Selector, given: ErasureArguments) -> None:
    author = author_of(given.agent)
    session = session_of(author)
    preview = memory.forgetting.preview(selector, author=author, session=session)
    if given.dry_run:
        if not emitted(preview):
            _print_preview(preview)
            click.echo("nothing was taken", err=True)
        return
    if preview.refused:
        raise Refused(preview.refused, "ask a person to do it")
    source = keep_locks(author, preview.beliefs)
    if preview.is_empty and not (preview.copies and selector.kind in _IN_COPIES):
        raise NotFound("there is nothing of that to forget", "memlsp beliefs --all lists what is believed")
    if not wants_json():
        _print_preview(preview)
    if not given.yes:
        if not sys.stdin.isatty():
            why = "forgetting cannot be taken back, and nobody can be asked here"
            raise Refused(why, "--yes says that you are sure")
        click.confirm("Take this away for good?", abort=True, err=True)
    try:
        with patience("forgetting, and searching the files"):
            receipt = memory.forgetting.forget(selector, author=author, source=source, session=session)
    except KeyboardInterrupt:
        click.echo(
            "stopped in the middle: memlsp forget --query WORDS takes what copies and caches still hold", err=True
        )
        raise
    if not emitted(receipt):
        _print_receipt(receipt)
    if receipt.left:
        raise SystemExit(1)


def _print_preview(preview: Preview) -> None:
    for belief in preview.beliefs[:_SHOWN]:
        click.echo(f"{belief.id}  {belief.kind}, {belief.status}: {plain(belief.text)}")
    if len(preview.beliefs) > _SHOWN:
        click.echo(f"          and {len(preview.beliefs) - _SHOWN} more")
    counts = _counted((("beliefs", len(preview.beliefs)), *preview.others))
    click.echo(f"would go, or lose these words: {counts}", err=True)
    for id, reason in preview.stays[:_SHOWN]:
        click.echo(f"stays: {id}, {plain(reason)}", err=True)
    for path in preview.copies:
        click.echo(f"is gone through too: {plain(path)}", err=True)
    if preview.refused:
        click.echo(f"but you may not: {plain(preview.refused)}", err=True)


def _print_receipt(receipt: ErasureReceipt) -> None:
    click.echo(f"forgotten: {_counted(receipt.removed)}", err=True)
    if not receipt.left:
        click.echo(f"{count_of(receipt.searched, 'file')} searched, nothing found (receipt {receipt.id})", err=True)
        return
    click.echo(f"{count_of(receipt.searched, 'file')} searched; it is still found, or may be, in:", err=True)
    for path in receipt.left:
        click.echo(f"  {plain(path)}", err=True)
    click.echo("close what has them open and forget again, or delete them", err=True)


def _print_receipts(receipts: tuple[ErasureReceipt, ...]) -> None:
    if emitted(receipts):
        return
    for receipt in receipts:
        counts = _counted(receipt.removed)
        left = f"; found, or may be, in {count_of(len(receipt.left), 'place')}" if receipt.left else ""
        when = f"{receipt.at.astimezone():%Y-%m-%d %H:%M}"
        who = plain(receipt.author.name)
        click.echo(f"{receipt.id:>4}  {when}  {who}, a {receipt.selector}: {counts}{left}")
    if not receipts:
        click.echo("nothing was forgotten yet", err=True)


def _counted(numbers: Iterable[tuple[str, int]]) -> str:
    counts: list[str] = []
    for things, number in numbers:
        thing = things.removesuffix("ies") + "y" if things.endswith("ies") else things.removesuffix("s")
        counts.append(f"{number} {thing if number == 1 else things}")
    return ", ".join(counts)


def user_command() -> None:
    """Your own beliefs, which hold in every workspace: list, export, delete."""


def list_user(*, include_past: bool) -> None:
    """List them."""
    with opened() as memory:
        known = memory.beliefs(include_past=include_past)
        found = [judgement for judgement in known if judgement.belief.scope.kind is ScopeKind.USER]
    if emitted(found):
        return
    for judgement in found:
        click.echo(f"{judgement.belief.id}  {judgement.belief.kind}: {plain(judgement.belief.text)}")
    if not found:
        click.echo("none; memlsp remember TEXT --scope user makes one", err=True)


def export_user(path: Path | None, target: Path | None, agent: str | None) -> None:
    """Write them with their histories to PATH, one a line, as memlsp import reads them.

    "-" is standard output; left out, it is memlsp-export.jsonl here. The same as memlsp export --user.
    """
    if path is not None and target is not None and path != target:
        raise click.UsageError(f"PATH says {path}, and --to says {target}")
    write_out(path or target, agent, user=True)


def delete_user(given: ErasureArguments) -> None:
    """Forget all of them, with everything that was derived from them."""
    with opened() as memory:
        _forget(memory, Selector(SelectorKind.USER), given)
