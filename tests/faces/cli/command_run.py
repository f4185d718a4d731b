"""Calling memlsp as a test of the command line does."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from memlsp.faces.cli.app import memlsp


class Run:
    """Calls memlsp in the current folder, always with the words `first` before the given ones.

    A call demands its exit status, `status` where it names none; None allows every status that a command itself gives.
    """

    def __init__(self, *first: str, status: int | None = 0) -> None:
        self._first = first
        self._status = status

    def __call__(self, *words: str, status: int | None = None, stdin: str | None = None) -> Result:
        """Run the command, and return what it printed."""
        result = CliRunner().invoke(memlsp, [*self._first, *words], input=stdin)
        expected = self._status if status is None else status
        if expected is None and result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert expected in {None, result.exit_code}, (result.stdout, result.stderr, result.exception)
        return result

    def json(self, *words: str, status: int | None = None) -> Any:
        """Run the command with --json, and return the JSON that it printed."""
        return parsed(self(*words, "--json", status=status))


def parsed(result: Result) -> Any:
    """The JSON on stdout."""
    return json.loads(result.stdout)
