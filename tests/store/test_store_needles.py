"""What is looked for is found in whatever form it took, and in nothing else."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memlsp.store.erase.search_patterns import FORGOTTEN, SearchPatterns, edited, plain

TEXT = "Retries three times, because the café's API drops one call in ten of those that are made at night."
PLAIN = "Retries three times because the upstream drops one call in ten of those that are made at night"


_FORMS: list[Callable[[str], bytes]] = [
    lambda text: text.encode(),
    lambda text: text.upper().encode(),
    lambda text: json.dumps([text.replace(" ", "\n", 5)]).encode(),
    lambda text: b"\x00\xff" + zlib.compress(json.dumps({"said": text}).encode(), 1) + b"\x00",
    lambda text: text.encode("utf-16-le"),
    lambda text: text.encode("utf-16-be"),
    lambda text: base64.b64encode(b"ab" + text.encode()),
    lambda text: text.encode().hex().encode(),
    lambda text: f"- **{text[:45]}...".encode(),
    lambda text: "> ".join(text.split(" ")).encode(),
]


@pytest.mark.parametrize("text", [TEXT, PLAIN])
@pytest.mark.parametrize("form", _FORMS)
def test_bytes_that_hold_it_are_known(text: str, form: Callable[[str], bytes]) -> None:
    assert SearchPatterns([text]).in_bytes(form(text))


def test_bytes_that_hold_something_else_are_not() -> None:
    patterns = SearchPatterns([TEXT])
    assert not patterns.in_bytes(b"Retries four times, because one call in ten of those is dropped")
    assert not patterns.in_bytes(bytes(range(256)) * 20)


def test_what_stays_somewhere_else_is_not_looked_for() -> None:
    patterns = SearchPatterns([PLAIN], also_in=["It " + PLAIN[:60]])
    assert patterns
    assert not patterns.in_text(PLAIN[:50])
    assert patterns.in_text(PLAIN)


def test_a_name_is_taken_out_and_the_rest_stays() -> None:
    patterns = SearchPatterns(["Ann Ode"], within=True)
    assert patterns.without({"by": "ann  ode", "text": "Ann-Ode says so, Annode does not"}) == {
        "by": FORGOTTEN,
        "text": f"{FORGOTTEN} says so, Annode does not",
    }


def test_many_texts_are_found_as_few_are() -> None:
    texts = [f"The service number {each} of the northern region answers slowly at night" for each in range(100)]
    patterns = SearchPatterns(texts)
    assert patterns.in_bytes(texts[77].encode())
    assert patterns.in_value(zlib.compress(json.dumps([texts[3]]).encode()))
    assert not patterns.in_bytes(b"The service of the southern region")


@settings(deadline=None)
@example("000ß", "", "")  # folded it is ASCII, and JSON escapes it
@given(st.text(min_size=1, max_size=300), st.text(max_size=40), st.text(max_size=40))
def test_a_text_that_is_long_enough_is_found_in_whatever_holds_it(text: str, before: str, after: str) -> None:
    patterns = SearchPatterns([text])
    if not patterns:
        assert len(plain(text).strip()) < 5
        return
    assert patterns.in_text(f"{before} {text} {after}")
    value = json.dumps([f"{before} {text} {after}"])
    assert patterns.in_value(value)
    packed = zlib.compress(value.encode("utf-8", "replace"))
    assert patterns.in_value(packed)
    after_all = edited(packed, patterns.without)
    assert isinstance(after_all, bytes)
    assert not patterns.in_value(after_all)


def test_what_others_say_by_now_is_looked_for_no_more_and_not_again_when_more_is_looked_for() -> None:
    patterns = SearchPatterns([PLAIN])
    assert patterns.excluding(["Something else"]) is patterns
    spared = patterns.excluding(["Whoever asks: the upstream drops one call in ten of those that are made at night"])
    assert spared.in_text("Retries three times because the others do")
    assert not spared.in_text("upstream drops one call in ten of those that are made at night")
    more = spared.joined(["A second sentence that is long enough to be told", PLAIN])
    assert more.in_text("a second sentence that is long enough to be told")
    assert not more.in_text("upstream drops one call in ten of those that are made at night")
    assert not spared.excluding([PLAIN])
