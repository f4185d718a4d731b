"""The recipes of docs/how-to/ for agents of one's own run as they stand there, with the real libraries and scripted
models."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from patience import patience
from project import Project

from docs.generate.example_files import EXAMPLES, stale
from memlsp import Memory
from tests.docs.test_documentation import ROOT

RECIPES = EXAMPLES / "recipes"
LIBRARIES = ROOT / ".tools" / "agents"
"""LangGraph and the Agents SDK, which tests/tools/install.sh puts there."""

THREE = "fetch tries three times: the API drops one call in ten"

Message = dict[str, str]


@pytest.fixture(autouse=True)
def _in_project(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest calls it
    monkeypatch.chdir(project.root)
    monkeypatch.setattr(sys, "path", [str(RECIPES), *sys.path])


def snippet(page: str) -> str:
    """The first program of a page, which shows how the recipe is used."""
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]


def scripted(*replies: dict[str, str]) -> tuple[Callable[[list[Message]], dict[str, str]], list[list[Message]]]:
    """A model that gives these replies in order, and the messages that it was given each time."""
    asked: list[list[Message]] = []
    waiting = iter(replies)

    def model(messages: list[Message]) -> dict[str, str]:
        asked.append([*messages])
        return next(waiting)

    return model, asked


def test_the_pages_show_the_programs_that_are_run() -> None:
    assert [page.name for page in stale()] == []


def test_an_agent_remembers_and_the_next_session_is_told(project: Project) -> None:
    run = import_module("agent").run
    model, asked = scripted(
        {"tool": "remember", "text": THREE, "place": "client.py#fetch"},
        {"say": "Noted.", "next": "make the limit an option"},
    )
    assert run("Make fetch more patient", model, session="1") == "Noted."
    assert asked[0][0]["content"] == "You work on this repository."

    model, asked = scripted(
        {"tool": "recall", "question": "how often does fetch try?"},
        {"tool": "edit", "path": "client.py", "old": "retries=3", "new": "retries=5"},
        {"say": "It tries five times."},
    )
    run("Make fetch more patient", model, session="2")
    system = asked[0][0]["content"]
    assert "make the limit an option" in system  # the handoff
    assert THREE in system  # what is remembered of the task
    assert THREE in asked[1][-1]["content"]
    (broken,) = json.loads(asked[2][-1]["content"])
    assert broken["said"] == THREE
    assert "from 3 to 5" in broken["now"]
    with Memory.open(project.root) as memory:
        (belief,) = [each.belief for each in memory.beliefs()]
        assert (belief.author.name, str(belief.author.kind), belief.session) == ("shop-agent", "agent", "shop-agent:1")
        assert {each.session for each in memory.receipts()} == {"shop-agent:1", "shop-agent:2"}
        assert len(memory.undo.session("shop-agent:1").changed) == 1


def test_the_program_that_calls_the_agent_runs_as_it_stands_on_the_page() -> None:
    model, asked = scripted({"say": "Done."})
    exec(compile(snippet("python-agent.md"), "python-agent.md", "exec"), {"model": model})
    assert asked[0][1] == {"role": "user", "content": "Make fetch more patient"}


def test_faults_of_a_models_arguments_are_answers() -> None:
    run = import_module("agent").run
    model, asked = scripted(
        {"tool": "remember", "text": "It is fast", "place": "client.py#fetsh"},
        {"tool": "guess"},
        {"tool": "edit", "path": "../elsewhere.py", "old": "a", "new": "b"},
        {"tool": "recall", "wrong": "argument"},
        {"say": "I give up."},
    )
    run("Try", model)
    answers = [json.loads(messages[-1]["content"]) for messages in asked[1:]]
    assert all("error" in each for each in answers)
    assert answers[0]["hint"] == "did you mean fetch?"


def test_an_agent_that_never_ends_is_ended() -> None:
    recipe = import_module("agent")
    asked = 0

    def model(_: list[Message]) -> dict[str, str]:
        nonlocal asked
        asked += 1
        return {"tool": "recall", "question": "fetch"}

    assert recipe.run("Turn in circles", model) == "I did not come to an end."
    assert asked == recipe.LONGEST


def test_questions_in_a_coroutine_leave_the_event_loop_alone(project: Project) -> None:
    with Memory.open(project.root) as memory:
        memory.remember(THREE)
    ask = import_module("in_a_coroutine").ask

    async def asked() -> tuple[list[Any], int]:
        turns = 0
        questions = asyncio.create_task(ask(["fetch", "API", "tries"] * 4))
        while not questions.done():
            await asyncio.sleep(0)
            turns += 1
        return questions.result(), turns

    answers, turns = asyncio.run(asked())
    assert [hit.judgement.belief.text for each in answers for hit in each.hits] == [THREE] * 12
    assert turns > len(answers)


@pytest.fixture
def libraries() -> Path:
    if not (LIBRARIES / ".installed").exists():
        assert os.environ.get("CI") != "true", "make tools installs LangGraph and the Agents SDK"
        pytest.skip("LangGraph and the Agents SDK are not installed: make tools")
    return LIBRARIES


def happened(process: str, page: str, libraries: Path, folder: Path) -> dict[str, Any]:
    """What a program of this folder prints, in a process that finds the recipes and the libraries."""
    shown = folder.parent / "snippet.py"
    shown.write_text(snippet(page), encoding="utf-8")
    found = os.pathsep.join(map(str, (RECIPES, libraries, ROOT)))
    env = {**os.environ, "PYTHONPATH": found, "OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false"}
    command = [sys.executable, str(Path(__file__).with_name(process)), str(shown)]
    done = subprocess.run(
        command, cwd=folder, env=env, check=False, capture_output=True, encoding="utf-8", timeout=patience(60)
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_langgraph_keeps_its_store_in_memlsp(libraries: Path, project: Project) -> None:
    was = happened("langgraph_process.py", "langgraph.md", libraries, project.root)
    assert was["first"] == {"text": "fetch tries three times", "standing": "current", "by": "langgraph"}
    assert was["filtered"] == 0
    assert was["others"] == {"text": "short answers"}
    assert (was["answer"], was["again"]) == ("five", "5")
    assert all('"standing": "contradicted"' in each and "from 3 to 5" in each for each in was["seen"])
    assert was["second"] == {"text": "fetch tries five times", "standing": "current", "by": "langgraph"}
    assert was["former"] is None
    assert was["history"] == ["remember", "supersede"]
    assert was["left"] == [None]
    assert "fetch tries three times" in was["page"]


def test_an_agent_of_the_agents_sdk_remembers_and_hands_over(libraries: Path, project: Project) -> None:
    was = happened("openai_agents_process.py", "openai-agents.md", libraries, project.root)
    assert (was["first"], was["second"]) == ("raise the limit of fetch", "done")
    assert json.loads(was["told"][0])["standing"] == "current"
    assert "| open: raise the limit of fetch" in was["began"]
    assert f"| {THREE}" in was["began"]
    assert f"| {THREE}" in was["results"][0]
    (broken,) = json.loads(was["results"][1])
    assert broken["said"] == THREE
    assert was["authors"] == [["openai-agent", "agent"]]
    assert "Make fetch more patient" in was["page"]
    assert was["tools"] == 8
