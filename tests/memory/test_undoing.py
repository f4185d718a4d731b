"""Taking back what a session, an import or a span of time taught."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from project import Project

from memlsp import Memory
from memlsp.memory.curation.undo import restoration_target
from memlsp.model.belief import (
    Author,
    Authority,
    AuthorKind,
    BeliefStatus,
    Limits,
    Revision,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue
from memlsp.model.place import Place

ANN = Author("Ann")
BOT = Author("claude", AuthorKind.AGENT)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> Clock:
    return Clock()


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def timed(project: Project, clock: Clock) -> Iterator[Memory]:
    with Memory.open(project.root, clock=clock) as opened:
        yield opened


def said(memory: Memory, text: str, author: Author = BOT, session: str = "s1") -> str:
    return memory.remember(text, by=Caller(author=author, session=session, source="mcp")).belief.id


def texts(memory: Memory) -> set[str]:
    return {judgement.belief.text for judgement in memory.beliefs()}


def test_what_a_session_taught_is_taken_back_and_nothing_else(memory: Memory) -> None:
    said(memory, "The tax is rounded down.")
    said(memory, "Mine stays.", ANN, "")
    said(memory, "Another session's stays.", session="s2")
    undone = memory.undo.session("s1")
    assert [each.before.text for each in undone.changed] == ["The tax is rounded down."]
    assert texts(memory) == {"Mine stays.", "Another session's stays."}


def test_taking_back_can_be_taken_back_as_one(memory: Memory) -> None:
    before = [said(memory, "One is so."), said(memory, "Two is so.")]
    first = memory.undo.session("s1")
    assert texts(memory) == set()
    second = memory.undo.session(first.session)
    assert texts(memory) == {"One is so.", "Two is so."}
    assert {each.before.id for each in second.changed} == set(before)
    memory.undo.session("s1")  # and again
    assert texts(memory) == set()
    assert memory.undo.session("s1").already == 2


def test_a_dry_run_writes_nothing(memory: Memory) -> None:
    id = said(memory, "One is so.")
    undone = memory.undo.session("s1", dry_run=True)
    assert (undone.session, len(undone.changed)) == ("", 1)
    assert len(memory.revisions(id)) == 1


def test_what_a_session_did_to_the_beliefs_of_others_is_taken_back_too(memory: Memory) -> None:
    old = said(memory, "Retries three times.", ANN, "")
    new = memory.revise(old, "supersede", text="Retries five times.", by=Caller(author=BOT, session="s1")).belief.id
    gone = said(memory, "The tax is rounded.", ANN, "")
    memory.revise(gone, "retire", by=Caller(author=BOT, session="s1"))
    memory.undo.session("s1")
    assert texts(memory) == {"Retries three times.", "The tax is rounded."}
    assert memory.belief(new).belief.status is BeliefStatus.RETIRED
    assert memory.belief(old).belief.superseded_by is None


def test_what_somebody_decided_afterwards_is_left_alone_with_the_reason(memory: Memory) -> None:
    confirmed, other = said(memory, "One is so."), said(memory, "Two is so.")
    memory.revise(confirmed, "confirm", by=Caller(author=ANN))
    undone = memory.undo.session("s1")
    assert [each.before.id for each in undone.changed] == [other]
    assert [(each.belief.id, each.reason) for each in undone.left] == [
        (confirmed, "Ann revised it afterwards (confirm)")
    ]
    assert texts(memory) == {"One is so."}


def test_a_statement_and_its_replacement_are_taken_back_together_or_not_at_all(memory: Memory) -> None:
    old = said(memory, "Retries three times.", ANN, "")
    new = memory.revise(old, "supersede", text="Retries five times.", by=Caller(author=BOT, session="s1")).belief.id
    memory.revise(new, "confirm", by=Caller(author=ANN))
    undone = memory.undo.session("s1")
    assert undone.changed == ()
    assert {each.belief.id for each in undone.left} == {old, new}
    assert texts(memory) == {"Retries five times."}


def test_an_agent_takes_back_what_agents_did_and_no_more(memory: Memory) -> None:
    mine = said(memory, "One is so.", BOT, "s1")
    persons = said(memory, "Two is so.", ANN, "s1")
    locked = said(memory, "Three is so.", BOT, "s1")
    memory.revise(locked, "lock", by=Caller(author=ANN, session="s1"))
    undone = memory.undo.session("s1", author=BOT)
    assert [each.before.id for each in undone.changed] == [mine]
    assert {each.belief.id for each in undone.left} == {persons, locked}
    assert memory.belief(locked).belief.authority is Authority.LOCKED


def test_a_session_that_taught_nothing_is_an_error(memory: Memory) -> None:
    for name in ("nothing", "", "s"):
        with pytest.raises(BadValue, match="taught anything"):
            memory.undo.session(name)


def test_a_session_is_named_by_a_beginning_that_is_its_own(memory: Memory) -> None:
    said(memory, "One is so.", session="claude-code 4711")
    said(memory, "Two is so.", session="claude-code 4822")
    said(memory, "Three is so.", session="import-cursor-1")
    assert memory.undo.named("claude-code 47") == "claude-code 4711"
    assert memory.undo.named("cursor-1") == "import-cursor-1"
    with pytest.raises(BadValue, match="several sessions"):
        memory.undo.named("claude")
    with pytest.raises(BadValue, match="no session"):
        memory.undo.named("")
    assert {each.session for each in memory.undo.sessions()} == {
        "claude-code 4711",
        "claude-code 4822",
        "import-cursor-1",
    }


def test_everything_is_as_it_was_on_a_date(timed: Memory, clock: Clock) -> None:
    old = timed.remember("The tax is rounded.", by=Caller(author=ANN)).belief.id
    kept = timed.remember("Retries three times.", by=Caller(author=ANN)).belief.id
    clock.now = NOON + timedelta(days=2)
    timed.revise(old, "retire", by=Caller(author=ANN))
    new = timed.revise(kept, "supersede", text="Retries five times.", by=Caller(author=ANN)).belief.id
    timed.revise(new, "lock", by=Caller(author=ANN))
    timed.remember("Nothing is cached.", by=Caller(author=BOT))
    undone = timed.undo.since(NOON + timedelta(days=1))
    assert undone.left == ()
    assert texts(timed) == {"The tax is rounded.", "Retries three times."}
    timed.undo.session(undone.session)
    assert texts(timed) == {"Retries five times.", "Nothing is cached."}
    assert timed.belief(new).belief.locked


def test_a_span_of_time_leaves_what_was_built_upon_it(timed: Memory, clock: Clock) -> None:
    early = timed.remember("One is so.", by=Caller(author=BOT)).belief.id
    late = timed.remember("Two is so.", by=Caller(author=BOT)).belief.id
    clock.now = NOON + timedelta(days=2)
    timed.revise(early, "confirm", by=Caller(author=ANN))
    undone = timed.undo.since(NOON, NOON + timedelta(days=1))
    assert [each.before.id for each in undone.changed] == [late]
    assert [each.belief.id for each in undone.left] == [early]
    with pytest.raises(BadValue):
        timed.undo.since(NOON, NOON)


def test_what_is_for_the_user_alone_is_taken_back_with_the_rest(memory: Memory) -> None:
    memory.remember("I prefer tabs.", limits=Limits(scope=Scope(ScopeKind.USER)), by=Caller(author=BOT, session="s1"))
    said(memory, "One is so.")
    assert len(memory.undo.session("s1").changed) == 2
    assert texts(memory) == set()


# -- what stands of a history ----------------------------------------------------------------------------------------

Step = tuple[str, str]  # an action, and who: the session that is taken back ("s") or somebody else ("o")


def history_of(steps: list[Step]) -> tuple[list[Revision], set[int], list[list[str]]]:
    """A history as a store would have it, the numbers of the session's entries, and the state after each entry: a list
    of the effects in it."""
    revisions: list[Revision] = []
    states: list[list[str]] = [[]]
    chosen: set[int] = set()
    for number, (action, who) in enumerate(steps, 1):
        undoes = None
        if action.startswith("back"):
            undoes = max(1, number - 1 - int(action[4:]) % max(number - 1, 1)) if number > 1 else None
        if undoes is None:
            states.append([*states[-1], f"{who}{number}"])
        else:
            states.append(list(states[undoes - 1]))
        kind = RevisionAction.CONFIRM if undoes is None else RevisionAction.ROLLBACK
        revisions.append(Revision("b", number, kind, ANN, "cli", NOON, undoes=undoes, session=who))
        if who == "s":
            chosen.add(number)
    return revisions, chosen, states


_STEPS = st.lists(st.tuples(st.sampled_from(["say", "back0", "back1", "back2"]), st.sampled_from("so")), max_size=9)


@given(_STEPS)
def test_nothing_of_a_session_stands_after_it_was_taken_back(steps: list[Step]) -> None:
    revisions, chosen, states = history_of(steps)
    target, later = restoration_target(revisions, chosen)
    if later is None:
        state = states[-1] if target is None else states[target - 1]
        assert not [effect for effect in state if effect.startswith("s")]


@given(_STEPS)
def test_nothing_that_others_said_is_lost_by_taking_back(steps: list[Step]) -> None:
    revisions, chosen, states = history_of(steps)
    target, later = restoration_target(revisions, chosen)
    if later is not None:
        assert later.number not in chosen
        assert later.action is not RevisionAction.ROLLBACK
    elif not any(revision.action is RevisionAction.ROLLBACK and revision.session == "s" for revision in revisions):
        state = states[-1] if target is None else states[target - 1]
        assert [effect for effect in states[-1] if effect.startswith("o")] == state


@given(st.lists(st.just(("say", "o")), min_size=1, max_size=4), st.lists(st.just(("say", "s")), max_size=4))
def test_what_only_the_session_did_last_is_taken_back_to_where_it_began(others: list[Step], own: list[Step]) -> None:
    revisions, chosen, _ = history_of([*others, *own])
    assert restoration_target(revisions, chosen) == ((len(others) + 1) if own else None, None)


def test_places_are_given_back_too(memory: Memory) -> None:
    id = memory.remember("Retries three times.", at=[Place.parse("client.py#fetch")], by=Caller(author=ANN)).belief.id
    memory.revise(id, "reanchor", at=Place.parse("pricing/tax.py#compute_tax"), by=Caller(author=BOT, session="s1"))
    memory.undo.session("s1")
    (anchor,) = memory.belief(id).belief.anchors
    assert (anchor.path, anchor.symbol) == ("client.py", "fetch")


def test_what_is_brought_back_is_held_against_what_was_said_meanwhile(memory: Memory) -> None:
    said(memory, "The server listens on port 8080.")
    undone = memory.undo.session("s1")
    said(memory, "The server listens on port 9090.", ANN, "")
    assert memory.conflicts.open() == ()
    memory.undo.session(undone.session)
    assert len(memory.conflicts.open()) == 1


def test_a_rollback_of_what_replaced_brings_back_what_was_replaced(memory: Memory) -> None:
    old = memory.remember("Deploys go to Vercel.").belief
    new = memory.revise(old.id, "supersede", text="Deploys go to Coolify.").belief
    memory.revise(new.id, "rollback")
    assert [each.belief.id for each in memory.beliefs()] == [old.id]
    memory.revise(new.id, "rollback")
    assert [each.belief.id for each in memory.beliefs()] == [new.id]


def test_undoing_what_replaced_a_statement_brings_it_back(memory: Memory) -> None:
    old = memory.remember("Deploys go to Vercel.").belief
    by = Caller(session="s1")
    new = memory.revise(old.id, "supersede", text="Deploys go to Coolify.", by=by).belief
    undone = memory.undo.session("s1")
    assert [each.belief.id for each in memory.beliefs()] == [old.id]
    memory.undo.session(undone.session)
    assert [each.belief.id for each in memory.beliefs()] == [new.id]


def test_a_rollback_of_a_rollback_has_one_of_both_again(memory: Memory) -> None:
    old = memory.remember("Deploys go to Vercel.").belief
    new = memory.revise(old.id, "supersede", text="Deploys go to Coolify.").belief
    memory.revise(old.id, "rollback")
    memory.revise(old.id, "rollback")
    assert [each.belief.id for each in memory.beliefs()] == [new.id]


def test_the_last_change_is_taken_back_and_then_the_one_before(timed: Memory) -> None:
    said(timed, "One is so.", ANN, "")
    old = said(timed, "Deploys go to Vercel.", ANN, "")
    timed.revise(old, "supersede", text="Deploys go to Coolify.", by=Caller(author=ANN))
    timed.undo.last()
    assert texts(timed) == {"One is so.", "Deploys go to Vercel."}
    timed.undo.last()
    assert texts(timed) == {"One is so."}
    timed.undo.last()
    assert texts(timed) == set()
    with pytest.raises(BadValue, match="nothing to take back"):
        timed.undo.last()
