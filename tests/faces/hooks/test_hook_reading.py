from __future__ import annotations

import json
import re
import subprocess
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from thorough import examples

from memlsp.agents import NAMES as AGENTS
from memlsp.faces.hooks import payload_records
from memlsp.faces.hooks.dialects import terminal
from memlsp.model.event import EventKind

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures" / "hooks"
NOW = 1_795_284_216_460


def payload(name: str) -> dict[str, Any]:
    """A fixture by the beginning of its name: `codex/06`."""
    folder, _, start = name.rpartition("/")
    (found,) = sorted((FIXTURES / folder).glob(f"{start}-*.json"))
    return json.loads(found.read_text(encoding="utf-8"))


def agent_of(path: Path) -> str:
    return path.relative_to(FIXTURES).parts[0]


@cache
def files() -> list[Path]:
    return sorted(FIXTURES.rglob("*.json"))


def record(name: str, now: int = NOW) -> dict[str, Any]:
    (only,) = payload_records.read(name.partition("/")[0], payload(name), now)
    return only


def line(agent: str, told: dict[str, Any]) -> str:
    found = payload_records.read(agent, told, NOW)
    if not found:
        return f"({found.reason})"
    (only,) = found
    left_out = {"key", "near", "at", "source", "session", "folder"}
    return " ".join(f"{name}={value!r}" for name, value in only.items() if name not in left_out)


@pytest.mark.parametrize("agent", AGENTS)
def test_every_payload_reads_into_the_same_records_as_before(agent: str, snapshot: SnapshotAssertion) -> None:
    lines = [
        f"{path.relative_to(FIXTURES / agent)}: {line(agent, json.loads(path.read_text(encoding='utf-8')))}"
        for path in files()
        if agent_of(path) == agent
    ]
    assert lines
    assert "\n".join(lines) == snapshot


@cache
def records() -> list[tuple[Path, dict[str, Any]]]:
    return [
        (path, only)
        for path in files()
        for only in payload_records.read(agent_of(path), json.loads(path.read_text(encoding="utf-8")), NOW)
    ]


def test_every_record_is_one_that_the_journal_keeps() -> None:
    assert len(records()) > 80
    for path, only in records():
        assert re.fullmatch("[0-9a-f]{32}", only["key"])
        assert 1_700_000_000_000 < only["at"] < 1_900_000_000_000
        assert only["kind"] in set(EventKind)
        assert only["source"] == agent_of(path)
        assert only["session"]
        assert set(only) <= {
            *("key", "at", "kind", "source", "session", "text", "output", "paths", "ok", "exit"),
            *("tool", "ms", "folder", "extra", "plan", "near"),
        }
        json.dumps(only)


def test_no_known_payload_has_a_key_that_nobody_knows() -> None:
    assert [(path.name, only["extra"]) for path, only in records() if "extra" in only] == []


def test_no_payload_of_a_known_agent_is_an_unknown_event() -> None:
    for path in files():
        found = payload_records.read(agent_of(path), json.loads(path.read_text(encoding="utf-8")), NOW)
        assert found.reason != "unknown-event", path


@pytest.mark.parametrize(
    ("name", "text", "ok", "code"),
    [
        ("claude-code/16", "python3 -m pytest -q tests/test_missing.py", False, 1),
        ("claude-code/18", "ls src/fetcher", True, 0),
        ("gemini/13", "python3 -m pytest -q tests/test_missing.py", False, 1),
        ("gemini/15", "ls src/fetcher", True, 0),
        ("vscode/10", "python3 -m pytest -q tests/test_missing.py", False, 4),
        ("cursor/06", "ls src/fetcher", True, 0),
        ("cursor/07", "python3 -m pytest -q tests/test_missing.py", False, 1),
        ("cursor/08", "npm test", False, None),
        ("codex/08", "python3 -m pytest -q tests/test_missing.py", None, None),
        ("windsurf/07", "ls src/fetcher", None, None),
        ("terminal/01", "ls src", True, 0),
        ("terminal/02", "pytest -q tests/test_missing.py", False, 4),
    ],
)
def test_a_command_says_whether_it_worked_where_the_agent_tells(
    name: str, text: str, ok: bool | None, code: int | None
) -> None:
    only = record(name)
    assert (only["kind"], only["text"]) == ("command", text)
    assert (only.get("ok"), only.get("exit")) == (ok, code)


