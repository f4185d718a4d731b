"""What a question is taken to ask for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.recall.question import MOST_TERMS, parse_question


def asked(text: str) -> list[str]:
    return [term[0] for term in parse_question(text).terms]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("how do we retry?", ["retry"]),
        ("What is the retry policy of the courier's client", ["retry", "policy", "courier", "client"]),
        ("", []),
        ("what is this, and why?", []),
        ("port 8080 or 9090", ["port", "8080", "9090"]),
        ("don\N{RIGHT SINGLE QUOTATION MARK}t cache", ["cache"]),
        ("ünïcode größe", ["ünïcode", "größe"]),
        ("世界 tests", ["世界", "tests"]),
    ],
)
def test_the_words_that_say_something_remain(text: str, terms: list[str]) -> None:
    assert asked(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("fetchUserById", ["fetchUserById", "fetch", "user", "id"]),
        ("fetch_user", ["fetch_user", "fetch", "user"]),
        ("Flask.route()", ["Flask.route", "flask", "route"]),
        ("why --max-retries", ["max-retries", "max", "retries"]),
        ("HTTPServer", ["HTTPServer", "http", "server"]),
    ],
)
def test_an_identifier_counts_whole_and_by_its_words(text: str, terms: list[str]) -> None:
    assert asked(text) == terms


def test_an_identifier_may_be_written_in_another_convention() -> None:
    assert parse_question("fetch_user").terms[0] == ("fetch_user", "fetchuser")


def test_a_path_counts_as_a_whole_or_by_its_file_name_and_not_by_its_parts() -> None:
    question = parse_question("what about src/app/net.py and test_net.py?")
    assert question.terms == (("src/app/net.py", "net.py"), ("test_net.py",))


def test_a_quoted_phrase_counts_as_a_whole_and_by_its_words() -> None:
    assert asked('why "connection reset" here') == ["connection reset", "connection", "reset"]
    assert asked("why `requests.get(url)` here") == ["requests.get(url)", "requests.get", "requests", "get", "url"]


def test_a_word_counts_once() -> None:
    assert asked("retry Retry retry RETRY") == ["retry"]


def test_words_that_many_statements_hold_are_known_as_slight() -> None:
    question = parse_question("the default timeout")
    assert question.slight == {"default"}
    assert question.is_specific
    assert not parse_question("use the default value").is_specific


def test_a_hundred_thousand_bytes_are_read_to_a_bound() -> None:
    question = parse_question(" ".join(f"word{number}" for number in range(20_000)))
    assert len(question.terms) == MOST_TERMS
    assert len(parse_question("x" * 100_000).terms) == 1


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    question = parse_question(text)
    assert len(question.terms) <= MOST_TERMS
    assert all(term and all(term) for term in question.terms)
    assert question == parse_question(text)
