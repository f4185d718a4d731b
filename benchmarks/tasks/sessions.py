"""Plays the earlier sessions of a case in a checkout: every step goes through a door that a user's session has."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.tasks.cases import TaskCase
from benchmarks.tasks.memory_doors import MemoryDoors


class Checkout:
    """A clone without remotes, on a branch that only moves forward."""

    def __init__(self, clone: Path, root: Path) -> None:
        self.root = root
        git(None, "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(root))
        self._branch = git(root, "symbolic-ref", "--short", "HEAD")
        git(root, "remote", "remove", "origin")
        for name, value in (("gc.auto", "0"), ("user.name", "Ada"), ("user.email", "ada@example.org")):
            git(root, "config", name, value)

    def begin(self, commit: str) -> None:
        """Put the branch at the first commit."""
        git(self.root, "checkout", "--quiet", "--force", "-B", self._branch, commit)

    def advance(self, commit: str) -> None:
        """Go forward to a later commit, as after a pull, without what was not committed."""
        git(self.root, "reset", "--quiet", "--hard")
        git(self.root, "merge", "--quiet", "--ff-only", commit)


def git(root: Path | None, *words: str) -> str:
    """What git prints. Raises CalledProcessError."""
    place = ["-C", str(root)] if root is not None else []
    done = subprocess.run(["git", *place, *words], check=True, capture_output=True, encoding="utf-8", errors="replace")
    return done.stdout.strip()


def play(case: TaskCase, checkout: Checkout, doors: MemoryDoors) -> None:
    """Play all sessions and go on to the start of the task. Nothing of what memlsp says here is read."""
    for number, earlier in enumerate(case.sessions):
        if number == 0:
            checkout.begin(earlier.commit)
        else:
            checkout.advance(earlier.commit)
        session = _Session(case, checkout, doors, f"{case.name}-{number + 1}")
        doors.hook("SessionStart", session.name, source="startup")
        for step in earlier.steps:
            session.take(step)
        doors.hook("Stop", session.name)
        doors.hook("SessionEnd", session.name, reason="exit")
        doors.settle()
    checkout.advance(case.start)
    doors.settle()


class _Session:
    def __init__(self, case: TaskCase, checkout: Checkout, doors: MemoryDoors, name: str) -> None:
        self._case = case
        self._checkout = checkout
        self._root = checkout.root
        self._doors = doors
        self.name = name

    def take(self, step: dict[str, Any]) -> None:
        steps: dict[str, Callable[[dict[str, Any]], None]] = {
            "prompt": self._prompt,
            "read": self._read,
            "shell": self._shell,
            "write": self._write,
            "remove": self._remove,
            "commit": self._commit,
            "remember": self._remember,
            "handoff": self._handoff,
        }
        steps[step["act"]](step)

    def _prompt(self, step: dict[str, Any]) -> None:
        text = self._case.fact(step["fact"]).said if "fact" in step else step["text"]
        self._doors.hook("UserPromptSubmit", self.name, prompt=text)

    def _call(self, tool: str, call: dict[str, str], response: object) -> None:
        told = {"tool_name": tool, "tool_input": call}
        self._doors.hook("PreToolUse", self.name, **told)
        if tool in {"Edit", "Write"}:
            path = Path(call["file_path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(call["content"] if tool == "Write" else call["whole"], encoding="utf-8")
            call.pop("whole", None)
        self._doors.hook("PostToolUse", self.name, **told, tool_response=response)

    def _read(self, step: dict[str, Any]) -> None:
        self._call("Read", {"file_path": str(self._root / step["path"])}, {"type": "text"})

    def _shell(self, step: dict[str, Any]) -> None:
        told = {"tool_name": "Bash", "tool_input": {"command": step["command"]}}
        self._doors.hook("PreToolUse", self.name, **told)
        if step["ok"]:
            response = {"stdout": step["output"], "stderr": "", "interrupted": False}
            self._doors.hook("PostToolUse", self.name, **told, tool_response=response)
        else:
            self._doors.hook("PostToolUseFailure", self.name, **told, error=f"Exit code 1\n{step['output']}")

    def _write(self, step: dict[str, Any]) -> None:
        path = str(self._root / step["path"])
        self._call("Write", {"file_path": path, "content": step["text"]}, {"type": "create", "filePath": path})

    def _remove(self, step: dict[str, Any]) -> None:
        (self._root / step["path"]).unlink()
        self._shell({"command": f"rm {step['path']}", "ok": True, "output": ""})

    def _commit(self, step: dict[str, Any]) -> None:
        """The edits of a real commit, one for each file of text, then the commit itself."""
        commit = step["commit"]
        for line in git(self._root, "diff", "--name-status", "--no-renames", "HEAD", commit).splitlines():
            status, _, name = line.partition("\t")
            path = self._root / name
            if status == "D":
                continue
            new = git(self._root, "show", f"{commit}:{name}") + "\n"
            if status == "A":
                self._write({"path": name, "text": new})
                continue
            old = path.read_text(encoding="utf-8")
            first, last = _changed(old.splitlines(), new.splitlines())
            call = {
                "file_path": str(path),
                "old_string": "\n".join(old.splitlines()[first : len(old.splitlines()) - last]),
                "new_string": "\n".join(new.splitlines()[first : len(new.splitlines()) - last]),
                "whole": new,
            }
            self._call("Edit", call, {"filePath": str(path)})
        for line in git(self._root, "ls-files", "--others", "--exclude-standard").splitlines():
            (self._root / line).unlink()
        self._checkout.advance(commit)
        subject = git(self._root, "log", "-1", "--format=%s")
        self._shell({"command": f"git commit -am '{subject}'", "ok": True, "output": subject})

    def _remember(self, step: dict[str, Any]) -> None:
        fact = self._case.fact(step["fact"])
        words = ["remember", fact.text]
        for option, value in (("--at", fact.at), ("--scope", fact.scope)):
            words += [option, value] if value else []
        self._doors.command(*words, *(("--agent", "claude-code") if step["by"] == "agent" else ()))

    def _handoff(self, step: dict[str, Any]) -> None:
        words = ["handoff", "write", step["title"], "--agent", "claude-code"]
        for option, key in (("--done", "done"), ("--next", "open")):
            words += [word for each in step[key] for word in (option, each)]
        self._doors.command(*words)


def _changed(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many lines at the beginning and at the end are the same."""
    shortest = min(len(old), len(new))
    first = next((number for number in range(shortest) if old[number] != new[number]), shortest)
    rest = shortest - first
    last = next((number for number in range(rest) if old[-1 - number] != new[-1 - number]), rest)
    return first, last
