"""Runs an agent that a person names, such as `claude -p {prompt}`: off unless the variable TASKS_AGENT has a command.

It works in a checkout of its own for each run, where it may edit. What it did is read from git and from its output;
what it thought is not. It needs a model and costs what that costs.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

from attrs import frozen

import memlsp
from benchmarks.tasks.cases import TaskCase
from benchmarks.tasks.sessions import git

VARIABLE = "TASKS_AGENT"
"""The environment variable with the command; `{prompt}` in it is replaced by the prompt."""

_HOOKS = Path(memlsp.__file__).parents[1] / "plugins" / "claude-code" / "hooks" / "hooks.json"
_MINUTES = 30
_KEPT = 20_000  # characters of what it printed


@frozen
class AgentRun:
    """One run: the exit status (None after half an hour), seconds, the files that it changed, and those of the fix
    among them; the end of what it printed."""

    status: int | None
    seconds: float
    changed: tuple[str, ...]
    right: tuple[str, ...]
    printed: str


def run_agent(
    command: str, case: TaskCase, root: Path, prompt: str, environment: Mapping[str, str] | None = None
) -> AgentRun:
    """Let the agent work on a task in a checkout. Raises ValueError for a command without `{prompt}`."""
    words = shlex.split(command)
    if not any("{prompt}" in word for word in words):
        raise ValueError(f"{VARIABLE} has no {{prompt}}")
    filled = [word.replace("{prompt}", prompt) for word in words]
    began = perf_counter()
    status: int | None
    try:
        done = subprocess.run(
            filled,
            cwd=root,
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=60 * _MINUTES,
            check=False,
        )
        status, printed = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        status, printed = None, ""
    seconds = perf_counter() - began
    listed = git(root, "-c", "core.quotePath=off", "status", "--porcelain", "--untracked-files=all").splitlines()
    changed = tuple(sorted(line.strip().partition(" ")[2].strip() for line in listed))
    right = tuple(path for path in case.files if path in changed)
    return AgentRun(status, seconds, changed, right, printed[-_KEPT:])


def connect_memory(root: Path, data: str) -> dict[str, str]:
    """Write what connects Claude Code with memlsp into a checkout, for this folder alone; the variables that the agent
    needs. Another agent finds what it can use of that, or nothing."""
    (root / ".claude").mkdir(exist_ok=True)
    (root / ".claude" / "settings.local.json").write_text(_HOOKS.read_text(encoding="utf-8"), encoding="utf-8")
    servers = {"mcpServers": {"memlsp": {"command": "memlsp", "args": ["mcp"]}}}
    (root / ".mcp.json").write_text(json.dumps(servers), encoding="utf-8")
    exclude = Path(git(root, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude"))
    exclude.parent.mkdir(exist_ok=True)
    with exclude.open("a", encoding="utf-8") as file:
        file.write("/.claude/settings.local.json\n/.mcp.json\n")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    return {"MEMLSP_DATA_DIR": data, "PATH": path}
