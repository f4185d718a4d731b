"""What a hook tells before an act: the one statement that speaks of it, and nothing of the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hook_world import HookWorld
from project import Project

from memlsp.memory import Memory
from memlsp.model.belief import Author, AuthorKind, BeliefKind, Limits, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.store.store import open_store
from memlsp.store.tables.acts import ACTS_READ
from memlsp.store.tables.handoffs import KeptNote
from memlsp.store.tables.hook_notes import stamp_of

RULES = (
    "Use scripts/publish.sh for releases, never git push github.",
    "Never commit .env files.",
    "Never force push.",
    "Deploys go to Coolify now, not Vercel.",
    "Generated files under gen/ are never edited by hand.",
    "No console.log.",
    "Run make migrate before the tests.",
    "use pnpm here",
)


@pytest.fixture
def memory(world: HookWorld) -> Iterator[Memory]:
    with Memory.open(world.root, data_dir=world.data) as found:
        for text in RULES:
            found.remember(text, kind=BeliefKind.RULE)
        yield found


def runs(world: HookWorld, command: str, session: str = "s1") -> dict[str, object]:
    return {
        "session_id": session,
        "hook_event_name": "PreToolUse",
        "cwd": str(world.root),
        "tool_name": "Bash",
        "tool_use_id": f"u {command}",
        "tool_input": {"command": command},
    }


OVER = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "stderr": "", "interrupted": False}}


def ran(world: HookWorld, command: str, session: str = "s1") -> dict[str, object]:
    return {**runs(world, command, session), **OVER}


def edits(world: HookWorld, path: str, old: str, new: str) -> dict[str, object]:
    call = {"file_path": str(world.root / path), "old_string": old, "new_string": new}
    return {**runs(world, "x"), "tool_name": "Edit", "tool_input": call}


def told(world: HookWorld, payload: object, agent: str = "claude-code", config: str = "") -> str:
    (world.data / "config.toml").write_text(config)
    out = world.hook(payload, agent, env=world.environment(MEMLSP_CONFIG=str(world.data / "config.toml"))).out
    return json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "") if out else ""


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("git push github main", "never git push github"),
        ("cd src && sudo git -C . push --force origin main", "Never force push"),
        ("git push -f", "Never force push"),
        ("git add .env && git commit -m wip", "Never commit .env"),
        ("npx -y vercel --prod", "not Vercel"),
        ("vercel deploy", "not Vercel"),
        ("bash -c 'vercel deploy'", "not Vercel"),
        ("echo x > gen/api.ts", "gen/"),
        ("npm install left-pad", "use pnpm"),
        ("pytest -q", "make migrate"),
    ],
)
def test_an_act_is_met_by_the_one_rule_that_speaks_of_it(world: HookWorld, command: str, rule: str) -> None:
    text = told(world, runs(world, command))
    assert text.startswith("memlsp quotes, before this: | ")
    assert rule in text
    assert text.count("|") == 1
    assert len(text) <= 480


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(
    "command",
    [
        "bash scripts/publish.sh",
        "cat .env.example",
        "cat .env",
        "git log --oneline github/main",
        "git commit -m 'never git push github, vercel deploy'",
        "cat > notes.txt <<'EOF'\ngit push github main\nEOF",
        "echo 'git push --force'",
        "git push --dry-run github main",
        "make migrate && pytest -q",
        "pnpm install",
        "ls -la",
        "grep -rn 'git push github' docs",
        "git add .",
    ],
)
def test_what_looks_complies_or_only_mentions_passes(world: HookWorld, command: str) -> None:
    assert told(world, runs(world, command)) == ""


@pytest.mark.usefixtures("memory")
def test_a_command_that_takes_all_files_is_met_where_such_a_file_lies_and_is_not_ignored(
    world: HookWorld, project: Project
) -> None:
    project.write(".env", "A=1")
    assert ".env" in told(world, runs(world, "git add -A"))
    project.write(".gitignore", ".env\n")
    assert told(world, runs(world, "git add -A", session="s2")) == ""


@pytest.mark.usefixtures("memory")
def test_an_edit_is_met_by_its_path_and_by_the_text_that_it_adds(world: HookWorld) -> None:
    assert "gen/" in told(world, edits(world, "gen/client.ts", "a", "b"))
    assert "console.log" in told(world, edits(world, "src/a.ts", "f()", "f()\nconsole.log(1)"))
    assert told(world, edits(world, "src/b.ts", "console.log(1)\nf()", "f()")) == ""


@pytest.mark.usefixtures("memory")
def test_it_is_told_once_and_what_is_done_after_that_is_counted(world: HookWorld, memory: Memory) -> None:
    assert told(world, runs(world, "vercel deploy"))
    assert told(world, ran(world, "vercel deploy")) == ""
    assert told(world, runs(world, "vercel deploy --prod")) == ""
    assert told(world, runs(world, "vercel deploy", session="s2"))
    with open_store(world.store) as store, store._read() as connection:  # pyright: ignore[reportPrivateUsage]
        found = connection.execute("SELECT surface, tokens > 0 FROM receipt ORDER BY id").fetchall()
    assert found == [("act", 1), ("done", 0), ("act", 1)]
    assert len(memory.receipts()) == 3


def test_an_act_is_obeyed_broken_or_unknown_as_the_session_went_on(world: HookWorld, memory: Memory) -> None:
    def outcome() -> tuple[int, int, int]:
        summary = memory.stats().told
        return summary.obeyed, summary.broken, summary.unknown

    assert told(world, runs(world, "vercel deploy"))
    assert outcome() == (0, 0, 1)
    told(world, ran(world, "coolify deploy"))
    assert outcome() == (1, 0, 0)
    told(world, ran(world, "npx vercel --prod"))
    assert outcome() == (0, 1, 0)
    assert told(world, edits(world, "src/a.ts", "f()", "f()\nconsole.log(1)"))
    assert outcome() == (0, 1, 1)
    told(world, {**edits(world, "src/a.ts", "f()", "g()"), **OVER})
    assert outcome() == (1, 1, 0)
    told(world, {**edits(world, "src/b.ts", "f()", "console.log(2)"), **OVER})
    assert outcome() == (0, 2, 0)


@pytest.mark.usefixtures("memory")
def test_a_command_that_failed_was_not_done(world: HookWorld, memory: Memory) -> None:
    assert told(world, runs(world, "vercel deploy"))
    failed = {**runs(world, "vercel deploy"), "hook_event_name": "PostToolUseFailure", "error": "Exit code 1"}
    told(world, failed)
    assert memory.stats().told.broken == 0


def test_only_a_locked_rule_asks_or_denies_and_only_where_the_person_says_so(world: HookWorld, memory: Memory) -> None:
    config = '[agents]\nenforce = "deny"\n'
    belief = next(each.belief for each in memory.beliefs() if ".env" in each.belief.text)
    assert "Never commit" in told(world, runs(world, "git add .env"), config=config)
    memory.revise(belief.id, "lock")
    env = world.environment(MEMLSP_CONFIG=str(world.data / "config.toml"))
    for _ in range(2):  # each time
        said = world.hook(runs(world, "git add .env"), env=env).json()["hookSpecificOutput"]
        assert said["permissionDecision"] == "deny"
        assert "Never commit .env" in said["permissionDecisionReason"]
    cursor = {"hook_event_name": "beforeShellExecution", "conversation_id": "c", "command": "git add .env"}
    answer = world.hook({**cursor, "workspace_roots": [str(world.root)]}, "cursor", env=env).json()
    assert answer["permission"] == "deny"
    assert told(world, runs(world, "git add .env", session="s3"))


@pytest.mark.parametrize("wanted", ["ask", "deny"])
@pytest.mark.parametrize("tokens", [0, 1])
@pytest.mark.parametrize("lowered_by", ["workspace", "person"])
def test_no_limit_of_what_is_told_disarms_a_locked_rule(
    world: HookWorld, memory: Memory, project: Project, wanted: str, tokens: int, lowered_by: str
) -> None:
    belief = next(each.belief for each in memory.beliefs() if ".env" in each.belief.text)
    memory.revise(belief.id, "lock")
    limit = f"act = {tokens}\n"
    own = f'[agents]\nenforce = "{wanted}"\n{limit if lowered_by == "person" else ""}'
    if lowered_by == "workspace":
        project.write(".memlsp/config.toml", f"[agents]\n{limit}")
    (world.data / "config.toml").write_text(own)
    env = world.environment(MEMLSP_CONFIG=str(world.data / "config.toml"))
    for _ in range(2):  # each time
        said = world.hook(runs(world, "git add .env"), env=env).json()["hookSpecificOutput"]
        assert said["permissionDecision"] == wanted
        assert "Never commit" in said["permissionDecisionReason"]
        assert len(said["permissionDecisionReason"]) <= 60  # cut
    assert [each.surface for each in memory.receipts()] == ["act"]
    other = world.hook(runs(world, "vercel deploy"), env=env).out  # not locked: it is told as far as the limit goes
    assert bool(other) == bool(tokens)
    assert "permissionDecision" not in other


def test_a_locked_rule_decides_though_it_is_told_as_a_note_of_the_file_at_once(
    world: HookWorld, memory: Memory, project: Project
) -> None:
    project.write("gen/client.ts", "export const a = 1;\n")
    text = "Never edit gen/client.ts by hand."
    belief = memory.remember(text, at=[Place("gen/client.ts")], kind=BeliefKind.RULE).belief
    locked = memory.revise(belief.id, "lock").belief
    note = KeptNote(f"a note: {text}", f"{locked.id} current", locked.id, locked.updated_at)
    with open_store(world.store) as store:
        store.handoffs.keep_notes("gen/client.ts", stamp_of(str(world.root / "gen/client.ts")), "", [note])
    payload = edits(world, "gen/client.ts", "a", "b")
    assert told(world, {**payload, "session_id": "s0"}) == f"a note: {text}"
    (world.data / "config.toml").write_text('[agents]\nenforce = "deny"\n')
    env = world.environment(MEMLSP_CONFIG=str(world.data / "config.toml"))
    said = world.hook(payload, env=env).json()["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert memory.receipts()[0].surface == "note"


@pytest.mark.usefixtures("memory")
def test_an_agent_that_takes_no_context_before_a_call_hears_it_behind_the_output(world: HookWorld) -> None:
    before = {**runs(world, "vercel deploy"), "hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
    assert world.hook(before, "gemini").out == ""
    after = {**before, "hook_event_name": "AfterTool", "tool_response": {"llmContent": "Exit Code: 0"}}
    assert "not Vercel" in world.hook(after, "gemini").out


@pytest.mark.usefixtures("memory")
def test_an_agent_with_no_hook_before_a_call_hears_it_once_of_what_it_did(world: HookWorld) -> None:
    payload = {
        "sessionId": "s1",
        "timestamp": 1795284292264,
        "cwd": str(world.root),
        "toolName": "bash",
        "toolArgs": {"command": "vercel deploy"},
        "toolResult": {"resultType": "success", "textResultForLlm": "<shellId: 1 completed with exit code 0>"},
    }
    said = [world.hook({**payload, "timestamp": at}, "copilot-cli").out for at in (1, 2)]
    assert "on what was just done: | " in said[0]
    assert "not Vercel" in said[0]
    assert "not Vercel" not in said[1]


def test_a_guard_is_told_as_what_may_break(world: HookWorld, memory: Memory) -> None:
    limits = Limits(scope=Scope(ScopeKind.GLOB, "src/**/*.py"))
    memory.remember("Requests go through the client.", guards=["must not python: requests.get($$$)"], limits=limits)
    text = told(world, edits(world, "src/a/b.py", "x", "requests.get(url)"))
    assert text.startswith("memlsp quotes a guarded rule that this may break: | Requests go")
    assert told(world, edits(world, "docs/b.py", "x", "requests.get(url)")) == ""


def test_what_was_retired_meets_nothing_and_a_revision_is_met_at_once(world: HookWorld, memory: Memory) -> None:
    belief = next(each.belief for each in memory.beliefs() if "Vercel" in each.belief.text)
    memory.revise(belief.id, "supersede", text="Deploys go to Vercel now, not Coolify.")
    assert told(world, runs(world, "vercel deploy")) == ""
    assert "not Coolify" in told(world, runs(world, "coolify deploy"))


def test_acts_of_a_store_that_lost_them_are_read_again_by_the_settler(world: HookWorld, memory: Memory) -> None:
    with open_store(world.store) as store:
        with store._changing() as connection:  # pyright: ignore[reportPrivateUsage]
            connection.execute("DELETE FROM act")
        store.set_info(ACTS_READ, "0")
    assert told(world, runs(world, "vercel deploy")) == ""
    memory.events.settle(30)
    assert told(world, runs(world, "vercel deploy"))


@pytest.mark.usefixtures("memory")
def test_acts_can_be_switched_off(world: HookWorld) -> None:
    assert told(world, runs(world, "vercel deploy"), config="[agents]\nact = 0\n") == ""


def test_an_edit_is_told_what_is_said_of_the_symbols_that_it_touches(
    world: HookWorld, memory: Memory, project: Project
) -> None:
    project.write("src/a.py", "".join(f"def f{n}():\n    a = {n}\n    return a\n\n\n" for n in range(6)))
    memory.files_changed(None)
    for n in range(5):
        memory.remember(f"f{n} must stay free of I/O.", at=[Place("src/a.py", symbol=f"f{n}")], kind=BeliefKind.RULE)
    memory.remember("Careful: a.py is loaded first.", at=[Place("src/a.py")], kind=BeliefKind.GOTCHA)
    memory.handoffs.refresh()
    last = told(world, {**edits(world, "src/a.py", "a = 4", "a = 5"), "session_id": "s1"}).split("\n")
    assert [line.partition(": ")[0] for line in last] == ["memlsp, rule for `f4`", "memlsp, gotcha for this file"]
    other = told(world, {**edits(world, "src/a.py", "    a = 5\n    return a", "    return 5"), "session_id": "s2"})
    assert other.startswith("memlsp, gotcha for this file")
    assert other.count("\n") == 0
    read = {**runs(world, "x", "s3"), "tool_name": "Read", "tool_input": {"file_path": str(world.root / "src/a.py")}}
    assert told(world, read).count("\n") == 2
    unknown = {**edits(world, "src/a.py", "not there", "b"), "session_id": "s4"}
    assert told(world, unknown).count("\n") == 2


# -- what people said for such a file ------------------------------------------------------------------------------


def writes(world: HookWorld, path: str, text: str) -> dict[str, object]:
    call = {"file_path": str(world.root / path), "content": text}
    return {**runs(world, f"w {path}"), "tool_name": "Write", "tool_input": call}


def for_files(memory: Memory, text: str, pattern: str) -> str:
    return memory.remember(text, limits=Limits(scope=Scope(ScopeKind.GLOB, pattern))).belief.id


def test_what_was_said_for_files_of_a_glob_is_told_before_a_new_one_is_written(
    world: HookWorld, memory: Memory
) -> None:
    for_files(memory, "Tests are table driven", "**/*_test.go")
    for_files(memory, "Pages are in British English", "docs/**")
    text = told(world, writes(world, "api/orders_test.go", "package api"))
    assert text.splitlines()[0] == "memlsp, what people said for such a file. Lines behind | are quotes."
    assert "Tests are table driven" in text
    assert "British" not in text
    assert told(world, writes(world, "api/stock_test.go", "package api")) == ""  # it was told
    assert told(world, writes(world, "api/stock.go", "package api")) == ""


def test_what_names_a_file_is_told_before_that_file_is_changed_and_not_when_it_is_read(
    world: HookWorld, memory: Memory
) -> None:
    (world.root / "ERRORS.md").write_text("# Errors\n", encoding="utf-8")
    memory.remember("The tax office reads ERRORS.md every month")
    call = {"file_path": str(world.root / "ERRORS.md")}
    assert told(world, {**runs(world, "r"), "tool_name": "Read", "tool_input": call}) == ""
    assert "tax office" in told(world, edits(world, "ERRORS.md", "# Errors", "# All errors"))


def test_of_what_an_agent_said_of_a_glob_only_the_rules_are_told(world: HookWorld, memory: Memory) -> None:
    agent, scope = Caller(author=Author("claude-code", AuthorKind.AGENT)), Limits(scope=Scope(ScopeKind.GLOB, "api/**"))
    memory.remember("Handlers return early", limits=scope, by=agent)
    assert told(world, writes(world, "api/orders.go", "package api")) == ""
    memory.remember("Handlers must return early", limits=scope, by=agent)
    assert "must return early" in told(world, writes(world, "api/orders.go", "package api"))


def test_before_a_file_is_read_the_rules_of_its_glob_are_told_and_no_facts(world: HookWorld, memory: Memory) -> None:
    for_files(memory, "Prices must be rounded once", "pricing/**")
    for_files(memory, "Ann wrote the pricing", "pricing/**")
    call = {"file_path": str(world.root / "pricing/tax.py")}
    text = told(world, {**runs(world, "r"), "tool_name": "Read", "tool_input": call})
    assert "rounded once" in text
    assert "Ann wrote" not in text


def test_no_more_is_said_for_a_file_than_the_budget_of_an_act(world: HookWorld, memory: Memory) -> None:
    for number in range(20):
        for_files(memory, f"Handlers of sort {number} have a sentence that says at length what they are for", "api/**")
    text = told(world, writes(world, "api/orders.go", "package api"))
    assert len(text.splitlines()) <= 4
    assert -(-len(text) // 4) <= 120


def test_what_was_said_for_a_file_waits_while_the_act_is_denied(world: HookWorld, memory: Memory) -> None:
    belief = next(each.belief for each in memory.beliefs() if "gen/" in each.belief.text)
    memory.revise(belief.id, "lock")
    for_files(memory, "Names are in British English", "**/*.ts")
    (world.data / "config.toml").write_text('[agents]\nenforce = "deny"\n', encoding="utf-8")
    env = world.environment(MEMLSP_CONFIG=str(world.data / "config.toml"))
    denied = world.hook(edits(world, "gen/client.ts", "a", "b"), env=env).json()["hookSpecificOutput"]
    assert denied["permissionDecision"] == "deny"
    assert "British" in world.hook(edits(world, "src/client.ts", "a", "b"), env=env).out


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("command", ["@start now", "'@file ERRORS.md'", "@file ERRORS.md"])
def test_a_command_with_the_name_of_a_term_is_a_command(world: HookWorld, memory: Memory, command: str) -> None:
    (world.root / "ERRORS.md").write_text("# Errors\n", encoding="utf-8")
    memory.remember("Every error stands in ERRORS.md")
    assert told(world, runs(world, command)) == ""
    assert world.log == ""


def test_a_file_that_is_named_for_the_user_is_of_no_workspace(world: HookWorld, memory: Memory) -> None:
    (world.root / "ERRORS.md").write_text("# Errors\n", encoding="utf-8")
    memory.remember("ERRORS.md was my idea", limits=Limits(scope=Scope(ScopeKind.USER)))
    assert told(world, edits(world, "ERRORS.md", "# Errors", "# All errors")) == ""
