"""`memlsp share` and `memlsp sync`."""

from __future__ import annotations

import click

from memlsp.faces.caller import author_of
from memlsp.faces.cli.console import base_folder, emitted, opened, patience
from memlsp.faces.render.belief_json import picked
from memlsp.faces.render.wording import count_of, plain
from memlsp.memory.sharing.agent_rules import sync_rules
from memlsp.memory.sharing.shared_beliefs import SharedFiles
from memlsp.model.errors import Refused

_MOST_PROVEN = 5


def share_command(ids: tuple[str, ...], *, everything: bool, agent: str | None) -> None:
    """Write beliefs as Markdown files that the team reviews, and take in those of others."""
    author = author_of(agent)
    if author is not None:
        raise Refused(f"{author.name} is an agent: a person decides what is shared", "ask a person")
    if everything and ids:
        raise click.UsageError("--all has no ids beside it")
    with opened() as memory, patience("reading the shared beliefs"):
        done = memory.shared.share(ids) if ids or everything else memory.shared.take(trusted=True)
        proven = [] if ids or everything else memory.shared.proven()
        redundant = [] if ids or everything else memory.shared.redundant()
    shape = {
        **picked(done, "written removed added edited retired unread"),
        "proven": [each.id for each in proven],
        "redundant": [[id, line.document, line.line] for id, line in redundant],
    }
    if not emitted(shape):
        click.echo(told(done) or "Nothing changed in .memlsp/beliefs.")
        for each in proven[:_MOST_PROVEN]:
            click.echo(f"proved itself, and is not shared: {each.id}  {plain(each.text, 100)}")
        for id, line in redundant[:_MOST_PROVEN]:
            click.echo(f"{plain(line.document)}:{line.line} says it too, so agents read it twice: {id}  {line.text}")
    if done.unread:
        raise SystemExit(1)


def told(done: SharedFiles) -> str:
    """What became of the files, a line each; "" for nothing."""
    lines = [
        f"{word} {count_of(len(ids), 'belief')}: {' '.join(ids[:12])}{' …' if len(ids) > 12 else ''}"
        for word, ids in (
            ("wrote", done.written),
            ("removed the files of", done.removed),
            ("took in", done.added),
            ("took in an edit of", done.edited),
            ("retired", done.retired),
        )
        if ids
    ]
    lines += [f".memlsp/beliefs/{plain(name)}: {plain(reason, 300)}" for name, reason in done.unread]
    if done.waiting:
        lines.append(f"{count_of(done.waiting, 'belief')} wait in .memlsp/beliefs: `memlsp share` lets them in")
    return "\n".join(lines)


def sync_command(*, dry_run: bool) -> None:
    """Write the reviewed beliefs that hold into AGENTS.md, CLAUDE.md and the path rules of agents."""
    with patience("holding the shared beliefs against the code"):
        done = sync_rules(base_folder(), dry_run=dry_run)
    if not emitted(picked(done, "changed stale")):
        for path in done.changed:
            click.echo(f"{'out of date' if dry_run else 'wrote'}: {plain(path)}")
        for id in done.stale:
            click.echo(f"left out, since the code contradicts it: {id}")
        if not done.changed:
            click.echo("The agents' files are up to date.")
    if dry_run and done.changed:
        raise SystemExit(1)
