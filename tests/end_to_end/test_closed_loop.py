"""What a person says once, in some session of some agent, reaches every agent at the moment when it matters.

The payloads are recorded ones (fixtures/hooks) with other words in them; each goes through a hook process as agents
start it, on a git repository. The rules that catch and tell are not written to this test: the wording is that of the
issue that asked for them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import count, cycle
from pathlib import Path
from typing import Any, cast

import pytest
from patience import patience
from project import Project

import memlsp
from memlsp.memory import Memory
from memlsp.model.belief import Authority, BeliefKind, BeliefStatus, ScopeKind

ENTRY = Path(memlsp.__file__).parent / "faces" / "hooks" / "entry.py"
RECORDED = Path(__file__).parents[2] / "fixtures" / "hooks"
PATIENCE = 90  # seconds; a busy machine is slow
TOKENS = 250

SAID = {
    "Never commit .env files": (BeliefKind.RULE, ScopeKind.WORKSPACE),
    "The endpoint moved to /v2": (BeliefKind.FACT, ScopeKind.WORKSPACE),
    "I prefer terse commits": (BeliefKind.PREFERENCE, ScopeKind.USER),
    "no, use scripts/publish.sh for releases, never git push github": (BeliefKind.RULE, ScopeKind.WORKSPACE),
    "the GitHub account was renamed to acme-labs": (BeliefKind.FACT, ScopeKind.WORKSPACE),
    "deploys go to Coolify now, not Vercel": (None, ScopeKind.WORKSPACE),  # a decision, or a fact of operation
    "we're in research, no implementation yet": (BeliefKind.DECISION, ScopeKind.WORKSPACE),
    "run make migrate before the tests": (BeliefKind.PROCEDURE, ScopeKind.WORKSPACE),
}

NOISE = (
    "add a --verbose flag to the export command",
    "why is the second test so slow?",
    "thanks, that looks good",
    "hmm, maybe we should cache this at some point",
    "fix the failing test in test_export.py",
    "go on",
    "the build is red again, have a look",
    "rename this variable",
    "I moved the file and now the import fails",
    "can you explain what parse() does",
    "undo that",
    "wait, that's the wrong button, I meant the other one",
    "write a test for the empty list",
    "TypeError: 'NoneType' object is not subscriptable, any idea?",
    "yes please",
    "I wonder whether asyncio would help here",
    "make the header blue",
    "what does the flag -q do",
    "run the tests",
    "ok, commit it",
)

EVENTS = {
    # start, prompt, before a command, after a command, before an edit, end of a turn
    "claude-code": ("01-SessionStart-startup", "02-UserPromptSubmit", "15-PreToolUse-Bash", "18-PostToolUse-Bash"),
    "codex": ("01-SessionStart", "02-UserPromptSubmit", "03-PreToolUse-Bash", "04-PostToolUse-Bash"),
    "gemini": (
        "01-SessionStart",
        "02-BeforeAgent",
        "12-BeforeTool-run_shell_command",
        "13-AfterTool-run_shell_command",
    ),
    "cursor": ("01-sessionStart", "02-beforeSubmitPrompt", "09-beforeShellExecution", "06-postToolUse-Shell"),
    "opencode": ("01-session.created", "02-chat.message", "", "11-tool.execute.after-bash"),
}
AGENTS = tuple(EVENTS)
PROMPT = "Replace the retry loop by a bounded backoff"
FOLDERS = ("/home/ada/fetcher", "/home/ada")
NUMBERED = ("prompt_id", "turn_id", "generation_id", "tool_use_id", "callID", "id")
SESSIONS = ("session_id", "conversation_id", "sessionID")


class Heard:
    """What a hook said: to the agent, and to the person."""

    def __init__(self, out: str) -> None:
        said = cast("dict[str, Any]", json.loads(out)) if out else {}
        inner = cast("dict[str, Any]", said.get("hookSpecificOutput", said))
        self.decision = str(
            inner.get("permissionDecision") or said.get("permission") or (said.get("deny", "") and "deny")
        )
        self.person = str(said.get("systemMessage") or said.get("message") or "")
        found = inner.get("additionalContext") or inner.get("additional_context") or inner.get("context")
        self.agent = str(found or inner.get("permissionDecisionReason") or "")


class Session:
    """A session of an agent in the world's repository."""

    def __init__(self, world: World, agent: str) -> None:
        self.world, self.agent, self.name = world, agent, f"session-{next(world.numbers)}"

    def start(self) -> Heard:
        """The session begins."""
        return self._hook(EVENTS[self.agent][0], {})

    def prompt(self, words: str) -> Heard:
        """The person types something."""
        return self._hook(EVENTS[self.agent][1], {PROMPT: words})

    def before(self, command: str) -> Heard:
        """The agent is about to run a command."""
        if self.agent == "opencode":
            payload = self._recorded("04-tool.execute.before-read")
            payload["input"]["tool"] = "bash"
            payload["output"]["args"] = {"command": command}
            return self._run(payload)
        return self._run(self._with(self._recorded(EVENTS[self.agent][2]), command))

    def after(self, command: str) -> Heard:
        """The agent ran a command."""
        return self._run(self._with(self._recorded(EVENTS[self.agent][3]), command))

    def act(self, command: str) -> str:
        """What the agent is told around a command, before it where it listens then."""
        said = self.before(command)
        return said.agent or self.after(command).agent

    def _recorded(self, name: str, words: dict[str, str] | None = None) -> dict[str, Any]:
        text = (RECORDED / self.agent / f"{name}.json").read_text(encoding="utf-8")
        for old, new in (words or {}).items():
            text = text.replace(old, json.dumps(new)[1:-1])
        for each in FOLDERS:
            text = text.replace(each, self.world.root.as_posix())
        return cast("dict[str, Any]", self._renamed(json.loads(text)))

    def _renamed(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: self._renamed(each, name) for name, each in cast("dict[str, Any]", value).items()}
        if isinstance(value, list):
            return [self._renamed(each) for each in cast("list[Any]", value)]
        if key in SESSIONS or (key == "id" and isinstance(value, str) and value.startswith("ses_")):
            return self.name
        if key in NUMBERED and isinstance(value, str):
            return f"{value}-{next(self.world.numbers)}"
        return value

    def _with(self, payload: dict[str, Any], command: str) -> dict[str, Any]:
        for holder in (payload, payload.get("tool_input"), payload.get("input", {}).get("args")):
            if isinstance(holder, dict) and "command" in holder:
                holder["command"] = command
        if "timestamp" in payload:  # Gemini tells calls apart by their time
            payload["timestamp"] = (
                f"2026-11-21T18:07:{next(self.world.numbers) % 60:02d}.{next(self.world.numbers):03d}Z"
            )
        return payload

    def _hook(self, name: str, words: dict[str, str]) -> Heard:
        return self._run(self._recorded(name, words))

    def _run(self, payload: dict[str, Any]) -> Heard:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(ENTRY), self.agent],
            input=json.dumps(payload).encode(),
            capture_output=True,
            env=self.world.environment,
            cwd=self.world.root,
            timeout=patience(PATIENCE),
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return Heard(done.stdout.decode())


