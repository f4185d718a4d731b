"""What a person types to an agent comes in through its hook, is kept once, and is said back in one line."""

from __future__ import annotations

import re

import pytest
from hook_world import HookWorld

from memlsp.faces.setup.clients.claude_code import hook_groups
from memlsp.memory import Memory
from memlsp.model.belief import Authority, BeliefKind, ScopeKind

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
    "why is the build so slow again?",
    "maybe we should use redis some day",
    "thanks, that works",
    "add a flag to the cli and document it",
    "now do the same for the parser",
    "fix the failing test in test_api.py",
)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "cursor"])
def test_eight_sentences_in_eight_sessions_are_eight_beliefs(world: HookWorld, agent: str) -> None:
    for number, (text, noise) in enumerate(zip(SAID, NOISE, strict=True)):
        for turn, words in enumerate((noise, text)):
            world.hook(world.prompt(words, session_id=f"s{number}", turn=f"{number}.{turn}"), agent)
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.events.settle()
        found = [judgement.belief for judgement in memory.beliefs()]
        assert sorted(belief.kind for belief in found) == sorted(SAID.values())
        assert {belief.authority for belief in found} == {Authority.PERSON}
        assert [b.text for b in found if b.scope.kind is ScopeKind.USER] == ["I prefer terse commits."]
        assert {evidence.source for belief in found for evidence in belief.evidence} == {agent}
        assert memory.proposals.list() == ()


def test_the_next_hook_of_the_session_says_what_was_noted(world: HookWorld) -> None:
    world.hook(world.prompt("Never commit .env files"))
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.events.settle()
    told = world.hook(world.prompt("thanks", turn="2")).json()
    assert told["systemMessage"] == "memlsp noted: never commit .env files · undo: memlsp undo last"
    assert world.hook(world.prompt("go on", turn="3")).out == ""


def test_the_line_names_what_was_replaced(world: HookWorld) -> None:
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.remember("Deploys go to Vercel.")
    world.hook(world.prompt("deploys go to Coolify now, not Vercel"))
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.events.settle()
    told = world.hook(world.prompt("thanks", turn="2")).json()
    assert told["systemMessage"] == (
        "memlsp noted: deploys go to Coolify now, not Vercel (replaces: deploys go to Vercel) · undo: memlsp undo last"
    )


def test_the_line_asks_about_what_it_may_replace(world: HookWorld) -> None:
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.remember("We use jest for tests.")
    world.hook(world.prompt("we use vitest now instead of jest"))
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.events.settle()
    told = world.hook(world.prompt("thanks", turn="2")).json()
    assert " (does it replace: we use jest for tests? memlsp conflicts) · undo:" in told["systemMessage"]


def test_what_the_code_does_not_follow_yet_is_said_with_what_was_noted(world: HookWorld) -> None:
    (world.root / "shop.py").write_text("def pay(sum):\n    print(sum)\n")
    world.hook(world.prompt("Never use `print` in shop.py"))
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.events.settle()
    told = world.hook(world.prompt("thanks", turn="2")).json()
    assert ", not yet so: shop.py has print · undo:" in told["systemMessage"]


def test_the_answer_to_an_agents_question_reaches_the_hook_and_is_kept(world: HookWorld) -> None:
    groups = hook_groups({"command": "hook"})["PostToolUse"]
    assert isinstance(groups, list)
    (group,) = groups
    assert isinstance(group, dict)
    assert re.fullmatch(str(group["matcher"]), "AskUserQuestion")
    asked = {"tool_name": "AskUserQuestion", "tool_response": {"answers": {"pnpm or npm?": "pnpm, always"}}}
    world.hook({**world.ran(""), **asked, "tool_input": {"questions": []}})
    with Memory.open(world.root, data_dir=world.data) as memory:
        memory.events.settle()
        assert [each.belief.text for each in memory.beliefs()] == ["Use pnpm, always, not npm."]
