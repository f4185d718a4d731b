"""From a question to an ordered, explained answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from statements import anchor_at, belief_of, revision_of
from thorough import examples

from memlsp.model.belief import Anchor, Authority, Belief, BeliefStatus, RevisionAction
from memlsp.model.recall import Omission, Recall
from memlsp.model.standing import Judgement, Reason, Standing
from memlsp.recall.candidates import Nearby
from memlsp.recall.search import BeliefPool, RecallLimits, SearchHints, recall
from memlsp.store.store import Store, open_store
from memlsp.store.tables.acts import FoundBy


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "memory.db") as opened:
        yield opened


def say(
    store: Store,
    id: str,
    text: str,
    *,
    authority: Authority = Authority.PERSON,
    anchors: Collection[Anchor] = (),
    age: timedelta = timedelta(0),
) -> None:
    belief = belief_of(id, text, authority=authority, anchors=list(anchors), age=age)
    store.add(belief, revision_of(belief), FoundBy(" ".join(f"{each.symbol} {each.path}" for each in anchors)))


def judging(**standings: Standing) -> Callable[[Sequence[Belief]], Iterator[Judgement]]:
    def judge(beliefs: Sequence[Belief]) -> Iterator[Judgement]:
        for belief in beliefs:
            standing = standings.get(belief.id, Standing.CURRENT)
            reasons = () if standing.holds else (Reason("literal-changed", "`RETRIES` is 5 now"),)
            yield Judgement(belief, standing, reasons)

    return judge


def ask(store: Store, question: str, nearby: Nearby | None = None, **standings: Standing) -> Recall:
    return recall(question, BeliefPool([store], judging(**standings)), SearchHints(nearby))


def ids(answer: Recall) -> list[str]:
    return [hit.judgement.belief.id for hit in answer.hits]


def test_what_fits_best_comes_first(store: Store) -> None:
    say(store, "b1", "The courier waits for a signature")
    say(store, "b2", "We retry with tenacity, three times with jitter")
    say(store, "b3", "Jitter keeps the clients apart")
    assert ids(ask(store, "how do we retry with jitter?")) == ["b2", "b3"]


@pytest.mark.parametrize("question", ["quantum chromodynamics", "", "what is this?", "how do we do it", "💥", "\0"])
def test_a_question_to_which_nothing_is_remembered_gets_nothing(store: Store, question: str) -> None:
    say(store, "b1", "We retry with tenacity, this is how we do it")
    answer = ask(store, question)
    assert answer.hits == ()
    assert answer.tokens == 0
    assert answer.left_out == ()


def test_a_word_that_says_little_is_no_answer_alone(store: Store) -> None:
    say(store, "b1", "The default port is 8080")
    answer = ask(store, "what is the default timeout of the courier?")
    assert answer.hits == ()
    assert answer.left_out == (Omission("b1", "below-cutoff"),)
    assert ids(ask(store, "the default")) == ["b1"], "unless nothing else was asked for"


def test_one_common_word_is_left_out_where_far_better_exists(store: Store) -> None:
    say(store, "b1", "Payments are idempotent: retry the webhook with its key")
    for number in range(9):
        say(store, f"c{number}", f"The webhook handler number {number} logs its caller")
    answer = ask(store, "is it safe to retry the idempotent payments webhook")
    assert ids(answer) == ["b1"]
    assert set(answer.left_out) == {Omission(f"c{number}", "below-cutoff") for number in range(9)}


def test_what_does_not_hold_comes_after_what_does_with_its_reason(store: Store) -> None:
    say(store, "b1", "We retry five times", authority=Authority.LOCKED)
    say(store, "b2", "We retry with jitter, as agreed", authority=Authority.AGENT)
    answer = ask(store, "retry five times", b1=Standing.CONTRADICTED)
    assert ids(answer) == ["b2", "b1"] or ids(answer) == ["b1"]
    last = answer.hits[-1]
    assert last.judgement.belief.id == "b1"
    assert last.why[-1] == "stale: contradicted, `RETRIES` is 5 now"
    assert "contradicted: `RETRIES` is 5 now" in last.served


@pytest.mark.parametrize("standing", [each for each in Standing if not each.holds])
def test_every_standing_that_does_not_hold_comes_last(store: Store, standing: Standing) -> None:
    for id in ("b1", "b2", "b3"):
        say(store, id, "We retry three times")
    answer = ask(store, "retry", b1=standing)
    assert ids(answer) == ["b2", "b3", "b1"]


def test_of_equally_relevant_the_most_trusted_comes_first(store: Store) -> None:
    for number, authority in enumerate(reversed(Authority)):
        say(store, f"b{number}", "We retry three times", authority=authority)
    answer = ask(store, "retry")
    assert [hit.judgement.belief.authority for hit in answer.hits] == list(Authority)


def test_trust_does_not_lift_what_fits_far_worse(store: Store) -> None:
    say(store, "b1", "The courier retries failed deliveries with jitter", authority=Authority.AGENT)
    say(store, "b2", "The courier has a blue bag and a long list of other duties", authority=Authority.LOCKED)
    assert ids(ask(store, "courier retries deliveries jitter"))[0] == "b1"


def test_age_is_no_evidence(store: Store) -> None:
    say(store, "b1", "We retry three times", age=timedelta(days=4000))
    say(store, "b2", "We retry three times")
    assert ids(ask(store, "retry")) == ["b1", "b2"]


def test_the_score_has_the_order_in_it(store: Store) -> None:
    for number, authority in enumerate(Authority):
        say(store, f"b{number}", f"We retry {'jitter ' * (number % 3)}", authority=authority)
    answer = ask(store, "retry jitter", b2=Standing.CHANGED, b4=Standing.ORPHANED)
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all((hit.score >= 0.5) == hit.judgement.standing.holds for hit in answer.hits)


def test_the_same_question_has_the_same_answer(store: Store) -> None:
    for number in range(40):
        say(store, f"b{number:02}", f"retry number {number % 5} of the courier {number % 3}")
    assert ask(store, "courier retry 3") == ask(store, "courier retry 3")


def test_each_hit_says_why_it_is_there(store: Store) -> None:
    say(store, "b1", "We retry with tenacity", anchors=[anchor_at("src/net.py", "fetch")])
    [hit] = ask(store, "Retry, with Tenacity!", Nearby("src/net.py", "fetch")).hits
    assert hit.why == ('matches "Retry", "Tenacity"', "anchored to src/net.py#fetch", "said by a person")


def test_nearer_in_the_code_comes_first(store: Store) -> None:
    places = {
        "e-elsewhere": ("src/other.py", "x"),
        "d-caller": ("src/caller.py", "main"),
        "c-file": ("src/net.py", "other"),
        "b-container": ("src/net.py", "Client"),
        "a-symbol": ("src/net.py", "Client.fetch"),
    }
    for id, (path, symbol) in places.items():
        belief = belief_of(id, "We retry", anchors=[anchor_at(path, symbol)])
        store.add(belief, revision_of(belief))
    nearby = Nearby("src/net.py", "Client.fetch", callers={("src/caller.py", "main")})
    answer = ask(store, "retry", nearby)
    assert ids(answer) == ["a-symbol", "b-container", "c-file", "d-caller", "e-elsewhere"]
    assert "anchored to src/caller.py#main, which calls Client.fetch" in answer.hits[3].why


def test_what_is_tied_to_the_very_place_needs_no_word_in_common(store: Store) -> None:
    say(store, "b1", "Never block here", anchors=[anchor_at("src/net.py", "fetch")])
    say(store, "b2", "Sorted by weight", anchors=[anchor_at("src/net.py", "other")])
    assert ids(ask(store, "how is latency handled", Nearby("src/net.py", "fetch"))) == ["b1"]
    assert ids(ask(store, "how is latency handled", Nearby("src/net.py", ""))) == ["b1", "b2"]
    assert ids(ask(store, "how is latency handled")) == []


def test_a_place_without_a_question_gives_what_is_known_around_it(store: Store) -> None:
    say(store, "b1", "Never block here", anchors=[anchor_at("src/net.py", "fetch")])
    say(store, "b2", "Called at noon", anchors=[anchor_at("src/job.py", "run")])
    say(store, "b3", "Far away", anchors=[anchor_at("src/far.py", "x")])
    nearby = Nearby("src/net.py", "fetch", callees={("src/job.py", "run")})
    assert ids(ask(store, "", nearby)) == ["b1", "b2"]


def test_beyond_the_limit_is_told(store: Store) -> None:
    for number in range(6):
        say(store, f"b{number}", "We retry three times")
    answer = recall("retry", BeliefPool([store], judging()), limits=RecallLimits(limit=4))
    assert ids(answer) == ["b0", "b1", "b2", "b3"]
    assert answer.left_out == (Omission("b4", "limit"), Omission("b5", "limit"))
    assert recall("retry", BeliefPool([store], judging()), limits=RecallLimits(limit=0)).hits == ()


def test_only_what_may_be_served_is_judged(store: Store) -> None:
    judged: list[str] = []

    def judge(beliefs: Sequence[Belief]) -> Iterator[Judgement]:
        for belief in beliefs:
            judged.append(belief.id)
            yield Judgement(belief, Standing.CURRENT)

    for number in range(30):
        say(store, f"b{number:02}", "We retry three times")
    recall("retry", BeliefPool([store], judge), limits=RecallLimits(limit=5))
    assert len(judged) == 5


def test_several_stores_answer_together_by_one_measure(store: Store, tmp_path: Path) -> None:
    with open_store(tmp_path / "user" / "memory.db") as user:
        say(user, "u1", "I like tabs in courier scripts")
        say(store, "b1", "The courier retries failed deliveries")
        for number in range(10):
            say(store, f"c{number}", f"Filler {number} about nothing")
        both = recall("courier retries deliveries", BeliefPool([user, store], judging()))
    assert ids(both)[0] == "b1", "the only one of a small store is not the best of all"


def test_what_was_retired_meanwhile_is_not_served(store: Store) -> None:
    class Stale:
        """A source whose search is a moment behind."""

        search = staticmethod(store.search)
        anchored_at = staticmethod(store.anchored_at)

        branch_origins = staticmethod(store.branch_origins)

        def several(self, ids: Sequence[str]) -> list[Belief]:
            retired = {"status": BeliefStatus.RETIRED}
            return [evolve(each, **(retired if each.id == "b1" else {})) for each in store.several(ids)]

    say(store, "b1", "We retry")
    say(store, "b2", "We retry")
    assert ids(recall("retry", BeliefPool([Stale()], judging()))) == ["b2"]
    retired = evolve(belief_of("b2", "We retry"), status=BeliefStatus.RETIRED)
    store.change(retired, revision_of(retired, RevisionAction.RETIRE))
    assert ids(ask(store, "retry")) == ["b1"]


@settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=200), budget=st.integers(-1, 300), limit=st.integers(-1, 5))
def test_no_question_raises_and_no_answer_exceeds_its_budget(
    store: Store, question: str, budget: int, limit: int
) -> None:
    if not store.counts()["beliefs"]:
        for number in range(6):
            say(store, f"b{number}", f"retry {number} a b c x {'word ' * number * 40}")
    answer = recall(
        f"retry {question}", BeliefPool([store], judging(b2=Standing.CHANGED)), limits=RecallLimits(budget, limit)
    )
    assert answer.tokens <= max(budget, 0)
    assert len(answer.hits) <= max(limit, 0)
    shown = ids(answer) + [omission.id for omission in answer.left_out]
    assert len(shown) == len(set(shown))


def test_a_question_of_a_hundred_thousand_bytes_is_answered(store: Store) -> None:
    say(store, "b1", "We retry with tenacity")
    assert ids(ask(store, "retry tenacity " + "lorem\0 ipsum:* " * 7_000)) == ["b1"]
