"""One agent works and is cut off; another, of another brand, begins and is told where things stand.

The sessions are recorded ones (fixtures/hooks): the payloads that the real programs wrote, in the order in which they
wrote them. Each goes through a hook process as agents start it, on a git repository with real code.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from patience import patience
from project import Project
from store_lock import locked

import memlsp
from memlsp.capture.workspace.identity import resolve
from memlsp.faces.hooks.payload_records import read
from memlsp.memory import Memory
from memlsp.memory.ingest.start_worker import ALIVE
from memlsp.model.belief import BeliefKind
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.store.core.locations import store_path
from memlsp.store.store import open_store
from memlsp.store.tables.journal import is_being_settled

ENTRY = Path(memlsp.__file__).parent / "faces" / "hooks" / "entry.py"
RECORDED = Path(__file__).parents[2] / "fixtures" / "hooks"
AGENT = Path(__file__).with_name("scripted_agent.py")
PATIENCE = 90  # seconds; a busy machine is slow
TOKENS = 1_200

RETRY = """import time


def fetch(url, attempts=3):
    for attempt in range(attempts):
        try:
            return open(url).read()
        except OSError:
            time.sleep(2**attempt)
    raise RuntimeError(url)
"""
"""The file that the recorded sessions were about, as they found it."""


Mark = tuple[str, str, str, str, str]
"""Source, session, kind, tool and words of an event."""


class Step:
    """One payload of a recorded session, and what the agent had written to the disk when it sent it."""

    def __init__(self, agent: str, payload: dict[str, Any], writes: dict[str, str]) -> None:
        self.agent, self.payload, self.writes = agent, payload, writes

    @property
    def marks(self) -> list[Mark]:
        """What tells the events that it must leave. (A key tells also when a hook ran, where the agent gives no id.)"""
        return [
            (
                str(record["source"]),
                str(record["session"]),
                str(record["kind"]),
                str(record.get("tool", "")),
                str(record.get("text", ""))[:80],
            )
            for record in read(self.agent, self.payload)
        ]


class World:
    """A repository with real code, and the memory beside it."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder / "fetcher")
        self.root, self.data, self.folder = self.project.root, folder / "data", folder
        (self.root / "src" / "fetcher").mkdir(parents=True)
        (self.root / "src" / "fetcher" / "retry.py").write_text(RETRY)
        real = Path(memlsp.__file__).parent / "store" / "core"  # code that somebody wrote for a purpose
        for name in ("file_lock.py", "locations.py", "sqlite_errors.py", "migrations.py"):
            (self.root / "src" / "fetcher" / name).write_text((real / name).read_text())
        self.project.git("add", ".")
        self.project.git("commit", "--quiet", "--message", "Fetch with retries")
        self.store = store_path(resolve(self.root).key, self.data)

    def recorded(self, agent: str) -> list[Step]:
        """A recorded session in this repository."""
        steps: list[Step] = []
        for path in sorted((RECORDED / agent).glob("*.json")):
            payload = json.loads(path.read_text().replace("/home/ada/fetcher", self.root.as_posix()))
            steps.append(Step(agent, payload, self._written(payload)))
        return steps

    def _written(self, payload: dict[str, Any]) -> dict[str, str]:
        asked: Any = payload.get("tool_input")
        if payload.get("hook_event_name") != "PostToolUse":
            return {}
        if payload["tool_name"] == "Edit":
            return {asked["file_path"]: RETRY.replace(str(asked["old_string"]), str(asked["new_string"]))}
        if payload["tool_name"] == "Write":
            return {asked["file_path"]: asked["content"]}
        return {}

    def environment(self, *, settler: bool = False) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
        more = {} if settler else {"MEMLSP_SETTLER": "off"}
        return {**kept, "HOME": str(self.folder), "MEMLSP_DATA_DIR": str(self.data), **more}

    def command(self, agent: str) -> list[str]:
        return [sys.executable, "-I", "-S", str(ENTRY), agent]

    def start(self, steps: Sequence[Step], *, settler: bool = False) -> subprocess.Popen[str]:
        """An agent that does these steps."""
        plan = self.folder / f"{steps[0].agent}.plan"
        told = {
            "hook": self.command(steps[0].agent),
            "folder": str(self.root),
            "environment": self.environment(settler=settler),
            "steps": [{"payload": step.payload, "writes": step.writes} for step in steps],
        }
        plan.write_text(json.dumps(told))
        return subprocess.Popen([sys.executable, str(AGENT), str(plan)], stdout=subprocess.PIPE, text=True)

    def hook(self, step: Step) -> str:
        """Run one hook to its end; what it printed."""
        done = subprocess.run(
            self.command(step.agent),
            input=json.dumps(step.payload).encode(),
            capture_output=True,
            cwd=self.root,
            env=self.environment(),
            timeout=patience(PATIENCE),
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def settle(self) -> None:
        """Understand what there is, as the next process that opens the memory does."""
        with Memory.open(self.root, data_dir=self.data) as memory:
            assert memory.events.settle(patience(PATIENCE)).stopped == ""

    def kept(self) -> Counter[Mark]:
        """What tells the events that agents told, and how many there are of each."""
        store = open_store(self.store)
        try:
            events = store.journal.events(limit=10_000)
            return Counter(
                (event.source, event.session, str(event.kind), event.tool, event.text[:80])
                for event in events
                if event.source not in {"git", "files"}
            )
        finally:
            store.close()

    def tallies(self) -> dict[str, int]:
        """What the records came to, all sources together."""
        store = open_store(self.store)
        try:
            found: dict[str, int] = dict.fromkeys(["received", "stored", "repeated", "dropped", "drained"], 0)
            for tally in store.journal.tallies():
                found[tally.what] = found.get(tally.what, 0) + tally.number
            return found
        finally:
            store.close()

    def evidence(self) -> str:
        """What the hooks and the settler logged, what waits and what came to nothing, for a test that failed."""
        logs = [self.data / "hook.log", self.store.with_name("settler.log")]
        said = [f"{path.name}:\n{path.read_text()}" for path in logs if path.exists()]
        spooled = sorted(path.name for path in self.store.parent.glob("spool/*"))
        kept = "\n".join(sorted(map(str, self.kept())))
        store = open_store(self.store)
        try:
            events = store.journal.events(limit=10_000)
        finally:
            store.close()
        changed = [f"{event.source} {event.kind} {event.paths} {event.changes}" for event in events if event.paths]
        kept += "\n".join(["", *changed])
        return "\n".join([f"{self.tallies()}, spool {spooled}", *said, f"kept:\n{kept}"])

    @property
    def waiting(self) -> int:
        """Files that wait in the spool."""
        return len(list((self.store.parent / "spool").glob("*.json")))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    _await_settler(made)


def _await_settler(world: World) -> None:
    """Let a settler that was started end, which it does as soon as the store is gone."""
    alive = world.store.with_name(world.store.name + ALIVE)
    if sys.platform == "win32" or not alive.exists():
        return
    import fcntl

    world.store.unlink(missing_ok=True)
    with alive.open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def acknowledged(process: subprocess.Popen[str], number: int) -> list[int]:
    """The steps that an agent was done with, up to so many."""
    assert process.stdout is not None
    return [json.loads(line)[0] for line in islice(process.stdout, number)]


def until(done: Any) -> None:
    """Look again and again, for a bounded time."""
    from threading import Event

    end = monotonic() + patience(PATIENCE)
    while not done():
        assert monotonic() < end
        Event().wait(0.1)


def cut_off(world: World, steps: Sequence[Step], after: int, *, settler: bool = False) -> list[int]:
    """Let an agent work, and kill it with -9 in the middle of what follows its step number `after`."""
    process = world.start(steps, settler=settler)
    try:
        done = acknowledged(process, after)
    finally:
        process.kill()
        process.wait(patience(PATIENCE))
        assert process.stdout is not None
        rest = [json.loads(line)[0] for line in process.stdout if line.endswith("\n")]
        process.stdout.close()
    return done + rest


def told(world: World, agent: str) -> str:
    """What an agent's session start answers, in the common form of Claude Code and Codex."""
    out = world.hook(world.recorded(agent)[0])
    if not out:
        return ""
    answer = json.loads(out)
    assert answer.keys() <= {"hookSpecificOutput", "systemMessage"}
    assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    return str(answer["hookSpecificOutput"]["additionalContext"])


def position(steps: Sequence[Step], event: str, tool: str) -> int:
    return next(
        number
        for number, step in enumerate(steps)
        if (step.payload["hook_event_name"], step.payload.get("tool_name")) == (event, tool)
    )


def in_the_store(world: World, steps: Sequence[Step], done: Sequence[int]) -> None:
    # as sets: what an agent says twice within seconds, without an id, is one event that came twice
    lost = {mark for number in done for mark in steps[number].marks} - set(world.kept())
    assert not lost, world.evidence()


def adds_up(world: World) -> None:
    found = world.tallies()
    assert found["received"] == found["stored"] + found["repeated"] + found["dropped"]
    assert found["stored"] >= world.kept().total()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_the_next_agent_of_another_brand_is_handed_the_thread(world: World) -> None:
    with Memory.open(world.root, data_dir=world.data) as memory:  # a memory that was there before
        place = Place("src/fetcher/retry.py", symbol="fetch")
        memory.remember(
            "`fetch` makes 3 attempts by default", at=[place], kind=BeliefKind.FACT, by=Caller(folder=world.root)
        )
    steps = world.recorded("claude-code")
    failed = position(steps, "PostToolUseFailure", "Bash") + 1
    done = cut_off(world, steps, failed, settler=True)
    assert len(done) >= failed

    def understood() -> bool:
        store = open_store(world.store)
        try:
            # the last event is marked before the round writes what the next session is told
            return not store.journal.pending() and not world.waiting and not is_being_settled(str(world.store))
        finally:
            store.close()

    until(understood)  # by the settler that a hook started: nobody here opens the memory in full
    in_the_store(world, steps, done)
    words = ""

    def is_told() -> bool:
        nonlocal words
        words = told(world, "codex")
        return bool(words)

    until(is_told)
    assert len(words.encode()) / 4 <= TOKENS
    assert "Replace the retry loop by a bounded backoff" in words  # what was being done
    assert "pytest -q tests/test_missing.py" in words  # where it got stuck
    assert "No module named pytest" in words
    assert "src/fetcher/retry.py" in words, f"{words}\n{world.evidence()}"
    assert "claude-code" in words or "Claude Code" in words
    assert "`fetch` makes 3 attempts by default" in words  # what no longer holds

    # the other goes on, and is cut down by compaction: nothing of it is lost either
    others = world.recorded("codex")
    done = cut_off(world, others, len(others))
    assert done == list(range(len(others)))
    world.settle()
    in_the_store(world, others, done)
    adds_up(world)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_that_was_acknowledged_is_lost_wherever_an_agent_dies(world: World, seed: int) -> None:
    chance = random.Random(seed)
    for agent in ("claude-code", "codex"):
        steps = world.recorded(agent)
        done = cut_off(world, steps, chance.randrange(2, len(steps) - 2))
        world.settle()
        in_the_store(world, steps, done)
        adds_up(world)
        assert world.waiting == 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_hook_that_is_killed_leaves_all_of_its_event_or_nothing(world: World) -> None:
    chance = random.Random(7)
    steps = world.recorded("claude-code")
    done: list[int] = []
    world.settle()
    for number, step in enumerate(steps):
        process = subprocess.Popen(
            world.command(step.agent), stdin=subprocess.PIPE, env=world.environment(), cwd=world.root
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(step.payload).encode())
        process.stdin.close()
        try:
            process.wait(chance.uniform(0.0, 0.15))
        except subprocess.TimeoutExpired:
            process.kill()
        if process.wait(patience(PATIENCE)) == 0:
            done.append(number)
    connection = sqlite3.connect(f"file:{world.store}?mode=ro", uri=True)
    try:
        assert connection.execute("SELECT count(*) FROM event WHERE kind = '' OR session IS NULL").fetchone() == (0,)
    finally:
        connection.close()
    world.settle()
    in_the_store(world, steps, done)
    adds_up(world)
    for step in steps:  # an agent that tries again, now with time enough
        world.hook(step)
    world.settle()
    in_the_store(world, steps, range(len(steps)))
    calls = Counter(mark for step in steps for mark in step.marks if mark[3])  # each has an id, and so is kept once
    assert Counter({mark: number for mark, number in world.kept().items() if mark[3]}) == calls


def test_what_a_locked_memory_could_not_take_is_drained_once(world: World) -> None:
    world.settle()
    steps = world.recorded("claude-code")
    with locked(world.store):
        for step in steps[:12]:
            world.hook(step)
        spooled = world.waiting
        assert spooled
    for step in steps[12:]:
        world.hook(step)
    world.settle()
    assert world.waiting == 0
    assert world.tallies()["drained"] == spooled
    in_the_store(world, steps, range(len(steps)))
    adds_up(world)


def test_a_first_session_in_a_repository_needs_no_memory_to_be_there(world: World) -> None:
    steps = world.recorded("gemini")
    for step in steps:
        world.hook(step)
    assert not world.store.exists()
    spooled = world.waiting
    world.settle()
    assert world.tallies()["drained"] == spooled
    in_the_store(world, steps, range(len(steps)))
    adds_up(world)


def test_what_was_not_understood_when_a_session_began_is_told_as_soon_as_it_is(world: World) -> None:
    world.settle()
    for step in world.recorded("claude-code")[:16]:
        for path, text in step.writes.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)
        world.hook(step)
    others = world.recorded("codex")
    assert told(world, "codex") == ""  # nobody has had the time to look at it
    calls = [step for step in others if step.payload["hook_event_name"] == "PreToolUse"]
    assert world.hook(calls[0]) == ""
    world.settle()
    first, second = (world.hook(step) for step in (calls[1], calls[1]))
    answer = json.loads(first)["hookSpecificOutput"]
    assert answer["hookEventName"] == "PreToolUse"
    assert "Replace the retry loop by a bounded backoff" in answer["additionalContext"]
    assert second == ""


