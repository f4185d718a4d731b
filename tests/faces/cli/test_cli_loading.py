"""A command loads and compiles what it needs. Modules are counted, since they cost most of a command's processor
time, and a count is the same on every machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from command_run import Run
from project import Project

from memlsp import Memory
from memlsp.model.place import Place

SCRIPT = """
import json, sys
from memlsp.faces.cli.app import memlsp
try:
    memlsp(sys.argv[1:], standalone_mode=False)
except SystemExit:
    pass
vocabulary = sys.modules.get("memlsp.code.vocabulary")
print()
print(json.dumps([len(vocabulary.COMPILED) if vocabulary else 0, *sys.modules]))
"""
EDITOR = """
import json, sys
from memlsp.faces.lsp.server.server import create_server
create_server()
print(json.dumps(list(sys.modules)))
"""
ASKED = (
    "pygit2",
    "tree_sitter",
    "memlsp.code.languages",
    "memlsp.code.syntax.outline",
    "memlsp.beliefs.standing.standing",
)
"""What a look at git and at the code needs, and an answer that still holds does not."""
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
        (("beliefs",), 115, (*WORDS, *HEAVY, *ASKED)),
        (("status",), 110, (*WORDS, *HEAVY, *ASKED)),
        (("why", "client.py"), 175, (*WORDS, *HEAVY)),
        (("recall", "how do we ship"), 150, ("memlsp.beliefs.mining.documents", "pygit2", "tree_sitter", *HEAVY[1:-1])),
        (("remember", "Ships on Fridays."), 235, ("memlsp.beliefs.mining.documents", *HEAVY[:-1])),
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
    memory.remember("fetch gives up after 3 retries", at=[Place("client.py", symbol="fetch")])
    for path in (*project.root.rglob("*"), project.root):
        os.utime(path, (1_600_000_000, 1_600_000_000))  # what was just written may be written again unnoticed
    Run(status=None)(*words)  # a warm store: the process finds what this left
    compiled, modules = loaded(*words)
    assert [name for name in modules if name.startswith(unused)] == []
    ours = [name for name in modules if name.startswith("memlsp.")]
    assert len(ours) <= most, len(ours)
    assert compiled <= 100, compiled


def test_an_editor_is_answered_before_the_memory_and_the_requests_are_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", EDITOR], capture_output=True, check=True, text=True)
    modules = json.loads(done.stdout.splitlines()[-1])
    unused = ("memlsp.memory", "memlsp.store", "memlsp.beliefs", "memlsp.faces.lsp.requests.wire_json", *ASKED)
    assert [name for name in modules if name.startswith((*unused, "importlib.resources", "tempfile", "zipfile"))] == []
    ours = [name for name in modules if name.startswith("memlsp.")]
    assert len(ours) <= 55, len(ours)
