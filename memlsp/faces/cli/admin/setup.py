"""`memlsp init`, `memlsp uninstall` and `memlsp shell-integration`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

from memlsp.faces.cli.console import attended, base_folder
from memlsp.faces.render.wording import plain
from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.clients.shells import Shell, snippet
from memlsp.faces.setup.clients.shells import pieces as shell_pieces
from memlsp.faces.setup.ledger import Ledger
from memlsp.faces.setup.leftovers import of_ledger
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import Piece
from memlsp.faces.setup.plan import Change, apply, installing, removing
from memlsp.memory import clear_everything, clear_workspace, data_folder
from memlsp.model.errors import MemlspError

_PARTS = ("hooks", "servers", "routing")
_AGENTS = [client.name for client in CLIENTS if client.kind is Kind.AGENT]
_SHELLS = [shell.value for shell in Shell]
_EDITORS = [client.name for client in CLIENTS if client.kind is Kind.EDITOR]

_dry_run = click.option("--dry-run", is_flag=True, help="Print what would change as a diff, and change nothing.")
_yes = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


@click.command("init")
@click.option(
    "--agent", "agents", type=click.Choice(_AGENTS), multiple=True, help="This one, found or not; repeatable."
)
@click.option("--editor", "editors", type=click.Choice(_EDITORS), multiple=True, help="The same for an editor.")
@click.option(
    "--project/--user",
    "project",
    default=False,
    help="Write into this project's files instead of your own (the default).",
)
@click.option(
    "--without",
    "left_out",
    type=click.Choice(_PARTS),
    multiple=True,
    help="Leave out hooks, MCP and language servers, or the text that says when to use them; repeatable.",
)
@click.option(
    "--shell",
    "shells",
    type=click.Choice(_SHELLS),
    multiple=True,
    help="Also let this shell tell which commands ran; repeatable. Never done unasked.",
)
@_dry_run
@_yes
def init_command(
    *,
    agents: tuple[str, ...],
    editors: tuple[str, ...],
    shells: tuple[str, ...],
    project: bool,
    left_out: tuple[str, ...],
    dry_run: bool,
    yes: bool,
) -> None:
    """Set up the agents and editors that are here.

    Shows what it would write, asks, keeps a copy of every file it changes, and touches only its own entries.
    A second run finds nothing to do; `memlsp uninstall` takes everything out again.
    """
    surroundings = Surroundings.here(base_folder())
    extent = Extent.PROJECT if project else Extent.USER
    named = {*agents, *editors}
    chosen = [] if shells and not named else _chosen(surroundings, extent, named)
    if not chosen and not shells:
        click.echo("No agent or editor was found here. Name one: memlsp init --agent claude-code")
        return
    ledger = Ledger.load(data_folder())
    pieces: list[Piece] = []
    notes: list[str] = []
    for client in chosen:
        parts = client.parts(surroundings, extent)
        kinds = {"hooks": parts.hooks, "servers": parts.servers, "routing": parts.routing}
        for name, wanted in kinds.items():
            if name not in left_out:
                pieces.extend(wanted)
        notes.extend(f"{client.title} {note}" for note in parts.notes)
    for shell in shells:
        pieces.extend(shell_pieces(surroundings, Shell(shell), data_folder()))
        notes.append(f"{shell} tells of commands from the next shell on; MEMLSP_TERMINAL=off turns it off in one")
    if surroundings.environ.get("MEMLSP_DATA_DIR"):
        notes.append(
            "MEMLSP_DATA_DIR is set here; an agent that is not started from here needs it in its own environment"
        )
    changes = installing(pieces, ledger, surroundings.project if project else None)
    _show(changes, surroundings, diffs=dry_run)
    failed = _carry_out(changes, ledger, surroundings, dry_run=dry_run, yes=yes, done="set up")
    for note in notes:
        click.echo(f"note: {note}")
    if not dry_run:
        from memlsp.memory.ingest.hook_ingest import prepare  # late: what it takes, the first hook need not

        prepare()
    if failed:
        raise SystemExit(1)


@click.command("uninstall")
@click.option("--purge", is_flag=True, help="Then delete this workspace's memory too, after asking.")
@click.option("--purge-all", is_flag=True, help="Then delete every memory on this machine, after asking.")
@_dry_run
@_yes
def uninstall_command(*, purge: bool, purge_all: bool, dry_run: bool, yes: bool) -> None:
    """Take everything that `memlsp init` wrote out again.

    Files that were there before are as they were; files that were only ours are deleted. What is remembered stays,
    unless you ask for --purge or --purge-all. The program itself goes as it came: pip uninstall memlsp.
    """
    surroundings = Surroundings.here(base_folder())
    ledger = Ledger.load(data_folder())
    pieces = [piece for extent in Extent for client in CLIENTS for piece in _all(client.parts(surroundings, extent))]
    for shell in Shell:
        pieces.extend(shell_pieces(surroundings, shell, data_folder()))
    changes = removing([*pieces, *of_ledger(ledger, pieces)], ledger)
    _show(changes, surroundings, diffs=dry_run)
    failed = _carry_out(changes, ledger, surroundings, dry_run=dry_run, yes=yes, done="taken out")
    if not dry_run and (purge or purge_all):
        _purge(surroundings, everything=purge_all, yes=yes)
    if failed:
        raise SystemExit(1)


@click.command("shell-integration")
@click.argument("shell", type=click.Choice(_SHELLS))
def shell_integration_command(shell: str) -> None:
    """Print what a shell has to read to tell memlsp which commands ran.

    Nothing is told until you put it there yourself, or have `memlsp init --shell` do it:

    \b
      memlsp shell-integration bash >> ~/.bashrc
      memlsp shell-integration fish > ~/.config/fish/conf.d/memlsp.fish
    """
    click.echo(snippet(Shell(shell)), nl=False)


def _purge(surroundings: Surroundings, *, everything: bool, yes: bool) -> None:
    what = "every memory on this machine" if everything else f"the memory of {plain(str(surroundings.project))}"
    if not yes and not attended():
        click.echo(f"Kept: {what}. There is nobody to ask; --yes deletes it.")
        return
    if not yes and not click.confirm(f"Delete {what}? It cannot be brought back.", default=False):
        click.echo(f"Kept: {what}.")
        return
    deleted = clear_everything() if everything else clear_workspace(surroundings.project)
    click.echo(f"Deleted: {what}." if deleted else "There was nothing to delete.")


def _all(parts: Parts) -> Iterator[Piece]:
    yield from (*parts.hooks, *parts.servers, *parts.routing)


def _chosen(surroundings: Surroundings, extent: Extent, named: set[str]) -> list[Client]:
    if named:
        return [client for client in CLIENTS if client.name in named]
    return [client for client in CLIENTS if client.found(surroundings, extent)]


def _show(changes: Sequence[Change], surroundings: Surroundings, *, diffs: bool) -> None:
    for change in changes:
        name = plain(surroundings.shown(change.path))
        if change.problem:
            click.echo(f"left    {name}: {plain(change.problem)}", err=True)
        elif change.needed:
            verb = "new" if change.before is None else "delete" if change.after is None else "change"
            click.echo(f"{verb:7} {name}  ({', '.join(change.about)})")
            if diffs:
                click.echo(change.diff(name))


def _carry_out(
    changes: Iterable[Change], ledger: Ledger, surroundings: Surroundings, *, dry_run: bool, yes: bool, done: str
) -> bool:
    """Write, after asking; True when some file could not be seen to."""
    failed = any(change.problem for change in changes)
    needed = [change for change in changes if change.needed]
    if not needed:
        click.echo("Nothing to do.")
        return failed
    if dry_run:
        return failed
    if not yes and not attended():
        click.echo("Nothing was written: there is nobody to ask. Look with --dry-run, write with --yes.")
        return failed
    if not yes and not click.confirm(f"Write {_count(len(needed))}?", default=True):
        click.echo("Nothing was written.")
        return failed
    written = 0
    for change in needed:
        try:
            ledger = apply(change, ledger)
            written += 1
        except (OSError, MemlspError) as error:
            failed = True
            click.echo(f"left    {plain(surroundings.shown(change.path))}: {plain(str(error))}", err=True)
    ledger.store()
    click.echo(f"{_count(written)} {done}.")
    return failed


def _count(files: int) -> str:
    return "1 file" if files == 1 else f"{files} files"