def test_a_failing_commands_output_comes_without_what_the_agent_wraps_around_it() -> None:
    plain = "/usr/bin/python3: No module named pytest"
    for name in ("claude-code/16", "gemini/13", "codex/08"):
        assert record(name)["output"] == plain
    copilot = [path for path in files() if agent_of(path) == "copilot-cli" and "bash" in path.name]
    outputs = [
        only["output"]
        for path in copilot
        for only in payload_records.read("copilot-cli", json.loads(path.read_text(encoding="utf-8")), NOW)
    ]
    assert plain in outputs
    assert not any("shellId" in output for output in outputs)


def test_a_patch_names_every_file_that_it_touches() -> None:
    assert record("codex/06")["paths"] == ["src/fetcher/retry.py", "src/fetcher/backoff.py"]
    moved = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** Delete File: c.py\n*** End Patch"
    for call in ({"input": moved}, {"command": f"apply_patch <<'EOF'\n{moved}\nEOF"}):
        told = {**payload("codex/06"), "tool_input": call, "tool_use_id": "x"}
        assert payload_records.read("codex", told, NOW)[0]["paths"] == ["a.py", "b.py", "c.py"]
        shell = {**told, "tool_name": "Bash"}
        if "command" in call:
            assert payload_records.read("codex", shell, NOW)[0]["kind"] == "edit"


def test_an_edit_of_several_files_names_all_of_them() -> None:
    assert record("vscode/07")["paths"] == ["/home/ada/fetcher/src/fetcher/retry.py", "/home/ada/fetcher/README.md"]


def test_what_was_read_or_written_is_never_in_a_record() -> None:
    for _, only in records():
        if only["kind"] in {"read", "edit"}:
            assert "attempts=" not in json.dumps(only)
            assert "time.sleep" not in json.dumps(only)


def test_our_own_tools_and_commands_are_not_captured() -> None:
    call = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_use_id": "1", "tool_response": "x"}
    names = (
        "mcp__memlsp__recall",
        "mcp_memlsp_recall",
        "mcp__plugin_memlsp_memlsp__why",
        "memlsp_recall",
        "memlsp-recall",
    )
    for name in (*names, "MCP:recall"):
        for agent in AGENTS[:-1]:
            found = payload_records.read(agent, {**call, "tool_name": name, "tool_input": {"question": "x"}}, NOW)
            assert found == [], name
    for command in (
        "memlsp recall retry",
        "cd /home/ada/fetcher && memlsp check",
        "/home/ada/.venv/bin/python -m memlsp hook codex",
        "uvx memlsp init",
        "MEMLSP_DATA_DIR=/x memlsp doctor | memlsp recall y",
    ):
        told = {**call, "tool_name": "Bash", "tool_input": {"command": command}}
        assert payload_records.read("claude-code", told, NOW).reason == "own-tool", command
    for command in ("memlsp check && pytest", "grep memlsp README.md", "python -m pytest tests/memlsp"):
        told = {**call, "tool_name": "Bash", "tool_input": {"command": command}}
        assert payload_records.read("claude-code", told, NOW)[0]["text"] == command
    assert payload_records.read("cursor", payload("cursor/14"), NOW).reason == "before"
    for name in ("windsurf/10", "vscode/12", "terminal/03"):
        assert payload_records.read(name.partition("/")[0], payload(name), NOW).reason == "own-tool"


