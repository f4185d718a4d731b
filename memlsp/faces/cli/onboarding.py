"""`memlsp onboard`."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import click

from memlsp.faces import shapes
from memlsp.faces.cli.shared import as_json, emit, opened
from memlsp.faces.wording import count_of
from memlsp.memory import Memory
from memlsp.model.episode import Onboarding

_WHY = {
    "cancelled": "stopped; run it again to go on from there",
    "busy": "another process is reading it now",
    "no-git": "there is no git history to read here",
    "read-only": "the memory cannot be written, so that nothing can be kept",
    "damaged": "the repository could not be read to the end; git fsck says more",
}


@click.command("onboard")
@click.option(
    "--commits",
    "most",
    type=click.IntRange(1),
    default=2_000,
    show_default=True,
    help="Commits at the most, the newest.",
)
@as_json
def onboard_command(most: int, *, json_wanted: bool) -> None:
    """Read the git history once into symbol changes, newest first. Editors do it by themselves.

    Ctrl-C stops it; the next time it goes on from there, and reads what is new.
    """
    with opened() as memory:
        state = _read(memory, most)
    if json_wanted:
        emit(shapes.onboarding_shape(state))
    elif state.stopped:
        click.echo(f"{count_of(state.read, 'commit')} read; {_WHY.get(state.stopped, state.stopped)}", err=True)
    elif state.read:
        click.echo(f"{count_of(state.read, 'commit')} read: {count_of(state.changes, 'symbol change')}")
    else:
        click.echo("nothing new to read")
    if state.stopped in {"no-git", "read-only", "damaged"}:
        raise SystemExit(1)


def _read(memory: Memory, most: int) -> Onboarding:
    """Read in another thread, so that Ctrl-C is heard at once; what was read until then is kept."""
    stop = threading.Event()
    ended: list[Onboarding | Exception] = []
    with _bar() as show:

        def work() -> None:
            try:
                ended.append(memory.onboard(most=most, progress=show, cancelled=stop.is_set))
            except Exception as error:  # noqa: BLE001 - raised again below, where it is heard
                ended.append(error)

        thread = threading.Thread(target=work, name="memlsp-onboarding")
        thread.start()
        while not ended:
            try:
                while thread.is_alive():
                    thread.join(0.1)
            except KeyboardInterrupt:
                stop.set()
    if isinstance(ended[0], Exception):
        raise ended[0]
    return ended[0]


@contextmanager
def _bar() -> Generator[Callable[[Onboarding], None]]:
    """A progress bar on stderr, where that is a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda _: None
        return
    from rich.console import Console  # only where there is a terminal to show it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading the history"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("commits", total=None)
        yield lambda state: bar.update(task, total=state.total, completed=state.present)
