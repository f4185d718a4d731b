"""What a hook tells an agent without being asked: at a start, at a prompt, and nothing else."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hook_world import HookWorld
from project import Project

from memlsp.memory import Memory
from memlsp.model.belief import Author, AuthorKind, BeliefKind, Limits, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.store.core import hook_connection
from memlsp.store.store import open_store
from memlsp.store.tables.hook_notes import composed, put_off, session_key

RULES = {
    "Use scripts/publish.sh for releases, never git push github.": BeliefKind.RULE,
    "Never commit .env files.": BeliefKind.RULE,
    "The GitHub account was renamed to acme-labs.": BeliefKind.FACT,
    "The endpoint moved to /v2.": BeliefKind.FACT,
    "Deploys go to Coolify now, not Vercel.": BeliefKind.DECISION,
    "Run make migrate before the tests.": BeliefKind.PROCEDURE,
}


@pytest.fixture
def memory(world: HookWorld) -> Iterator[Memory]:
    with Memory.open(world.root, data_dir=world.data) as found:
        for text, kind in RULES.items():
            found.remember(text, kind=kind)
        found.remember(
            "I prefer terse commits.", kind=BeliefKind.PREFERENCE, limits=Limits(scope=Scope(ScopeKind.USER))
        )
        yield found


def told(world: HookWorld, payload: object, agent: str = "claude-code") -> str:
    """What the agent is told at this payload."""
    out = world.hook(payload, agent).out
    return json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "") if out else ""


def start(world: HookWorld, source: str = "startup", session: str = "s1") -> dict[str, object]:
    return {"session_id": session, "hook_event_name": "SessionStart", "cwd": str(world.root), "source": source}


@pytest.mark.usefixtures("memory")
def test_a_prompt_is_handed_what_bears_on_it_and_nothing_of_the_rest(world: HookWorld) -> None:
    text = told(world, world.prompt("push the release to github"))
    assert "never git push github" in text
    assert "renamed to acme-labs" in text
    assert ".env" not in text
    assert "endpoint" not in text
    assert len(text) <= 1_000  # 250 tokens


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("words", ["rename this variable", "thanks, looks good", "why does the test fail?", "go on"])
def test_a_prompt_on_which_nothing_bears_is_handed_nothing_at_all(world: HookWorld, words: str) -> None:
    assert world.hook(world.prompt(words)).out == ""


@pytest.mark.usefixtures("memory")
def test_nothing_is_told_twice_in_a_context_window(world: HookWorld) -> None:
    assert told(world, world.prompt("push the release to github"))
    assert told(world, world.prompt("now push the release to github", turn="2")) == ""
    assert told(world, world.prompt("push the release to github", session_id="s2"))
    told(world, start(world, "compact"))
    assert "acme-labs" in told(world, world.prompt("push the release to github once more", turn="3"))


@pytest.mark.usefixtures("memory")
def test_a_session_starts_with_the_rules_and_preferences_that_apply_everywhere(world: HookWorld) -> None:
    text = told(world, start(world))
    assert "Never commit .env files." in text
    assert "terse commits" in text
    assert "endpoint" not in text  # a fact is told where it bears
    assert ".env" not in told(world, world.prompt("commit the .env file"))  # it was told at the start


@pytest.mark.parametrize(
    ("statement", "guides"),
    [
        ("A commit bundles implementation, tests and documentation", True),
        ("Coverage stays at 100 %", True),
        ("Node 20 or newer", True),
        ("The office is in Bern", False),
        ("Ilse wrote the parser", False),
    ],
)
def test_what_says_how_to_work_is_told_at_the_start_whatever_its_kind(
    world: HookWorld, memory: Memory, statement: str, *, guides: bool
) -> None:
    assert memory.remember(statement).belief.kind is BeliefKind.FACT
    assert (statement in told(world, start(world))) is guides


def test_what_names_a_file_is_not_told_at_the_start_once_the_file_is_gone(world: HookWorld, memory: Memory) -> None:
    (world.root / "docs").mkdir()
    (world.root / "docs/errors.md").write_text("# Errors\n", encoding="utf-8")
    memory.remember("Every error stands in docs/errors.md")
    assert "docs/errors.md" in told(world, start(world))
    (world.root / "docs/errors.md").unlink()
    memory.handoffs.refresh(["docs/errors.md"])
    assert "docs/errors.md" not in told(world, start(world, session="s2"))


def test_locked_rules_come_first_and_the_budget_holds(world: HookWorld, memory: Memory) -> None:
    for number in range(40):
        memory.remember(f"Rule {number}: keep module {number} free of side effects at import.", kind=BeliefKind.RULE)
    locked = memory.remember("Nobody pushes to main.", kind=BeliefKind.RULE).belief
    memory.revise(locked.id, "lock")
    text = told(world, start(world))
    assert "Nobody pushes to main." in text.splitlines()[1]
    assert -(-len(text) // 4) <= 300


@pytest.mark.usefixtures("memory")
def test_a_subagent_is_told_the_rules_though_its_session_was(world: HookWorld) -> None:
    told(world, start(world))
    payload = {**start(world), "hook_event_name": "SubagentStart", "agent_type": "Explore", "agent_id": "a1"}
    assert "Never commit .env files." in told(world, payload)


def test_what_a_subagent_is_told_has_a_receipt_with_its_agent_and_session(world: HookWorld, memory: Memory) -> None:
    payload = {**start(world), "hook_event_name": "SubagentStart", "agent_type": "Explore", "agent_id": "a1"}
    told(world, payload)
    (receipt,) = memory.receipts()
    assert (receipt.surface, receipt.asker, receipt.session) == ("start", "claude-code", "claude-code s1")
    assert "Never commit .env files." in told(world, start(world))  # the session itself was told nothing


def test_what_was_retired_is_told_no_more(world: HookWorld, memory: Memory) -> None:
    found = next(each for each in memory.beliefs() if "acme-labs" in each.belief.text)
    memory.revise(found.belief.id, "retire")
    assert "acme-labs" not in told(world, world.prompt("push the release to github"))


@pytest.mark.usefixtures("memory")
def test_everything_that_is_told_leaves_a_receipt(world: HookWorld, memory: Memory) -> None:
    told(world, start(world))
    told(world, world.prompt("push the release to github", session_id="s2"))
    assert world.hook(world.prompt("rename this variable")).out == ""
    assert sorted(len(each.served) > 1 for each in memory.receipts()) == [True, True]
    assert all(0 < each.tokens <= 300 for each in memory.receipts())


@pytest.mark.usefixtures("memory")
def test_the_person_sees_how_much_was_told(world: HookWorld) -> None:
    said = json.loads(world.hook(world.prompt("push the release to github")).out)
    assert said["systemMessage"].startswith("memlsp told the agent 2 things (")


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("setting", ["start", "prompt"])
def test_each_moment_can_be_switched_off(world: HookWorld, setting: str) -> None:
    (world.data / "config.toml").write_text(f"[agents]\n{setting} = 0\n")
    env = world.environment(MEMLSP_CONFIG=str(world.data / "config.toml"))
    payload = start(world) if setting == "start" else world.prompt("push the release to github")
    assert world.hook(payload, env=env).out == ""


def test_what_the_code_no_longer_agrees_with_is_told_as_such(
    world: HookWorld, memory: Memory, project: Project
) -> None:
    project.write("billing.py", "def invoice_total(net):\n    return net * 1.2\n")
    memory.remember(
        "Invoices apply 20 % tax.", at=[Place("billing.py", symbol="invoice_total")], kind=BeliefKind.DECISION
    )
    first = told(world, world.prompt("print the tax on invoices"))
    assert "20 %" in first
    project.write("billing.py", "def invoice_total(net):\n    return net * 1.25\n")
    assert "[not yet judged in the present code]" in told(
        world, world.prompt("print the tax on invoices", session_id="s2")
    )
    memory.files_changed(None)
    memory.handoffs.refresh()
    text = told(world, world.prompt("print the tax on invoices", session_id="s3"))
    assert "no longer true, the code says:" in text
    assert "It was: Invoices apply 20 % tax." in text


def test_what_another_belief_denies_is_told_with_it(world: HookWorld, memory: Memory) -> None:
    old, new = (memory.remember(f"Invoices are stored in {name}.") for name in ("Postgres", "MySQL"))
    text = told(world, world.prompt("which Postgres stores invoices?"))
    assert "[nobody settled it: another says “Invoices are stored in MySQL.”]" in text
    memory.revise(old.belief.id, "retire")
    text = told(world, world.prompt("which MySQL stores invoices?", session_id="s2"))
    assert new.belief.id in text
    assert "nobody settled" not in text


def test_what_an_agent_said_raises_no_doubt_about_what_a_person_said(world: HookWorld, memory: Memory) -> None:
    agent = Caller(author=Author("claude-code", AuthorKind.AGENT))
    memory.remember("Invoices are stored in MySQL.", by=agent)
    person = memory.remember("Invoices are stored in PostgreSQL.")
    assert memory.conflicts.of(person.belief.id)
    text = told(world, world.prompt("where do we store invoices, in which database?"))
    (line,) = [line for line in text.splitlines() if "| Invoices are stored in PostgreSQL" in line]
    assert "nobody settled" not in line


@pytest.mark.usefixtures("memory")
def test_what_the_person_says_to_be_otherwise_now_is_not_told_as_it_was(world: HookWorld) -> None:
    assert told(world, world.prompt("deploys go to Fly.io now, not Coolify")) == ""
    assert told(world, world.prompt("push the release to github now", turn="2"))


def test_a_preference_and_the_number_of_what_did_not_fit_stand_beside_many_rules(
    world: HookWorld, memory: Memory
) -> None:
    for number in range(40):
        memory.remember(f"Rule {number}: keep module {number} free of side effects at import.", kind=BeliefKind.RULE)
    text = told(world, start(world))
    assert "terse commits" in text
    assert re.search(r"\(\d+ more: `memlsp beliefs`\)$", text)
    assert -(-len(text) // 4) <= 300


def test_a_line_that_a_session_did_not_live_to_show_is_shown_at_the_next_start(
    world: HookWorld, memory: Memory
) -> None:
    world.hook(world.prompt("never rename the public API"))
    memory.events.settle()
    assert (
        "noted: never rename the public API" in json.loads(world.hook(start(world, session="s9")).out)["systemMessage"]
    )


def test_the_value_of_a_password_is_kept_nowhere(world: HookWorld, memory: Memory) -> None:
    world.hook(world.prompt("the db password is hunter2 now"))
    memory.events.settle()
    assert not any("hunter2" in event.text for event in world.events())
    assert not any("password" in each.belief.text for each in memory.beliefs())


def test_a_briefing_that_was_put_off_waits_for_an_event_that_takes_it(world: HookWorld, memory: Memory) -> None:
    key = session_key("claude-code", "s7")
    with open_store(world.store) as store:
        store.handoffs.keep_briefings({("", ""): composed([("what was left", None, [])])}, datetime.now(UTC))
    connection = hook_connection.opened(str(world.store))
    put_off(connection, key, time.time_ns() // 1_000_000)
    stop = {"session_id": "s7", "hook_event_name": "Stop", "cwd": str(world.root), "last_assistant_message": "Done."}
    assert "what was left" not in world.hook(stop).out
    assert told(world, world.prompt("go on", session_id="s7")) == ""  # events wait
    memory.events.settle()
    with open_store(world.store) as store:
        store.handoffs.keep_briefings({("", ""): composed([("what was left", None, [])])}, datetime.now(UTC))
    assert "what was left" in told(world, world.prompt("now go on", session_id="s7", prompt_id="p2"))


def test_what_git_took_back_is_not_told_while_nobody_has_looked(world: HookWorld, memory: Memory) -> None:
    path = world.root / "client.py"
    before = path.read_text()
    world.hook(world.prompt("retry five times", session_id="s1"))
    path.write_text(before.replace("retries=3", "retries=5"))
    call = {"tool_name": "Edit", "tool_input": {"file_path": str(path)}, "tool_use_id": "t1"}
    edit = {"session_id": "s1", "hook_event_name": "PostToolUse", "cwd": str(world.root)}
    world.hook({**edit, **call, "tool_response": {"filePath": str(path)}})
    memory.events.settle()
    memory.handoffs.refresh()
    assert "from 3 to 5" in told(world, start(world, session="s2"))
    memory.events.settle()
    path.write_text(before)  # as git checkout does
    assert "earlier sessions" not in told(world, start(world, session="s3"))
    memory.events.settle()
    memory.handoffs.refresh()
    assert "from 3 to 5" not in told(world, world.prompt("go on", session_id="s3"))


def test_what_was_put_off_comes_under_a_line_that_says_that_it_is_quoted(world: HookWorld, memory: Memory) -> None:
    memory.remember("Never commit with <git> push github.", kind=BeliefKind.GOTCHA, at=[Place("client.py")])
    common = {"conversation_id": "c1", "workspace_roots": [str(world.root)]}
    asked = {**common, "hook_event_name": "beforeSubmitPrompt", "prompt": "push the release to github"}
    assert world.hook(asked, "cursor").out == ""
    read = {"tool_name": "Read", "tool_input": {"file_path": str(world.root / "client.py")}, "tool_output": "x"}
    answer = world.hook({**common, **read, "hook_event_name": "postToolUse"}, "cursor").json()
    head, *lines = answer["additional_context"].split("\n")
    assert head == "memlsp, what this workspace knows about it. Lines behind | are quotes."
    assert "never git push github" in lines[0]
    assert {line[:2] for line in lines} == {"| "}


@pytest.mark.usefixtures("memory")
def test_a_wrong_setting_is_shown_to_the_person_once_in_a_session(world: HookWorld) -> None:
    settings = world.data / "wrong.toml"
    settings.write_text('[agents]\nenforce = "dney"\n', encoding="utf-8")
    env = world.environment(MEMLSP_CONFIG=str(settings))
    shown = world.hook(start(world), env=env).json()["systemMessage"]
    assert "agents.enforce is `tell`, `ask` or `deny`, not 'dney'" in shown
    assert world.hook(world.prompt("thanks, looks good"), env=env).out == ""
    assert "dney" in world.hook(world.prompt("thanks", session_id="s2"), env=env).json()["systemMessage"]
