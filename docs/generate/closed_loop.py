"""Writes docs/explanation/said-once.md from a run of the program: `python -m docs.generate.closed_loop`.

A fresh folder, a fresh memory, the hooks as agents start them, and the settler that they start. Names of beliefs and
the day are replaced, so that the same program writes the same page; a test compares.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import memlsp
from memlsp.memory import Memory

PAGE = Path(__file__).resolve().parents[1] / "explanation" / "said-once.md"
ENTRY = Path(memlsp.__file__).parent / "faces" / "hooks" / "entry.py"
SAID = (
    "Never commit .env files",
    "The endpoint moved to /v2",
    "I prefer terse commits",
    "no, use scripts/publish.sh for releases, never git push github",
    "the GitHub account was renamed to acme-labs",
    "deploys go to Coolify now, not Vercel",
    "we're in research, no implementation yet",
    "run make migrate before the tests",
)
ASIDE = ("add a --verbose flag to the export command", "thanks, looks good", "why is the second test so slow?")
LATER = ("push the release to github", "rename this variable")
ACTS = ("git add .env", "git push github main", "vercel deploy", "bash scripts/publish.sh", "cat .env.example")
_WIDTH = 96
_SECONDS = 60.0

_HEAD = """\
<!-- Written by `python -m docs.generate.closed_loop` from a run of the program. Do not edit. -->
# Said once

A log from a fresh memory. A person types eight sentences in eight sessions of Claude Code, among
tasks and thanks. Later an agent of another brand is asked for something else. Lines with `person`
are typed, lines with `shown` are what the client shows the person, and lines with `agent` are what
the agent is told. [What agents are told](what-agents-are-told.md) has the rules and the switches.
"""


class FreshInstall:
    """A repository in `folder` with a memory of its own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.data = folder / "shop", folder / "data"
        self.root.mkdir()
        (self.root / "cart.py").write_text("def total(items):\n    return sum(items)\n", encoding="utf-8")
        git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        for words in (["init", "-q"], ["config", "user.name", "Ada"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
            subprocess.run([*git, *words], cwd=self.root, check=True)  # noqa: S603 - git, with our words
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
        self._environment = {**kept, "HOME": str(folder), "MEMLSP_DATA_DIR": str(self.data)}
        self._number = 0
        with Memory.open(self.root, data_dir=self.data):
            pass

    def hook(self, agent: str, session: str, event: str, **more: object) -> tuple[str, str]:
        """Run a hook; what the agent is told, and what the person is shown."""
        self._number += 1
        payload = {"session_id": session, "hook_event_name": event, "cwd": str(self.root), **more}
        unique = {"prompt_id": f"p{self._number}", "tool_use_id": f"t{self._number}", "turn_id": f"u{self._number}"}
        done = subprocess.run(  # noqa: S603 - our own hook
            [sys.executable, "-I", "-S", str(ENTRY), agent],
            input=json.dumps({**unique, **payload}).encode(),
            capture_output=True,
            env=self._environment,
            cwd=self.root,
            check=True,
        )
        said = cast("dict[str, Any]", json.loads(done.stdout)) if done.stdout else {}
        inner = cast("dict[str, Any]", said.get("hookSpecificOutput", {}))
        return str(inner.get("additionalContext", "")), str(said.get("systemMessage", ""))

    def settled(self) -> None:
        """Wait until the settler, which the hooks started, has understood everything."""
        until = time.monotonic() + _SECONDS
        while time.monotonic() < until:
            with Memory.open(self.root, data_dir=self.data) as memory:
                if not memory.events.settle(1.0).stopped:
                    memory.handoffs.refresh()
                    return
        raise SystemExit("the events were not settled in time")

    def beliefs(self) -> Iterator[str]:
        """What is remembered, a line each."""
        with Memory.open(self.root, data_dir=self.data) as memory:
            for each in memory.beliefs():
                belief = each.belief
                yield f"{belief.kind:<10} {belief.scope!s:<9} {belief.author.name}: {belief.text}"


def page() -> str:
    """The page, from a run in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="memlsp-said-once-") as name:
        return _plain(_HEAD + "\n".join(_log(FreshInstall(Path(name)))) + "\n")


def _log(fresh: FreshInstall) -> Iterator[str]:
    yield "\n## Eight sentences, and what is no sentence to keep\n\n```text"
    for number, words in enumerate((*SAID, *ASIDE), 1):
        session = f"s{number}"
        fresh.hook("claude-code", session, "SessionStart", source="startup")
        fresh.hook("claude-code", session, "UserPromptSubmit", prompt=words)
        yield from _lines("person", words)
        fresh.settled()
        _, shown = fresh.hook("claude-code", session, "Stop", last_assistant_message="Done.")
        yield from _lines("shown", shown or "(nothing)")
    yield "```\n\n## What is remembered\n\n```text"
    yield from fresh.beliefs()
    yield "```\n\n## Later, in Codex\n\n```text"
    for number, words in enumerate(LATER):
        yield from _lines("person", words)
        told, _ = fresh.hook("codex", f"c{number}", "UserPromptSubmit", prompt=words)
        yield from _lines("agent", told or "(nothing)")
    yield "```\n\n## Before an act\n\n```text"
    for number, command in enumerate(ACTS):
        call = {"tool_name": "Bash", "tool_input": {"command": command}}
        told, _ = fresh.hook("codex", f"a{number}", "PreToolUse", **call)
        yield f"runs    {command}"
        yield from _lines("agent", told or "(nothing)")
    yield "```\n\n## A session starts\n\n```text"
    told, shown = fresh.hook("claude-code", "last", "SessionStart", source="startup")
    yield from _lines("agent", told.partition("\nmemlsp, what earlier sessions")[0])
    yield from _lines("shown", shown)
    yield "```"


def _lines(who: str, text: str) -> Sequence[str]:
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, _WIDTH - 8, subsequent_indent="  ")]
    return [f"{who if not number else '':<7} {line}" for number, line in enumerate(lines)]


def _plain(text: str) -> str:
    """The text with the same names and day at each run."""
    names: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"id{len(names) + 1:06d}")

    text = re.sub(r"\d{4}-\d{2}-\d{2}", "2026-11-24", text)
    return re.sub(r"(?<=2026-11-24, )(?:locked, )?[a-z0-9]{8}(?=\))", named, text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
