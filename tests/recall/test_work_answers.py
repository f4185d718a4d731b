"""Commits and episodes as answers: found by words, and by the symbols that other work changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memlsp import Memory
from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommitEpisode, Episode, KeptChange, Outcome
from memlsp.model.place import Place
from memlsp.model.symbol import SymbolKind
from memlsp.recall.branch_visibility import Branches
from memlsp.recall.question import parse_question
from memlsp.recall.work_archive import WorkArchive
from memlsp.recall.work_search import WorkAnswer, find_work, serve_work
from memlsp.store.store import Store, open_store

AT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "memory.db") as opened:
        yield opened


def commit(number: int, subject: str, names: Sequence[str] = ()) -> CommitEpisode:
    refs = [SymbolRef("client.py", name, SymbolKind.FUNCTION) for name in names]
    changes = tuple(KeptChange(frozenset({ChangeKind.BEHAVIOUR}), ref, ref, f"`{ref.name}` is another") for ref in refs)
    return CommitEpisode(f"{number:040x}", "Ann Ode", AT, subject, changes)


def episode(id: str, title: str, names: Sequence[str] = ()) -> Episode:
    symbols = tuple(("client.py", name) for name in names)
    return Episode(id, title, "", Outcome.ENDED, AT, AT, closed_at=AT, sources=("claude-code",), symbols=symbols)


def ask(store: Store, question: str, *, used: int = 0, budget: int = 1_200, limit: int = 10) -> WorkAnswer:
    archive = WorkArchive(store, Branches(None), lambda: None)
    found = find_work(parse_question(question), archive, limit=limit)
    return serve_work(found, archive, used=used, budget=budget, limit=limit)


def test_commits_and_episodes_are_found_by_what_they_say(store: Store) -> None:
    store.past.keep(commit(1, "Paint the parcels"))
    store.past.keep(commit(2, "Retry the courier with jitter"))
    store.episodes.save([(episode("e1", "Give the courier more time"), None)])
    answer = ask(store, "how is the courier retried?")
    assert [hit.id for hit in answer.hits] == [f"{2:040x}", "e1"]
    assert answer.hits[0].served.startswith(f"[commit {2:040x}"[:18])
    assert "2026-01-02 Ann Ode · Retry the courier with jitter" in answer.hits[0].served
    assert answer.hits[0].why[0] == 'matches "courier", "retried"'


def test_work_that_changed_the_same_symbol_is_found_without_its_words(store: Store) -> None:
    store.past.keep(commit(1, "Wait a little", ["backoff"]))
    store.past.keep(commit(2, "Retry the courier with jitter", ["backoff"]))
    store.past.keep(commit(3, "Paint the parcels", ["paint"]))
    answer = ask(store, "why is the courier retried with jitter?")
    assert [hit.id for hit in answer.hits] == [f"{2:040x}", f"{1:040x}"]
    assert answer.hits[1].why == (f"changed client.py#backoff, as did commit {2:040x}"[: 41 + 10],)


def test_a_symbol_that_the_question_names_brings_the_work_on_it(store: Store) -> None:
    store.past.keep(commit(1, "Wait a little", ["Client.send_parcel"]))
    store.past.keep(commit(2, "Paint the parcels", ["paint"]))
    answer = ask(store, "what is going on in send_parcel of the parcels?")
    assert f"{1:040x}" in [hit.id for hit in answer.hits]
    assert any("which the question names" in clause for hit in answer.hits for clause in hit.why)


def test_nothing_is_served_when_nothing_is_relevant(store: Store) -> None:
    store.past.keep(commit(1, "Fix the default", ["backoff"]))
    assert ask(store, "quantum chromodynamics").hits == ()
    assert ask(store, "what is the default timeout of the courier?").hits == ()
    assert ask(store, "").hits == ()


def test_work_stays_within_what_beliefs_leave(store: Store) -> None:
    for number in range(1, 30):
        store.past.keep(commit(number, f"Retry the courier, number {number}"))
    assert ask(store, "retry the courier", limit=30).tokens <= 400
    assert ask(store, "retry the courier", used=1_000, limit=30).tokens <= 120
    assert ask(store, "retry the courier", used=1_200).hits == ()
    assert len(ask(store, "retry the courier", limit=2).hits) == 2


def test_an_episode_leaves_the_index_with_its_row_and_is_found_by_what_it_says_now(store: Store) -> None:
    store.episodes.save([(episode("e1", "Retry the courier"), None), (episode("e2", "Feed the courier"), None)])
    store.episodes.save([(episode("e1", "Paint the parcels"), None)], gone=["e2"])
    assert ask(store, "courier").hits == ()
    assert [hit.id for hit in ask(store, "parcels").hits] == ["e1"]


def test_of_statements_with_the_same_words_the_one_tied_to_what_the_work_changed_comes_first(memory: Memory) -> None:
    first = memory.remember("The courier waits a moment", at=[Place("pricing/tax.py", symbol="compute_tax")]).belief.id
    second = memory.remember("The courier waits a while", at=[Place("client.py", symbol="fetch")]).belief.id
    store = open_store(memory.status().store_path)
    store.past.keep(commit(1, "Have the courier wait with jitter", ["fetch"]))
    store.close()
    hits = memory.recall("how does the courier wait").hits
    assert {hit.judgement.belief.id for hit in hits} == {first, second}
    assert hits[0].judgement.belief.id == second
    assert f"anchored to client.py#fetch, which commit {1:040x}"[:51] in " ".join(hits[0].why)
