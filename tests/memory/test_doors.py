"""Every way in by which an agent could change what a person locked, admit a proposal, or take a person's authority.

Each is tried as an agent, and afterwards the belief is what it was, to the letter. A new way of writing belongs here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve
from project import Project

from memlsp import Memory
from memlsp.beliefs.lifecycle.proposals import MINER
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefKind, BeliefStatus, Limits, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.copy import CopyImport
from memlsp.model.errors import MemlspError, Refused
from memlsp.model.place import Place
from memlsp.model.review import Settlement

ANN = Author("Ann")
BOT = Author("claude", AuthorKind.AGENT)
FETCH = Place.parse("client.py#fetch")
TEXT = "The server listens on port 8080."
RULE = "Never import `pricing.rates` outside of the `pricing` package."
_NOT_REVISING = {RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.EDIT}
ACTIONS = [action for action in RevisionAction if action not in _NOT_REVISING]


@pytest.fixture
def locked(memory: Memory) -> Belief:
    """What Ann locked."""
    id = memory.remember(TEXT, at=[FETCH], kind=BeliefKind.RULE, by=Caller(author=ANN)).belief.id
    return memory.revise(id, "lock", by=Caller(author=ANN)).belief


@pytest.fixture
def proposal(memory: Memory, project: Project) -> Belief:
    """What was found in a document."""
    project.write("AGENTS.md", f"# Shop\n\n- {RULE}\n")
    memory.files_changed(None)
    (belief,) = memory.proposals.learn().made
    return belief


def attempt(deed: Callable[[], object]) -> None:
    """Try it; that it is refused is fine, and so is that nothing came of it."""
    try:
        deed()
    except MemlspError:
        return


def revised(memory: Memory, id: str, action: RevisionAction, author: Author = BOT, source: str = "mcp") -> object:
    limits = action is RevisionAction.SCOPE
    return memory.revise(
        id,
        action,
        text="Port 9090." if action is RevisionAction.SUPERSEDE else None,
        at=Place.parse("pricing/tax.py#compute_tax") if action is RevisionAction.REANCHOR else None,
        limits=Limits(
            conditions=(("env", "nowhere"),) if limits else None,
            expires_at=datetime.now(UTC) + timedelta(seconds=30) if limits else None,
        ),
        by=Caller(author=author, source=source, session="s1"),
    )


@pytest.mark.parametrize("action", ACTIONS)
def test_no_revision_by_an_agent_reaches_a_locked_belief(
    memory: Memory, locked: Belief, action: RevisionAction
) -> None:
    with pytest.raises(Refused):
        revised(memory, locked.id, action)
    assert memory.belief(locked.id).belief == locked
    assert len(memory.revisions(locked.id)) == 2


@pytest.mark.parametrize("action", ACTIONS)
def test_an_agent_that_calls_itself_memlsp_and_its_source_code_reaches_no_locked_belief(
    memory: Memory, locked: Belief, action: RevisionAction
) -> None:
    with pytest.raises(Refused):
        revised(memory, locked.id, action, author=MINER, source="code")
    assert memory.belief(locked.id).belief == locked


@pytest.mark.parametrize("action", ACTIONS)
def test_no_revision_by_an_agent_reaches_a_proposal(memory: Memory, proposal: Belief, action: RevisionAction) -> None:
    with pytest.raises(Refused):
        revised(memory, proposal.id, action)
    assert memory.belief(proposal.id).belief == proposal


def test_saying_a_locked_belief_again_does_not_touch_it(memory: Memory, locked: Belief) -> None:
    said = memory.remember(TEXT, at=[FETCH], kind=BeliefKind.RULE, by=Caller(author=BOT))
    assert said.belief == locked
    assert memory.belief(locked.id).belief == locked


def test_saying_a_proposal_does_not_admit_it_and_has_an_agents_authority(memory: Memory, proposal: Belief) -> None:
    said = memory.remember(RULE, by=Caller(author=BOT)).belief
    assert said.id != proposal.id
    assert said.authority is Authority.AGENT
    assert memory.belief(proposal.id).belief == proposal


@pytest.mark.parametrize("action", ["retire", "supersede", "unlock", "lock"])
def test_an_agent_takes_back_nothing_that_a_person_did(memory: Memory, locked: Belief, action: str) -> None:
    if action != "lock":
        memory.revise(locked.id, action, text="Port 9090." if action == "supersede" else None, by=Caller(author=ANN))
    before = memory.belief(locked.id).belief
    for note in ("", "1", "2", "3"):
        attempt(lambda note=note: memory.revise(locked.id, "rollback", by=Caller(note=note, author=BOT)))
    attempt(lambda: memory.undo.since(datetime.now(UTC) - timedelta(hours=1), author=BOT))
    attempt(lambda: memory.undo.session("s1", author=BOT))
    assert memory.belief(locked.id).belief == before


def test_what_a_person_rejected_an_agent_brings_back_by_no_means(memory: Memory, proposal: Belief) -> None:
    memory.revise(proposal.id, "retire", by=Caller(author=ANN))
    before = memory.belief(proposal.id).belief
    for deed in (
        lambda: memory.revise(proposal.id, "rollback", by=Caller(author=BOT)),
        lambda: memory.revise(proposal.id, "admit", by=Caller(author=BOT)),
        lambda: memory.undo.since(datetime.now(UTC) - timedelta(hours=1), author=BOT),
        lambda: memory.review.undo(author=BOT),
        lambda: memory.review.propose(RULE, by=Caller(author=BOT)),
        memory.proposals.learn,
    ):
        attempt(deed)
    assert memory.belief(proposal.id).belief == before


def test_what_a_person_admitted_and_retired_again_stays_retired(memory: Memory, proposal: Belief) -> None:
    memory.revise(proposal.id, "admit", by=Caller(author=ANN))
    memory.revise(proposal.id, "retire", by=Caller(author=ANN))
    before = memory.belief(proposal.id).belief
    for note in ("", "2", "3"):
        with pytest.raises(Refused):
            memory.revise(proposal.id, "rollback", by=Caller(note=note, author=BOT))
    assert memory.belief(proposal.id).belief == before


@pytest.mark.parametrize(
    "choice", ["confirm", "supersede", "retire", "reanchor", "scope", "admit", "reject", "propose"]
)
def test_the_review_lets_an_agent_propose_and_no_more(
    memory: Memory, locked: Belief, proposal: Belief, choice: str
) -> None:
    for id in (locked.id, proposal.id):
        attempt(
            lambda id=id: memory.review.settle(
                id, choice, "Port 9090, says the agent.", conditions=[("env", "nowhere")], by=Caller(author=BOT)
            )
        )
    attempt(lambda: memory.review.undo(author=BOT))
    assert memory.belief(locked.id).belief == locked
    assert memory.belief(proposal.id).belief == proposal


def test_no_settlement_of_a_conflict_by_an_agent_costs_a_locked_belief_anything(memory: Memory, locked: Belief) -> None:
    other = memory.remember("The server listens on port 9090.", at=[FETCH], by=Caller(author=BOT)).belief
    (conflict,) = memory.conflicts.open()
    for settlement in Settlement:
        for conditions in ({locked.id: [("env", "nowhere")]}, None):
            attempt(
                lambda settlement=settlement, conditions=conditions: memory.conflicts.settle(
                    conflict.id, settlement, keep=other.id, conditions=conditions, by=Caller(author=BOT)
                )
            )
    for choice in ("first", "second", "both", "apart"):
        keeps_locked = {"first": conflict.first, "second": conflict.second}.get(choice) == locked.id
        if not keeps_locked:
            attempt(lambda choice=choice: memory.review.settle(conflict.id, choice, by=Caller(author=BOT)))
    assert memory.belief(locked.id).belief == locked
    assert [each.id for each in memory.conflicts.open()] == [conflict.id]


def test_an_agent_forgets_nothing_that_is_locked(memory: Memory, locked: Belief) -> None:
    for selector in (
        Selector(SelectorKind.BELIEF, locked.id),
        Selector(SelectorKind.QUERY, "listens on port 8080"),
        Selector(SelectorKind.FILE, "client.py"),
        Selector(SelectorKind.PERSON, "Ann"),
        Selector(SelectorKind.WORKSPACE),
        Selector(SelectorKind.SESSION, "s1"),
    ):
        attempt(lambda selector=selector: memory.forgetting.forget(selector, author=BOT))
        assert memory.belief(locked.id).belief == locked, selector


@pytest.mark.parametrize("tampered", [False, True])
def test_no_export_that_an_agent_takes_in_changes_a_locked_belief_or_a_proposal(
    memory: Memory, locked: Belief, proposal: Belief, tmp_path: Path, tampered: bool
) -> None:
    path = tmp_path / "shop.jsonl"
    memory.copies.export(path)
    if tampered:
        text = path.read_text(encoding="utf-8")
        text = text.replace("port 8080", "port 6666").replace('"proposed"', '"active"').replace('"agent"', '"person"')
        path.write_text(text, encoding="utf-8")
    attempt(lambda: memory.copies.take(path, author=BOT))
    attempt(lambda: memory.copies.take(path, CopyImport(damaged=True), author=BOT))
    for trusted, locks in ((True, False), (False, True)):
        with pytest.raises(Refused):
            memory.copies.take(path, CopyImport(trusted=trusted, locks=locks), author=BOT)
    assert memory.belief(locked.id).belief == locked
    assert memory.belief(proposal.id).belief == proposal
    assert {judgement.belief.text for judgement in memory.beliefs()} == {TEXT}


def test_an_agent_restores_no_other_state(memory: Memory, tmp_path: Path) -> None:
    id = memory.remember(TEXT, at=[FETCH], by=Caller(author=BOT)).belief.id
    backup = tmp_path / "shop.db"
    memory.copies.backup(backup)
    memory.revise(id, "confirm", by=Caller(author=ANN))
    locked = memory.revise(id, "lock", by=Caller(author=ANN)).belief
    with pytest.raises(Refused):
        memory.copies.restore(backup, author=BOT)
    attempt(lambda: memory.copies.take(backup, author=BOT))
    assert memory.belief(id).belief == locked


def test_a_workspaces_own_settings_admit_nothing(memory: Memory, project: Project) -> None:
    for rule in ('{from = "AGENTS.md"}', '{kind = "rule"}', '{source = "document"}'):
        project.write(".memlsp/config.toml", f"[learning]\nadmit = [{rule}]\n")
        project.write("AGENTS.md", f"# Shop\n\n- {RULE}\n- Always round prices with `round_half_even`.\n")
        memory.files_changed(None)
        assert memory.proposals.learn().admitted == ()
    assert memory.beliefs() == ()


def test_who_read_a_belief_before_it_was_locked_cannot_write_over_the_lock(memory: Memory, project: Project) -> None:
    """Between reading and writing a person locks it, in another process."""
    id = memory.remember(TEXT, at=[FETCH], by=Caller(author=BOT)).belief.id
    seen = memory.belief(id).belief
    with Memory.open(project.root) as other:
        locked = other.revise(id, "lock", by=Caller(author=ANN)).belief

    from memlsp.beliefs.lifecycle.admission import Maker
    from memlsp.beliefs.lifecycle.revisions import retire
    from memlsp.store.store import open_store

    after, revision = retire(seen, Maker(BOT, "mcp", datetime.now(UTC)))
    with open_store(memory.status().store_path) as store, pytest.raises(Refused, match="locked by a person"):
        store.change(after, revision)
    assert memory.belief(id).belief == locked


@pytest.mark.parametrize("kind", list(BeliefKind))
def test_what_an_agent_says_has_an_agents_authority_whatever_it_is(memory: Memory, kind: BeliefKind) -> None:
    said = memory.remember("Amounts must be positive.", kind=kind, by=Caller(author=BOT)).belief
    assert (said.authority, said.status) == (Authority.AGENT, BeliefStatus.ACTIVE)
    confirmed = memory.revise(said.id, "confirm", by=Caller(author=BOT)).belief
    assert confirmed.authority is Authority.AGENT
    with pytest.raises(Refused):
        memory.revise(said.id, "lock", by=Caller(author=BOT))


def test_the_log_shows_who_it_was_when_an_agent_did_something(memory: Memory) -> None:
    said = memory.remember("Amounts must be positive.", by=Caller(author=BOT, source="mcp:claude", session="s1")).belief
    (entry,) = memory.audit.list(target=said.id)
    assert (entry.author, entry.source, entry.session) == (BOT, "mcp:claude", "s1")
    assert json.dumps([entry.action, *entry.targets]).count("positive") == 0
    assert evolve(entry, author=ANN) != entry
