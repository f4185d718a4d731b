"""`memlsp undo` and `memlsp audit`, for people and for scripts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command_run import Run
from project import Project

from memlsp import Memory


def texts(run: Run) -> set[str]:
    return {each["text"] for each in run.json("beliefs")}


def test_what_an_agent_says_in_its_shell_is_the_agents_and_of_its_session(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_THREAD_ID", "th-1")
    id = run("remember", "The tax is rounded down.").stdout.strip()
    shown = run.json("belief", id)
    assert shown["author"] == {"name": "Codex", "kind": "agent"}
    sessions: list[dict[str, Any]] = run.json("undo", "--list")
    assert [each["session"] for each in sessions] == ["codex-th-1"]


def test_what_nobody_typed_at_a_terminal_opens_no_lock_and_sets_none(run: Run, project: Project) -> None:
    """An agent that hides the marks of its shell passes for the person."""
    id = run("remember", "The tax is rounded down.").stdout.strip()
    assert "none at a terminal" in run("revise", id, "lock", status=1).stderr
    with Memory.open(project.root) as memory:
        memory.revise(id, "lock")
    for words in (
        ("revise", id, "unlock"),
        ("revise", id, "retire"),
        ("revise", id, "supersede", "no"),
        ("revise", id, "rollback"),
        ("forget", id, "--yes"),
        ("undo", "--since", "1h", "--yes"),
    ):
        assert "none at a terminal" in run(*words, status=1).stderr, words
    assert run.json("belief", id)["authority"] == "locked"


def test_an_agents_shell_opens_no_lock_and_admits_nothing(
    run: Run, project: Project, attended: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("AGENTS.md", "# Shop\n\n- Never import `pricing.rates` outside of the `pricing` package.\n")
    run("onboard")
    (proposal,) = run.json("proposals")
    id = run("remember", "The tax is rounded down.").stdout.strip()
    run("remember", "I prefer tabs.", "--scope", "user")
    run("revise", id, "lock")
    run("backup", str(project.root.parent / "before.db"))
    monkeypatch.setenv("CLAUDECODE", "1")
    for words in (
        ("unlock",),
        ("retire",),
        ("supersede", "no"),
        ("rollback",),
        ("scope", "--until", "30d"),
        ("failed",),
    ):
        assert "locked by a person" in run("revise", id, *words, status=1).stderr, words
    for words in (("admit",), ("retire",), ("rollback",)):
        assert "is a proposal" in run("revise", proposal["id"], *words, status=1).stderr, words
    for words in (
        ("user", "delete", "--yes"),
        ("forget", "--workspace", "--yes"),
        ("forget", id, "--yes"),
        ("restore", str(project.root.parent / "before.db"), "--yes"),
        ("review", id, "retire"),
        ("review", proposal["id"], "admit"),
    ):
        assert "agent" in run(*words, status=1).stderr, words
    taken = run.json("undo", "--since", "1h")
    assert (taken["changed"], len(taken["left"])) == ([], 3)
    assert texts(run) == {"The tax is rounded down.", "I prefer tabs."}
    assert len(run.json("proposals")) == 1


def test_a_session_is_taken_back_and_brought_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMLSP_SESSION", "monday")
    run("remember", "The tax is rounded down.")
    monkeypatch.delenv("MEMLSP_SESSION")
    run("remember", "Retries three times.")
    planned = run("undo", "--session", "mon", "--dry-run")
    assert "The tax is rounded down." in planned.stdout
    assert "1 belief would be taken back" in planned.stderr
    assert len(texts(run)) == 2
    undone = run("undo", "--session", "monday")
    assert texts(run) == {"Retries three times."}
    name = undone.stdout.strip()
    assert f"memlsp undo --session {name} brings it back" in undone.stderr
    run("undo", "--session", name)
    assert len(texts(run)) == 2


def test_what_was_left_is_said_with_the_reason(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMLSP_SESSION", "monday")
    id = run("remember", "The tax is rounded down.", "--agent", "claude").stdout.strip()
    monkeypatch.delenv("MEMLSP_SESSION")
    run("revise", id, "confirm")
    shown = run.json("undo", "--session", "monday")
    assert shown["changed"] == []
    assert shown["left"] == [
        {"id": id, "text": "The tax is rounded down.", "reason": "Ann Ode revised it afterwards (confirm)"}
    ]


def test_one_thing_is_asked_for_at_a_time(run: Run) -> None:
    for words in ((), ("--session", "a", "--since", "1h"), ("--until", "1h"), ("--list", "--since", "1h")):
        run("undo", *words, status=2)
    run("undo", "--session", "nothing", status=1)
    run("undo", "--since", "never", status=2)
    assert "no session or import" in run("undo", "--list").stderr


def test_what_was_done_since_is_taken_back(run: Run) -> None:
    run("remember", "The tax is rounded down.")
    run("undo", "--to", "1h")
    assert texts(run) == set()


def test_the_audit_shows_what_is_still_remembered_its_prompt_and_how_to_take_it_back(run: Run, memory: Memory) -> None:
    """A notice that stands for several says that the audit shows them."""
    said = {"kind": "prompt", "source": "claude-code", "session": "s1", "at": 1_790_000_000_000, "key": "k1"}
    memory.events.take([{**said, "text": "Never commit .env files"}])
    memory.events.settle()
    (judgement,) = memory.beliefs()
    id = judgement.belief.id
    shown = run("audit").stdout.splitlines()
    assert [line.strip() for line in shown[1:]] == [
        "| Never commit .env files.",
        "from a prompt: session s1, claude-code, 2026-09-21 14:13: Never commit .env files",
        f"undo: memlsp revise {id} rollback",
    ]
    assert "prompt: session s1" in run("belief", id).stdout
    run("revise", id, "rollback")
    assert texts(run) == set()
    run("revise", id, "rollback")
    assert texts(run) == {"Never commit .env files."}
    run("forget", id, "--yes")
    assert ".env" not in run("audit").stdout


def test_the_audit_log_says_who_did_what_and_holds_no_statement(run: Run) -> None:
    id = run("remember", "The tax is rounded down.").stdout.strip()
    run("revise", id, "confirm", "--agent", "claude", "--note", "rounded indeed")
    assert "rounded" not in json.dumps(run.json("audit"))
    printed = [line for line in run("audit").stdout.splitlines() if not line.startswith(" ")]
    assert f"confirm {id}  by claude (cli)" in printed[0]
    assert f"remember {id}  by Ann Ode (cli)" in printed[1]
    entries = run.json("audit", "--author", "claude", "--belief", id[:5])
    assert [(each["action"], each["targets"]) for each in entries] == [("confirm", [id])]
    assert "nothing of that kind" in run("audit", "--action", "forget").stderr


def test_all_that_an_import_brought_is_taken_back_and_brought_back(
    run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = project.root / "session.jsonl"
    said = {"type": "user", "cwd": str(project.root), "sessionId": "one", "timestamp": "2026-11-20T10:00:00Z"}
    words = "No, never import pricing.rates outside of the pricing package."
    session.write_text(json.dumps({**said, "message": {"role": "user", "content": words}}) + "\n", encoding="utf-8")
    brought = run.json("import", "claude-code", "--from", str(session))
    (proposal,) = brought["proposals"]
    run("undo", "--import", brought["session"].removeprefix("import-"))
    assert run.json("proposals") == []
    undone = run.json("undo", "--list")[0]["session"]
    run("undo", "--session", undone)
    assert [each["id"] for each in run.json("proposals")] == [proposal["id"]]


def test_undo_last_says_what_it_took_back(run: Run) -> None:
    run("remember", "The tax is rounded down.")
    id = run("remember", "Deploys go to Vercel.").stdout.strip()
    run("revise", id, "supersede", "Deploys go to Coolify.")
    lines = run("undo", "last").stdout.splitlines()
    assert lines[0] == "stands again: Deploys go to Vercel."
    assert lines[1].startswith("taken back: Deploys go to Coolify. (remember by ")
    assert texts(run) == {"The tax is rounded down.", "Deploys go to Vercel."}
    done = run("undo", "last")
    assert "brings it back" in done.stderr
    assert texts(run) == {"The tax is rounded down."}
