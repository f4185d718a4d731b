"""What the git history was read into, in the store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve

from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommitEpisode, KeptChange, PassedOver
from memlsp.model.symbol import SymbolKind
from memlsp.store.store import Store, open_store

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def ref(name: str, path: str = "a.py") -> SymbolRef:
    return SymbolRef(path, name, SymbolKind.FUNCTION)


def episode(number: int, *changes: KeptChange, at: datetime | None = None) -> CommitEpisode:
    return CommitEpisode(
        f"{number:040x}", "Ann", at or NOW + timedelta(hours=number), f"Commit {number}", changes, state_bytes=1000
    )


RENAMED = KeptChange(frozenset({ChangeKind.RENAMED}), ref("f"), ref("g"), "`f` renamed to `g`.")
CHANGED = KeptChange(frozenset({ChangeKind.BEHAVIOUR}), ref("g"), ref("g"), "`g` now calls `h`.")
REMOVED = KeptChange(frozenset({ChangeKind.REMOVED}), ref("old"), None, "Removed `old`.")
ADDED = KeptChange(frozenset({ChangeKind.ADDED}), None, ref("new", "b.py"), "Added `new`.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "memory.db") as opened:
        yield opened


def test_an_episode_comes_back_as_it_was_kept(store: Store) -> None:
    whole = evolve(
        episode(1, RENAMED, REMOVED, ADDED), passed_over=PassedOver.HUGE, files=9, parsed=8, cosmetic=7, more=6
    )
    assert store.past.keep(whole)
    assert store.past.episode(whole.commit) == whole
    assert store.past.episode("f" * 40) is None


def test_a_commit_is_kept_once(store: Store) -> None:
    assert store.past.keep(episode(1, RENAMED))
    assert not store.past.keep(episode(1, CHANGED))
    assert store.past.known() == {f"{1:040x}"}
    assert [step.change for step in store.past.steps("a.py")] == [RENAMED]


def test_changes_are_found_by_what_the_symbol_is_called_afterwards_newest_first(store: Store) -> None:
    for each in (episode(1, RENAMED, ADDED), episode(2, CHANGED), episode(3, REMOVED)):
        store.past.keep(each)
    assert [step.change for step in store.past.steps("a.py", ["g"])] == [CHANGED, RENAMED]
    assert [step.change for step in store.past.steps("a.py", ["g"], moved=True)] == [RENAMED]
    assert [step.change for step in store.past.steps("a.py", ["old", "nothing"])] == [REMOVED]
    assert [step.change for step in store.past.steps("a.py")] == [REMOVED, CHANGED, RENAMED]
    assert [step.change for step in store.past.steps("b.py")] == [ADDED]
    assert store.past.steps("a.py", ["f"]) == []
    assert len(store.past.steps("a.py", limit=1)) == 1


def test_of_commits_of_one_second_the_one_read_first_is_the_newer(store: Store) -> None:
    for number in (3, 2, 1):
        store.past.keep(episode(number, CHANGED, at=NOW))
    assert [each.subject for each in store.past.episodes(10)] == ["Commit 3", "Commit 2", "Commit 1"]
    assert [step.episode.subject for step in store.past.steps("a.py", ["g"])] == ["Commit 3", "Commit 2", "Commit 1"]


def test_reading_the_history_is_no_news_to_those_who_wait_for_beliefs(store: Store, tmp_path: Path) -> None:
    with open_store(tmp_path / "memory.db") as other:
        before = other.data_version(), store.change_count()
        store.past.keep(episode(1, RENAMED))
        assert (other.data_version(), store.change_count()) == before


def test_what_is_kept_is_counted(store: Store) -> None:
    store.past.keep(episode(1, RENAMED, ADDED))
    store.past.keep(evolve(episode(2), passed_over=PassedOver.MERGE, state_bytes=0))
    counted = store.past.counted()
    assert (counted.commits, counted.episodes, counted.changes, counted.symbols) == (2, 1, 2, 3)
    assert counted.passed_over == (("merge", 1),)
    assert counted.state_bytes == 1000
    assert counted.bytes > 0
    assert (counted.oldest, counted.newest) == (NOW + timedelta(hours=1), NOW + timedelta(hours=2))


def test_one_at_a_time_reads_and_the_turn_comes_back(store: Store, tmp_path: Path) -> None:
    with open_store(tmp_path / "memory.db") as other:
        with store.past.turn() as mine:
            assert mine
            with other.past.turn() as theirs:
                assert not theirs
        with other.past.turn() as theirs:
            assert theirs


def test_names_that_are_no_text_are_kept_somehow(store: Store) -> None:
    odd = KeptChange(frozenset({ChangeKind.ADDED}), None, ref("\ud800", "\udcff.py"), "Added \ud800.")
    assert store.past.keep(evolve(episode(1, odd), subject="\udc80"))
    assert len(store.past.episodes(5)) == 1
