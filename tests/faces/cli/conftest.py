"""The command line in the shop's folder."""

from __future__ import annotations

import pytest
from command_run import Run
from project import Project


@pytest.fixture
def run(project: Project, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call memlsp in the shop's folder."""
    monkeypatch.chdir(project.root)
    return Run()
