"""The action, the hook and the recipes of docs/how-to/check-in-ci.md do what they say, with real git."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from tests.docs.test_documentation import ROOT
from tests.memory.test_check import BASE, CHANGES, Repository

ACTION = cast("dict[str, Any]", yaml.safe_load((ROOT / "action.yml").read_text()))


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    """A repository whose branch `work` makes a line of AGENTS.md false."""
    made = Repository(tmp_path / "origin")
    made.commit(BASE)
    made.git("checkout", "-q", "-b", "work")
    made.commit(CHANGES["a constant"][0])
    return made


def run(folder: Path, script: str, tools: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    tools.mkdir(exist_ok=True)
    program = tools / "memlsp"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memlsp "$@"\n')
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=env, check=False, capture_output=True, text=True
    )


@pytest.mark.parametrize("depth", ["1", "50"])
def test_the_action_finds_the_base_of_a_pull_request_also_in_a_shallow_clone(
    origin: Repository, tmp_path: Path, depth: str
) -> None:
    clone = tmp_path / "clone"
    address = f"file://{origin.root}"
    subprocess.run(["git", "clone", "-q", "--depth", depth, "-b", "work", address, clone], check=True)
    done = run(clone, ACTION["runs"]["steps"][1]["run"], tmp_path / "tools", BASE="main", STRICT="false")
    assert "::error file=src/client.py,line=2,title=value-changed::AGENTS.md:4 says" in done.stdout, done.stderr
    assert done.returncode == 1


def test_the_hook_fails_before_the_commit(origin: Repository, tmp_path: Path) -> None:
    (hook,) = cast("list[dict[str, Any]]", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()))
    origin.git("checkout", "-q", "main")
    assert run(origin.root, hook["entry"], tmp_path / "tools").returncode == 0
    origin.write(CHANGES["a constant"][0])
    origin.git("add", "-A")
    assert run(origin.root, hook["entry"], tmp_path / "tools").returncode == 1


def test_every_recipe_of_the_page_is_yaml_with_commands_that_exist() -> None:
    page = (ROOT / "docs" / "how-to" / "check-in-ci.md").read_text()
    for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL):
        assert yaml.safe_load(block)
    assert set(re.findall(r"memlsp check[^\n`]*?--format (\w+)", page)) <= {"sarif", "gitlab", "github", "json"}
