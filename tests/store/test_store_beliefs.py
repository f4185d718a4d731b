"""Beliefs, anchors and revisions as the store keeps them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve
from statements import ANN, NOON, anchor_at, belief_of, revision_of

from memlsp.model.belief import (
    Author,
    Authority,
    AuthorKind,
    BeliefKind,
    BeliefStatus,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.errors import NoSuchBelief, Refused, StoreUnavailable
from memlsp.model.recall import Omission, Receipt
from memlsp.store.store import Store, open_store
from memlsp.store.tables.acts import FoundBy


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "w" / "memory.db") as opened:
        yield opened


def test_a_belief_comes_back_as_it_was_said(store: Store) -> None:
    belief = belief_of("b1", "We retry three times.", anchors=[anchor_at(), anchor_at("src/app.py", "")])
    store.add(belief, revision_of(belief))
    assert store.belief("b1") == belief


def test_a_belief_comes_back_in_another_process_connection(store: Store) -> None:
    belief = belief_of("b1", "Grüße, 世界, \N{ROCKET}, a NUL \0 and 'quotes'", author=Author("bot", AuthorKind.AGENT))
    store.add(belief, revision_of(belief))
    with open_store(store.path) as other:
        assert other.belief("b1") == belief


def test_half_a_surrogate_pair_does_not_keep_a_belief_from_being_stored(store: Store) -> None:
    belief = belief_of("b1", "broken \ud83d input")
    store.add(belief, revision_of(belief), FoundBy("src/\udce4.py"))
    found = store.belief("b1")
    assert found is not None
    assert found.text == "broken ? input"


def test_an_id_is_never_used_again(store: Store) -> None:
    first = belief_of("b1", "first")
    store.add(first, revision_of(first))
    with pytest.raises(Refused):
        store.add(belief_of("b1", "second"), revision_of(first))
    assert store.belief("b1") == first
    assert store.integrity() == "ok"


def test_revisions_are_numbered_by_the_store_and_keep_the_former_state(store: Store) -> None:
    first = belief_of("b1", "We retry three times.")
    store.add(first, revision_of(first))
    second = evolve(first, text="We retry five times.", anchors=(anchor_at("src/other.py", "get"),))
    written = store.change(second, revision_of(second, RevisionAction.REANCHOR, "moved"))
    third = evolve(second, status=BeliefStatus.RETIRED)
    store.change(third, revision_of(third, RevisionAction.RETIRE))

    assert written.number == 2
    assert [(each.number, each.action) for each in store.revisions("b1")] == [
        (1, RevisionAction.REMEMBER),
        (2, RevisionAction.REANCHOR),
        (3, RevisionAction.RETIRE),
    ]
    assert store.revisions("b1")[1] == written
    assert store.state_before("b1", 1) is None
    assert store.state_before("b1", 2) == first
    assert store.state_before("b1", 3) == second
    assert store.belief("b1") == third


def test_the_state_before_a_revision_that_is_not_there_is_an_error(store: Store) -> None:
    belief = belief_of("b1", "x")
    store.add(belief, revision_of(belief))
    with pytest.raises(NoSuchBelief, match="no revision 7"):
        store.state_before("b1", 7)
    with pytest.raises(NoSuchBelief, match="'nope'"):
        store.state_before("nope", 1)


def test_changing_a_belief_that_is_not_there_is_an_error(store: Store) -> None:
    belief = belief_of("b1", "x")
    with pytest.raises(NoSuchBelief):
        store.change(belief, revision_of(belief, RevisionAction.CONFIRM))
    assert store.counts()["revisions"] == 0


def test_superseding_writes_both_beliefs_or_none(store: Store) -> None:
    old = belief_of("old", "Port 8080.")
    store.add(old, revision_of(old))
    new = belief_of("new", "Port 9090.")
    gone = evolve(old, status=BeliefStatus.SUPERSEDED, superseded_by="new")
    absent = belief_of("absent", "never said")

    with pytest.raises(NoSuchBelief):
        store.change_all(
            [
                (gone, revision_of(gone, RevisionAction.SUPERSEDE), FoundBy()),
                (new, revision_of(new), FoundBy()),
                (absent, revision_of(absent, RevisionAction.CONFIRM), FoundBy()),
            ]
        )
    assert store.belief("old") == old
    assert store.belief("new") is None

    revisions = store.change_all(
        [(gone, revision_of(gone, RevisionAction.SUPERSEDE), FoundBy()), (new, revision_of(new), FoundBy())]
    )
    assert [revision.number for revision in revisions] == [2, 1]
    assert store.belief("old") == gone
    assert store.belief("new") == new


def test_an_id_is_found_by_a_unique_beginning(store: Store) -> None:
    for id in ("abc1", "abd2", "xyz3"):
        belief = belief_of(id, f"statement {id}")
        store.add(belief, revision_of(belief))
    assert store.resolve("x") == "xyz3"
    assert store.resolve("abc1") == "abc1"
    with pytest.raises(NoSuchBelief, match=r"abc1 .*abd2 "):
        store.resolve("ab")
    for nothing in ("q", "", "abc12", "\udce4", "%", "*"):
        with pytest.raises(NoSuchBelief):
            store.resolve(nothing)


def test_a_full_id_wins_over_a_longer_one_that_starts_with_it(store: Store) -> None:
    for id in ("ab", "abc"):
        belief = belief_of(id, id)
        store.add(belief, revision_of(belief))
    assert store.resolve("ab") == "ab"


def test_a_list_is_newest_first_and_holds_what_was_asked_for(store: Store) -> None:
    said = [
        belief_of("b1", "oldest", age=timedelta(days=3)),
        belief_of("b2", "rule", kind=BeliefKind.RULE, age=timedelta(days=2), anchors=[anchor_at("src/app.py", "run")]),
        belief_of("b3", "gone", status=BeliefStatus.RETIRED, age=timedelta(days=1)),
        belief_of("b4", "wide", scope=Scope(ScopeKind.GLOB, "src/**"), anchors=[]),
    ]
    for belief in said:
        store.add(belief, revision_of(belief))

    def ids(**wanted: object) -> list[str]:
        return [belief.id for belief in store.beliefs(**wanted)]  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]

    assert ids() == ["b4", "b2", "b1"]
    assert ids(status=None) == ["b4", "b3", "b2", "b1"]
    assert ids(status=(BeliefStatus.RETIRED, BeliefStatus.SUPERSEDED)) == ["b3"]
    assert ids(kinds=[BeliefKind.RULE]) == ["b2"]
    assert ids(scopes=[ScopeKind.GLOB]) == ["b4"]
    assert ids(kinds=[]) == []
    assert ids(limit=1) == ["b4"]
    assert ids(limit=0) == []


def test_only_active_beliefs_are_counted_at_their_places(store: Store) -> None:
    twice = belief_of("b1", "one", anchors=[anchor_at("a.py", "f"), anchor_at("a.py", "g")])
    other = belief_of("b2", "two", anchors=[anchor_at("a.py", "f"), anchor_at("b.py", "h")])
    for belief in (twice, other):
        store.add(belief, revision_of(belief))
    assert store.anchored_paths() == {"a.py": 2, "b.py": 1}
    assert [belief.id for belief in store.anchored_at("a.py")] == ["b1", "b2"]

    retired = evolve(other, status=BeliefStatus.RETIRED)
    store.change(retired, revision_of(retired, RevisionAction.RETIRE))
    assert store.anchored_paths() == {"a.py": 1}
    assert [belief.id for belief in store.anchored_at("a.py")] == ["b1"]

    store.change(other, revision_of(other, RevisionAction.ROLLBACK))
    assert store.anchored_paths() == {"a.py": 2, "b.py": 1}
    assert store.anchored_at("c.py") == []


def test_wide_beliefs_are_given_newest_first(store: Store) -> None:
    for id, kind, days in (("b1", ScopeKind.WORKSPACE, 2), ("b2", ScopeKind.GLOB, 1), ("b3", ScopeKind.SYMBOL, 0)):
        belief = belief_of(
            id, id, scope=Scope(kind, "*.py" if kind is ScopeKind.GLOB else ""), age=timedelta(days=days)
        )
        store.add(belief, revision_of(belief))
    assert [belief.id for belief in store.scoped([ScopeKind.WORKSPACE, ScopeKind.GLOB])] == ["b2", "b1"]
    assert store.scoped([]) == []


def test_times_keep_their_moment_whatever_zone_they_came_in(store: Store) -> None:
    from zoneinfo import ZoneInfo

    there = NOON.astimezone(ZoneInfo("Asia/Tokyo")) if _has_zones() else NOON
    belief = evolve(belief_of("b1", "x"), created_at=there)
    store.add(belief, revision_of(belief))
    found = store.belief("b1")
    assert found is not None
    assert found.created_at == NOON
    assert found.created_at.tzinfo is not None
    assert found.created_at.utcoffset() == timedelta(0)


def _has_zones() -> bool:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo("Asia/Tokyo")
    except ZoneInfoNotFoundError:
        return False
    return True


def test_receipts_come_back_newest_first(store: Store) -> None:
    for number in range(3):
        at, left_out = datetime(2026, 1, 1 + number, tzinfo=UTC), (Omission("b3", "budget"),)
        store.add_receipt(Receipt(0, at, "cli", f"question {number}", ("b1", "b2"), left_out, 120))
    latest = store.receipts(2)
    assert [receipt.query for receipt in latest] == ["question 2", "question 1"]
    assert latest[0].served == ("b1", "b2")
    assert latest[0].left_out == (Omission("b3", "budget"),)


def test_what_was_kept_comes_back_and_can_be_written_again(store: Store) -> None:
    assert store.cached_history("key") is None
    store.cache_history("key", "first")
    store.cache_history("key", "second")
    assert store.cached_history("key") == "second"
    assert store.workspace_info("root") is None
    store.set_info("root", "/somewhere")
    assert store.workspace_info("root") == "/somewhere"


def test_the_oldest_receipts_and_histories_go_when_there_are_too_many(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlsp.store.tables.receipts.KEPT", 3)
    monkeypatch.setattr("memlsp.store.tables.cache.KEPT", 3)
    for number in range(6):
        store.add_receipt(Receipt(0, NOON, "cli", str(number), (), (), 0))
        store.cache_history(f"key{number}", "value")
    assert [receipt.query for receipt in store.receipts()] == ["5", "4", "3"]
    assert [store.cached_history(f"key{number}") for number in range(6)] == [None] * 3 + ["value"] * 3


def test_the_versions_move_with_beliefs_and_not_with_receipts(store: Store) -> None:
    with open_store(store.path) as other:
        mine, theirs = (store.data_version(), store.change_count()), (other.data_version(), other.change_count())
        belief = belief_of("b1", "x")
        store.add(belief, revision_of(belief))
        assert store.change_count() != mine[1]
        assert store.data_version() == mine[0]
        assert other.data_version() != theirs[0]
        assert other.change_count() == theirs[1]

        mine, theirs = (store.data_version(), store.change_count()), (other.data_version(), other.change_count())
        store.add_receipt(Receipt(0, NOON, "cli", "q", (), (), 0))
        store.cache_history("key", "value")
        assert (store.data_version(), store.change_count()) == mine
        assert (other.data_version(), other.change_count()) == theirs

        other.change(belief, revision_of(belief, RevisionAction.CONFIRM))
        store.change(belief, revision_of(belief, RevisionAction.CONFIRM))
        assert store.data_version() != mine[0]
        assert store.data_version() == store.data_version()


def test_the_counts_tell_what_is_there(store: Store) -> None:
    active, retired = belief_of("b1", "x"), belief_of("b2", "y", status=BeliefStatus.RETIRED)
    for belief in (active, retired):
        store.add(belief, revision_of(belief))
    counts = store.counts()
    assert counts.pop("bytes") > 0
    assert counts == {
        "beliefs": 2,
        "active": 1,
        "proposed": 0,
        "superseded": 0,
        "retired": 1,
        "revisions": 2,
        "anchors": 2,
        "receipts": 0,
    }


def test_threads_may_write_at_once(store: Store) -> None:
    failures: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for number in range(20):
                belief = belief_of(f"{name}{number}", f"statement {number}", anchors=[])
                store.add(belief, revision_of(belief))
                store.search([["statement"]], limit=5)
        except BaseException as error:  # noqa: BLE001 - shown below
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert store.counts()["active"] == 80
    assert store.integrity() == "ok"


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db")
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.belief("b1")


def test_a_store_that_crossed_a_fork_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("os.getpid", lambda: -1)
        with pytest.raises(StoreUnavailable, match="forked"):
            store.belief("b1")
    assert store.belief("b1") is None


def test_a_lock_by_a_person_is_stored_as_authority(store: Store) -> None:
    belief = belief_of("b1", "x")
    store.add(belief, revision_of(belief))
    locked = evolve(belief, authority=Authority.LOCKED)
    store.change(locked, revision_of(locked, RevisionAction.LOCK))
    found = store.belief("b1")
    assert found is not None
    assert found.locked
    assert found.author == ANN
