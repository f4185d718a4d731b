"""Confidence: bounded, moved by evidence alone, and explained by the history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.lifecycle import revisions
from memlsp.beliefs.lifecycle.admission import Draft, Maker, Revised, admit
from memlsp.beliefs.lifecycle.confidence import (
    BY_AGENTS_MOST,
    LEAST,
    MOST,
    is_echo,
    lowered,
    raised,
    replay,
    starting_confidence,
)
from memlsp.beliefs.lifecycle.proposals import admit_proposal, reject_proposal, suggest
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefStatus, Limits, Revision, RevisionAction
from memlsp.model.errors import MemlspError

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ADA, BOT = Author("Ada"), Author("claude", AuthorKind.AGENT)
AUTHORS = st.sampled_from([ADA, BOT, Author("codex", AuthorKind.AGENT)])
SESSIONS = st.sampled_from(["", "s1", "s2"])
ACTIONS = st.sampled_from(
    ["confirm", "worked", "failed", "retire", "lock", "unlock", "scope", "supersede", "admit", "rollback", "rollback2"]
)
NUMBERS = st.floats(min_value=LEAST, max_value=MOST)


class Life:
    """A belief as the store would keep it: its present state, its history, and every former state."""

    def __init__(self, author: Author, *, proposed: bool) -> None:
        maker = Maker(author, "cli", NOW)
        self.belief, first = (
            suggest("Retries three times.", maker) if proposed else admit(Draft("Retries three times."), maker)
        )
        self.start = self.belief.authority
        self.revisions = [evolve(first, number=1)]
        self.former: list[Belief | None] = [None]

    def do(self, action: str, author: Author, session: str) -> None:
        """Do it as the door would; what is refused changes nothing."""
        maker = Maker(author, "cli", NOW + timedelta(minutes=len(self.revisions)), "", session)
        try:
            after, revision = self._done(action, maker)
        except MemlspError:
            return
        self.former.append(self.belief)
        self.revisions.append(evolve(revision, number=len(self.revisions) + 1))
        self.belief = after

    def _done(self, action: str, by: Maker) -> Revised:
        belief, known = self.belief, action in {"confirm", "worked", "failed"}
        echo = known and is_echo(self.revisions, RevisionAction(action), by.author, by.session)
        if action == "confirm":
            return revisions.confirm(belief, by, anchors=(), references=(), echo=echo)
        if action in {"worked", "failed"}:
            return revisions.report(belief, by, held=action == "worked", echo=echo)
        if action == "retire":
            return (
                reject_proposal(belief, by) if belief.status is BeliefStatus.PROPOSED else revisions.retire(belief, by)
            )
        if action == "lock":
            return revisions.lock(belief, by)
        if action == "unlock":
            return revisions.unlock(belief, by)
        if action == "scope":
            return revisions.rescope(belief, Limits(conditions=(("env", "staging"),)), by)
        if action == "supersede":
            return revisions.supersede(belief, "Retries five times.", by, anchors=())[0]
        if action == "admit":
            return admit_proposal(belief, by, by_rule=by.source == "rule")
        number = max(1, len(self.revisions) - (action == "rollback2"))
        return revisions.rollback(belief, self.former[number - 1], number, by, self.revisions[number - 1 :])


@given(AUTHORS, st.booleans(), st.lists(st.tuples(ACTIONS, AUTHORS, SESSIONS), max_size=25))
def test_the_history_alone_gives_the_number_that_is_kept(
    first: Author, proposed: bool, deeds: list[tuple[str, Author, str]]
) -> None:
    life = Life(first, proposed=proposed)
    for action, author, session in deeds:
        life.do(action, author, session)
        steps = replay(life.start, life.revisions)
        assert steps[-1].after == life.belief.confidence, [step.how for step in steps]
        assert LEAST <= life.belief.confidence <= MOST
        assert all(step.how for step in steps)


@given(NUMBERS, AUTHORS)
def test_evidence_for_lifts_and_evidence_against_lowers_within_bounds(confidence: float, by: Author) -> None:
    confidence = round(confidence, 4)
    for moved in (raised(confidence, by), raised(confidence, by, report=True)):
        assert confidence <= moved <= MOST
    for moved in (lowered(confidence, by), lowered(confidence, by, report=True)):
        assert LEAST <= moved <= confidence


@given(NUMBERS, st.integers(1, 60))
def test_agents_alone_lift_nothing_above_what_review_starts_with(confidence: float, times: int) -> None:
    start = confidence = round(confidence, 4)
    for _ in range(times):
        confidence = raised(raised(confidence, BOT), BOT, report=True)
    assert confidence <= max(start, BY_AGENTS_MOST)
    assert starting_confidence(Authority.REVIEWED) == BY_AGENTS_MOST


def test_one_person_outweighs_three_agents_and_a_report_half_a_word() -> None:
    thrice = 0.5
    for _ in range(3):
        thrice = raised(thrice, BOT)
    assert raised(0.5, ADA) > thrice
    for by in (ADA, BOT):
        assert raised(0.5, by, report=True) - 0.5 == pytest.approx((raised(0.5, by) - 0.5) / 2)
        assert 0.5 - lowered(0.5, by, report=True) == pytest.approx((0.5 - lowered(0.5, by)) / 2)


@pytest.mark.parametrize("action", ["confirm", "worked", "failed"])
def test_what_an_agent_says_again_in_a_session_is_an_echo(action: str) -> None:
    life = Life(BOT, proposed=False)
    life.do(action, BOT, "s1")
    once = life.belief.confidence
    life.do(action, BOT, "s1")
    assert life.belief.confidence == once
    life.do(action, BOT, "s2")
    assert life.belief.confidence != once


def test_a_person_is_no_echo_and_neither_is_who_names_no_session() -> None:
    before = [Revision("b", 1, RevisionAction.CONFIRM, ADA, "cli", NOW, session="s1")]
    assert not is_echo(before, RevisionAction.CONFIRM, ADA, "s1")
    assert not is_echo(before, RevisionAction.CONFIRM, BOT, "s1")
    assert not is_echo(before, RevisionAction.CONFIRM, BOT, "")


def test_what_a_rule_admits_starts_as_what_was_found() -> None:
    life = Life(BOT, proposed=True)
    after, revision = admit_proposal(life.belief, Maker(ADA, "rule", NOW), by_rule=True)
    steps = replay(life.start, [*life.revisions, evolve(revision, number=2)])
    assert steps[-1].after == after.confidence == starting_confidence(Authority.MINED)


def test_reports_keep_a_belief_and_agents_report_nothing_of_locked_ones() -> None:
    life = Life(ADA, proposed=False)
    after, revision = revisions.report(life.belief, Maker(BOT, "mcp", NOW), held=False)
    assert (after.status, after.authority, revision.action) == (
        BeliefStatus.ACTIVE,
        Authority.PERSON,
        RevisionAction.FAILED,
    )
    locked, _ = revisions.lock(life.belief, Maker(ADA, "cli", NOW))
    for held in (True, False):
        with pytest.raises(MemlspError, match="locked by a person"):
            revisions.report(locked, Maker(BOT, "mcp", NOW), held=held)
