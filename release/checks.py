"""The checks of a release: each has a name, ends well or not, and says one line."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import define, field, frozen

_MOST_SHOWN = 12  # lines of a program that failed


class CheckFailed(Exception):
    """A check that does not hold; the text says what was found."""


class CannotRun(Exception):
    """A check that this machine cannot make; the text says what is missing."""


@frozen
class Outcome:
    """How a check ended: `ok` is None where it could not be made here."""

    name: str
    ok: bool | None
    said: str


@define
class Checks:
    """The checks made so far, in their order; each is printed as it ends."""

    outcomes: list[Outcome] = field(factory=list[Outcome])

    def make(self, name: str, check: Callable[[], str]) -> bool:
        """Make a check, whose text is what it found. A failure is noted and the next check goes on."""
        try:
            outcome = Outcome(name, True, check())
        except CannotRun as reason:
            outcome = Outcome(name, None, str(reason))
        except (CheckFailed, OSError) as error:
            outcome = Outcome(name, False, str(error))
        self.outcomes.append(outcome)
        print(_line(outcome), flush=True)
        return outcome.ok is not False

    @property
    def failed(self) -> bool:
        """True when a check does not hold."""
        return any(outcome.ok is False for outcome in self.outcomes)

    def report(self) -> str:
        """The checks as a Markdown table."""
        words = {True: "ok", False: "**FAILED**", None: "not run"}
        rows = [f"| {each.name} | {words[each.ok]} | {_cell(each.said)} |" for each in self.outcomes]
        return "\n".join(["| check | result | found |", "|---|---|---|", *rows, ""])


def _line(outcome: Outcome) -> str:
    return f"{({True: 'ok', False: 'FAILED', None: 'not run'})[outcome.ok]:<8} {outcome.name}: {outcome.said}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def run(words: Sequence[str | Path], folder: Path, environ: Mapping[str, str] | None = None, said: str = "") -> str:
    """Run a program and return what it printed; `said` is its input. Raises CheckFailed with its last lines."""
    command = [str(word) for word in words]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environ, input=said, capture_output=True, text=True, encoding="utf-8", check=False
        )
    except FileNotFoundError:
        raise CannotRun(f"there is no {command[0]} here") from None
    if done.returncode:
        last = [line for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()][-_MOST_SHOWN:]
        raise CheckFailed(f"{shlex.join(command)} ended with {done.returncode}: " + " / ".join(last))
    return done.stdout


def tool(name: str) -> Path:
    """A program of the environment that runs the release."""
    return Path(sys.executable).parent / (f"{name}.exe" if sys.platform == "win32" else name)
