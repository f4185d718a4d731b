"""A command loads and compiles what it needs. Modules are counted, since they cost most of a command's processor
time, and a count is the same on every machine."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from project import Project

from memlsp import Memory

SCRIPT = """
import json, sys
from memlsp.faces.cli.app import memlsp
try:
    memlsp(sys.argv[1:], standalone_mode=False)
except SystemExit:
    pass
vocabulary = sys.modules.get("memlsp.beliefs.vocabulary")
print()
print(json.dumps([len(vocabulary.COMPILED) if vocabulary else 0, *sys.modules]))
"""
WORDS = ("memlsp.beliefs.mining", "memlsp.beliefs.contradiction", "memlsp.beliefs.acts", "memlsp.memory.curation")
HEAVY = ("numpy", "rich", "asyncio", "pydantic", "mcp", "pygls", "snowballstemmer")


def loaded(*words: str) -> tuple[int, list[str]]:
    """How many patterns of words a command compiled, and the modules that it loaded."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *words], capture_output=True, check=True, text=True)
    compiled, *modules = json.loads(done.stdout.splitlines()[-1])
    return compiled, modules


@pytest.mark.parametrize(
    ("words", "most", "unused"),
    [
        (("beliefs",), 225, (*WORDS, *HEAVY)),
        (("status",), 225, (*WORDS, *HEAVY)),
        (("why", "client.py"), 260, (*WORDS, *HEAVY)),
        (("recall", "how do we ship"), 275, ("memlsp.beliefs.mining.documents", *HEAVY[1:-1])),
        (("remember", "Ships on Fridays."), 270, ("memlsp.beliefs.mining.documents", *HEAVY[:-1])),
    ],
    ids=["beliefs", "status", "why", "recall", "remember"],
)
def test_a_command_loads_few_modules(
    project: Project,
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    most: int,
    unused: tuple[str, ...],
) -> None:
    monkeypatch.chdir(project.root)
    memory.remember("We ship on Fridays.")
    compiled, modules = loaded(*words)
    assert [name for name in modules if name.startswith(unused)] == []
    ours = [name for name in modules if name.startswith("memlsp.")]
    assert len(ours) <= most, len(ours)
    assert compiled <= 100, compiled
