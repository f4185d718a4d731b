"""Whatever is asked, nothing of it reaches the query language, and no question is an error."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from statements import belief_of, revision_of
from thorough import examples

from memlsp import Memory
from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommitEpisode, KeptChange
from memlsp.model.symbol import SymbolKind
from memlsp.recall.question import parse_question
from memlsp.store.store import Store, open_store

OPERATORS = [
    "AND", "OR", "NOT", "NEAR(a b, 2)", "retry*", "^retry", "said : retry", "said:retry", "{said named} : x", "-retry",
    '"', '""', '"unclosed', "'; DROP TABLE belief; --", "(", ")", "((((", "a:b:c:", "col:", ":", "::", "+", "*", "^",
    "NEAR(", "NEAR", "rank MATCH 'bm25(10)'", "retry AND", "NOT retry", "\0", "re\0try", "\ud800", "💥" * 50,
    "rowid", "retry \x1a retry", "\u202eretry", "ﬀ", "İ", "ß", "\\", "%s %d {}", "?1", "$x", ":x", "@x",
]  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("store") / "memory.db") as opened:
        for number in range(5):
            belief = belief_of(f"b{number}", f"We retry number {number} with `fetch_user` and NEAR AND OR NOT")
            opened.add(belief, revision_of(belief))
        opened.past.keep(commit_of("Retry with fetch_user"))
        yield opened


def commit_of(subject: str) -> CommitEpisode:
    ref = SymbolRef("client.py", "fetch_user", SymbolKind.FUNCTION)
    change = KeptChange(frozenset({ChangeKind.BEHAVIOUR}), ref, ref, "`fetch_user` retries")
    return CommitEpisode("ab" * 20, "Ann", datetime(2026, 1, 1, tzinfo=UTC), subject, (change,))


@pytest.mark.parametrize("question", OPERATORS)
def test_signs_and_operators_are_words_or_nothing(store: Store, question: str) -> None:
    for asked in (question, f"retry {question}", f"{question} fetch_user", question * 7):
        terms = parse_question(asked).terms
        store.search(terms, limit=5)
        store.work_search.best(terms, limit=5)
    assert store.search(parse_question(f"retry {question} number").terms, limit=5)


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(
        st.one_of(st.sampled_from(OPERATORS), st.text(max_size=30), st.sampled_from(["retry", "fetch_user"])),
        max_size=12,
    )
)
def test_no_mixture_of_them_is_an_error(store: Store, parts: list[str]) -> None:
    terms = parse_question(" ".join(parts)).terms
    store.search(terms, limit=3)
    store.work_search.best(terms, limit=3)


@pytest.mark.parametrize(
    "question",
    [
        "retry " * 17_000,
        "x" * 100_000,
        '"' * 100_000,
        "a:" * 50_000,
        "(" * 100_000,
        "\0" * 100_000,
        " ".join(f"w{n}" for n in range(20_000)),
    ],
)
def test_a_hundred_kilobytes_are_answered(store: Store, question: str) -> None:
    terms = parse_question(question).terms
    assert len(terms) <= 200
    store.search(terms, limit=3)
    store.work_search.best(terms, limit=3)


def test_the_whole_door_takes_them_all(memory: Memory) -> None:
    memory.remember("We retry with fetch")
    for question in (*OPERATORS, "retry \0 AND " * 8_000):
        answer = memory.recall(question)
        assert answer.tokens <= 1_200
    assert len(memory.receipts(500)) == len(OPERATORS) + 1
