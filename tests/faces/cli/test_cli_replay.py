"""`memlsp replay`: a session step by step, as a person and a script read it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from command_run import Run
from project import Project

from memlsp import Memory

_AT = round(datetime(2026, 11, 28, 8, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def belief(project: Project) -> str:
    """The id of what an agent was told twice in the session s-42, of which three events are kept. Another agent's
    session bears the same name."""
    with Memory.open(project.root) as memory:
        id = memory.remember("never round down").belief.id
        of_session = {"source": "claude-code", "session": "s-42"}
        memory.events.take(
            [
                {**of_session, "kind": "prompt", "at": _AT, "key": "1", "text": "round the tax"},
                {**of_session, "kind": "command", "at": _AT + 9_000, "key": "2", "text": "pytest -q", "ok": False},
                {"source": "codex", "session": "s-42", "kind": "prompt", "at": _AT, "key": "3", "text": "other work"},
                {"source": "codex", "session": "s-43", "kind": "prompt", "at": _AT, "key": "4", "text": "more"},
            ]
        )
        for surface, text in (("prompt", "x" * 80), ("act", "x" * 40)):
            memory.record_telling(
                surface, [id], text, asker="claude-code", session="claude-code s-42", about="round the tax"
            )
    return id


def test_a_session_is_told_in_order_with_the_tokens_of_each_telling_and_their_sum(run: Run, belief: str) -> None:
    lines = run("replay", "s-42", "--source", "claude-code").stdout.splitlines()
    assert lines[0] == "Claude Code s-42: 32 tokens told"
    assert [line.split()[0] for line in lines[1:]] == ["0", "0", "21", belief, "32", belief]
    assert "round the tax" in lines[1]
    assert lines[2].endswith("pytest -q (failed)")
    assert "+21" in lines[3]
    assert lines[4].endswith(f"{belief}  never round down")
    assert "other work" not in "\n".join(lines)


def test_scripts_read_every_step_whole(run: Run, belief: str) -> None:
    shown = run.json("replay", "s-42", "--source", "claude-code")
    assert shown.keys() == {"source", "session", "tokens", "steps", "texts"}
    assert [(step["tokens"], step["sum"]) for step in shown["steps"]] == [(0, 0), (0, 0), (21, 21), (11, 32)]
    assert shown["steps"][1]["event"]["ok"] is False
    assert shown["steps"][2]["told"]["surface"] == "prompt"
    assert shown["texts"] == {belief: "never round down"}


@pytest.mark.usefixtures("belief")
def test_without_a_name_the_sessions_are_listed(run: Run) -> None:
    assert {line.split()[2] for line in run("replay").stdout.splitlines()} == {"claude-code", "codex"}
    listed = run.json("replay", "--source", "codex")
    assert sorted(each["session"] for each in listed) == ["s-42", "s-43"]
    assert listed[0].keys() == {"source", "session", "began_at", "last_at", "ended_at", "events"}


@pytest.mark.usefixtures("belief")
def test_the_beginning_of_a_name_is_enough_where_it_means_one_session(run: Run) -> None:
    assert "more" in run("replay", "s-43").stdout
    assert "other work" in run("replay", "s-42", "--source", "codex").stdout
    assert "2 sessions begin with 's-42'" in run("replay", "s-42", status=1).stderr
    assert "no session 'x'" in run("replay", "x", status=1).stderr
    assert "no session of an agent" not in run("replay").stderr


def test_a_workspace_without_sessions_says_so(run: Run) -> None:
    assert "no session of an agent is kept" in run("replay").stderr
