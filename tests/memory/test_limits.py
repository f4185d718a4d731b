"""Where and until when a belief applies: said when it is remembered, changed afterwards, and held against the clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.belief import Author, AuthorKind, Limits, RevisionAction, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, Refused
from memlsp.model.place import Place
from memlsp.model.standing import Standing

ANN, BOT = Author("Ann"), Author("claude", AuthorKind.AGENT)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Clock:
    """A clock that is set by hand."""

    now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(project: Project, clock: Clock) -> Iterator[Memory]:
    with Memory.open(project.root, clock=clock) as opened:
        yield opened


def test_what_is_not_confirmed_in_time_expires_with_the_reason_and_confirming_renews_it(
    memory: Memory, clock: Clock
) -> None:
    id = memory.remember(
        "Retries three times.", at=[Place.parse("client.py#fetch")], limits=Limits(stale_after=90)
    ).belief.id
    clock.now += timedelta(days=89)
    assert memory.belief(id).standing is Standing.CURRENT
    clock.now += timedelta(days=1)
    judgement = memory.belief(id)
    assert judgement.standing is Standing.EXPIRED
    assert judgement.reasons[0].code == "unconfirmed"
    assert judgement.reasons[0].message == "It was to be confirmed every 90 days, and never was"
    assert [item.id for item in memory.review.queue()] == [id]
    memory.revise(id, "confirm")
    assert memory.belief(id).standing is Standing.CURRENT
    clock.now += timedelta(days=91)
    assert "was last confirmed on 2027-02-19" in memory.belief(id).reasons[0].message


def test_what_is_watched_expires_while_nothing_else_moves(memory: Memory, clock: Clock) -> None:
    memory.remember("Retries three times.", at=[Place.parse("client.py#fetch")], limits=Limits(stale_after=1))
    watching = memory.watch(lambda _: None)
    try:
        assert memory.findings("client.py") == ()
        clock.now += timedelta(days=2)
        assert [finding.judgement.standing for finding in memory.findings("client.py")] == [Standing.EXPIRED]
    finally:
        watching.stop()


def test_where_and_until_when_is_changed_and_taken_back(memory: Memory, clock: Clock) -> None:
    id = memory.remember("The pool has 20 connections.").belief.id
    until = NOON + timedelta(days=30)
    after = memory.revise(
        id, "scope", limits=Limits(conditions=(("Env", " staging "),), expires_at=until, stale_after=7)
    )
    assert after.belief.conditions == (("env", "staging"),)
    assert (after.belief.expires_at, after.belief.stale_after, after.belief.text) == (
        until,
        7,
        "The pool has 20 connections.",
    )
    (_, revision) = memory.revisions(id)
    assert (revision.action, revision.note) == (
        RevisionAction.SCOPE,
        "when env=staging, until 2026-12-21, to be confirmed every 7 days",
    )
    lifted = memory.revise(id, "scope", limits=Limits(conditions=(), forever=True, stale_after=0)).belief
    assert (lifted.conditions, lifted.expires_at, lifted.stale_after) == ((), None, None)
    memory.revise(id, "rollback", by=Caller(note="2"))
    assert memory.belief(id).belief.conditions == ()
    assert memory.belief(id).belief.confidence == after.belief.confidence


@pytest.mark.parametrize("note", ["\u00b2", "9" * 5_000])
def test_a_note_that_is_no_number_of_a_revision_is_a_note(memory: Memory, note: str) -> None:
    id = memory.remember("The pool has 20 connections.").belief.id
    memory.revise(id, "scope", limits=Limits(conditions=(("env", "staging"),)))
    assert memory.revise(id, "rollback", by=Caller(note=note)).belief.conditions == ()


def test_days_to_be_confirmed_in_are_counted_from_when_they_are_said(memory: Memory, clock: Clock) -> None:
    id = memory.remember("The pool has 20 connections.").belief.id
    clock.now += timedelta(days=200)
    assert memory.revise(id, "scope", limits=Limits(stale_after=90)).standing is not Standing.EXPIRED


def test_what_makes_no_sense_is_refused(memory: Memory) -> None:
    id = memory.remember("The pool has 20 connections.").belief.id
    senseless = (
        Limits(),
        Limits(expires_at=NOON - timedelta(days=1)),
        Limits(expires_at=NOON + timedelta(days=1), forever=True),
        Limits(stale_after=-1),
        Limits(scope=Scope(ScopeKind.SYMBOL)),
        Limits(scope=Scope(ScopeKind.USER)),
        Limits(conditions=(("", "x"),)),
        Limits(conditions=(("env", " "),)),
        Limits(conditions=(("env", "x" * 201),)),
        Limits(conditions=(("two words", "x"),)),
        Limits(conditions=tuple((f"k{number}", "x") for number in range(13))),
    )
    for wrong in senseless:
        with pytest.raises(BadValue):
            memory.revise(id, "scope", limits=wrong)
    with pytest.raises(BadValue):
        memory.revise(id, "confirm", limits=Limits(conditions=(("env", "staging"),)))
    assert len(memory.revisions(id)) == 1


def test_no_secret_hides_in_a_condition(memory: Memory) -> None:
    secret = "ghp_" + "a1B2" * 9
    kept = memory.remember("The pool has 20 connections.", limits=Limits(conditions=(("token", secret),)))
    assert secret not in repr(kept.belief.conditions)
    memory.revise(kept.belief.id, "scope", limits=Limits(conditions=(("token", secret),)))
    assert secret not in repr(memory.revisions(kept.belief.id))


def test_no_agent_says_where_a_locked_belief_applies(memory: Memory) -> None:
    id = memory.remember("The pool has 20 connections.", by=Caller(author=ANN)).belief.id
    memory.revise(id, "lock", by=Caller(author=ANN))
    with pytest.raises(Refused, match="locked by a person"):
        memory.revise(id, "scope", limits=Limits(conditions=(("env", "nowhere"),)), by=Caller(author=BOT))
    with pytest.raises(Refused, match="locked by a person"):
        memory.revise(id, "scope", limits=Limits(expires_at=NOON + timedelta(seconds=1)), by=Caller(author=BOT))


def test_confidence_is_told_step_by_step_as_it_is_kept(memory: Memory) -> None:
    id = memory.remember("Retries three times.", by=Caller(author=BOT, session="s1")).belief.id
    for action, author, session in (
        ("confirm", BOT, "s2"),
        ("confirm", BOT, "s2"),
        ("worked", ANN, ""),
        ("failed", BOT, "s3"),
        ("lock", ANN, ""),
        ("rollback", ANN, ""),
    ):
        memory.revise(id, action, by=Caller(author=author, session=session))
    steps = memory.confidence(id)
    assert [step.after for step in steps] == [0.6, 0.68, 0.68, 0.76, 0.684, 0.95, 0.684]
    assert steps[-1].after == memory.belief(id).belief.confidence
    assert steps[2].how == "said in the same session before, so it counts once"
    new = memory.revise(id, "supersede", text="Retries five times.", by=Caller(author=ANN)).belief
    assert memory.confidence(id)[-1].after == memory.belief(id).belief.confidence == 0.342
    assert [step.how for step in memory.confidence(new.id)] == ["a person said it"]


def test_no_secret_hides_in_a_note(memory: Memory) -> None:
    id = memory.remember("The pool has 20 connections.").belief.id
    secret = "ghp_" + "a1B2" * 9
    for action in ("confirm", "retire", "rollback"):
        memory.revise(id, action, by=Caller(note="" if action == "rollback" else f"see {secret}"))
    assert secret not in repr(memory.revisions(id))
