"""The terminal at the top of README is what a user sees."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
PAY = '''import requests


def charge(order, tries=3):
    """Charge an order."""
    for _ in range(tries):
        answer = requests.post("https://pay.example/charge", json=order)
        if answer.ok:
            return answer
    raise ConnectionError("the payment API does not answer")
'''


@pytest.mark.skipif(sys.platform == "win32", reason="the terminal uses sed")
def test_the_terminal_of_the_readme_shows_real_output(tmp_path: Path) -> None:
    terminal = README.read_text(encoding="utf-8").partition("```console\n")[2].partition("```")[0].splitlines()
    project = tmp_path / "shop"
    project.mkdir()
    (project / "pay.py").write_text(PAY, encoding="utf-8")
    env = os.environ | {"MEMLSP_DATA_DIR": str(tmp_path / "data")}
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    printed: list[str] = []
    for line in terminal:
        if not line.startswith("$ "):
            assert unnamed(line) in printed
            continue
        command = shlex.split(line[2:])
        if command[0] == "memlsp":
            command[:1] = [sys.executable, "-m", "memlsp"]
        elif command[0] == "sed":
            command[1:2] = ["-i.bak"]  # the form that GNU's and BSD's sed share
        done = subprocess.run(command, cwd=project, env=env, check=True, capture_output=True, encoding="utf-8")
        printed = [unnamed(each) for each in done.stdout.splitlines()]


def unnamed(line: str) -> str:
    """A line of output without the id at its start, which is new in every run."""
    return re.sub(r"^[0-9a-z]{8}  ", "ID  ", line)
