"""Contradictions are found when something is remembered, told on both sides, and settled by whoever decides."""

from __future__ import annotations

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.belief import Author, AuthorKind, Limits, RevisionAction, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, NotFound, Refused, StoreUnavailable
from memlsp.model.place import Place
from memlsp.model.review import Conflict, Settlement
from memlsp.model.standing import Standing

AGENT = Author("Claude Code", AuthorKind.AGENT)


def told(memory: Memory, text: str, *, author: Author | None = None, **conditions: str) -> str:
    """The id of what is remembered now."""
    return memory.remember(
        text, limits=Limits(conditions=tuple(conditions.items())), by=Caller(author=author)
    ).belief.id


def only(memory: Memory) -> Conflict:
    """The one open conflict."""
    (conflict,) = memory.conflicts.open()
    return conflict


@pytest.fixture
def pair(memory: Memory) -> tuple[str, str]:
    """Two ports for one server."""
    return told(memory, "The server listens on port 8080."), told(memory, "The server listens on port 9090.")


def test_a_contradiction_is_found_when_the_second_statement_is_remembered(
    memory: Memory, pair: tuple[str, str]
) -> None:
    conflict = only(memory)
    assert {conflict.first, conflict.second} == set(pair)
    assert set(conflict.values) == {"8080", "9090"}
    assert conflict.subject == "server"


def test_both_sides_tell_of_it(memory: Memory, pair: tuple[str, str]) -> None:
    assert memory.conflicts.of(pair[0]) == memory.conflicts.of(pair[1]) == memory.conflicts.open()


def test_statements_under_different_conditions_live_together(memory: Memory) -> None:
    told(memory, "The server listens on port 8080.", env="staging")
    told(memory, "The server listens on port 9090.", env="production")
    assert memory.conflicts.open() == ()


def test_what_is_said_of_two_files_lives_together(memory: Memory, project: Project) -> None:
    memory.remember("The timeout is 5 seconds.", at=[Place("client.py")])
    memory.remember("The timeout is 10 seconds.", at=[Place("pricing/tax.py")])
    assert memory.conflicts.open() == ()


def test_a_preference_of_the_user_can_contradict_a_rule_of_the_project(memory: Memory) -> None:
    memory.remember("Prefer tabs over spaces.", limits=Limits(scope=Scope(ScopeKind.USER)))
    told(memory, "Prefer spaces over tabs.")
    assert only(memory).settlement is None


def test_one_may_take_the_place_of_the_other(memory: Memory, pair: tuple[str, str]) -> None:
    memory.conflicts.settle(only(memory).id, Settlement.SUPERSEDED, keep=pair[1], by=Caller(note="moved last week"))
    assert memory.conflicts.open() == ()
    gone = memory.belief(pair[0])
    assert gone.standing is Standing.SUPERSEDED
    assert gone.belief.superseded_by == pair[1]
    assert memory.belief(pair[1]).standing.holds


def test_what_was_decided_is_told_with_who_decided_it(memory: Memory, pair: tuple[str, str]) -> None:
    memory.conflicts.settle(only(memory).id, "retired", keep=pair[1], by=Caller(author=AGENT, note="the file says so"))
    (settled,) = memory.conflicts.of(pair[1], settled=True)
    assert (settled.settlement, settled.settled_by, settled.note) == (
        Settlement.RETIRED,
        "Claude Code",
        "the file says so",
    )


def test_a_retirement_that_is_taken_back_opens_the_conflict_again(memory: Memory, pair: tuple[str, str]) -> None:
    memory.conflicts.settle(only(memory).id, "superseded", keep=pair[1])
    memory.revise(pair[0], RevisionAction.ROLLBACK)
    assert memory.belief(pair[1]).standing.holds
    assert {only(memory).first, only(memory).second} == set(pair)


def test_conditions_part_them_when_they_exclude_each_other(memory: Memory, pair: tuple[str, str]) -> None:
    conflict = only(memory)
    with pytest.raises(BadValue, match="still contradict"):
        memory.conflicts.settle(conflict.id, "scoped", conditions={id: [("env", "staging")] for id in pair})
    memory.conflicts.settle(
        conflict.id, "scoped", conditions={pair[0]: [("env", "staging")], pair[1]: [("env", "production")]}
    )
    assert memory.conflicts.open() == ()
    assert memory.belief(pair[0]).belief.conditions == (("env", "staging"),)


def test_both_may_be_kept_until_one_applies_elsewhere(memory: Memory, pair: tuple[str, str]) -> None:
    memory.conflicts.settle(only(memory).id, "kept", by=Caller(note="two servers"))
    assert memory.conflicts.open() == ()
    memory.conflicts.refresh()
    assert memory.conflicts.open() == ()
    memory.revise(pair[0], "scope", limits=Limits(conditions=(("team", "web"),)))
    memory.revise(pair[0], "scope", limits=Limits(conditions=()))
    assert memory.conflicts.of(pair[0], settled=True)


