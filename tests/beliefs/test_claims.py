"""What a statement claims."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.claims.claims import Action, claims_of, references_in
from memlsp.beliefs.claims.quantities import code_numbers, quantities_in, scale_between
from memlsp.model.belief import ReferenceKind


@pytest.mark.parametrize(
    ("prose", "code", "name"),
    [
        ("20 %", "0.20", "RATE"),
        ("20 percent", ".2", ""),
        ("20%", "20", "rate_percent"),
        ("20 % VAT", "1.2", ""),
        ("30 seconds", "30", "timeout"),
        ("30 seconds", "30_000", "timeout"),
        ("30 seconds", "30000", "timeout_ms"),
        ("30 seconds", "timedelta(seconds=30)", ""),
        ("30 seconds", "Duration.ofSeconds(30)", ""),
        ("30 seconds", "Duration::from_secs(30)", ""),
        ("30 seconds", "30 * time.Second", ""),
        ("30 seconds", "'30s'", "timeout"),
        ("half a minute", "30", "timeout"),
        ("three times", "3", "retries"),
        ("twice", "2", ""),
        ("1 hour", "3600", ""),
        ("1 hour", "60 * 60", ""),
        ("one hour", "60", "minutes"),
        ("5 MB", "5 * 1024 * 1024", ""),
        ("5 MB", "5_000_000", ""),
        ("5 MB", "5 << 20", ""),
        ("5 MB", "5", "MAX_SIZE_MB"),
        ("port 8080", "8080", "port"),
        ("1,000 rows", "1_000", ""),
        ("a dozen", "12", ""),
        ("-1 means none", "-1", ""),
    ],
)
def test_prose_and_code_say_the_same_number(prose: str, code: str, name: str) -> None:
    said = quantities_in(prose)[0]
    assert any(scale_between(said, number) for number in code_numbers(code, name))


@pytest.mark.parametrize(
    ("prose", "code", "name"),
    [
        ("30 seconds", "30", "timeout_ms"),
        ("30 seconds", "60", "timeout"),
        ("1 hour", "60 * 30", ""),
        ("three times", "30", ""),
        ("20 %", "0.25", ""),
        ("30 seconds", "30", "size_mb"),
    ],
)
def test_prose_and_code_say_different_numbers(prose: str, code: str, name: str) -> None:
    said = quantities_in(prose)[0]
    assert not any(scale_between(said, number) for number in code_numbers(code, name))


@pytest.mark.parametrize(
    "prose",
    [
        "Height is three quarters of the width",
        "keeps 2 thirds of the entries",
        "RFC 7231",
        "see #123",
        "issue 42",
        "since 2024-05-01",
        "Python 3.11",
        "utf-8",
        "sha256",
        "v2",
        "one of them",
        "app.py:120",
    ],
)
def test_numbers_that_are_names_are_no_amounts(prose: str) -> None:
    assert quantities_in(prose) == ()


@pytest.mark.parametrize(
    ("prose", "denied"),
    [
        ("never calls `requests.get`", True),
        ("must not call requests.get", True),
        ("`requests.get` must not be called", True),
        ("uses httpx.get instead of requests.get", True),
        ("never remove the `requests.get` call", False),
        ("always calls requests.get", False),
        ("not only calls requests.get", False),
        ("does not retry, but calls requests.get", False),
        ("does not retry; calls requests.get", False),
    ],
)
def test_a_refusal_reaches_as_far_as_it_does_in_speech(prose: str, denied: bool) -> None:
    mention = next(m for m in claims_of(prose).mentions if m.text == "requests.get")
    assert mention.denied is denied


def test_a_refusal_covers_a_list_of_names() -> None:
    claims = claims_of("does not raise KeyError, ValueError or TypeError, and catches OSError")
    assert {m.text: (m.denied, m.action) for m in claims.mentions} == {
        "KeyError": (True, Action.RAISE),
        "ValueError": (True, Action.RAISE),
        "TypeError": (True, Action.RAISE),
        "OSError": (False, Action.CATCH),
    }


def test_a_limit_is_no_refusal() -> None:
    (amount,) = claims_of("never retries more than 3 times").amounts
    assert (amount.quantity.number, amount.denied, amount.comparison) == (Fraction(3), False, "most")


def test_references_are_paths_commands_and_names_in_backticks() -> None:
    found = references_in(
        "Run `make test` before you touch `Flask.route` in src/flask/app.py, see https://x.org/a/b.html"
    )
    assert [(r.kind, r.text) for r in found] == [
        (ReferenceKind.COMMAND, "make test"),
        (ReferenceKind.PATH, "src/flask/app.py"),
        (ReferenceKind.IDENTIFIER, "Flask.route"),
    ]


def test_what_is_ruled_out_is_no_reference() -> None:
    assert references_in("never use `eval`") == ()


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    claims = claims_of(text)
    references_in(text)
    for mention in claims.mentions:
        assert 0 <= mention.start <= mention.end <= len(text)


@given(st.text(max_size=300))
def test_any_code_can_be_searched_for_numbers(text: str) -> None:
    code_numbers(text, text[:20])


@given(st.integers(min_value=3, max_value=10**9))
def test_a_number_is_itself_in_prose_and_code(number: int) -> None:
    (said,) = quantities_in(f"holds {number} items")
    assert [scale_between(said, n) for n in code_numbers(str(number))] == ["as written"]
    assert [scale_between(said, n) for n in code_numbers(str(number + 1))] == [None]
