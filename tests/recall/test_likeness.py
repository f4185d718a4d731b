"""Meaning adds to words and never silences them; what is near enough is found without a word in common."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from statements import belief_of

from memlsp.model.belief import Belief, BeliefStatus
from memlsp.recall.candidates import FoundBelief
from memlsp.recall.score_fusion import MIN_COSINE, with_similarity
from memlsp.store.search.query import SearchHit
from memlsp.store.tables.beliefs import BranchOrigin


class Shelf:
    """A source that holds some beliefs."""

    def __init__(self, *beliefs: Belief) -> None:
        self._beliefs = {belief.id: belief for belief in beliefs}

    def search(self, terms: Sequence[Sequence[str]], *, limit: int) -> Sequence[SearchHit]:
        return []

    def several(self, ids: Sequence[str]) -> Sequence[Belief]:
        return [self._beliefs[id] for id in ids if id in self._beliefs]

    def branch_origins(self, ids: Sequence[str]) -> Sequence[BranchOrigin]:
        return []

    def anchored_at(self, path: str) -> Sequence[Belief]:
        return []


SHELF = Shelf(belief_of("b1", "One."), belief_of("b2", "Two."), belief_of("b3", "Three.", status=BeliefStatus.RETIRED))


def found_by_words(**words: float) -> dict[str, FoundBelief]:
    return {id: FoundBelief(id, SHELF, 0, words=relevance, share=relevance) for id, relevance in words.items()}


def test_what_is_near_enough_is_found_without_a_word() -> None:
    fused = with_similarity(found_by_words(b1=0.5), [("b2", 0.8), ("b1", 0.2)], [SHELF])
    assert set(fused) == {"b1", "b2"}
    assert fused["b2"].likeness == 0.8
    assert fused["b2"].words > 0


def test_what_is_not_active_is_not_found_by_its_meaning() -> None:
    assert with_similarity({}, [("b3", 0.9)], [SHELF]) == {}


def test_what_is_not_near_enough_is_not_found_without_a_word() -> None:
    words = found_by_words(b1=0.5)
    assert set(with_similarity(words, [("b2", MIN_COSINE - 0.01), ("b1", 0.1)], [SHELF])) == {"b1"}
    assert with_similarity(words, [], [SHELF]) == words


def test_of_equals_by_words_the_nearer_one_comes_first() -> None:
    fused = with_similarity(found_by_words(b1=0.5, b2=0.5), [("b2", 0.9), ("b1", 0.5)], [SHELF])
    assert fused["b2"].relevance > fused["b1"].relevance


near_lists = st.dictionaries(st.sampled_from(["b1", "b2", "b3"]), st.floats(-1, 1), max_size=3)


@given(st.dictionaries(st.sampled_from(["b1", "b2"]), st.floats(0, 1), max_size=2), near_lists)
def test_relevance_stays_between_0_and_1_and_nothing_found_by_words_is_lost(
    words: dict[str, float], near: dict[str, float]
) -> None:
    before = found_by_words(**words)
    fused = with_similarity(before, sorted(near.items(), key=lambda each: -each[1]), [SHELF])
    assert set(before) <= set(fused)
    assert all(-1e-9 <= each.words <= 1 + 1e-9 for each in fused.values())
