"""A lock against agents in other processes that revise as fast as they can while a person turns it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from patience import patience
from project import Project
from robust_world import Editor

from benchmarks.speed.wire import WireError
from memlsp import Memory
from memlsp.model.belief import Author, BeliefStatus
from memlsp.model.caller import Caller
from memlsp.model.errors import Refused

ANN = Author("Ann")
PATIENCE = 90
ROUNDS = 12

AGENT = """
import sys
from memlsp import Memory
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.caller import Caller
from memlsp.model.errors import MemlspError

BOT = Author(sys.argv[2], AuthorKind.AGENT)
with Memory.open(sys.argv[1]) as memory:
    print("ready", flush=True)
    for line in sys.stdin:
        for id in line.split():
            for action in ("retire", "failed", "unlock", "confirm", "rollback"):
                try:
                    memory.revise(id, action, by=Caller(author=BOT, session=sys.argv[2]))
                except MemlspError:
                    pass
        print("done", flush=True)
"""


def test_after_the_moment_of_locking_no_agent_has_changed_anything(project: Project, tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    script.write_text(AGENT, encoding="utf-8")
    agents = [
        subprocess.Popen(
            [sys.executable, str(script), str(project.root), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    try:
        with Memory.open(project.root) as memory:
            for agent in agents:
                assert agent.stdout is not None
                assert agent.stdout.readline() == "ready\n"
            for number in range(ROUNDS):
                id = memory.remember(f"Rule {number} holds.", by=Caller(author=ANN)).belief.id
                for agent in agents:
                    assert agent.stdin is not None
                    agent.stdin.write(f"{id}\n")
                    agent.stdin.flush()
                _lock(memory, id)
                for agent in agents:
                    assert agent.stdout is not None
                    assert agent.stdout.readline() == "done\n"
                history = memory.revisions(id)
                locks = [each.number for each in history if each.action == "lock"]
                assert locks, [each.action for each in history]
                assert [each.action for each in history if each.number > locks[-1]] == []
                assert memory.belief(id).belief.locked
                assert memory.belief(id).belief.text == f"Rule {number} holds."
                steps = memory.confidence(id)
                assert steps[-1].after == memory.belief(id).belief.confidence
    finally:
        for agent in agents:
            agent.kill()
            agent.communicate(timeout=patience(PATIENCE))


def _lock(memory: Memory, id: str) -> None:
    """Lock it as a person would who looks again when somebody was quicker."""
    for _ in range(200):
        try:
            if memory.belief(id).belief.status is not BeliefStatus.ACTIVE:
                memory.revise(id, "rollback", by=Caller(author=ANN))
            memory.revise(id, "lock", by=Caller(author=ANN))
        except Refused:
            continue
        return
    raise AssertionError("never locked")


def test_a_language_server_that_an_agent_started_is_that_agent(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    with Memory.open(project.root, data_dir=data) as memory:
        id = memory.remember("Charges are idempotent.", by=Caller(author=ANN)).belief.id
        _lock(memory, id)
        proposal = memory.review.propose("Charges are logged").belief.id
        memory.review.settle(proposal, "reject")
    monkeypatch.setenv("CLAUDECODE", "1")
    with Editor(project.root, data) as editor:
        editor.open("client.py", (project.root / "client.py").read_text())
        for command in ("unlock", "retire", "forget", "lock"):
            assert editor.run(command, id)["ok"] is False, command
        with pytest.raises(WireError, match="Claude Code has decided nothing"):  # it was the person who did
            editor.ask("memlsp/undo", {"root": project.root.as_uri()})
        made = editor.remember("client.py", 4, "It retries 3 times")
        assert made["belief"]["author"] == {"name": "Claude Code", "kind": "agent"}
    with Memory.open(project.root, data_dir=data) as memory:
        assert memory.belief(id).belief.locked
        assert memory.belief(id).belief.text == "Charges are idempotent."
