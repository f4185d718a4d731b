"""`memlsp onboard` and `memlsp stats`, and reasons that name their commit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_run import Run
from project import Project

from memlsp import Memory


def test_onboard_says_what_it_read_and_then_that_there_is_nothing_new(run: Run) -> None:
    assert run("onboard").stdout == "1 commit read: 4 symbol changes\n"
    assert run("onboard").stdout == "nothing new to read\n"
    assert run.json("onboard") == {
        "commits": 1, "present": 1, "read": 0, "changes": 0, "complete": True, "stopped": "", "proposals": 0,
    }  # fmt: skip


def test_onboard_without_a_history_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    assert "no git history" in run("onboard", status=1).stderr


def test_stats_says_what_is_kept_before_and_after(run: Run) -> None:
    assert "memlsp onboard" in run("stats").stdout
    run("remember", "fetch is patient", "--at", "client.py#fetch", "--kind", "decision")
    run("onboard")
    printed = run("stats").stdout
    for part in ("1 current", "1 decision", "1 commit read", "4 changes of 4 symbols", "of file states", "memory.db"):
        assert part in printed
    found = run.json("stats")
    named = {"onboarded", "history", "standings", "kinds", "counts", "caches", "disk", "told", "locked", "learned"}
    assert set(found) == named
    assert found["onboarded"] is True
    assert found["history"]["commits"] == found["history"]["episodes"] == 1
    assert found["history"]["bytes"] > 0
    assert found["kinds"] == {"decision": 1}


def test_a_belief_names_the_commit_that_carried_or_changed_it(run: Run, project: Project) -> None:
    carried = run("remember", "fetch is patient", "--at", "client.py#fetch").stdout.strip()
    changed = run("remember", "the tax on a net price", "--at", "pricing/tax.py#compute_tax").stdout.strip()
    project.replace("client.py", "def fetch(", "def fetch_all(")
    project.replace("pricing/rates.py", "0.20", "0.25")
    commit = project.commit("Rename and raise")
    run("onboard")
    assert f"carried across {commit[:8]}: renamed from `fetch` to `fetch_all`" in run("belief", carried).stdout
    assert f"in pricing/rates.py, {commit[:8]}, just now" in run("belief", changed).stdout
    (reason,) = run.json("belief", changed)["reasons"]
    assert reason["commit"] == commit
    assert reason["at"].endswith("Z")
    assert f"carried across {commit[:8]}" in run("why", "client.py#fetch_all").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_key_press_stops_the_reading_and_keeps_what_was_read(project: Project) -> None:
    body = "".join(f"def helper_{n}(url):\n    return get(url, {n}, timeout=30)\n\n\n" for n in range(100))
    for number in range(40):
        project.write("long.py", body.replace("get(url, 7, timeout=30)", f"get(url, 7, timeout={number})"))
        project.commit(f"Wait {number}")
    command = [sys.executable, "-m", "memlsp", "-C", str(project.root), "onboard"]
    reading = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with Memory.open(project.root) as memory:
        until = time.monotonic() + 60
        while reading.poll() is None and not memory.commit_episodes(limit=1) and time.monotonic() < until:
            time.sleep(0.01)  # so that the polling is no load
    os.kill(reading.pid, signal.SIGINT)
    _, said = reading.communicate(timeout=60)
    assert reading.returncode == 0, said
    assert "go on from there" in said
    rest = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert re.search(r"\d+ commits? read", rest.stdout)
