"""The memory that a command works on, and what a terminal has: JSON, questions, progress, Ctrl-C."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TypeVar

import click

from memlsp.faces.caller import attended
from memlsp.faces.cli.options import JSON
from memlsp.faces.render.belief_json import shaped
from memlsp.memory import Memory
from memlsp.model.errors import NoWorkspace, Refused, StoreUnavailable

Result = TypeVar("Result")

_PATIENCE = 5.0  # seconds for settling recent events before an answer


@contextmanager
def opened() -> Generator[Memory]:
    """The memory that a command works on: of -C, else of the current folder. Notices for a person (a damaged store set
    aside) go to stderr, each once."""
    start = base_folder()
    with Memory.open(start) as memory:
        shown: set[str] = set()

        def show_notices() -> None:
            for notice in memory.notices:
                if notice not in shown:
                    shown.add(notice)
                    click.echo(f"memlsp: {notice}", err=True)

        if not memory.read_only:
            _take_shared(memory)
            show_notices()
        try:
            yield memory
        except StoreUnavailable:
            raise  # it says by itself why nothing can be written
        except BaseException:
            show_notices()
            raise
        show_notices()


def _take_shared(memory: Memory) -> None:
    """Take in what others changed in the repository's own beliefs."""
    done = memory.take_shared()
    if done is not None and done.waiting:
        click.echo(f"memlsp: .memlsp/beliefs has {done.waiting} beliefs: `memlsp share` lets them in", err=True)
    for name, reason in done.unread if done is not None else ():
        click.echo(f"memlsp: .memlsp/beliefs/{name}: {reason}", err=True)


def base_folder() -> Path:
    """The folder of relative paths on the command line. Raises NoWorkspace when it does not exist."""
    folder: Path | None = click.get_current_context().obj
    if folder is None:
        return _current_folder()
    if not folder.is_absolute():
        folder = _current_folder() / folder
    if not os.path.exists(folder):  # noqa: PTH110  for a folder that may not be looked into, too
        raise NoWorkspace(f"no such folder: {folder}", "-C takes a folder of the project")
    return folder


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NoWorkspace("the current folder does not exist any more", "cd to a folder that does") from None


def agreed(question: str, unasked: str, refused: str = "Nothing was changed.", *, default: bool = False) -> bool:
    """Ask a person. Says `refused` where the answer is no; raises Refused where nobody can be asked, with `unasked` for
    what would have been done."""
    if not attended():
        raise Refused(f"{unasked}, and there is nobody to ask", "--yes does it")
    done = click.confirm(question, default=default, err=True)
    if not done:
        click.echo(refused, err=True)
    return done


def up_to_date(memory: Memory) -> None:
    """Settle recent events, so that the answer includes them; for a few seconds at most."""
    if not memory.read_only and memory.events.behind():
        memory.events.settle(_PATIENCE)


def wants_json() -> bool:
    """True where the command was given --json."""
    return bool(click.get_current_context().meta.get(JSON))


def emitted(found: object) -> bool:
    """Print a value of the model, or several in a list or under keys, as JSON where that is wanted; True when it was.
    The JSON is one value, readable and in ASCII-safe UTF-8."""
    wanted = wants_json()
    if wanted:
        import json  # not needed by the text output

        click.echo(json.dumps(shaped(found), indent=2, ensure_ascii=False))
    return wanted


def row(label: str, text: str) -> None:
    """Print one line of a page, its label in a column of its own."""
    click.echo(f"  {label:<8} {text}".rstrip())


def is_plain() -> bool:
    """Whether stderr shows no progress: it is no terminal, or one that cannot move its cursor."""
    return not sys.stderr.isatty() or os.environ.get("TERM") == "dumb"


@contextmanager
def patience(message: str) -> Generator[None]:
    """A spinner on stderr while something may take over a second; nothing when stderr is not a terminal."""
    if is_plain():
        yield
        return
    from rich.console import Console  # only where there is a terminal to show it

    with Console(stderr=True).status(message):
        yield


@contextmanager
def bar(title: str, things: str) -> Generator[Callable[[int, int], None]]:
    """A progress bar on stderr; where that is no terminal, a line every few seconds."""
    if is_plain():
        yield _lines(title, things)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(things, total=None)
        yield lambda done, total: shown.update(task, total=total, completed=done)


_EVERY = 5.0
"""Seconds between two lines of progress."""


def _lines(title: str, things: str) -> Callable[[int, int], None]:
    told = monotonic()

    def show(done: int, total: int) -> None:
        nonlocal told
        if (now := monotonic()) - told >= _EVERY:
            told = now
            click.echo(f"{title}: {done} of {total} {things}", err=True)

    return show


def interruptible(work: Callable[[Callable[[], bool]], Result]) -> Result:
    """Run `work` in another thread, so that Ctrl-C takes effect at once: `work` is given a function that says whether
    to stop. What it has stored until then stays."""
    stop = threading.Event()
    ended: list[Result | Exception] = []

    def run() -> None:
        try:
            ended.append(work(stop.is_set))
        except Exception as error:  # noqa: BLE001 - raised again below, in the main thread
            ended.append(error)

    thread = threading.Thread(target=run, name="memlsp-onboarding")
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