class World:
    """A repository with its memory."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder / "shop")
        self.root, self.data = self.project.root, folder / "data"
        self.numbers = count(1)
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
        self.environment = {
            **kept,
            "HOME": str(folder),
            "MEMLSP_DATA_DIR": str(self.data),
            "MEMLSP_CONFIG": str(folder / "config.toml"),
            "MEMLSP_SETTLER": "off",
        }
        self.project.write("cart.py", "def total(items):\n    return sum(items)\n")
        self.project.commit("begin")
        with self.memory():
            pass

    def memory(self) -> Memory:
        """The memory, opened."""
        return Memory.open(self.root, data_dir=self.data)

    def settle(self) -> None:
        """Let everything be understood that came in."""
        with self.memory() as memory:
            assert memory.events.settle(patience(PATIENCE)).stopped == ""
            memory.handoffs.refresh()

    def say(self, words: str, agent: str = "claude-code") -> Session:
        """Somebody types this in a session of its own, and the agent runs a command then."""
        session = Session(self, agent)
        session.start()
        session.prompt(words)
        session.after("ls src")
        return session

    def beliefs(self) -> list[Any]:
        """The active beliefs."""
        with self.memory() as memory:
            return [each.belief for each in memory.beliefs() if each.belief.status is BeliefStatus.ACTIVE]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> World:
    """All that was said, by sessions of all agents, among noise; and a hundred beliefs about something else."""
    world = World(tmp_path_factory.mktemp("taught"))
    noise, agents = iter(NOISE), cycle(AGENTS)
    for said in SAID:
        for words in (said, next(noise), next(noise)):
            world.say(words, next(agents))
    for words in noise:
        world.say(words, next(agents))
    world.settle()
    with world.memory() as memory:
        for number in range(100):
            memory.remember(f"Module {number} of the importer reads feed {number} in chunks of {number + 10} rows.")
    return world


def words_of(text: str) -> set[str]:
    return {word.strip(".,").lower() for word in text.split()}


def test_each_sentence_is_kept_once_with_kind_scope_and_author_and_nothing_of_the_noise(taught: World) -> None:
    found = [belief for belief in taught.beliefs() if "importer" not in belief.text]
    texts = [belief.text for belief in found]
    for said, (kind, scope) in SAID.items():
        wanted = words_of(said) - {"no"}
        (belief,) = [each for each in found if wanted <= words_of(each.text)] or [None]
        assert belief is not None, (said, texts)
        assert kind is None or belief.kind is kind, (said, belief.kind)
        assert belief.scope.kind is scope, (said, belief.scope)
        assert belief.authority is Authority.PERSON
        assert belief.author.name == "Ann Ode"
        assert belief.evidence[0].session
    assert len(found) == len(SAID), texts


@pytest.mark.parametrize("agent", AGENTS)
def test_another_agent_is_told_what_bears_on_a_release(taught: World, agent: str) -> None:
    session = Session(taught, agent)
    told = session.prompt("push the release to github").agent or session.after("ls").agent  # when it first listens
    assert "scripts/publish.sh" in told
    assert "acme-labs" in told
    for other in (".env", "/v2", "migrate", "importer", "research"):
        assert other not in told
    assert len(told.encode()) / 4 <= TOKENS


@pytest.mark.parametrize("agent", AGENTS)
def test_a_prompt_on_which_nothing_bears_is_told_nothing(taught: World, agent: str) -> None:
    session = Session(taught, agent)
    said = session.prompt("rename this variable")
    assert (said.agent, session.after("ls").agent) == ("", "")


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("git add .env", "Never commit .env files"),
        ("git push github main", "never git push github"),
        ("vercel deploy --prod", "Coolify"),
    ],
)
def test_an_act_is_met_by_the_one_rule_that_speaks_of_it_once(
    taught: World, agent: str, command: str, rule: str
) -> None:
    session = Session(taught, agent)
    told = session.act(command)
    assert rule.lower() in told.lower()
    assert told.count("\n") <= 1
    assert "Ann Ode" in told
    assert rule.lower() not in session.act(command).lower()


@pytest.mark.parametrize("agent", ["cursor", "gemini"])
def test_an_agent_with_no_hook_before_a_call_is_told_once_behind_it(taught: World, agent: str) -> None:
    session = Session(taught, agent)
    assert session.after("bash scripts/publish.sh").agent == ""
    told = session.after("git add .env").agent
    assert "never commit .env files" in told.lower()
    assert "just done" in told
    assert session.after("git add .env").agent == ""


@pytest.mark.parametrize(
    ("agent", "payload", "words"),
    [
        ("gemini", "09-AfterTool-replace", {"attempts=3": "a", "attempts=5": "print(a)"}),
        ("cursor", "05-postToolUse-Write", {"...": "print(a)"}),
    ],
)
def test_an_agent_that_hears_nothing_before_an_edit_is_told_once_behind_it(
    world: World, agent: str, payload: str, words: dict[str, str]
) -> None:
    world.say("no print statements here, use the logger")
    world.settle()
    session = Session(world, agent)
    told = session._hook(payload, words).agent  # pyright: ignore[reportPrivateUsage]
    assert "no print statements" in told.lower()
    assert "just done" in told
    assert session._hook(payload, words).agent == ""  # pyright: ignore[reportPrivateUsage]


def test_what_comes_before_an_act_is_asked_for_until_it_ran_in_the_session(taught: World) -> None:
    assert "migrate" in Session(taught, "claude-code").act("pytest -q")
    session = Session(taught, "claude-code")
    session.after("make migrate")
    assert session.act("pytest -q") == ""


@pytest.mark.parametrize(
    "command", ["bash scripts/publish.sh", "cat .env.example", "git push origin main", "ls -la", "git status"]
)
def test_an_act_that_no_rule_forbids_passes(taught: World, command: str) -> None:
    assert Session(taught, "claude-code").act(command) == ""


def test_a_rule_about_one_thing_supersedes_no_rule_about_another(world: World) -> None:
    for words in ("Never commit .env files", "never git push github", "never run the importer on production data"):
        world.say(words, "codex")
        world.settle()
    assert len(world.beliefs()) == 3


def test_a_locked_rule_asks_or_denies_where_the_persons_own_settings_say_so(world: World) -> None:
    taught = world
    taught.say("Never commit .env files")
    taught.say("no, use scripts/publish.sh for releases, never git push github")
    taught.settle()
    rule = next(belief for belief in taught.beliefs() if ".env" in belief.text)
    with taught.memory() as memory:
        memory.revise(rule.id, "lock")
    config = Path(taught.environment["MEMLSP_CONFIG"])
    assert Session(taught, "claude-code").before("git add .env").decision == ""
    for wanted in ("ask", "deny"):
        config.write_text(f'[agents]\nenforce = "{wanted}"\n')
        said = Session(taught, "claude-code").before("git add .env")
        assert said.decision == wanted
        assert ".env" in said.agent
        assert Session(taught, "codex").before("git add .env").decision == "deny"
        assert Session(taught, "claude-code").before("git push github").decision == ""  # that rule is not locked
    config.unlink()
    (taught.root / ".memlsp").mkdir()
    (taught.root / ".memlsp" / "config.toml").write_text('[agents]\nenforce = "deny"\n')
    assert Session(taught, "claude-code").before("git add .env").decision == ""


def test_the_person_sees_what_was_caught_and_how_much_was_told(world: World) -> None:
    session = world.say("Never commit .env files")
    world.settle()
    seen = session.after("ls").person
    assert "never commit .env files" in seen.lower()
    assert "memlsp undo last" in seen
    assert session.after("ls").person == ""
    assert "told" in Session(world, "claude-code").start().person


def test_a_session_starts_with_the_rules_and_is_told_them_again_after_compaction(taught: World) -> None:
    session = Session(taught, "claude-code")
    told = session.start().agent
    assert "Never commit .env files" in told
    assert "terse commits" in told
    assert ".env" not in session.prompt("commit .env.production").agent
    assert "Never commit .env files" in session._hook("30-SessionStart-compact", {}).agent  # pyright: ignore[reportPrivateUsage]
