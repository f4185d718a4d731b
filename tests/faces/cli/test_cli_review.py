"""`memlsp review`: in a pseudo-terminal as a person sees it, and without one as scripts and agents do."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from command_run import Run
from project import Project
from terminal_session import Terminal

from memlsp import Memory
from memlsp.model.belief import Author, AuthorKind, BeliefStatus
from memlsp.model.caller import Caller
from memlsp.model.place import Place

BOT = Author("claude", AuthorKind.AGENT)
RULE = "Never import `pricing.rates` outside of the `pricing` package."
in_a_terminal = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are those of POSIX")


@pytest.fixture
def waiting(project: Project) -> list[str]:
    """What waits in a shop, the weightiest first: a contradicted belief of a person, one of an agent, a proposal."""
    with Memory.open(project.root) as memory:
        first = memory.remember("Retries three times by default.", at=[Place.parse("client.py#fetch")]).belief.id
        memory.revise(first, "lock")
        second = memory.remember(
            "Times out after 30 seconds.", at=[Place.parse("client.py#fetch")], by=Caller(author=BOT)
        )
        project.replace("client.py", "retries=3, timeout=30", "retries=5, timeout=60")
        project.write("AGENTS.md", f"# Shop\n\n- {RULE}\n")
        memory.files_changed(None)
        (third,) = memory.proposals.learn().made
        assert len(memory.review.queue()) == 3
        return [first, second.belief.id, third.id]


def statuses(project: Project, ids: list[str]) -> list[BeliefStatus]:
    with Memory.open(project.root) as memory:
        return [memory.belief(id).belief.status for id in ids]


@in_a_terminal
def test_each_item_shows_where_one_is_the_keys_the_code_before_and_after_and_the_evidence(
    project: Project, waiting: list[str]
) -> None:
    with Terminal(["review"], project.root) as terminal:
        shown = terminal.expect("[q]uit > ")
        assert "── 1 of 3 · stale" in shown
        assert "Is this still true? It is contradicted." in shown
        assert "Retries three times by default." in shown
        assert "client.py#fetch, verified" in shown
        assert "-def fetch(url, retries=3, timeout=30):" in shown
        assert "+def fetch(url, retries=5, timeout=60):" in shown
        assert "evidence" in shown
        assert "[c]onfirm  [s]upersede  [r]etire  [t]ie  [w]here" in shown
        assert "[n]ext  [p]revious  [d]iff  [u]ndo  [?]  [q]uit" in shown
        terminal.press("?")
        assert "take back the last decision of this sitting" in terminal.expect("[q]uit > ")
        terminal.press("n")
        assert "2 of 3" in terminal.expect("[q]uit > ")
        terminal.press("n")
        proposal = terminal.expect("[q]uit > ")
        assert "3 of 3 · proposal" in proposal
        assert f"| - {RULE}" in proposal
        assert "[a]dmit  [e]dit  [r]eject" in proposal
        terminal.press("q")
        assert terminal.end() == 0
        assert "0 decided, 3 decisions left; memlsp review goes on from there" in terminal.said
    assert statuses(project, waiting) == [BeliefStatus.ACTIVE, BeliefStatus.ACTIVE, BeliefStatus.PROPOSED]


@in_a_terminal
def test_all_is_decided_with_a_key_each(project: Project, waiting: list[str]) -> None:
    with Terminal(["review"], project.root) as terminal:
        terminal.expect("[q]uit > ")
        terminal.press("s")
        terminal.expect("statement: ")
        terminal.press("\x15Retries five times by default.\r")  # ^U empties the line that is there to be edited
        terminal.type_code()
        terminal.expect("replaced by: ")
        terminal.expect("[q]uit > ")
        terminal.press("r")
        terminal.expect("retired: ")
        terminal.expect("[q]uit > ")
        terminal.press("a")
        terminal.expect("admitted: ")
        assert terminal.end() == 0
        assert "3 decided; nothing waits any more" in terminal.said
    assert statuses(project, waiting) == [BeliefStatus.SUPERSEDED, BeliefStatus.RETIRED, BeliefStatus.ACTIVE]
    with Memory.open(project.root) as memory:
        successor = memory.belief(memory.belief(waiting[0]).belief.superseded_by or "").belief
        assert (successor.text, successor.locked) == ("Retries five times by default.", True)
        assert memory.belief(waiting[2]).belief.author.name == "Ann Ode"
        assert memory.revisions(waiting[1])[-1].source == "review"


@in_a_terminal
def test_a_decision_is_undone_with_a_key_and_asked_about_again(project: Project, waiting: list[str]) -> None:
    with Terminal(["review"], project.root) as terminal:
        terminal.expect("[q]uit > ")
        terminal.press("u")
        terminal.expect("nothing was decided in this sitting")
        terminal.expect("[q]uit > ")
        terminal.press("r")
        terminal.type_code()
        terminal.expect("2 of 3")
        terminal.expect("[q]uit > ")
        terminal.press("u")
        terminal.expect(f"undone: retire of {waiting[0]}")
        assert "1 of 3" in terminal.expect("[q]uit > ")
        terminal.press("q")
        assert terminal.end() == 0
        assert "0 decided, 3 decisions left" in terminal.said
    assert statuses(project, waiting)[0] is BeliefStatus.ACTIVE


@in_a_terminal
def test_ctrl_c_keeps_what_was_decided_also_while_a_statement_is_written(project: Project, waiting: list[str]) -> None:
    with Terminal(["review"], project.root) as terminal:
        terminal.expect("[q]uit > ")
        terminal.press("c")
        terminal.type_code()
        terminal.expect("confirmed: ")
        terminal.expect("[q]uit > ")
        terminal.press("s")
        terminal.expect("statement: ")
        terminal.press("half a sente")
        terminal.expect("half a sente")
        assert terminal.interrupt() == 130
        assert "1 decided, 2 decisions left" in terminal.said
    with Memory.open(project.root) as memory:
        assert [revision.action for revision in memory.revisions(waiting[0])] == ["remember", "lock", "confirm"]
        assert len(memory.revisions(waiting[1])) == 1
        assert memory.doctor()


@in_a_terminal
def test_ctrl_c_at_a_key_ends_it_as_a_program_ends_that_was_interrupted(project: Project, waiting: list[str]) -> None:
    with Terminal(["review"], project.root) as terminal:
        terminal.expect("[q]uit > ")
        assert terminal.interrupt() == 130
        assert "0 decided, 3 decisions left" in terminal.said
        assert "Traceback" not in terminal.said


@in_a_terminal
def test_an_empty_statement_decides_nothing(project: Project, waiting: list[str]) -> None:
    with Terminal(["review"], project.root) as terminal:
        terminal.expect("[q]uit > ")
        terminal.press("s")
        terminal.expect("statement: ")
        terminal.press("\x15\r")
        terminal.expect("nothing was given, so nothing is decided")
        terminal.expect("[q]uit > ")
        terminal.press("q")
        assert terminal.end() == 0
    assert statuses(project, waiting)[0] is BeliefStatus.ACTIVE


@in_a_terminal
def test_an_agent_that_has_a_terminal_is_still_an_agent(
    project: Project, waiting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    with Terminal(["review"], project.root) as terminal:
        terminal.expect("[q]uit > ")
        terminal.press("r")
        assert "is locked by a person, and Claude Code is an agent" in terminal.expect("[q]uit > ").replace("\n", " ")
        terminal.press("q")
        assert terminal.end() == 0
    assert statuses(project, waiting)[0] is BeliefStatus.ACTIVE


@in_a_terminal
def test_a_contradiction_is_told_apart_by_a_condition_for_each_side(project: Project) -> None:
    with Memory.open(project.root) as memory:
        memory.remember("The server listens on port 8080.")
        memory.remember("The server listens on port 9090.")
        (item,) = memory.review.queue()
    with Terminal(["review"], project.root) as terminal:
        shown = terminal.expect("[q]uit > ")
        assert "1 of 1 · contradiction" in shown
        assert "[1]st  [2]nd  [b]oth  [w]here" in shown
        terminal.press("w")
        terminal.expect("empty for always): ")
        terminal.press("env=staging\r")
        terminal.expect("empty for always): ")
        terminal.press("env=production\r")
        terminal.expect("told apart: ")
        assert terminal.end() == 0
    with Memory.open(project.root) as memory:
        kept = [memory.belief(judgement.belief.id).belief.conditions for judgement in item.judgements]
        assert kept == [(("env", "staging"),), (("env", "production"),)]


def test_without_a_terminal_it_lists_what_waits_and_asks_nothing(run: Run, waiting: list[str]) -> None:
    listed = run("review")
    assert [line.split()[0] for line in listed.stdout.splitlines() if not line.startswith(" ")] == waiting
    assert "3 decisions to make" in listed.stderr
    assert run("review", "--list", "--kind", "proposal").stdout.startswith(waiting[2])


def test_it_is_read_by_scripts_and_decided_by_them(run: Run, waiting: list[str]) -> None:
    items: list[dict[str, Any]] = run.json("review")
    assert [item["id"] for item in items] == waiting
    assert items[0]["kind"] == "stale"
    assert items[0]["beliefs"][0]["authority"] == "locked"
    one = run.json("review", waiting[0])
    assert "+def fetch(url, retries=5, timeout=60):" in one["changes"][0]["lines"]
    decided = run.json("review", waiting[2], "admit", "In other words.")
    assert (decided["choice"], decided["belief"]["text"]) == ("admit", "In other words.")
    assert run("review", "--undo").stdout.strip() == waiting[2]
    assert len(run.json("review")) == 3


def test_one_item_is_shown_whole(run: Run, waiting: list[str]) -> None:
    shown = run("review", waiting[0])
    assert "-def fetch(url, retries=3, timeout=30):" in shown.stdout
    assert "choices: confirm, supersede, retire, reanchor, scope" in shown.stderr


def test_an_agent_is_refused_with_the_reason_and_may_propose(run: Run, waiting: list[str]) -> None:
    assert "locked by a person" in run("review", waiting[0], "retire", "--agent", "claude", status=1).stderr
    assert "a person decides" in run("review", waiting[2], "admit", "--agent", "claude", status=1).stderr
    made = run("review", waiting[0], "propose", "Retries five times.", "--agent", "claude").stdout.strip()
    items = {item["id"]: item for item in run.json("review")}
    assert items[made]["replaces"] == waiting[0]
    run("review", waiting[1], "confirm", "--agent", "claude")


def test_an_empty_queue_says_so(run: Run) -> None:
    assert "nothing waits" in run("review").stderr
    assert run.json("review") == []


def test_what_a_terminal_would_obey_is_not_passed_on(run: Run, project: Project) -> None:
    with Memory.open(project.root) as memory:
        id = memory.remember("Retries three times.", at=[Place.parse("client.py#fetch")]).belief.id
    project.replace("client.py", "retries=3", 'retries=5, title="\x1b]0;gone\x07"')
    shown = run("review", id).stdout
    assert "\x1b]" not in shown
    assert "\x07" not in shown


def test_a_proposal_that_is_not_wanted_was_never_held_true(run: Run, waiting: list[str]) -> None:
    told = run("revise", waiting[2], "retire").stderr
    assert told.startswith("rejected: ")
    assert "It was proposed, and was not wanted" in told
    assert "no longer true" not in told


def test_what_is_admitted_is_shown_as_whose_it_is(
    run: Run, waiting: list[str], project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("revise", waiting[2], "admit")
    shown = run("belief", waiting[2]).stdout
    assert "rule, for the workspace · Ann Ode · " in shown
    assert "1. " in shown
    assert "propose by memlsp (mining)" in shown
    settings = project.root.parent / "user.toml"
    settings.write_text('[learning]\nadmit = [{from = "AGENTS.md"}]\n', encoding="utf-8")
    monkeypatch.setenv("MEMLSP_CONFIG", str(settings))
    project.write("AGENTS.md", "# Shop\n\n- Always round prices with `round_half_even`.\n")
    run("onboard")
    by_rule = next(each for each in run.json("beliefs") if "round_half_even" in each["text"])
    assert "rule, mined, for the workspace · found in AGENTS.md · " in run("belief", by_rule["id"]).stdout