def test_a_plan_is_a_list_of_items_with_our_words_for_their_states() -> None:
    expected = [["Replace the retry loop", "in_progress"], ["Test the backoff", "pending"]]
    gemini = next(path for path in files() if "AfterTool-write_todos" in path.name)
    opencode = next(path for path in files() if "after-todowrite" in path.name)
    for agent, path in (("gemini", gemini), ("opencode", opencode)):
        (only,) = payload_records.read(agent, json.loads(path.read_text(encoding="utf-8")), NOW)
        assert (only["kind"], only["plan"]) == ("plan", expected)
    assert record("vscode/11")["plan"] == [["Replace the retry loop", "completed"], ["Test the backoff", "pending"]]
    codex = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "update_plan", "tool_use_id": "1"}
    told: dict[str, Any] = {
        **codex,
        "tool_input": {"plan": [{"step": "Test", "status": "in_progress"}]},
        "tool_response": "ok",
    }
    assert payload_records.read("codex", told, NOW)[0]["plan"] == [["Test", "in_progress"]]
    told["tool_input"] = {"todos": "- [x] Replace\n- [ ] Test"}
    assert payload_records.read("codex", told, NOW)[0]["plan"] == [["Replace", "completed"], ["Test", "pending"]]


def test_an_item_that_changed_by_itself_is_told_from_a_whole_list() -> None:
    assert record("claude-code/04")["text"] == payload_records.PLAN_PART
    assert record("claude-code/20")["plan"] == [["Replace the retry loop", "completed"]]


# -- what else a field may be called --------------------------------------------------------------------------------

_CAMEL = {
    "session_id": "sessionId",
    "hook_event_name": "hookEventName",
    "tool_name": "toolName",
    "tool_input": "toolArgs",
    "tool_response": "toolResult",
    "tool_use_id": "toolUseId",
    "file_path": "filePath",
    "last_assistant_message": "lastAssistantMessage",
    "prompt_id": "promptId",
    "duration_ms": "durationMs",
}


def renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {_CAMEL.get(name, name): renamed(found) for name, found in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return value


@pytest.mark.parametrize("path", sorted((FIXTURES / "claude-code").glob("*.json")), ids=lambda path: path.name)
def test_a_key_that_changes_its_case_is_still_read(path: Path) -> None:
    told = json.loads(path.read_text(encoding="utf-8"))
    assert line("windsurf", renamed(told)) == line("windsurf", told)


def test_arguments_that_come_as_a_string_of_json_are_read() -> None:
    told = payload("codex/10")
    told["tool_input"] = json.dumps(told["tool_input"])
    assert line("codex", told) == line("codex", payload("codex/10"))
    assert record("cursor/05")["paths"] == ["/home/ada/fetcher/src/fetcher/retry.py"]


def test_an_event_with_a_new_name_is_read_by_its_shape() -> None:
    for name in ("claude-code/02", "claude-code/12", "claude-code/16", "claude-code/26"):
        told = {**payload(name), "hook_event_name": "SomethingNewInVersion3"}
        assert line("claude-code", told) == line("claude-code", payload(name))


def test_unknown_keys_are_kept_as_they_are() -> None:
    told = {**payload("claude-code/18"), "weather": {"sky": ["grey", 3]}, "mood": None}
    assert payload_records.read("claude-code", told, NOW)[0]["extra"] == {"weather": {"sky": ["grey", 3]}, "mood": None}


def test_a_tool_whose_arguments_were_all_renamed_is_kept_with_them() -> None:
    told = {**payload("claude-code/12"), "tool_input": {"whereabouts": "src/a.py"}, "tool_response": None}
    (only,) = payload_records.read("claude-code", told, NOW)
    assert (only["kind"], only["text"]) == ("tool", "whereabouts: src/a.py")


# -- one event, one key ---------------------------------------------------------------------------------------------


def key(agent: str, told: dict[str, Any], now: int = NOW) -> str:
    return payload_records.read(agent, told, now)[0]["key"]


def test_vs_code_tells_one_event_under_both_settings_with_one_key() -> None:
    for path in sorted((FIXTURES / "vscode").glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        ours, theirs = payload_records.read("vscode", told, NOW), payload_records.read("claude-code", told, NOW + 90)
        assert [each["key"] for each in ours] == [each["key"] for each in theirs]
        assert all(each["source"] == "vscode" for each in theirs)


def test_copilots_two_cases_of_one_event_have_one_key() -> None:
    camel = {
        only["key"]
        for path in sorted((FIXTURES / "copilot-cli").glob("*.json"))
        for only in payload_records.read("copilot-cli", json.loads(path.read_text(encoding="utf-8")), NOW)
    }
    for path in sorted((FIXTURES / "copilot-cli" / "pascal").glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        for agent in ("copilot-cli", "claude-code", "vscode"):
            for only in payload_records.read(agent, told, NOW + 1):
                assert only["key"] in camel, path.name
                assert only["source"] == "copilot-cli"


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_payload_again_has_the_same_key_and_no_two_events_share_one(agent: str) -> None:
    keys: dict[str, str] = {}
    twins = {"cursor": {"09", "10", "12", "13"}}  # what `postToolUse` tells, told by the older events
    for index, path in enumerate(sorted((FIXTURES / agent).glob("*.json"))):
        if path.name[:2] in twins.get(agent, ()):
            continue
        told, now = json.loads(path.read_text(encoding="utf-8")), NOW + 60_000 * index
        for only in payload_records.read(agent, told, now):
            assert only["key"] == key(agent, deepcopy(told), now + 5)
            assert keys.setdefault(only["key"], path.name) == path.name


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("claude-code/18", {"tool_use_id": "toolu_9999"}),
        ("codex/10", {"tool_use_id": "call_9999"}),
        ("gemini/15", {"timestamp": "2026-11-21T18:07:14.999Z"}),
        ("copilot-cli/16", {"timestamp": 1_795_284_299_999}),
        ("claude-code/02", {"prompt_id": "another"}),
        ("codex/02", {"turn_id": "another"}),
        ("terminal/01", {"number": "18"}),
    ],
)
def test_an_identical_call_that_happened_again_has_another_key(name: str, changed: dict[str, Any]) -> None:
    agent, told = name.partition("/")[0], payload(name)
    assert payload_records.read(agent, told, NOW)
    assert key(agent, told) != key(agent, {**told, **changed})


def test_words_without_any_identifier_are_one_event_within_seconds_and_two_within_minutes() -> None:
    told = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "go on"}
    assert key("claude-code", told, 1_000_001) == key("claude-code", told, 1_000_900)
    assert key("claude-code", told, 1_000_001) != key("claude-code", told, 1_060_001)


