from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from project import Project
from thorough import examples

from memlsp.agents import NAMES as AGENTS
from memlsp.faces.hooks import answers, hook_event, process
from memlsp.faces.hooks.hook_event import read_event
from memlsp.faces.hooks.payload_records import records_of

FIXTURES = Path(__file__).parents[3] / "fixtures" / "hooks"
CONTEXT = "retry.py: <b>never</b> sleep in fetch"
SAFE = "retry.py: &lt;b&gt;never&lt;/b&gt; sleep in fetch"


def payloads(agent: str) -> dict[str, dict[str, Any]]:
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((FIXTURES / agent).rglob("*.json"))
    }


def answer(agent: str, payload: Any, context: str) -> str:
    """The text that the hook prints for a payload and what the memory has for it."""
    return answers.answer(read_event(agent, payload), context)


def heard(agent: str) -> dict[str, str]:
    """What is printed for each fixture, where anything is."""
    found = {name: answer(agent, told, CONTEXT) for name, told in payloads(agent).items()}
    return {name: text for name, text in found.items() if text}


@pytest.mark.parametrize("agent", AGENTS)
def test_nothing_to_say_is_nothing_at_all(agent: str) -> None:
    for told in payloads(agent).values():
        assert answer(agent, told, "") == ""
        assert answer(agent, told, "  \n") == ""


def test_a_person_is_shown_a_line_where_the_client_can() -> None:
    keys = {"claude-code": "systemMessage", "codex": "systemMessage", "gemini": "systemMessage", "opencode": "message"}
    for agent in AGENTS:
        for told in payloads(agent).values():
            text = answers.answer(read_event(agent, told), "", "noted: never commit .env <files>")
            assert not text or json.loads(text) == {
                keys.get(agent, "systemMessage"): "noted: never commit .env &lt;files&gt;"
            }
            assert not text or agent in {*keys, "vscode"}


def test_an_act_is_refused_in_each_agents_own_form_and_never_allowed() -> None:
    forms = {
        ("claude-code", "ask"): {"permissionDecision": "ask", "permissionDecisionReason": SAFE},
        ("codex", "ask"): {
            "permissionDecision": "deny",
            "permissionDecisionReason": SAFE,
        },  # it runs what would be asked
        ("cursor", "ask"): {"permission": "ask", "user_message": SAFE, "agent_message": SAFE},
        ("opencode", "deny"): {"deny": SAFE},
    }
    for (agent, decision), form in forms.items():
        said = [
            json.loads(text)
            for told in payloads(agent).values()
            if (event := read_event(agent, told)) is not None and event.phase == "before"
            if (text := answers.answer(event, CONTEXT, "", decision))
        ]
        assert said
        for each in said:
            inner = each.get("hookSpecificOutput", each)
            assert {name: value for name, value in inner.items() if name != "hookEventName"} == form


@pytest.mark.parametrize("agent", AGENTS)
def test_an_answer_is_one_line_of_json_that_decides_nothing(agent: str) -> None:
    for text in heard(agent).values():
        assert text.isascii()
        assert "\n" not in text
        said = json.loads(text)
        words = json.dumps(said)
        for forbidden in ("permission", "decision", "continue", "block", "allow", "deny"):
            assert forbidden not in words
        assert SAFE in words


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "vscode"])
def test_claude_codes_form_names_the_event_and_has_no_other_key(agent: str) -> None:
    assert heard(agent)
    for name, text in heard(agent).items():
        event = payloads(agent)[name].get("hook_event_name") or payloads(agent)[name]["hookEventName"]
        assert json.loads(text) == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": SAFE}}


def events(agent: str) -> set[str]:
    return {
        str(told.get("hook_event_name") or told.get("hookEventName") or told.get("agent_action_name") or name[3:])
        for name, told in payloads(agent).items()
        if answer(agent, told, CONTEXT)
    }


def test_each_agent_is_answered_only_where_it_listens() -> None:
    calls = {"PreToolUse", "PostToolUse"}
    prompts = {"SessionStart", "UserPromptSubmit"}
    assert events("claude-code") == calls | prompts | {"PostToolUseFailure", "SubagentStart"}
    assert events("codex") == calls | prompts
    assert events("gemini") == {"SessionStart", "BeforeAgent", "AfterTool"}
    assert events("vscode") == {"SessionStart", "PreToolUse", "PostToolUse"}
    assert events("cursor") == {"sessionStart", "postToolUse"}
    assert events("windsurf") == set()
    assert events("terminal") == set()


def test_cursor_takes_its_own_key_in_snake_case() -> None:
    told = payloads("cursor")
    assert json.loads(answer("cursor", told["01-sessionStart"], CONTEXT)) == {"additional_context": SAFE}
    assert answer("cursor", told["02-beforeSubmitPrompt"], CONTEXT) == ""


def test_copilot_cli_takes_a_flat_key_in_either_case_and_is_told_nothing_before_a_tool() -> None:
    assert heard("copilot-cli")
    assert all(json.loads(text) == {"additionalContext": SAFE} for text in heard("copilot-cli").values())
    assert not any("preToolUse" in name or "PreToolUse" in name for name in heard("copilot-cli"))


def test_our_plugin_takes_the_bare_context() -> None:
    assert heard("opencode")
    assert all(json.loads(text) == {"context": SAFE} for text in heard("opencode").values())


