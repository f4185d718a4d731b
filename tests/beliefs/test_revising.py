"""Admission, confidence and the revisions that people and agents make."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.lifecycle import revisions
from memlsp.beliefs.lifecycle.admission import Draft, Maker, admit, checked_statement, kind_of, new_id, said_kind
from memlsp.beliefs.lifecycle.confidence import LEAST, MOST, lowered, raised, starting_confidence
from memlsp.beliefs.reasons import ReasonCode
from memlsp.model.belief import (
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Limits,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.errors import BadValue, Refused

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ADA, BOT = Author("Ada"), Author("claude", AuthorKind.AGENT)
PERSON = Maker(ADA, "cli", NOW + timedelta(days=1))
AGENT = Maker(BOT, "mcp", NOW + timedelta(days=1))


def _belief(author: Author = ADA, **changes: object) -> Belief:
    belief, _ = admit(Draft("Retries three times."), Maker(author, "cli", NOW))
    return evolve(belief, **changes)


@pytest.mark.parametrize("text", ["", "   \n\t ", "\x00\x07", "\u200e", "x" * 4001])
def test_what_says_nothing_or_too_much_is_not_admitted(text: str) -> None:
    with pytest.raises(BadValue):
        checked_statement(text)


def test_a_statement_is_made_plain() -> None:
    assert checked_statement("  Uses\tA\r\n\n\n\nand B\x00.  ") == "Uses A\n\nand B."


def test_secrets_do_not_get_in() -> None:
    assert "hunter2hunter2" not in checked_statement("the password is password=hunter2hunter2Xy!9")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Amounts must be positive", "rule"),
        ("Never call this from a handler", "rule"),
        ("We decided on SQLite because it needs no server", "decision"),
        ("Uses httpx instead of requests", "decision"),
        ("Careful: the order of the arguments matters", "gotcha"),
        ("First run the migrations, then restart the workers", "procedure"),
        ("I prefer short functions", "preference"),
        ("The timeout is 30 seconds", "fact"),
    ],
)
def test_the_wording_suggests_the_kind(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We use yarn, not npm.", "rule"),
        ("Use pnpm here, npm breaks the lockfile.", "rule"),
        ("Releases happen on Thursdays only.", "rule"),
        ("Ne pousse jamais sur main.", "rule"),
        ("Deploys go to Coolify now, not Vercel.", "decision"),
        ("We're in research, no implementation yet.", "decision"),
        ("Run make migrate before the tests.", "procedure"),
        ("Vor jedem Release muss make check laufen.", "procedure"),
        ("The service listens on port 8081, not 8080.", "fact"),
        ("Sessions expire after 30 minutes.", "fact"),
    ],
)
def test_orders_and_moves_of_a_whole_workspace_are_no_facts(text: str, kind: str) -> None:
    assert said_kind(text) == kind
    assert said_kind("The timeout is 30 seconds") == kind_of("We use yarn, not npm.") == "fact"


def test_scopes_are_read_as_they_are_written() -> None:
    assert Scope.parse("workspace") == Scope(ScopeKind.WORKSPACE)
    assert Scope.parse("glob:src/**") == Scope(ScopeKind.GLOB, "src/**")
    assert Scope.parse("src/*.py") == Scope(ScopeKind.GLOB, "src/*.py")
    for wrong in ("", "glob", "galaxy", "glob: "):
        with pytest.raises(BadValue):
            Scope.parse(wrong)


def test_ids_are_short_distinct_and_no_numbers() -> None:
    ids = {new_id() for _ in range(500)}
    assert len(ids) == 500
    assert all(re.fullmatch(r"[a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{7}", one) for one in ids)


def test_a_symbol_scope_needs_a_place() -> None:
    with pytest.raises(BadValue):
        admit(Draft("x is y", limits=Limits(scope=Scope(ScopeKind.SYMBOL))), Maker(ADA, "cli", NOW))


@given(st.lists(st.sampled_from(["confirm", "correct"]), max_size=40), st.sampled_from([ADA, BOT]))
def test_confidence_stays_within_its_bounds(moves: list[str], by: Author) -> None:
    confidence = starting_confidence(Authority.AGENT)
    for move in moves:
        after = raised(confidence, by) if move == "confirm" else lowered(confidence, by)
        assert LEAST <= after <= MOST
        assert after >= confidence if move == "confirm" else after <= confidence
        confidence = after


def test_a_person_weighs_more_than_an_agent() -> None:
    assert raised(0.5, ADA) > raised(0.5, BOT) > 0.5 > lowered(0.5, BOT) > lowered(0.5, ADA)


def test_a_confirmation_by_a_person_stands_behind_an_agents_belief() -> None:
    belief = _belief(BOT)
    after, revision = revisions.confirm(belief, PERSON, anchors=(), references=())
    assert (belief.authority, after.authority) == (Authority.AGENT, Authority.PERSON)
    assert after.confidence > belief.confidence
    assert (revision.action, revision.author, revision.at) == (RevisionAction.CONFIRM, ADA, PERSON.now)


def test_a_confirmation_lifts_a_date_that_has_passed() -> None:
    belief = _belief(expires_at=NOW + timedelta(hours=1))
    assert revisions.confirm(belief, PERSON, anchors=(), references=())[0].expires_at is None


def test_superseding_leaves_both_and_ties_them() -> None:
    belief = _belief(kind=BeliefKind.DECISION)
    (old, old_revision), (new, new_revision) = revisions.supersede(belief, "Retries five times.", PERSON, anchors=())
    assert (old.status, old.superseded_by) == (BeliefStatus.SUPERSEDED, new.id)
    assert (new.text, new.kind, new.scope) == ("Retries five times.", BeliefKind.DECISION, belief.scope)
    assert (old_revision.action, new_revision.action) == (RevisionAction.SUPERSEDE, RevisionAction.REMEMBER)
    with pytest.raises(Refused):
        revisions.retire(old, PERSON)


def test_a_lock_keeps_agents_out_and_persons_in() -> None:
    locked, _ = revisions.lock(_belief(), PERSON)
    assert locked.locked
    for change in (
        lambda: revisions.confirm(locked, AGENT, anchors=(), references=()),
        lambda: revisions.retire(locked, AGENT),
        lambda: revisions.supersede(locked, "no", AGENT, anchors=()),
        lambda: revisions.unlock(locked, AGENT),
        lambda: revisions.reanchor(locked, (), AGENT),
        lambda: revisions.rollback(locked, None, 1, AGENT),
    ):
        with pytest.raises(Refused, match="locked by a person"):
            change()
    with pytest.raises(Refused):
        revisions.lock(_belief(), AGENT)
    assert revisions.unlock(locked, PERSON)[0].authority is Authority.PERSON
    assert revisions.retire(locked, PERSON)[0].status is BeliefStatus.RETIRED


def test_what_replaces_a_locked_belief_is_locked_too() -> None:
    locked, _ = revisions.lock(_belief(), PERSON)
    _, (new, _) = revisions.supersede(locked, "Retries five times.", PERSON, anchors=())
    assert new.locked


def test_a_rollback_brings_back_what_was_and_says_what_it_undid() -> None:
    before = _belief()
    after, _ = revisions.retire(before, PERSON)
    back, revision = revisions.rollback(after, before, 2, PERSON)
    assert back == evolve(before, updated_at=PERSON.now)
    assert revision.undoes == 2
    assert revisions.rollback(before, None, 1, PERSON)[0].status is BeliefStatus.RETIRED


def test_an_agent_cannot_bring_back_a_lock() -> None:
    belief = _belief()
    with pytest.raises(Refused):
        revisions.rollback(belief, evolve(belief, authority=Authority.LOCKED), 3, AGENT)


def test_reason_codes_are_kebab_case_and_described() -> None:
    for code in ReasonCode:
        assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", code.value)
        assert code.about.endswith(".")
