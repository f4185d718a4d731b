from __future__ import annotations

import json
from pathlib import Path

import pytest
from handed import Told

from memlsp.episodes.command_templates import failure_digest
from memlsp.episodes.remedies import LONGEST, remedies_of

RECORDED = Path(__file__).parents[2] / "fixtures" / "hooks"
MISSING = "E   ModuleNotFoundError: No module named 'tenacity'"


def sentences(told: Told) -> list[str]:
    return [each.sentence for each in remedies_of(told.events)]


def test_what_was_done_between_failing_and_working_is_the_remedy() -> None:
    told = Told().failed("pytest a.py", MISSING).ran("pip install tenacity").ran("python -m pytest b.py")
    (found,) = remedies_of(told.events)
    assert (found.program, found.failure) == ("pytest", failure_digest(MISSING))
    assert found.sentence.endswith("what worked then: `pip install tenacity` before it")


@pytest.mark.parametrize(
    ("command", "output", "mended"),
    [
        ("python3 -m pytest -q", "/usr/bin/python3: No module named pytest", "pip install pytest"),
        ("./build.sh", "sh: 1: protoc: not found", "apt-get install protobuf-compiler"),
        ("mkdocs build", "Config value 'theme': Theme 'material' is not installed", "pip install mkdocs-material"),
        ("docker compose up", "no such service: db", "docker compose pull"),
        ("pytest -q", "E   sqlalchemy.exc.OperationalError: no such table: orders", "make migrate"),
        ("pytest -n 4", "pytest: unrecognized arguments: -n", "pip install pytest-xdist"),
    ],
)
def test_a_program_that_misses_something_without_calling_it_an_error_has_its_remedy(
    command: str, output: str, mended: str
) -> None:
    told = Told().failed(command, output).ran(mended).ran(command)
    assert [each.endswith(f"what worked then: `{mended}` before it") for each in sentences(told)] == [True]


def test_the_failures_that_agents_recorded_have_their_remedy() -> None:
    recorded = json.loads((RECORDED / "claude-code" / "16-PostToolUseFailure-Bash.json").read_text())
    command, output = recorded["tool_input"]["command"], recorded["error"]
    told = Told().failed(command, output).ran("pip install pytest").ran(command)
    assert sentences(told)[0].endswith("what worked then: `pip install pytest` before it")


def test_edits_in_between_are_named() -> None:
    told = Told().failed("make all", "gcc: error: no input named x").edit("Makefile").ran("make all")
    assert sentences(told) == [
        "memlsp: it failed so before (claude-code, 2026-11-21); what worked then: an edit of Makefile"
    ]


def test_what_mended_one_file_tells_nothing_of_the_next() -> None:
    untyped = "src/net.py:3: error: Function is missing a type annotation"
    assert sentences(Told().failed("mypy src", untyped).edit("src/net.py").ran("mypy src")) == []
    told = Told().failed("mypy src", untyped).edit("src/net.py").edit("pyproject.toml").ran("mypy src")
    assert sentences(told)[0].endswith("an edit of pyproject.toml")


def test_a_test_that_fails_again_is_the_same_wherever_it_stands() -> None:
    output = "FAILED tests/test_net.py::test_retry - KeyError: 'retries'"
    told = Told().failed("pytest", output).edit("src/net.py").ran("pytest")
    assert sentences(told)[0].endswith("an edit of src/net.py")


def test_another_way_to_run_the_same_is_a_remedy() -> None:
    told = (
        Told().failed("npm install web", "npm error: cannot find peer react").ran("npm install web --legacy-peer-deps")
    )
    assert sentences(told)[0].endswith("running it as `npm install web --legacy-peer-deps`")


def test_what_fails_and_then_works_by_itself_is_flaky_and_says_nothing() -> None:
    assert sentences(Told().failed("pytest", MISSING).ran("pytest")) == []


def test_what_was_flaky_once_is_never_explained() -> None:
    told = Told().failed("pytest", MISSING).ran("pytest").failed("pytest", MISSING).edit("a.py").ran("pytest")
    assert sentences(told) == []


def test_looking_around_helps_nothing() -> None:
    told = Told().failed("pytest", MISSING).ran("git status").ran("grep -rn x").ran("ls").ran("pytest")
    assert sentences(told) == []


def test_a_check_between_helps_nothing() -> None:
    assert sentences(Told().failed("pytest a.py", MISSING).ran("make test").ran("pytest a.py")) == []


def test_another_program_that_worked_proves_nothing() -> None:
    assert sentences(Told().failed("pytest", MISSING).ran("pip install tenacity").ran("make docs")) == []


def test_what_did_not_help_is_not_part_of_it() -> None:
    told = Told().failed("pytest", MISSING).ran("pip install wrong").failed("pytest", MISSING)
    told.ran("pip install tenacity").ran("pytest")
    assert sentences(told) == [
        "memlsp: it failed so before (claude-code, 2026-11-21); what worked then: `pip install tenacity` before it"
    ]


def test_a_failure_that_could_be_any_has_no_remedy() -> None:
    assert sentences(Told().failed("pytest", "AssertionError").edit("a.py").ran("pytest")) == []


def test_a_remedy_is_one_short_line_that_opens_no_tag() -> None:
    told = Told().failed("pytest", MISSING).ran("pip install '<b>' " + "x" * 900 + "\n; rm -rf /").ran("pytest")
    for sentence in sentences(told):
        assert len(sentence) <= LONGEST + 20
        assert "<" not in sentence
        assert "\n" not in sentence