def test_a_belief_that_no_longer_holds_is_told_before_the_file_is_read(world: World) -> None:
    with Memory.open(world.root, data_dir=world.data) as memory:
        place = Place("src/fetcher/retry.py", symbol="fetch")
        memory.remember(
            "`fetch` makes 3 attempts by default", at=[place], kind=BeliefKind.FACT, by=Caller(folder=world.root)
        )
    steps = world.recorded("claude-code")
    reading = steps[position(steps, "PreToolUse", "Read")]
    assert world.hook(reading) == ""
    edit = steps[position(steps, "PostToolUse", "Edit")]
    for path, text in edit.writes.items():
        Path(path).write_text(text)
    world.hook(edit)
    world.settle()
    answer = json.loads(world.hook(reading))["hookSpecificOutput"]
    assert answer["hookEventName"] == "PreToolUse"
    assert "`fetch` makes 3 attempts by default" in answer["additionalContext"]
    assert "permissionDecision" not in answer
    assert world.hook(reading) == ""  # once in a session


@pytest.mark.parametrize("agent", ["codex", "copilot-cli", "cursor", "gemini", "opencode", "vscode", "claude-code"])
def test_whoever_comes_next_is_told_in_a_form_that_it_takes(world: World, agent: str) -> None:
    world.settle()
    steps = [
        step for step in world.recorded("claude-code") if step.payload["hook_event_name"].startswith("PostToolUse")
    ]
    for step in steps[:6]:
        for path, text in step.writes.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)
        world.hook(step)
    world.settle()
    begin = world.recorded(agent)[0]
    begin.payload.update({name: "another" for name in ("session_id", "sessionId") if name in begin.payload})
    answer = json.loads(world.hook(begin))
    (words,) = [text for text in _texts(answer) if "src/fetcher/retry.py" in text]
    assert "<" not in words
    assert len(words.encode()) / 4 <= TOKENS


