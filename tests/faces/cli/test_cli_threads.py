"""`memlsp threads`: what scripts and people read, and closing by hand."""

from __future__ import annotations

from typing import Any

import pytest
from command_run import Run
from project import Project

from memlsp import Memory

KEYS = {
    "id", "kind", "text", "open", "path", "symbol", "line", "source", "session", "episode", "opened_at", "closed_at",
    "closed_by", "note",
}  # fmt: skip


@pytest.fixture
def run(project: Project, run: Run) -> Run:
    """Call memlsp in the shop's folder, in which two things were left open."""
    project.replace("client.py", "    raise TimeoutError", "    # TODO: say how often\n    raise TimeoutError")
    project.replace(
        "pricing/tax.py", "class Invoice", "def net(gross):\n    raise NotImplementedError\n\n\nclass Invoice"
    )
    with Memory.open(project.root) as memory:
        for path in ("client.py", "pricing/tax.py"):
            memory.events.saved(path)
    return Run("threads")


def listed(run: Run, *words: str) -> list[dict[str, Any]]:
    return run.json(*words)


def test_what_was_saved_a_moment_ago_is_already_listed(run: Run) -> None:
    threads = listed(run)
    assert all(thread.keys() == KEYS for thread in threads)
    assert {(each["kind"], each["path"], each["symbol"], each["line"], each["open"]) for each in threads} == {
        ("todo", "client.py", "fetch", 11, True),
        ("stub", "pricing/tax.py", "net", 12, True),
    }


def test_a_line_says_what_where_and_whose(run: Run) -> None:
    lines = run("--kind", "todo").stdout.splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("remark: TODO: say how often at client.py:11 in fetch (editor, just now)")


@pytest.mark.parametrize("place", ["client.py", "client.py#fetch", "client.py:11", "client.py:5"])
def test_a_place_narrows_the_list(run: Run, place: str) -> None:
    assert [each["path"] for each in listed(run, "--at", place)] == ["client.py"]


def test_what_is_closed_by_hand_is_listed_on_demand_and_can_be_reopened(run: Run) -> None:
    (thread,) = listed(run, "--kind", "stub")
    closed = run.json("close", thread["id"], "--why", "nobody needs it")
    assert closed["closed_by"] == "closed by Ann Ode: nobody needs it"
    assert listed(run, "--kind", "stub") == []
    assert [each["open"] for each in listed(run, "--kind", "stub", "--all")] == [False]
    run("reopen", thread["id"])
    assert len(listed(run, "--kind", "stub")) == 1
    run("--close", thread["id"])
    assert listed(run, "--kind", "stub") == []


def test_an_agent_is_named_when_it_closes_something(run: Run) -> None:
    (thread,) = listed(run, "--kind", "todo")
    assert "closed by Cursor (agent)" in run("close", thread["id"], "--agent", "Cursor").stdout


def test_an_unknown_thread_is_told_in_one_line(run: Run) -> None:
    failed = run("close", "nothing", status=1)
    assert failed.stderr == "memlsp: no thread 'nothing' (memlsp threads --all lists them)\n"


def test_a_scan_lists_what_the_code_says_however_old(run: Run, project: Project) -> None:
    project.write("old.py", "# FIXME: since 2009\n")
    project.commit("Old things")
    assert "old.py:1 FIXME: since 2009" in run("--scan").stdout.splitlines()
    assert listed(run, "--scan", "--at", "old.py") == [
        {"kind": "todo", "text": "FIXME: since 2009", "path": "old.py", "symbol": "", "line": 1}
    ]
