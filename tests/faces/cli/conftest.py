"""The command line in the shop's folder."""

from __future__ import annotations

import pytest
from command_run import Run
from project import Project

from memlsp.faces import caller
from memlsp.faces.cli import console
from memlsp.faces.cli.transfer import copies, imports


@pytest.fixture
def attended(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a person who can be asked, and who types the code that a lock takes."""
    monkeypatch.setattr(caller, "is_code_typed", lambda what: True)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    for module in (caller, console, copies, imports):
        monkeypatch.setattr(module, "attended", lambda: True)


@pytest.fixture
def run(project: Project, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call memlsp in the shop's folder."""
    monkeypatch.chdir(project.root)
    return Run()
