"""`memlsp onboard`, `memlsp proposals` and `memlsp revise ID admit`, for people and for scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from command_run import Run
from project import Project

from memlsp.faces.cli import console
from memlsp.memory import Memory
from memlsp.model.episode import OnboardingProgress

RULE = "Never import `pricing.rates` outside of the `pricing` package."


@pytest.fixture
def run(project: Project, run: Run) -> Run:
    """Call memlsp in a shop that has instructions for agents."""
    project.write("AGENTS.md", f"# Shop\n\n- {RULE}\n")
    return run


def waiting(run: Run) -> list[dict[str, Any]]:
    """The proposals as JSON."""
    return run.json("proposals")


def test_a_dry_run_shows_what_would_be_proposed_and_keeps_nothing(run: Run) -> None:
    shown = run("onboard", "--dry-run")
    assert f"rule: {RULE}" in shown.stdout
    assert "from a document: AGENTS.md:3" in shown.stdout
    assert "1 proposal would be made" in shown.stderr
    (one,) = run.json("onboard", "--dry-run")
    assert one["text"] == RULE
    assert waiting(run) == []


def test_onboarding_proposes_and_says_how_to_look(run: Run) -> None:
    assert "1 proposal to look at: memlsp proposals" in run("onboard").stderr
    (one,) = waiting(run)
    assert (one["status"], one["authority"], one["standing"]) == ("proposed", "proposed", "current")
    assert one["evidence"] == [
        {
            "kind": "document",
            "quote": f"- {RULE}",
            "path": "AGENTS.md",
            "first_line": 3,
            "last_line": 3,
            "commit": "",
            "session": "",
            "source": "repository",
            "at": one["evidence"][0]["at"],
        }
    ]
    printed = run("proposals", "--quote").stdout
    assert printed.startswith(f"{one['id']}  rule: {RULE}\n")
    assert f"| - {RULE}" in printed


def test_onboarding_proposes_before_it_reads_the_history(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Memory, **_: object) -> OnboardingProgress:
        assert [each.belief.text for each in self.proposals.list()] == [RULE]
        return OnboardingProgress(stopped="cancelled")

    monkeypatch.setattr(Memory, "onboard", interrupted)
    said = run("onboard").stderr
    assert said.index("1 proposal to look at") < said.index("go on from there")


def test_without_a_terminal_onboarding_tells_how_far_it_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_EVERY", 0.0)
    said = run("onboard").stderr
    assert re.search(r"(?m)^looking for what is held true: \d+ of \d+ files$", said)
    assert re.search(r"(?m)^reading the history: \d+ of \d+ commits$", said)


def test_a_rule_that_two_documents_give_in_other_words_is_proposed_once(run: Run, project: Project) -> None:
    project.write("AGENTS.md", "# Shop\n\n- New middleware belongs in gems of its own, never in the base repository.\n")
    project.write(
        ".cursorrules",
        "# Shop\n\n- New middleware always belongs in separate gems of its own, never in the base repository.\n",
    )
    run("onboard", "--commits=1")
    assert len(waiting(run)) == 1


def test_onboarding_can_leave_proposals_out(run: Run) -> None:
    run("onboard", "--no-proposals")
    assert waiting(run) == []


def test_a_proposal_is_admitted_or_rejected_by_a_person(run: Run) -> None:
    run("onboard")
    (one,) = waiting(run)
    assert "agent" in run("revise", one["id"], "admit", "--agent", "Claude Code", status=1).stderr
    assert run.json("beliefs") == []
    run("revise", one["id"], "admit")
    assert [each["id"] for each in run.json("beliefs")] == [one["id"]]
    assert waiting(run) == []


def test_a_rejected_proposal_does_not_come_back(run: Run) -> None:
    run("onboard")
    run("revise", waiting(run)[0]["id"], "retire")
    run("onboard")
    assert waiting(run) == []
    assert "no proposals" in run("proposals").stderr
