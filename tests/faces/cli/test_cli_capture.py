"""`memlsp capture`: what is on, what is off and why, for people and for scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from command_run import Run

from memlsp.faces.cli.app import memlsp


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call memlsp in a plain folder of its own, with a data folder and settings of its own."""
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MEMLSP_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.delenv("MEMLSP_CAPTURE", raising=False)
    (tmp_path / "project" / "inner").mkdir(parents=True)
    (tmp_path / "project" / ".memlsp").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return Run("capture")


def sources(run: Run, *words: str) -> dict[str, Any]:
    """Whether each source is on."""
    shape = run.json("status", *words)
    return {each["name"]: each["on"] for each in shape["sources"]}


def test_everything_but_terminals_is_on(run: Run) -> None:
    assert sources(run) == {"agents": True, "editor": True, "files": True, "git": True, "terminals": False}
    assert "terminals  off  terminals are off in the settings" in run("status").stdout


def test_off_without_options_is_for_this_workspace(run: Run, tmp_path: Path) -> None:
    assert run("off").stdout == "off here\n"
    assert not any(sources(run).values())
    assert run("off").stdout == "was off here before\n"
    assert run("on").stdout == "on here\n"
    assert sources(run)["agents"]


def test_a_folder_a_session_and_a_source_are_switched_apart(run: Run) -> None:
    run("off", "--session", "abc")
    assert sources(run)["agents"]
    assert not sources(run, "--session", "abc")["agents"]
    run("off", "--source", "git")
    assert not sources(run)["git"]
    run("off", "--folder", "inner")
    assert sources(run)["agents"]
    assert "inner off since" in run("status").stdout
    run("on", "--folder", "inner")
    run("on", "--source", "git")
    assert sources(run)["git"]


def test_a_source_that_there_is_not_is_not_said_to_be_off(run: Run) -> None:
    assert "claude-code" in run("off", "--source", "claude", status=1).stderr
    run("off", "--source", "claude-code")
    run("off", "--source", "terminal")


def test_on_says_when_a_setting_keeps_it_off(run: Run, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[capture]\nagents = false\n")
    assert "but agents: agents are off in the settings" in run("on").stdout


def test_two_switches_at_once_are_wrong_usage(run: Run) -> None:
    assert "one of --folder" in run("off", "--session", "a", "--all", status=1).stderr


def test_a_wrong_setting_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[capture]\nagents = 3\n")
    assert "capture.agents is true or false" in run("status").stderr
    assert "capture.agents is true or false" in CliRunner().invoke(memlsp, ["doctor"]).stdout


def test_the_name_of_a_session_cannot_forge_a_switch(run: Run) -> None:
    run("off", "--session", "a\nall\t1\t", status=1)
    assert sources(run)["agents"]


def test_a_wrong_setting_is_said_once_on_stderr_by_every_command_that_opens_the_memory(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run()
    settings = tmp_path / "wrong.toml"
    settings.write_text('[agents]\nenforce = "dney"\n', encoding="utf-8")
    monkeypatch.setenv("MEMLSP_CONFIG", str(settings))
    for words in (("beliefs",), ("recall", "x"), ("remember", "Ships on Fridays."), ("init", "--dry-run")):
        assert run(*words).stderr.count("not 'dney': until then it is `ask`") == 1, words
    assert "dney" not in run("beliefs").stdout
