"""A machine of one's own for every test of setting up."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from setup_machine import Machine

from memlsp.faces.setup import programs


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """No agent is installed here: the PATH leads nowhere, home is empty."""
    made = Machine(tmp_path / "home", tmp_path / "project", tmp_path / "data")
    made.home.mkdir()
    made.project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=made.project, check=True)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("USERPROFILE", str(made.home))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(made.data))
    monkeypatch.setattr(programs, "interpreter", lambda: "/opt/python/bin/python")
    return made


@pytest.fixture
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Moves memlsp to another Python."""

    def move(path: str) -> None:
        monkeypatch.setattr(programs, "interpreter", lambda: path)

    return move
