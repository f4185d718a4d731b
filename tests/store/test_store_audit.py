"""The log of who changed what, and what the store itself lets no agent do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from attrs import evolve
from statements import ANN, NOON, belief_of, revision_of

from memlsp.model.audit import AuditEntry
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefStatus, Revision, RevisionAction
from memlsp.model.errors import MemlspError, Refused
from memlsp.store.core.database import connect
from memlsp.store.store import Store, open_store
from memlsp.store.tables.acts import FoundBy

BOT = Author("claude", AuthorKind.AGENT)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "w" / "memory.db") as opened:
        yield opened


def said(store: Store, id: str = "b1", **changes: object) -> Belief:
    belief = evolve(belief_of(id, "We retry three times."), **changes)
    store.add(belief, revision_of(belief))
    return belief


def by(author: Author, belief: Belief, action: RevisionAction = RevisionAction.CONFIRM, session: str = "") -> Revision:
    return Revision(belief.id, 0, action, author, "mcp", NOON + timedelta(hours=1), "a note with text", session=session)


def test_every_change_of_a_belief_is_in_the_log_without_its_words(store: Store) -> None:
    belief = said(store)
    store.change(belief, by(BOT, belief, session="s1"))
    latest, first = store.audit.entries()
    assert (first.action, first.author, first.targets) == ("remember", ANN, ("b1",))
    assert (latest.action, latest.author, latest.source, latest.session) == ("confirm", BOT, "mcp", "s1")
    assert (latest.targets, latest.note) == (("b1",), "revision 2")
    assert "retry" not in repr((latest, first))


def test_what_was_not_written_is_not_in_the_log(store: Store) -> None:
    belief = said(store)
    missing = belief_of("b9", "not there")
    with pytest.raises(MemlspError):
        store.change_all([(belief, by(ANN, belief), FoundBy()), (missing, by(ANN, missing), FoundBy())])
    assert [entry.action for entry in store.audit.entries()] == ["remember"]
    assert len(store.revisions("b1")) == 1


def test_the_log_can_be_asked_by_who_when_and_what(store: Store) -> None:
    belief = said(store)
    store.change(belief, by(BOT, belief, session="s1"))
    said(store, "b2")
    assert [e.action for e in store.audit.entries(author="claude")] == ["confirm"]
    assert [e.action for e in store.audit.entries(session="s1")] == ["confirm"]
    assert [e.action for e in store.audit.entries(target="b2")] == ["remember"]
    assert [e.action for e in store.audit.entries(since=NOON + timedelta(minutes=30))] == ["confirm"]
    assert len(store.audit.entries(until=NOON + timedelta(minutes=30))) == 2
    assert len(store.audit.entries(limit=1)) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit",
        "UPDATE audit SET action = 'confirm'",
        "UPDATE audit SET author = 'Somebody else'",
        "UPDATE audit SET at = '2020-01-01T00:00:00+00:00', author = ''",
    ],
)
def test_the_log_is_only_added_to(store: Store, statement: str) -> None:
    said(store)
    before = store.audit.entries()
    connection = connect(store.path, apsw.SQLITE_OPEN_READWRITE)
    with pytest.raises(apsw.ConstraintError, match="only added to"):
        connection.execute(statement)
    connection.close()
    assert store.audit.entries() == before


def test_an_entry_names_so_many_and_counts_the_rest(store: Store) -> None:
    targets = tuple(f"b{number}" for number in range(1_005))
    store.audit.note(AuditEntry(0, NOON, "export", ANN, "cli", "", targets))
    (entry,) = store.audit.entries()
    assert (len(entry.targets), entry.note) == (1_000, "and 5 more")


def test_the_store_itself_lets_no_agent_change_a_locked_belief(store: Store) -> None:
    locked = said(store, authority=Authority.LOCKED)
    for after in (
        locked,
        evolve(locked, authority=Authority.AGENT),
        evolve(locked, status=BeliefStatus.RETIRED),
        evolve(locked, text="Never retry."),
    ):
        with pytest.raises(Refused, match="locked by a person"):
            store.change(after, by(BOT, locked))
        with pytest.raises(Refused, match="locked by a person"):
            store.change_all([(after, by(BOT, locked), FoundBy())])
    assert store.belief("b1") == locked


def test_a_locked_belief_is_verified_anew_in_the_present_code_and_in_nothing_else(store: Store) -> None:
    locked = said(store, authority=Authority.LOCKED)
    anew = evolve(by(BOT, locked), action=RevisionAction.REANCHOR, source="code")
    with pytest.raises(Refused, match="locked by a person"):  # the name of a source opens nothing
        store.change(locked, anew)
    for after in (evolve(locked, text="Never retry."), evolve(locked, authority=Authority.AGENT)):
        with pytest.raises(Refused, match="locked by a person"):
            store.change(after, anew, FoundBy(), locked, anew=True)
    store.change(evolve(locked, updated_at=NOON + timedelta(minutes=5)), anew, FoundBy(), locked, anew=True)
    assert store.revisions("b1")[-1].source == "code"


def test_the_store_itself_lets_no_agent_admit_or_gain_authority(store: Store) -> None:
    waiting = said(store, status=BeliefStatus.PROPOSED, authority=Authority.PROPOSED)
    with pytest.raises(Refused, match="is a proposal"):
        store.change(evolve(waiting, status=BeliefStatus.ACTIVE), by(BOT, waiting))
    agents = said(store, "b2", authority=Authority.AGENT)
    for authority in (Authority.PERSON, Authority.REVIEWED, Authority.LOCKED):
        with pytest.raises(Refused, match="more authority"):
            store.change(evolve(agents, authority=authority), by(BOT, agents))


def test_whoever_read_a_belief_before_another_revised_it_is_told_to_look_again(store: Store) -> None:
    belief = said(store)
    locked = evolve(belief, authority=Authority.LOCKED, updated_at=NOON + timedelta(minutes=5))
    store.change(locked, by(ANN, belief, RevisionAction.LOCK), expected=belief)
    with pytest.raises(Refused, match="revised by somebody else"):
        store.change(evolve(belief, status=BeliefStatus.RETIRED), by(ANN, belief), expected=belief)
    with pytest.raises(Refused, match="revised by somebody else"):
        store.change_all([(evolve(belief, status=BeliefStatus.RETIRED), by(ANN, belief), FoundBy())], [belief])
    assert store.belief("b1") == locked


def test_revisions_are_found_by_session_and_by_time(store: Store) -> None:
    one, two = said(store), said(store, "b2")
    store.change(two, by(BOT, two, session="s1"))
    store.change(one, by(BOT, one, session="s1"))
    found = store.changes.of_session("s1")
    assert [(r.belief_id, r.number) for r in found] == [("b2", 2), ("b1", 2)]
    assert store.changes.of_session("") == []
    assert [r.belief_id for r in store.changes.between(NOON + timedelta(minutes=1))] == ["b2", "b1"]
    assert store.changes.between(NOON + timedelta(hours=2)) == []
    (sitting,) = store.changes.sessions()
    assert (sitting.session, sitting.revisions, sitting.beliefs) == ("s1", 2, 2)


def test_a_report_of_failure_stands_until_somebody_decided(store: Store) -> None:
    belief = said(store)
    store.change(belief, by(BOT, belief, RevisionAction.FAILED))
    ((id, report),) = store.changes.reported_failed()
    assert (id, report.number, report.author) == ("b1", 2, BOT)
    store.change(belief, by(ANN, belief))
    assert store.changes.reported_failed() == []