def test_an_agent_settles_nothing_that_a_person_locked(memory: Memory, pair: tuple[str, str]) -> None:
    memory.revise(pair[0], RevisionAction.LOCK)
    for settlement, keep in (("superseded", pair[1]), ("retired", pair[1]), ("kept", None)):
        with pytest.raises(Refused, match="locked"):
            memory.conflicts.settle(only(memory).id, settlement, keep=keep, by=Caller(author=AGENT))
    with pytest.raises(Refused, match="locked"):
        memory.conflicts.settle(
            only(memory).id, "scoped", conditions={pair[0]: [("env", "qa")]}, by=Caller(author=AGENT)
        )
    assert memory.belief(pair[0]).standing.holds


def test_an_agent_may_give_up_its_own_side(memory: Memory, pair: tuple[str, str]) -> None:
    memory.revise(pair[0], RevisionAction.LOCK)
    memory.conflicts.settle(only(memory).id, "retired", keep=pair[0], by=Caller(author=AGENT))
    assert memory.conflicts.open() == ()


def test_nothing_is_settled_without_saying_which_side_stays(memory: Memory, pair: tuple[str, str]) -> None:
    with pytest.raises(BadValue, match="which of the two"):
        memory.conflicts.settle(only(memory).id, "retired")
    with pytest.raises(BadValue, match="neither side"):
        memory.conflicts.settle(only(memory).id, "retired", keep="zzzz")
    with pytest.raises(BadValue, match="not a settlement"):
        memory.conflicts.settle(only(memory).id, "ignored")
    with pytest.raises(NotFound):
        memory.conflicts.settle(f"{pair[0]}+{told(memory, 'The moon is far.')}", "kept")
    with pytest.raises(BadValue, match="not a conflict"):
        memory.conflicts.settle(pair[0], "kept")


def test_a_superseding_statement_is_looked_at_too(memory: Memory) -> None:
    told(memory, "The request timeout is 30 seconds.")
    other = told(memory, "The request timeout is short.")
    assert memory.conflicts.open() == ()
    memory.revise(other, RevisionAction.SUPERSEDE, text="The request timeout is 60 seconds.")
    assert only(memory).subject == "request timeout"


def test_what_was_written_past_the_door_is_found_by_looking_again(memory: Memory, pair: tuple[str, str]) -> None:
    store = memory._store  # pyright: ignore[reportPrivateUsage]
    store.conflicts.record(pair[0], b"other rules", ())
    store.conflicts.record(pair[1], b"other rules", ())
    assert memory.conflicts.open() == ()
    seen: list[tuple[int, int]] = []
    assert memory.conflicts.refresh(lambda done, due: seen.append((done, due))) == 1
    assert seen == [(1, 2), (2, 2)]
    assert memory.conflicts.refresh() == 0
    assert only(memory).first in pair


def test_a_conflict_can_be_found_for_what_nobody_stored(memory: Memory, pair: tuple[str, str]) -> None:
    memory.conflicts.settle(only(memory).id, "retired", keep=pair[0])
    asked = memory.belief(pair[1]).belief
    (conflict,) = memory.conflicts.found(asked)
    assert conflict.other(pair[1]) == pair[0]


def test_a_file_is_told_of_its_own_contradictions_and_no_others_are_looked_up(
    memory: Memory, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = memory.remember("The `fetch` timeout is 30 seconds.", at=[Place("client.py", symbol="fetch")]).belief.id
    memory.remember("The `fetch` timeout is 90 seconds.", at=[Place("pricing/tax.py", symbol="compute_tax")])
    for port in range(8080, 8088):
        told(memory, f"The server listens on port {port}.")
    assert len(memory.conflicts.open()) > 20
    (placed,) = memory.conflicts.at("client.py")
    assert placed.here.id == here
    monkeypatch.setattr(memory.conflicts, "open", lambda: pytest.fail("all contradictions were looked at"))
    assert memory.conflicts.at("client.py") == (placed,)
    assert memory.conflicts.at("README.md") == ()


def test_a_settlement_is_in_the_audit_log_without_its_words(memory: Memory, pair: tuple[str, str]) -> None:
    memory.conflicts.settle(only(memory).id, "kept", by=Caller(author=AGENT, session="s1", note="two servers"))
    store = memory._store  # pyright: ignore[reportPrivateUsage]
    entry = store.audit.entries(action="settle")[0]
    assert (entry.author.name, entry.session, entry.targets, entry.note) == (
        "Claude Code",
        "s1",
        tuple(sorted(pair)),
        "kept",
    )


@pytest.mark.parametrize("settlement", ["superseded", "scoped"])
def test_a_decision_that_cannot_be_written_whole_is_not_written_at_all(
    memory: Memory, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch, settlement: str
) -> None:
    before = [memory.belief(id).belief for id in pair]
    conflict = only(memory)

    def full(*_: object) -> None:
        raise StoreUnavailable("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr("memlsp.store.tables.conflicts._write", full)
        with pytest.raises(StoreUnavailable):
            memory.conflicts.settle(
                conflict.id,
                settlement,
                keep=pair[0] if settlement == "superseded" else None,
                conditions={pair[0]: [("env", "staging")], pair[1]: [("env", "production")]},
            )
    assert [memory.belief(id).belief for id in pair] == before
    assert only(memory) == conflict