def test_two_sessions_that_start_alike_have_two_keys() -> None:
    told = payload("claude-code/01")
    assert key("claude-code", told) != key("claude-code", {**told, "session_id": "other"})


# -- times, shells, odd payloads --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1970-01-01T00:00:00Z", None),
        ("2026-11-21T18:07:11.098Z", 1_795_284_431_098),
        ("2026-11-21T20:07:11.098+02:00", 1_795_284_431_098),
        ("2024-02-29T23:59:59Z", 1_709_251_199_000),
        (1_795_284_431_098, 1_795_284_431_098),
        (1_795_284_431, 1_795_284_431_000),
        ("yesterday", NOW),
        (True, NOW),
    ],
)
def test_the_time_is_the_agents_where_it_tells_one(written: object, expected: int | None) -> None:
    told = {"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": "x", "timestamp": written}
    assert payload_records.read("gemini", told, NOW)[0]["at"] == (0 if expected is None else expected)


def test_a_shell_hands_a_command_over_in_its_environment() -> None:
    environ = {
        "MEMLSP_COMMAND": "make test",
        "MEMLSP_EXIT": "2",
        "MEMLSP_FOLDER": "/home/ada/fetcher",
        "MEMLSP_SHELL_SESSION": "zsh-1",
        "MEMLSP_NUMBER": "7",
    }
    (only,) = payload_records.read("terminal", terminal.payload(environ), NOW)
    assert (only["kind"], only["text"], only["exit"], only["ok"]) == ("command", "make test", 2, False)
    assert only["folder"] == "/home/ada/fetcher"
    assert terminal.payload({"MEMLSP_EXIT": "0"}) == {}


def test_a_list_of_words_is_a_command_line() -> None:
    told = {**payload("codex/10"), "tool_name": "shell", "tool_input": {"command": ["bash", "-lc", "ls src"]}}
    assert payload_records.read("codex", told, NOW)[0]["text"] == "ls src"
    told["tool_input"] = {"command": ["ls", "src"]}
    assert payload_records.read("codex", told, NOW)[0]["text"] == "ls src"


