"""What a person says to an agent is kept at once, once, and replaces what it replaces."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from project import Project

from memlsp import Memory
from memlsp.beliefs.mining.statement_form import is_same
from memlsp.model.belief import (
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Limits,
    Scope,
    ScopeKind,
)
from memlsp.model.caller import Caller
from memlsp.model.place import Place

SAID = {
    "Never commit .env files": BeliefKind.RULE,
    "The endpoint moved to /v2": BeliefKind.FACT,
    "I prefer terse commits": BeliefKind.PREFERENCE,
    "no, use scripts/publish.sh for releases, never git push github": BeliefKind.RULE,
    "the GitHub account was renamed to acme-labs": BeliefKind.FACT,
    "deploys go to Coolify now, not Vercel": BeliefKind.DECISION,
    "we're in research, no implementation yet": BeliefKind.DECISION,
    "run make migrate before the tests": BeliefKind.PROCEDURE,
}
NOISE = (
    "rename this variable",
    "push the release to github",
    "fix the failing test in test_api.py",
    "what does c.py do?",
    "why is the build so slow again",
    "maybe we should use redis some day",
    "thanks, that works",
    "continue",
    "add a flag to the cli and document it",
    "I ran the tests and two of them failed",
    "the server returns a 500 when the token is missing",
    "should we move to pnpm?",
    "not sure if the cache is worth it",
    "looks good, commit it",
    "now do the same for the parser",
    "explain how the deploy works",
    "for now just skip that test",
    "no, the other file",
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'never'",
    "update the readme, it still mentions the old name",
)

_TIMES = itertools.count(1_790_000_000_000, 60_000)


def say(memory: Memory, *prompts: str, session: str = "", kind: str = "prompt", **more: object) -> list[Belief]:
    """Take prompts, each in a session of its own or all in one, and return what is believed afterwards."""
    for text in prompts:
        at = next(_TIMES)
        told = {"kind": kind, "source": "claude-code", "session": session or f"s{at}", "text": text, "at": at}
        memory.events.take([{**told, "key": f"k{at}", **more}])
    memory.events.settle()
    return believed(memory)


def believed(memory: Memory) -> list[Belief]:
    return [judgement.belief for judgement in memory.beliefs()]


def texts(memory: Memory) -> set[str]:
    return {belief.text for belief in believed(memory)}


def test_each_lasting_sentence_is_kept_once_among_noise(memory: Memory) -> None:
    prompts = [text for pair in zip(list(SAID) * 3, NOISE, strict=False) for text in pair]
    found = say(memory, *dict.fromkeys(prompts), *SAID)
    assert len(found) == len(SAID)
    kinds = {belief.kind for belief in found}
    assert kinds == set(SAID.values())
    assert {belief.authority for belief in found} == {Authority.PERSON}
    assert {belief.author.kind for belief in found} == {AuthorKind.PERSON}
    assert [b.text for b in found if b.scope.kind is ScopeKind.USER] == ["I prefer terse commits."]
    assert {b.scope.kind for b in found} == {ScopeKind.USER, ScopeKind.WORKSPACE}
    assert memory.proposals.list() == ()
    assert memory.conflicts.open() == ()


def test_the_same_in_other_words_of_form_is_one_belief_with_each_source(memory: Memory) -> None:
    say(memory, "Never commit .env files", "don't ever commit .env files", ".env files must never be committed")
    (only,) = believed(memory)
    assert len(only.evidence) == 3
    assert only.confidence > 0.8


def test_five_wordings_of_one_rule_are_one_belief_with_five_sources(memory: Memory) -> None:
    wordings = (
        *("use ruff for linting", "lint with ruff please", "ruff is our linter", "ruff is what we lint with"),
        "for linting we use ruff",
    )
    say(memory, *wordings)
    (only,) = believed(memory)
    assert {evidence.quote for evidence in only.evidence} == set(wordings)
    assert memory.proposals.list() == ()


def test_the_second_half_of_what_is_said_is_not_lost(memory: Memory) -> None:
    (belief,) = say(memory, "this is still research, do not implement anything yet")
    assert belief.text == "This is still research, do not implement anything yet."


def test_what_is_said_of_a_file_is_tied_to_it(memory: Memory, project: Project) -> None:
    project.write("c.py", "def total():\n    return 1\n")
    project.write("scripts/publish.sh", "echo\n")
    memory.files_changed(None)
    say(memory, "c.py must never import requests", "always use scripts/publish.sh for releases, never git push github")
    by_text = {belief.text: belief for belief in believed(memory)}
    assert [a.path for a in by_text["c.py must never import requests."].anchors] == ["c.py"]
    assert (
        by_text["Always use scripts/publish.sh for releases, never git push github."].scope.kind is ScopeKind.WORKSPACE
    )


def test_a_rule_for_a_folder_holds_for_its_files(memory: Memory, project: Project) -> None:
    project.write("legacy/a.py", "A = 1\n")
    memory.files_changed(None)
    (rule,) = say(memory, "never change anything in legacy/")
    assert str(rule.scope) == "glob:legacy/**"


def test_a_move_supersedes_what_said_where_it_was(memory: Memory) -> None:
    old = memory.remember("Deploys go to Vercel.").belief
    other = memory.remember("Never commit .env files.").belief
    say(memory, "deploys go to Coolify now, not Vercel", "never git push github")
    assert memory.belief(old.id).belief.status is BeliefStatus.SUPERSEDED
    assert memory.belief(other.id).belief.status is BeliefStatus.ACTIVE
    memory.undo.last()
    memory.undo.last()
    assert texts(memory) == {"Deploys go to Vercel.", "Never commit .env files."}


def test_a_move_of_what_is_locked_is_asked_about(memory: Memory) -> None:
    old = memory.remember("Deploys go to Vercel.").belief
    memory.revise(old.id, "lock")
    say(memory, "deploys go to Coolify now, not Vercel")
    assert memory.belief(old.id).belief.locked
    (conflict,) = memory.conflicts.open()
    assert old.id in {conflict.first, conflict.second}
    assert len(believed(memory)) == 2


def test_what_is_tied_to_code_is_never_replaced_by_a_prompt(memory: Memory, project: Project) -> None:
    project.write("d.py", "def deploy(n=3):\n    return n\n")
    memory.files_changed(None)
    steps = memory.remember("deploy runs three steps", at=[Place("d.py", symbol="deploy")]).belief
    host = memory.remember("Deploys go to Vercel.", at=[Place("d.py", symbol="deploy")]).belief
    say(memory, "deploys go to Kubernetes")
    assert memory.belief(steps.id).belief.status is BeliefStatus.ACTIVE
    assert memory.belief(host.id).belief.status is BeliefStatus.ACTIVE
    (asked,) = memory.conflicts.open()
    assert host.id in {asked.first, asked.second}


def test_a_prompt_replaces_one_belief_and_asks_about_more(memory: Memory) -> None:
    for place in ("Vercel", "Kubernetes", "Netlify"):
        memory.remember(f"Deploys go to {place}.")
    before = len(memory.conflicts.open())
    say(memory, "deploys go to Heroku")
    assert len(believed(memory)) == 4
    assert len(memory.conflicts.open()) == before + 3


def test_what_holds_from_now_on_replaces_the_rule_that_it_takes_back(memory: Memory) -> None:
    say(memory, "Never push to main.")
    (old,) = believed(memory)
    say(memory, "Pushing to main is fine from now on.")
    assert memory.belief(old.id).belief.status is BeliefStatus.SUPERSEDED
    assert memory.conflicts.open() == ()


def test_a_rule_that_was_told_is_asked_about_when_the_opposite_is_remembered(memory: Memory) -> None:
    memory.remember("Never push to main.")
    memory.remember("Pushing to main is fine.")
    assert len(memory.conflicts.open()) == 1


def test_what_holds_in_one_folder_alone_is_asked_about(memory: Memory, project: Project) -> None:
    project.write("legacy/a.py", "A = 1\n")
    memory.files_changed(None)
    old = memory.remember("Deploys go to Vercel.", limits=Limits(scope=Scope(ScopeKind.GLOB, "legacy/**"))).belief
    say(memory, "deploys go to Coolify now, not Vercel")
    assert memory.belief(old.id).belief.status is BeliefStatus.ACTIVE
    (asked,) = memory.conflicts.open()
    assert old.id in {asked.first, asked.second}


@pytest.mark.parametrize(
    ("day", "place"),
    [
        ("Deploys happen on Tuesdays only", "deploys go to Kubernetes"),
        ("Deploys go out on Tuesdays", "deploys go out on Kubernetes"),
        ("Tests run in the morning", "tests run in Docker now"),
    ],
)
def test_a_day_and_a_place_answer_two_questions(memory: Memory, day: str, place: str) -> None:
    memory.remember(day)
    assert len(say(memory, place)) == 2
    assert memory.conflicts.open() == ()


def test_a_change_that_the_values_do_not_show_is_asked_about(memory: Memory) -> None:
    old = memory.remember("The GitHub account is acme.").belief
    say(memory, "the GitHub account was renamed to acme-labs")
    (asked,) = memory.conflicts.open()
    assert old.id in {asked.first, asked.second}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We use jest for tests.", "we use vitest now instead of jest"),
        ("Releases happen on Thursdays only.", "from now on releases happen on Tuesdays only"),
        ("Usamos npm para todo.", "usa siempre pnpm en lugar de npm"),
    ],
)
def test_what_says_the_contrary_of_a_part_is_asked_about(memory: Memory, old: str, new: str) -> None:
    known = memory.remember(old).belief
    say(memory, new)
    (asked,) = memory.conflicts.open()
    assert known.id in {asked.first, asked.second}
    assert len(believed(memory)) == 2


def test_what_only_shares_a_name_is_not_asked_about(memory: Memory) -> None:
    memory.remember("The npm registry is at npm.acme.dev.")
    say(memory, "use pnpm, not npm", "never npm publish")
    assert memory.conflicts.open() == ()


def test_a_short_answer_is_read_with_its_question(memory: Memory) -> None:
    say(memory, "I can install it with either. pnpm or npm?", session="one", kind="say")
    say(memory, "pnpm, always", session="one")
    assert texts(memory) == {"Use pnpm, always, not npm."}


def test_answers_to_the_question_tool_are_read(memory: Memory) -> None:
    output = 'User has answered your questions: "pnpm or npm?"="pnpm, always". You can now continue.'
    say(memory, "questions", session="one", kind="tool", tool="AskUserQuestion", output=output)
    assert texts(memory) == {"Use pnpm, always, not npm."}


def test_what_was_taken_back_can_be_said_again(memory: Memory) -> None:
    say(memory, "Never commit .env files")
    memory.undo.last()
    assert believed(memory) == []
    assert len(say(memory, "Never commit .env files!")) == 1


def test_the_settings_can_make_everything_wait(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("[learning]\nadmit = []\n", encoding="utf-8")
    monkeypatch.setenv("MEMLSP_CONFIG", str(settings))
    assert say(memory, "Never commit .env files") == []
    (waiting,) = memory.proposals.list()
    assert waiting.belief.text == "Never commit .env files."


def test_a_person_who_says_what_is_proposed_admits_it(memory: Memory, project: Project) -> None:
    project.write("AGENTS.md", "# Shop\n\n## Rules\n\n- Never import `pricing.rates` outside of `pricing`.\n")
    memory.files_changed(None)
    memory.proposals.learn()
    (belief,) = say(memory, "never import `pricing.rates` outside of `pricing`!")
    assert belief.authority is Authority.PERSON
    assert len(belief.evidence) == 2


@pytest.mark.parametrize(
    "wordings",
    [
        ("Always use black", "use black, always", "we use black", "please just use black", "From now on use black"),
        ("Always format with black", "from now on format with black", "use black for formatting going forward"),
        ("never push", "don't push", "do not ever push"),
    ],
)
def test_wordings_that_differ_in_form_alone_are_one(memory: Memory, wordings: tuple[str, ...]) -> None:
    memory.remember(wordings[0])
    for words in wordings[1:]:
        assert is_same(words, wordings[0]), words
    assert len(say(memory, *wordings)) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("run redis", "avoid redis"), ("use tests", "move tests"), ("keep docker", "switch to docker")]
)
def test_another_act_on_the_same_thing_is_no_other_wording(one: str, other: str) -> None:
    assert not is_same(one, other)


TWINS = ("Always use black", "Always use black for formatting", "Always format the code with black")


def test_near_twins_wait_until_a_person_joins_them(memory: Memory) -> None:
    (old,) = say(memory, TWINS[0])
    say(memory, *TWINS[1:])
    assert texts(memory) == {old.text}
    for item in memory.review.queue():
        assert [each.belief.id for each in item.judgements] == [item.id, old.id]
        assert old.id in item.question
        memory.review.settle(item.id, "same")
    (only,) = believed(memory)
    assert (only.id, {each.quote for each in only.evidence}) == (old.id, set(TWINS))
    assert memory.review.queue() == ()
    memory.review.undo()
    (waiting,) = memory.review.queue()
    say(memory, TWINS[1], TWINS[2], "from now on use black to format the code")
    (only,) = believed(memory)
    assert memory.review.queue()[0].id == waiting.id
    assert len((*only.evidence, *memory.belief(waiting.id).belief.evidence)) == 6


def test_a_twin_of_what_was_a_proposal_is_found_when_that_is_admitted(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("[learning]\nadmit = []\n", encoding="utf-8")
    monkeypatch.setenv("MEMLSP_CONFIG", str(settings))
    say(memory, *TWINS[:2])
    first, second = memory.review.queue()
    memory.review.settle(first.id, "admit")
    assert memory.review.item(second.id).choices == ("same", "admit", "reject")
    joined = memory.review.settle(second.id, "same", "Black formats all code.").judgement
    assert joined is not None
    assert texts(memory) == {"Black formats all code."}
    assert len(joined.belief.evidence) == 2


def test_a_twin_may_be_admitted_beside_what_it_seems_to_repeat(memory: Memory) -> None:
    say(memory, "never push to main", "never push to main on Fridays")
    (twin,) = memory.review.queue()
    memory.review.settle(twin.id, "admit")
    assert len(believed(memory)) == 2
    assert memory.review.queue() == ()


def test_what_was_plainly_said_and_waits_is_told_to_the_person(memory: Memory) -> None:
    say(memory, TWINS[0], TWINS[1], session="one")
    (twin,) = memory.review.queue()
    with closing(sqlite3.connect(memory.status().store_path)) as store:
        notices: list[tuple[str]] = store.execute("SELECT line FROM notice ORDER BY id").fetchall()
    assert notices[-1][0] == (
        "memlsp asks: always use black for formatting: does it say the same as: always use black?"
        f" · memlsp review {twin.id}"
    )


def test_an_agents_belief_gives_way_to_what_the_person_says(memory: Memory) -> None:
    bot = Caller(author=Author("claude", AuthorKind.AGENT), source="mcp")
    old = memory.remember("The endpoint is at /v1.", by=bot).belief
    say(memory, "The endpoint moved to /v2")
    assert memory.belief(old.id).belief.status is BeliefStatus.SUPERSEDED


@pytest.mark.parametrize("prompt", NOISE)
def test_noise_is_neither_kept_nor_proposed(memory: Memory, prompt: str) -> None:
    say(memory, prompt)
    assert believed(memory) == []
    assert memory.proposals.list() == ()
