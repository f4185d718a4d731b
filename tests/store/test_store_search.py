"""The search index: what is found, in which order, and that no question can break it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from statements import belief_of, revision_of
from thorough import examples

from memlsp.model.belief import Authority, BeliefStatus, RevisionAction
from memlsp.store.store import Store, open_store
from memlsp.store.tables.acts import FoundBy


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "memory.db") as opened:
        yield opened


def say(store: Store, id: str, text: str, keywords: str = "", authority: Authority = Authority.PERSON) -> None:
    belief = belief_of(id, text, authority=authority, anchors=[])
    store.add(belief, revision_of(belief), FoundBy(keywords))


def found(store: Store, *words: str, limit: int = 10) -> list[str]:
    return [hit.id for hit in store.search([[word] for word in words], limit=limit)]


def test_words_are_found_in_every_form(store: Store) -> None:
    say(store, "b1", "Retrying payments is dangerous")
    say(store, "b2", "Ports are numbers")
    assert found(store, "retries") == ["b1"]
    assert found(store, "PAYMENT") == ["b1"]
    assert found(store, "nothing") == []


@pytest.mark.parametrize("asked", ["user", "fetch", "fetchUserById", "fetchuserbyid"])
def test_an_identifier_is_found_whole_and_by_its_words(store: Store, asked: str) -> None:
    say(store, "b1", "call fetchUserById before saving")
    say(store, "b2", "something else")
    assert found(store, asked) == ["b1"]


def test_an_identifier_is_found_in_another_convention(store: Store) -> None:
    say(store, "b1", "call fetch_user_by_id before saving")
    say(store, "b2", "the HTTPServer listens on --max-retries")
    assert found(store, "fetchUserById") == ["b1"]
    assert found(store, "http_server") == ["b2"]
    assert found(store, "server") == ["b2"]
    assert found(store, "maxRetries") == ["b2"]


def test_the_names_that_a_belief_is_tied_to_find_it_after_those_that_say_them(store: Store) -> None:
    say(store, "b1", "this one waits a while", "Courier.deliver src/post.py")
    say(store, "b2", "the courier waits a while too", "x src/x.py")
    assert found(store, "courier") == ["b2", "b1"]
    assert found(store, "deliver") == ["b1"]


def test_what_matched_is_told_in_the_words_of_the_question(store: Store) -> None:
    say(store, "b1", "We retry with tenacity, never by hand")
    hits = store.search([["Retries", "again"], ["zebra"], ["tenacity"], ["by hand"], ["hand by"]], limit=5)
    assert hits[0].matched == ("Retries", "tenacity", "by hand")
    assert 0 < hits[0].share < 1


def test_what_is_retired_is_not_found_until_it_is_rolled_back(store: Store) -> None:
    belief = belief_of("b1", "retry three times")
    store.add(belief, revision_of(belief), FoundBy("fetch src/net.py"))
    retired = evolve(belief, status=BeliefStatus.RETIRED)
    store.change(retired, revision_of(retired, RevisionAction.RETIRE))
    assert found(store, "retry") == []
    store.change(belief, revision_of(belief, RevisionAction.ROLLBACK))
    assert found(store, "retry") == ["b1"]
    assert found(store, "net") == ["b1"], "its names were lost on the way"
    assert store.integrity() == "ok"


def test_a_changed_text_is_found_by_its_new_words_alone(store: Store) -> None:
    belief = belief_of("b1", "listens on port 8080")
    store.add(belief, revision_of(belief))
    changed = evolve(belief, text="listens on socket 9090")
    store.change(changed, revision_of(changed, RevisionAction.REANCHOR))
    assert found(store, "8080") == []
    assert found(store, "9090") == ["b1"]


def test_retired_beliefs_do_not_eat_the_limit(store: Store) -> None:
    for number in range(20):
        belief = belief_of(f"gone{number}", "retry retry retry", status=BeliefStatus.RETIRED)
        store.add(belief, revision_of(belief))
    say(store, "b1", "a long statement about many things, in which retry stands once")
    assert found(store, "retry", limit=1) == ["b1"]


def test_equals_stand_in_the_order_of_authority_then_id_even_at_the_limit(store: Store) -> None:
    for number in range(30):
        say(store, f"a{number:02}", "retry the call", authority=Authority.AGENT)
    say(store, "z2", "retry the call", authority=Authority.LOCKED)
    say(store, "z1", "retry the call", authority=Authority.LOCKED)
    assert found(store, "retry", limit=4) == ["z1", "z2", "a00", "a01"]


def test_a_rare_word_counts_more_than_a_common_one(store: Store) -> None:
    for number in range(20):
        say(store, f"c{number:02}", f"the handler number {number}")
    say(store, "b1", "the idempotent one")
    hits = store.search([["handler"], ["idempotent"]], limit=30)
    assert hits[0].id == "b1"
    assert hits[0].share > hits[1].share


def test_common_words_are_left_out_of_the_ranking_while_rarer_ones_remain(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlsp.store.search.query.COMMON_AT_LEAST", 5)
    for number in range(20):
        say(store, f"c{number:02}", "a common handler")
    say(store, "b1", "a common tenacity")
    hits = store.search([["common"], ["tenacity"]], limit=30)
    assert [hit.id for hit in hits] == ["b1"]
    assert hits[0].matched == ("common", "tenacity"), "what was left out of the ranking is a match all the same"


def test_a_question_of_common_words_alone_ranks_a_bounded_set_with_those_that_hold_all_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlsp.store.search.query.COMMON_AT_LEAST", 2)
    monkeypatch.setattr("memlsp.store.search.query.CANDIDATES", 8)
    say(store, "both", "common handler")
    for number in range(10):
        say(store, f"c{number:02}", "common thing")
        say(store, f"h{number:02}", "handler thing")
    hits = store.search([["common"], ["handler"]], limit=5)
    assert hits[0].id == "both"
    assert len(hits) == 5


def test_how_common_a_word_is_is_counted_again_when_something_was_written(store: Store) -> None:
    say(store, "b1", "the handler")
    say(store, "b2", "the tenacity")

    def shares() -> dict[str, float]:
        return {hit.id: hit.share for hit in store.search([["handler"], ["tenacity"]], limit=2)}

    assert shares()["b1"] == shares()["b2"]
    with open_store(store.path) as other:
        say(other, "c1", "handler handler")
        assert shares()["b2"] > shares()["c1"]
    say(store, "c2", "tenacity tenacity")
    assert len(set(shares().values())) == 1


def test_of_many_matches_those_with_the_rarest_words_are_scored_by_all_words(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlsp.store.search.query.MOST_SCORED", 3)
    for number in range(20):
        say(store, f"c{number:02}", "a common handler")
    say(store, "b1", "the tenacity of something else")
    say(store, "b2", "a handler with tenacity somewhere")
    asked = [["common"], ["handler"], ["tenacity"]]
    whole = [hit.id for hit in store.search(asked, limit=22)]
    assert [hit.id for hit in store.search(asked, limit=2)] == whole[:2] == ["b2", "b1"]
    # the two words stand in one statement each, and in none beside each other
    assert store.search([["something tenacity"], ["handler"], ["common"]], limit=2)[0].id == "c00"


def test_the_same_question_has_the_same_answer(store: Store) -> None:
    for number in range(50):
        say(store, f"b{number:02}", f"retry number {number % 7} of the call {number % 3}")
    first = store.search([["retry"], ["3"], ["call"]], limit=20)
    with open_store(store.path) as other:
        assert other.search([["retry"], ["3"], ["call"]], limit=20) == first


_NASTY = [
    '"',
    "'",
    '"" OR ""',
    "a:b",
    "said:retry",
    "-retry",
    "retry*",
    "NEAR(retry tenacity)",
    "^retry",
    "{said named}: x",
    "AND OR NOT",
    "\0",
    "re\0try",
    "\ud83d",
    "(((((",
    "💥" * 100,
    "x" * 100_000,
    "%_\\",
    "",
    " \n\t ",
    "a+b",
]


@pytest.mark.parametrize("word", _NASTY)
def test_a_nasty_word_is_only_a_word(store: Store, word: str) -> None:
    say(store, "b1", "retry with tenacity")
    store.search([[word], [word, "retry"]], limit=5)
    assert found(store, "retry", word) == ["b1"]


def test_a_question_of_a_hundred_thousand_bytes_is_answered(store: Store) -> None:
    say(store, "b1", "retry with tenacity")
    words = [[f"w{number}"] for number in range(15_000)]
    assert [hit.id for hit in store.search([["retry"], *words], limit=5)] == ["b1"]


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(terms=st.lists(st.lists(st.text(max_size=40), max_size=3), max_size=8), limit=st.integers(-1, 5))
def test_no_question_raises(store: Store, terms: list[list[str]], limit: int) -> None:
    hits = store.search(terms, limit=limit)
    assert len(hits) <= max(limit, 0)


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=60))
def test_any_statement_can_be_stored_and_found_by_its_own_words(store: Store, text: str) -> None:
    id = f"b{store.counts()['beliefs']}"
    say(store, id, f"{text} anchorword", text)
    assert id in [hit.id for hit in store.search([["anchorword"], [text]], limit=1000)]
