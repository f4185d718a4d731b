"""`memlsp conflicts`: contradictions listed, shown and settled, for people and for scripts."""

from __future__ import annotations

from typing import Any

import pytest
from command_run import Run
from project import Project

STAGING = "The server listens on port 8080."
OTHER = "The server listens on port 9090."


@pytest.fixture
def pair(run: Run) -> tuple[str, str]:
    """Two sides of a contradiction."""
    return run("remember", STAGING).stdout.strip(), run("remember", OTHER).stdout.strip()


def listed(run: Run, *words: str) -> list[dict[str, Any]]:
    """What is open, as JSON."""
    return run.json("conflicts", *words)


def test_remembering_says_at_once_what_it_contradicts(run: Run) -> None:
    run("remember", STAGING)
    told = run("remember", OTHER)
    assert "contradiction: server: one says" in told.stderr
    assert "memlsp conflicts " in told.stderr
    again = run.json("remember", "The server listens on port 7070.")
    assert len(again["conflicts"]) == 2


def test_both_sides_are_listed_with_who_said_them(run: Run, pair: tuple[str, str]) -> None:
    shown = run("conflicts")
    assert STAGING in shown.stdout
    assert OTHER in shown.stdout
    assert "said by Ann Ode" in shown.stdout
    assert "1 open contradiction" in shown.stderr
    (one,) = listed(run)
    assert sorted((one["first"], one["second"])) == sorted(pair)
    assert sorted(one["texts"]) == [STAGING, OTHER]
    assert listed(run, pair[0]) == listed(run, one["id"]) == [one]


@pytest.mark.parametrize("words", [("beliefs",), ("belief", "{}"), ("why", "serve.py")])
def test_neither_side_is_called_current_while_it_is_open(run: Run, words: tuple[str, ...], project: Project) -> None:
    project.write("serve.py", "def serve():\n    listen()\n")
    one, other = (run("remember", text, "--at", "serve.py").stdout.strip() for text in (STAGING, OTHER))
    asked = [word.format(one) for word in words]
    shown = run(*asked).stdout
    assert f"{one}  ! in conflict  {STAGING}" in shown
    assert "current" not in shown
    known = "+".join(sorted((one, other)))
    assert f"; memlsp conflicts {known}" in shown
    if words != ("beliefs",):
        assert [each["id"] for each in run.json(*asked)["conflicts"]] == [known]
    run("conflicts", known, "--both")
    assert "in conflict" not in run(*asked).stdout


def test_one_side_takes_the_place_of_the_other(run: Run, pair: tuple[str, str]) -> None:
    run("conflicts", f"{pair[1]}+{pair[0]}", "--keep", pair[1], "--note", "moved")
    assert listed(run) == []
    (one,) = listed(run, "--all")
    assert (one["settlement"], one["note"]) == ("superseded", "moved")
    assert "superseded" in run("belief", pair[0]).stdout
    assert "superseded by Ann Ode" in run("conflicts", "--all").stdout


def test_a_side_is_dropped_by_a_beginning_of_its_id(run: Run, pair: tuple[str, str]) -> None:
    run("conflicts", f"{pair[0][:6]}+{pair[1][:6]}", "--drop", pair[0][:6])
    assert "retired" in run("belief", pair[0]).stdout
    assert listed(run) == []


def test_conditions_part_them(run: Run, pair: tuple[str, str]) -> None:
    known = f"{pair[0]}+{pair[1]}"
    run("conflicts", known, "--scope", f"{pair[0]}:env=staging", "--scope", f"{pair[1]}:env=production")
    assert listed(run) == []
    assert "not a side with a condition" in run("conflicts", known, "--scope", "staging", status=2).stderr


def test_both_may_stand_and_be_asked_about_again(run: Run, pair: tuple[str, str]) -> None:
    known = f"{pair[0]}+{pair[1]}"
    run("conflicts", known, "--both")
    assert "no contradictions" in run("conflicts").stderr
    run("conflicts", known, "--reopen")
    assert len(listed(run)) == 1


def test_an_agent_does_not_give_up_what_a_person_locked(run: Run, pair: tuple[str, str], attended: None) -> None:
    run("revise", pair[0], "lock")
    refused = run("conflicts", f"{pair[0]}+{pair[1]}", "--drop", pair[0], "--agent", "Codex", status=1)
    assert "locked" in refused.stderr
    assert len(listed(run)) == 1


def test_wrong_usage_is_said(run: Run, pair: tuple[str, str]) -> None:
    assert "exclude each other" in run("conflicts", "a+b", "--both", "--keep", "a", status=2).stderr
    assert "which conflict" in run("conflicts", pair[0], "--both", status=2).stderr
    assert "no belief" in run("conflicts", "zzzz+yyyy", "--both", status=1).stderr


def test_everything_is_looked_at_again_when_asked(run: Run, pair: tuple[str, str]) -> None:
    assert len(listed(run, pair[0])) == 1
    assert "0 new contradictions" in run("conflicts", "--look").stderr
