"""`memlsp team` with two machines and a bare repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memlsp.faces.cli.app import memlsp
from memlsp.memory import Memory
from tests.team.team_world import Machine, git


@pytest.fixture
def exchange(tmp_path: Path) -> Path:
    folder = tmp_path / "exchange.git"
    git(tmp_path, "init", "-q", "--bare", str(folder))
    return folder


def at(machine: Machine, *words: str, status: int = 0) -> Result:
    env = {"MEMLSP_DATA_DIR": str(machine.data)}
    done = CliRunner().invoke(memlsp, ["-C", str(machine.root), *words], env=env)
    assert done.exit_code == status, done.output
    return done


def asked(machine: Machine, *words: str) -> Any:
    return json.loads(at(machine, *words, "--json").stdout)


def test_what_one_says_the_other_has_and_forgetting_reaches_both(ann: Machine, ben: Machine, exchange: Path) -> None:
    id = at(ann, "remember", "Use pnpm, never npm").stdout.split()[0]
    assert asked(ann, "team", "on", str(exchange))["sent"] == 1
    assert asked(ben, "team", "on", str(exchange))["added"] == [id]
    assert "rule, colleague" in at(ben, "beliefs").stdout
    assert f"{id}  belief  Ann, just now  Use pnpm, never npm" in at(ben, "team", "log").stdout
    at(ann, "forget", id, "--yes")
    assert at(ann, "team", "sync").stdout == "sent 1 line, read 0\n"
    assert f"forgotten: {id}" in at(ben, "team", "sync").stdout
    at(ann, "team", "sync")
    told = at(ann, "team", "status").stdout
    assert f"forgotten  {id} by Ann: forgotten on 2 of 2 machines" in told
    assert "colleague  Ben, just now, 1 line" in told
    assert "pnpm" not in git(exchange, "log", "--all", "-p", "--full-history")


def test_the_refs_are_no_branches_and_the_clone_has_none_of_them(ann: Machine, exchange: Path) -> None:
    at(ann, "remember", "Use pnpm")
    at(ann, "team", "on", str(exchange))
    (ref,) = git(exchange, "for-each-ref", "--format=%(refname)").split()
    assert ref.startswith("refs/memlsp/v1/")
    assert "memlsp" not in git(ann.root, "for-each-ref")
    assert git(ann.root, "remote").split() == ["origin"]


def test_an_agent_may_not_and_nothing_is_exchanged_before_it_is_on(ann: Machine, exchange: Path) -> None:
    assert "a person decides" in at(ann, "team", "on", str(exchange), "--agent", "robot", status=1).stderr
    assert "memlsp team on" in at(ann, "team", "sync", status=1).stderr
    assert at(ann, "team", "status").stdout == "The exchange is off: memlsp team on ADDRESS\n"
    assert git(exchange, "for-each-ref") == ""


@pytest.mark.parametrize("address", ["ext::sh -c true", "-oProxyCommand=x", "relative/path", "ftp://example.org/x"])
def test_an_address_that_is_none_is_refused_with_what_to_write(ann: Machine, address: str) -> None:
    said = at(ann, "team", "on", "--", address, status=1).stderr
    assert said.count("\n") == 1
    assert at(ann, "team", "status").stdout.startswith("The exchange is off")


def test_an_exchange_that_cannot_be_reached_is_not_turned_on(ann: Machine, tmp_path: Path) -> None:
    said = at(ann, "team", "on", str(tmp_path / "nowhere.git"), status=1).stderr
    assert said.count("\n") == 1
    assert at(ann, "team", "status").stdout.startswith("The exchange is off")


def test_off_keeps_what_came_and_doctor_tries_the_connection(ann: Machine, ben: Machine, exchange: Path) -> None:
    at(ann, "remember", "Use pnpm")
    at(ann, "team", "on", str(exchange))
    at(ben, "team", "on", str(exchange))
    assert any(each["name"] == "team" and each["ok"] for each in asked(ben, "doctor"))
    assert at(ben, "team", "off").stdout == "The exchange is off.\n"
    assert "Use pnpm" in at(ben, "beliefs").stdout
    assert not any(each["name"] == "team" for each in asked(ben, "doctor"))


def _none_installed(**_: object) -> tuple[()]:
    return ()


def test_without_the_package_everything_else_goes_on_and_the_command_says_how_to_get_it(
    ann: Machine, exchange: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(ann, "team", "on", str(exchange))
    monkeypatch.setattr("importlib.metadata.entry_points", _none_installed)
    at(ann, "remember", "Use pnpm")
    assert "pip install 'memlsp[team]'" in at(ann, "team", "status", status=1).stderr
    assert not ann.memory.is_exchange_due()
    with Memory.open(ann.root, data_dir=ann.data) as memory:
        (check,) = [each for each in memory.doctor() if each.name == "team"]
    assert (check.ok, check.advice) == (False, "pip install 'memlsp[team]'")


def test_hooks_tell_a_colleagues_word_only_after_somebody_here_confirmed_it(
    ann: Machine, ben: Machine, exchange: Path
) -> None:
    id = at(ann, "remember", "Use pnpm, never npm").stdout.split()[0]
    at(ann, "team", "on", str(exchange))
    at(ben, "team", "on", str(exchange))
    assert _before_npm(ben, "first") == ""
    ben.memory.revise(id, "confirm")
    assert "Use pnpm, never npm" in _before_npm(ben, "second")


def test_what_colleagues_say_of_an_act_takes_no_place_from_ones_own(ann: Machine, ben: Machine, exchange: Path) -> None:
    for number in range(140):  # more than are read of one act
        ann.memory.remember(f"Use pnpm in folder {number}, never npm")
    at(ann, "team", "on", str(exchange))
    at(ben, "team", "on", str(exchange))
    ben.memory.remember("Use bun here, never npm")
    assert "Use bun here, never npm" in _before_npm(ben, "first")


def _before_npm(machine: Machine, session: str) -> str:
    act = {"tool_name": "Bash", "tool_input": {"command": "npm install left-pad"}}
    event = {"hook_event_name": "PreToolUse", "session_id": session, "cwd": str(machine.root), **act}
    command = [sys.executable, "-P", "-m", "memlsp", "hook", "claude-code"]
    env = {**os.environ, "MEMLSP_DATA_DIR": str(machine.data)}
    done = subprocess.run(command, input=json.dumps(event), text=True, capture_output=True, check=True, env=env)
    return done.stdout.strip()
