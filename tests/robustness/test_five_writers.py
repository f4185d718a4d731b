"""Five processes write, ask and settle while a sixth forgets: nothing forgotten is served again or stands anywhere, and
nothing else is lost. `MEMLSP_FIVE_WRITERS` says for how many seconds; a minute is what the design asks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.recall import RecallOptions

PROCESS = Path(__file__).with_name("five_writers_process.py")
SECONDS = float(os.environ.get("MEMLSP_FIVE_WRITERS", "8"))
TESTS = str(PROCESS.parents[1])


@pytest.mark.timeout(int(SECONDS) * 3 + 240)
def test_nothing_forgotten_comes_back_and_nothing_else_is_lost(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Memory.open(project.root, data_dir=data) as memory:
        memory.events.settle()
    roles = [("writer", f"writer{number}") for number in range(1, 6)] + [("forgetter", "forgetter")]
    processes = [started(role, project.root, data, name) for role, name in roles]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("ready")
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=SECONDS * 2 + 180) for process in processes]
    assert [process.returncode for process in processes] == [0] * 6, "\n".join(err[-2000:] for _, err in outputs)
    told = [line.split() for out, _ in outputs for line in out.splitlines()]
    said = {id: word for what, id, word in told if what == "said"}
    gone = {id: word for what, id, word in told if what in {"forgotten", "left"}}
    assert len(said) > 5
    assert gone
    assert [id for what, id, _ in told if what == "served"] == []
    with Memory.open(project.root, data_dir=data) as memory:
        there = {judgement.belief.id for judgement in memory.beliefs(include_past=True)}
        asked = {
            hit.judgement.belief.id
            for hit in memory.recall("limiter upstream slow", RecallOptions(limit=500, budget=10**6)).hits
        }
        assert there.isdisjoint(gone)
        assert asked.isdisjoint(gone)
        assert set(said) - set(memory.forgetting.ids()) <= there
        assert set(gone) <= set(memory.forgetting.ids())
        assert all(check.ok for check in memory.doctor() if check.name.startswith("store ") and check.ok is not None)
    # a belief that carries the words of a forgotten one went with it: what stays is known by its own word
    words = {said.get(id, word) for id, word in gone.items()}
    standing = b"".join(path.read_bytes().lower() for path in sorted(data.rglob("*")) if path.is_file())
    assert [word for word in words if word.encode() in standing] == []


def started(role: str, root: Path, data: Path, name: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": TESTS, "MEMLSP_SETTLER": "off"}
    return subprocess.Popen(
        [sys.executable, str(PROCESS), role, str(root), str(data), name, str(SECONDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
