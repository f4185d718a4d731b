"""`memlsp episodes` and `memlsp timeline` as a person and a script read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from command_run import Run
from project import Project

from memlsp import Memory
from memlsp.model.event import Event, EventKind


@pytest.fixture
def run(project: Project, run: Run) -> Run:
    """Call memlsp in the shop's folder, where an agent did two things."""
    start = datetime.now(UTC) - timedelta(hours=3)
    told = [
        (EventKind.PROMPT, "Please round the tax to cents.", (), None),
        (EventKind.EDIT, "", ("pricing/tax.py",), None),
        (EventKind.COMMAND, "pytest -q", (), 1),
        (EventKind.COMMAND, "pytest -q", (), 0),
        (EventKind.SESSION_END, "", (), None),
    ]
    with Memory.open(project.root) as memory:
        for number, (kind, text, paths, code) in enumerate(told, 1):
            at = start + timedelta(minutes=number)
            memory.episodes.observe(
                Event(
                    number, f"{number}", at, kind, "claude-code", "s", text, paths=paths, exit_code=code, branch="main"
                )
            )
        memory.remember("tax is rounded half up")
    return run


def test_episodes_are_one_line_each_with_who_when_and_what_came_of_it(run: Run) -> None:
    (line,) = run("episodes").stdout.splitlines()
    assert (
        line.partition("  ")[2]
        == "Round the tax to cents (Claude Code, 2 hours ago, tests passed, not committed, 1 file)"
    )


def test_one_episode_is_told_whole(run: Run) -> None:
    id = run("episodes").stdout.split()[0]
    printed = run("episodes", id).stdout
    assert "asked    Please round the tax to cents." in printed
    assert "closed by session end" in printed
    assert "failed   pytest -q (exit 1)" in printed
    assert "no episode" in run("episodes", "nothing", status=1).stderr


def test_episodes_are_chosen_by_place_and_by_whether_they_go_on(run: Run) -> None:
    assert run("episodes", "--at", "pricing/tax.py").stdout
    assert run("episodes", "--at", "pricing").stdout
    assert run("episodes", "--at", ".").stdout
    assert not run("episodes", "--at", "client.py").stdout
    assert not run("episodes", "--open").stdout


def test_scripts_read_the_documented_keys(run: Run) -> None:
    (episode,) = run.json("episodes")
    assert (episode["title"], episode["outcome"], episode["open"]) == ("Round the tax to cents", "tested", False)
    assert [command["worked"] for command in episode["commands"]] == [False, True]
    entries = run.json("timeline")
    assert {entry["what"] for entry in entries} == {"belief", "episode"}
    assert entries[0].keys() == {"at", "until", "what", "id", "title", "detail", "source", "paths"}


def test_the_timeline_takes_a_span_back_from_now_and_a_place(run: Run) -> None:
    assert "Round the tax" in run("timeline", "--since", "1d").stdout
    assert "Round the tax" not in run("timeline", "--since", "1h").stdout
    assert "Round the tax" not in run("timeline", "--at", "client.py").stdout
    assert "Round the tax" in run("timeline", "--at", "pricing/").stdout
    run("timeline", "--since", "whenever", status=2)