@given(st.text(max_size=200), st.integers(0, 400))
@settings(max_examples=examples(80), deadline=None)
def test_a_context_is_cut_and_opens_no_tag(text: str, times: int) -> None:
    shown = answers.escaped(text * times)
    assert len(shown) <= answers.MOST
    assert "<" not in shown
    assert ">" not in shown


def test_a_long_context_ends_at_a_line_and_says_that_it_was_cut() -> None:
    shown = answers.escaped("\n".join(f"line {number} <" for number in range(3_000)))
    assert len(shown) <= 9_500
    assert shown.endswith("&lt;\n[...]")


def test_escaping_twice_changes_nothing() -> None:
    assert answers.escaped(answers.escaped(CONTEXT)) == answers.escaped(CONTEXT)


# -- when to speak ----------------------------------------------------------------------------------------------------


def request(agent: str, payload: Any) -> answers.ContextRequest | None:
    """What the hook asks the memory for at this payload."""
    event = read_event(agent, payload)
    return answers.context_request(event, records_of(event))


def moment(agent: str, start: str) -> answers.ContextRequest | None:
    (told,) = [told for name, told in payloads(agent).items() if name.startswith(start)]
    return request(agent, told)


def kind(agent: str, start: str) -> str:
    found = moment(agent, start)
    return "" if found is None else found.kind


@pytest.mark.parametrize(
    ("agent", "start"),
    [
        ("claude-code", "01"),
        ("claude-code", "28"),
        ("claude-code", "30"),
        ("codex", "01"),
        ("gemini", "01"),
        ("cursor", "01"),
        ("vscode", "01"),
        ("opencode", "01"),
    ],
)
def test_a_session_that_starts_or_lost_its_context_is_briefed(agent: str, start: str) -> None:
    found = moment(agent, start)
    assert found is not None
    assert found.kind == "brief"
    assert found.session


def test_a_compacted_session_of_opencode_is_briefed_again() -> None:
    (told,) = [told for name, told in payloads("opencode").items() if "compacted" in name]
    found = request("opencode", told)
    assert found is not None
    assert found.kind == "brief"


def test_a_note_comes_before_a_file_is_read_or_edited_where_the_agent_listens_then() -> None:
    for agent, start in (("claude-code", "09"), ("claude-code", "11"), ("vscode", "03"), ("vscode", "05")):
        found = moment(agent, start)
        assert found is not None
        assert (found.kind, found.paths) == ("note", ["/home/ada/fetcher/src/fetcher/retry.py"])
    found = moment("codex", "05")
    assert found is not None
    assert found.paths == ["src/fetcher/retry.py", "src/fetcher/backoff.py"]
    assert kind("claude-code", "10") == "rest"  # it was told before


def test_a_note_comes_after_a_file_was_read_where_the_agent_listens_only_then() -> None:
    for agent, start in (("gemini", "07"), ("cursor", "04")):
        found = moment(agent, start)
        assert found is not None
        assert found.kind == "note"
        assert found.paths
    assert kind("gemini", "09") == "act"  # a note is too late for an edit, a rule is not


@pytest.mark.parametrize(
    ("agent", "start"), [("claude-code", "16"), ("gemini", "13"), ("cursor", "07"), ("codex", "08")]
)
def test_a_remedy_is_looked_for_when_a_command_failed_or_may_have(agent: str, start: str) -> None:
    found = moment(agent, start)
    assert found is not None
    assert (found.kind, found.command) == ("remedy", "python3 -m pytest -q tests/test_missing.py")
    assert "No module named pytest" in found.output


def test_a_command_that_worked_calls_for_nothing_but_what_waits() -> None:
    assert kind("claude-code", "18") == "rest"
    for agent, start in (("gemini", "15"), ("cursor", "06")):  # nobody heard of the command before it ran
        assert kind(agent, start) == "act"


@pytest.mark.parametrize("agent", AGENTS)
def test_there_is_no_moment_that_an_answer_could_not_use(agent: str) -> None:
    for told in payloads(agent).values():
        found = request(agent, told)
        if found is not None and not found.deferred:
            assert answer(agent, told, CONTEXT)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=12,
)
ALL = [(agent, told) for agent in AGENTS for told in payloads(agent).values()]
NAMES = sorted({name for _, told in ALL for name in told})


@given(case=st.sampled_from(ALL), name=st.sampled_from(NAMES), value=JSON, context=st.text(max_size=50))
@settings(max_examples=examples(100), deadline=None)
def test_no_payload_makes_an_answer_fail(case: tuple[str, dict[str, Any]], name: str, value: Any, context: str) -> None:
    agent, told = case
    request(agent, {**told, name: value})
    text = answer(agent, {**told, name: value}, context)
    assert not text or json.loads(text)
    assert answer(agent, value, context) == "" or isinstance(value, dict)


def test_a_payload_is_read_once(monkeypatch: pytest.MonkeyPatch, project: Project) -> None:
    read: list[str] = []
    real = hook_event.HookEvent.__init__

    def counted(self: hook_event.HookEvent, agent: str, raw: dict[str, Any]) -> None:
        read.append(agent)
        real(self, agent, raw)

    monkeypatch.setattr(hook_event.HookEvent, "__init__", counted)
    told = {**payloads("claude-code")["12-PostToolUse-Edit"], "cwd": str(project.root)}
    process.respond("claude-code", told)
    assert read == ["claude-code"]