def _texts(answer: Any) -> list[str]:
    if isinstance(answer, str):
        return [answer]
    inner: list[Any] = list(answer.values()) if isinstance(answer, dict) else []  # pyright: ignore[reportUnknownArgumentType]
    return [text for each in inner for text in _texts(each)]


def test_nothing_is_said_where_nothing_was_left(world: World) -> None:
    world.settle()
    assert told(world, "codex") == ""
    assert told(world, "claude-code") == ""


def test_what_git_took_back_is_in_no_brief(world: World) -> None:
    world.settle()
    steps = world.recorded("claude-code")
    base = {key: steps[0].payload[key] for key in ("session_id", "transcript_path", "cwd") if key in steps[0].payload}
    path = world.root / "src" / "fetcher" / "retry.py"
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "Try four times"}
    edit = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Edit",
        "tool_use_id": "e1",
        "tool_input": {"file_path": str(path), "old_string": "attempts=3", "new_string": "attempts=4"},
        "tool_response": {"filePath": str(path)},
    }
    revert = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": "b1",
        "tool_input": {"command": "git checkout -q ."},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": False, "isImage": False},
    }
    world.hook(Step("claude-code", {**base, **prompt}, {}))
    path.write_text(RETRY.replace("attempts=3", "attempts=4"))
    world.hook(Step("claude-code", {**base, **edit}, {}))
    world.settle()
    assert "attempts" in told(world, "codex")
    world.project.git("checkout", "-q", ".")
    world.hook(Step("claude-code", {**base, **revert}, {}))
    world.settle()
    again = {"hook_event_name": "SessionStart", "source": "compact"}
    assert "attempts" not in world.hook(Step("claude-code", {**base, **again}, {}))
    world.hook(Step("claude-code", {**base, "hook_event_name": "SessionEnd", "reason": "other"}, {}))
    world.settle()
    assert "attempts" not in told(world, "codex")


def test_what_helped_once_is_told_to_the_next_session_that_fails_so(world: World) -> None:
    world.settle()
    failure = json.loads((RECORDED / "claude-code" / "16-PostToolUseFailure-Bash.json").read_text())
    failure["cwd"] = str(world.root)

    def ran(command: str, call: str) -> Step:
        answer = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}
        made = {"hook_event_name": "PostToolUse", "tool_input": {"command": command}, "tool_response": answer}
        given = {name: value for name, value in failure.items() if name != "error"}
        return Step("claude-code", {**given, **made, "tool_use_id": call}, {})

    world.hook(Step("claude-code", failure, {}))
    world.hook(ran("pip install pytest", "c2"))
    world.hook(ran(failure["tool_input"]["command"], "c3"))
    world.settle()
    said = world.hook(Step("claude-code", {**failure, "session_id": "another", "tool_use_id": "c4"}, {}))
    assert "`pip install pytest` before it" in said
