from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memlsp.faces.mcp.arguments import LARGEST_BUDGET, ToolArguments
from memlsp.faces.mcp.tools import TOOLS
from memlsp.model.belief import BeliefKind, Scope, ScopeKind
from memlsp.model.errors import BadPlace, BadValue, UsageError
from memlsp.model.place import Place

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
BEFORE = datetime(2026, 11, 20, 10, tzinfo=UTC)
BY_NAME = {tool.name: tool for tool in TOOLS}


def read(tool: str, **values: object) -> ToolArguments:
    return ToolArguments(tool, [*BY_NAME[tool].input_schema["properties"]], values)


def test_the_eight_tools_cost_an_agent_less_than_1200_tokens() -> None:
    assert len(TOOLS) == 8
    shown = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in TOOLS]
    assert len(json.dumps(shown, separators=(",", ":")).encode()) / 4 <= 1200


def test_every_tool_states_all_four_hints() -> None:
    for tool in TOOLS:
        hints = tool.annotations
        assert hints is not None
        stated = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
        assert None not in stated, tool.name


def test_only_what_changes_nothing_is_called_read_only() -> None:
    assert {tool.name for tool in TOOLS if tool.annotations and tool.annotations.read_only_hint} == {
        "recall",
        "why",
        "catch_up",
    }


def test_every_property_has_a_type_so_that_strict_clients_take_the_schema() -> None:
    for tool in TOOLS:
        properties: dict[str, dict[str, Any]] = tool.input_schema["properties"]
        assert all("type" in schema for schema in properties.values()), tool.name


def test_locking_is_not_offered_to_agents() -> None:
    offered = BY_NAME["revise"].input_schema["properties"]["action"]["enum"]
    assert not {"lock", "unlock", "admit"} & set(offered)


def test_every_action_and_every_tool_is_explained_where_an_agent_reads_it() -> None:
    revise = BY_NAME["revise"]
    assert all(action in (revise.description or "") for action in revise.input_schema["properties"]["action"]["enum"])
    handoff = BY_NAME["handoff"]
    assert all(action in (handoff.description or "") for action in handoff.input_schema["properties"]["action"]["enum"])
    assert all(tool.description for tool in TOOLS)


def test_an_unknown_argument_is_named_together_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="path") as caught:
        read("why", path="a.py")
    assert "place" in caught.value.hint


def test_null_counts_as_absent() -> None:
    arguments = read("recall", query="x", place=None, budget=None)
    assert arguments.place() is None
    assert arguments.budget() == 1200


@pytest.mark.parametrize("value", ["", "   ", None])
def test_a_required_text_may_not_be_blank(value: object) -> None:
    with pytest.raises(UsageError, match="query"):
        read("recall", query=value).text("query")


def test_a_number_is_no_text() -> None:
    with pytest.raises(BadValue, match="query"):
        read("recall", query=3).text("query")


@pytest.mark.parametrize(("sent", "meant"), [(300, 300), ("300", 300), (300.0, 300), (10**9, LARGEST_BUDGET)])
def test_a_budget_is_read_as_models_write_it_and_capped(sent: object, meant: int) -> None:
    assert read("recall", query="x", budget=sent).budget() == meant


@pytest.mark.parametrize("sent", [0, -5, "many", True, 1.5, [1]])
def test_a_budget_that_is_no_number_of_tokens_is_refused(sent: object) -> None:
    with pytest.raises(BadValue, match="budget"):
        read("recall", query="x", budget=sent).budget()


def test_places_kinds_and_scopes_are_read() -> None:
    arguments = read("remember", text="t", place="a.py#f", kind="Rule", scope="src/**/*.py")
    assert arguments.place() == Place("a.py", symbol="f")
    assert arguments.kind() is BeliefKind.RULE
    assert arguments.scope() == Scope(ScopeKind.GLOB, "src/**/*.py")


def test_an_unknown_kind_is_answered_with_the_known_ones() -> None:
    with pytest.raises(BadValue) as caught:
        read("remember", text="t", kind="idea").kind()
    assert "gotcha" in caught.value.hint


def test_a_list_of_texts_is_read_as_models_send_it() -> None:
    assert read("handoff", action="write", done=["a", " ", "b"]).texts("done") == ["a", "b"]
    assert read("handoff", action="write", done="a\nb\n").texts("done") == ["a", "b"]
    assert read("handoff", action="write", done=None).texts("done") == []


@pytest.mark.parametrize("sent", [3, {"a": 1}, ["a", 1], True])
def test_a_list_of_anything_else_is_refused(sent: object) -> None:
    with pytest.raises(BadValue, match="done"):
        read("handoff", action="write", done=sent).texts("done")


@pytest.mark.parametrize(
    ("sent", "meant"),
    [("3h", NOON - timedelta(hours=3)), ("2d ago", NOON - timedelta(days=2)), ("2026-11-20T10:00:00+00:00", BEFORE)],
)
def test_a_time_is_a_date_or_a_span_back(sent: str, meant: datetime) -> None:
    assert read("catch_up", since=sent).since(NOON) == meant


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(BadValue, match="not a time"):
        read("catch_up", since="lately").since(NOON)


def test_a_place_that_is_none_is_refused() -> None:
    with pytest.raises(BadPlace):
        read("why", place="a.py#").place()


def test_a_date_in_the_future_or_a_span_ends_a_belief() -> None:
    assert read("remember", text="t", until="30d").until(NOON) == NOON + timedelta(days=30)
    assert read("remember", text="t", until="2027-01-31T00:00:00+00:00").until(NOON) == datetime(
        2027, 1, 31, tzinfo=UTC
    )
    assert read("remember", text="t").until(NOON) is None


@pytest.mark.parametrize("sent", ["2020-01-01", "soon", "-3d"])
def test_a_belief_ends_neither_in_the_past_nor_at_no_time(sent: str) -> None:
    with pytest.raises(BadValue):
        read("remember", text="t", until=sent).until(NOON)


@pytest.mark.parametrize(
    "sent", ["env=staging, os = windows", ["env=staging", "os=windows"], {"env": "staging", "os": "windows"}]
)
def test_conditions_are_read_as_models_write_them(sent: object) -> None:
    assert read("remember", text="t", when=sent).conditions("when") == [("env", "staging"), ("os", "windows")]


@pytest.mark.parametrize("sent", ["staging", "=x", "env="])
def test_a_condition_needs_a_key_and_a_value(sent: str) -> None:
    with pytest.raises(BadValue, match="condition"):
        read("remember", text="t", when=sent).conditions("when")


def test_ids_are_a_list_or_a_text() -> None:
    assert read("remember", text="t", because_of="a1, b2 c3").ids("because_of") == ["a1", "b2", "c3"]
    assert read("remember", text="t", because_of=["a1", "b2"]).ids("because_of") == ["a1", "b2"]


def test_what_was_known_then_is_asked_by_commit_or_by_time() -> None:
    assert read("recall", query="x", as_of="2d ago").as_of(NOON) == NOON - timedelta(days=2)
    assert read("recall", query="x", as_of="v1.2").as_of(NOON) == "v1.2"
    assert read("recall", query="x").as_of(NOON) is None