def test_a_command_in_another_folder_says_which() -> None:
    told = {**payload("codex/10"), "tool_input": {"command": "ls", "workdir": "src"}}
    assert payload_records.read("codex", told, NOW)[0]["folder"] == "/home/ada/fetcher/src"


def test_what_is_about_to_happen_gives_no_record_yet() -> None:
    assert payload_records.read("claude-code", payload("claude-code/11"), NOW).reason == "before"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=12,
)
NAMES = sorted({name for path in files() for name in json.loads(path.read_text(encoding="utf-8"))})
EVENTS = sorted(
    {
        found
        for path in files()
        for name in ("hook_event_name", "hookEventName", "agent_action_name")
        if isinstance(found := json.loads(path.read_text(encoding="utf-8")).get(name), str)
    }
)
TOOLS = ["Bash", "Edit", "Read", "TodoWrite", "apply_patch", "str_replace_editor", "grep"]


@given(agent=st.sampled_from(AGENTS) | st.text(max_size=8), value=JSON)
@settings(max_examples=examples(80), deadline=None)
def test_any_json_gives_records_or_none(agent: str, value: Any) -> None:
    assert isinstance(payload_records.read(agent, value, NOW), list)


@given(
    agent=st.sampled_from(AGENTS),
    value=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=8),
    event=st.sampled_from(EVENTS),
    tool=st.sampled_from(TOOLS),
)
@settings(max_examples=examples(100), deadline=None)
def test_known_keys_with_any_values_give_records_or_none(
    agent: str, value: dict[str, Any], event: str, tool: str
) -> None:
    for told in (value, {**value, "hook_event_name": event}, {**value, "hook_event_name": event, "tool_name": tool}):
        for only in payload_records.read(agent, told, NOW):
            assert only["kind"] in set(EventKind)
            assert isinstance(only["at"], int)


@given(
    path=st.sampled_from(files()),
    name=st.sampled_from(NAMES),
    value=JSON,
    inner=st.sampled_from(["path", "command", "plan"]),
)
@settings(max_examples=examples(100), deadline=None)
def test_a_real_payload_with_one_strange_value_gives_records_or_none(
    path: Path, name: str, value: Any, inner: str
) -> None:
    told = json.loads(path.read_text(encoding="utf-8"))
    payload_records.read(agent_of(path), {**told, name: value}, NOW)
    payload_records.read(agent_of(path), {**told, "tool_input": {inner: value}}, NOW)


def test_reading_imports_nothing_that_takes_time() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from memlsp.faces.hooks import answers, payload_records\n"
        "from memlsp.faces.hooks.hook_event import read_event\n"
        "from memlsp.faces.hooks.payload import parsed\n"
        "for name in sys.argv[2:]:\n"
        "    agent, path = name.split('=')\n"
        "    told = parsed(open(path, 'rb').read())\n"
        "    event = read_event(agent, told); records = payload_records.records_of(event)\n"
        "    answers.context_request(event, records); answers.answer(event, 'x')\n"
        "print(' '.join(sorted(sys.modules)))\n"
    )
    given_files = [f"{agent_of(path)}={path}" for path in files()]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT), *given_files],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    heavy = {
        "json",
        "re",
        "typing",
        "enum",
        "dataclasses",
        "datetime",
        "pathlib",
        "attrs",
        "click",
        "logging",
        "urllib",
    }
    assert not heavy & set(done.stdout.split())


def test_the_context_that_gemini_puts_before_a_prompt_is_not_the_persons() -> None:
    told = payload("gemini/02")
    added = f"<hook_context>memlsp, what people decided\n| Never commit .env files.</hook_context>\n\n{told['prompt']}"
    (found,) = payload_records.read("gemini", {**told, "prompt": added})
    assert found["text"] == told["prompt"]


def test_the_answers_to_an_agents_questions_are_read_in_both_forms() -> None:
    asked: dict[str, Any] = {"tool_name": "AskUserQuestion", "tool_input": {"questions": []}}
    told = {**payload("claude-code/18"), **asked}
    answers = {"answers": {"pnpm or npm?": "pnpm, always"}}
    (found,) = payload_records.read("claude-code", {**told, "tool_response": answers})
    assert found["output"] == '"pnpm or npm?"="pnpm, always"'
