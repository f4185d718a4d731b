"""`memlsp init`, `memlsp uninstall` and `memlsp shell-integration`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import click

from memlsp.faces.caller import attended
from memlsp.faces.cli.console import base_folder
from memlsp.faces.cli.options import one_of
from memlsp.faces.render.wording import count_of, plain
from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.clients.client import ClientKind, SetupClient
from memlsp.faces.setup.clients.shells import Shell, snippet
from memlsp.faces.setup.clients.shells import edits as shell_edits
from memlsp.faces.setup.file_edits import SetupEdit
from memlsp.faces.setup.ledger import Ledger
from memlsp.faces.setup.machine import Extent, UserMachine
from memlsp.faces.setup.plan import PlannedChange, apply, install_plan, leftovers, removal_plan
from memlsp.memory import clear_everything, clear_workspace, data_folder
from memlsp.memory.ingest.capture_switches import capture_status, settings_of
from memlsp.model.errors import MemlspError

_PARTS = ("hooks", "servers", "routing")
_AGENTS = [client.name for client in CLIENTS if client.kind is ClientKind.AGENT]
_EDITORS = [client.name for client in CLIENTS if client.kind is ClientKind.EDITOR]


def init_command(
    *,
    agents: tuple[Annotated[str, one_of(_AGENTS)], ...],
    editors: tuple[Annotated[str, one_of(_EDITORS)], ...],
    project: bool,
    left_out: tuple[Annotated[str, one_of(_PARTS)], ...],
    shells: tuple[Shell, ...],
    dry_run: bool,
    yes: bool,
) -> None:
    """Set up the agents and editors that are here."""
    machine = _machine()
    extent = Extent.PROJECT if project else Extent.USER
    named = {*agents, *editors}
    chosen = [] if shells and not named else _chosen(machine, extent, named)
    if not chosen and not shells:
        click.echo("No agent or editor was found here. Name one: memlsp init --agent claude-code")
        return
    ledger = Ledger.load(data_folder())
    edits: list[SetupEdit] = []
    notes: list[str] = []
    for client in chosen:
        wanted = client.edits(machine, extent)
        for name, entries in (("hooks", wanted.hooks), ("servers", wanted.servers), ("routing", wanted.routing)):
            edits.extend(() if name in left_out else entries)
        told = filter(None, (*wanted.notes, client.unfit(machine)))
        notes.extend(f"{client.title} {note}" for note in told)
    for shell in shells:
        edits.extend(shell_edits(machine, shell, data_folder()))
        notes.append(f"{shell} tells of commands from the next shell on; MEMLSP_TERMINAL=off turns it off in one")
    if machine.environ.get("MEMLSP_DATA_DIR"):
        notes.append(
            "MEMLSP_DATA_DIR is set here; an agent that is not started from here needs it in its own environment"
        )
    changes = install_plan(edits, ledger, machine.project if project else None)
    _show(changes, machine, diffs=dry_run)
    failed = _carry_out(changes, ledger, machine, dry_run=dry_run, yes=yes, done="set up")
    for note in notes:
        click.echo(f"note: {note}")
    if not dry_run:
        from memlsp.memory.ingest.hook_ingest import prepare  # late: it takes time, which the first hook saves

        prepare()
    if failed:
        raise SystemExit(1)


def uninstall_command(*, purge: bool, purge_all: bool, dry_run: bool, yes: bool) -> None:
    """Take everything that `memlsp init` wrote out again."""
    machine = _machine()
    ledger = Ledger.load(data_folder())
    edits = [edit for extent in Extent for client in CLIENTS for edit in client.edits(machine, extent).all]
    for shell in Shell:
        edits.extend(shell_edits(machine, shell, data_folder()))
    changes = removal_plan([*edits, *leftovers(ledger, edits)], ledger)
    _show(changes, machine, diffs=dry_run)
    failed = _carry_out(changes, ledger, machine, dry_run=dry_run, yes=yes, done="taken out")
    if not dry_run and (purge or purge_all):
        _purge(machine, everything=purge_all, yes=yes)
    if failed:
        raise SystemExit(1)


def shell_integration_command(shell: Shell) -> None:
    """Print what a shell has to read to tell memlsp which commands ran."""
    click.echo(snippet(shell), nl=False)


def machine_here() -> UserMachine:
    """This machine, as the person's settings want it set up."""
    return UserMachine.here(base_folder(), enforces=settings_of(base_folder()).enforce != "tell")


def _machine() -> UserMachine:
    """The same; what is wrong with the settings goes to stderr."""
    for fault in settings_of(base_folder()).faults:
        click.echo(f"memlsp: {fault}", err=True)
    return machine_here()


def _purge(machine: UserMachine, *, everything: bool, yes: bool) -> None:
    root = capture_status(machine.project).root  # without git it may lie above
    what = "every memory on this machine" if everything else f"the memory of {plain(str(root))}"
    if not yes and not attended():
        click.echo(f"Kept: {what}. There is nobody to ask; --yes deletes it.")
        return
    if not yes and not click.confirm(f"Delete {what}? It cannot be brought back.", default=False):
        click.echo(f"Kept: {what}.")
        return
    deleted = clear_everything() if everything else clear_workspace(machine.project)
    click.echo(f"Deleted: {what}." if deleted else "There was nothing to delete.")


def _chosen(machine: UserMachine, extent: Extent, named: set[str]) -> list[SetupClient]:
    if named:
        return [client for client in CLIENTS if client.name in named]
    return [client for client in CLIENTS if client.found(machine, extent)]


def _show(changes: Sequence[PlannedChange], machine: UserMachine, *, diffs: bool) -> None:
    for change in changes:
        name = plain(machine.shown(change.path))
        if change.problem:
            click.echo(f"left    {name}: {plain(change.problem)}", err=True)
        elif change.needed:
            verb = "new" if change.before is None else "delete" if change.after is None else "change"
            click.echo(f"{verb:7} {name}  ({', '.join(change.about)})")
            if diffs:
                click.echo(change.diff(name))


def _carry_out(
    changes: Iterable[PlannedChange], ledger: Ledger, machine: UserMachine, *, dry_run: bool, yes: bool, done: str
) -> bool:
    """Write the changes, after asking; True when some file could not be changed."""
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
    if not yes and not click.confirm(f"Write {count_of(len(needed), 'file')}?", default=True):
        click.echo("Nothing was written.")
        return failed
    written = 0
    for change in needed:
        try:
            ledger = apply(change, ledger)
            written += 1
        except (OSError, MemlspError) as error:
            failed = True
            click.echo(f"left    {plain(machine.shown(change.path))}: {plain(str(error))}", err=True)
    ledger.store()
    click.echo(f"{count_of(written, 'file')} {done}.")
    return failed
