from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from memlsp.faces.render import wording
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefKind, Scope, ScopeKind
from memlsp.model.episode import PastChange, SymbolHistory
from memlsp.model.standing import Judgement, Reason, Standing
from memlsp.model.symbol import SymbolKind
from memlsp.model.view import Lens, SymbolSpot

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

BELIEF = Belief(
    id="b1c2d3e4f5",
    text="retries three times",
    kind=BeliefKind.DECISION,
    scope=Scope(ScopeKind.SYMBOL),
    authority=Authority.PERSON,
    confidence=0.8,
    author=Author("Ann"),
    source="cli",
    created_at=NOW - timedelta(days=3),
    updated_at=NOW,
)
HOLDS = Judgement(BELIEF, Standing.CURRENT)
BROKEN = Judgement(BELIEF, Standing.CONTRADICTED, (Reason("literal-changed", "`3` is `5` now."),))
COMMIT = PastChange("0123456789abcdef", "Bob", NOW - timedelta(days=400), "Retry more", "`3` became `5`", "a.py", "f")

# characters that markdown, terminals and editors give a meaning to, more often than chance would
RISKY = st.text(st.sampled_from("<>[]()!`*_~#&|\\:/@.-+=1 \n\r\t\x00\x1b\u202e\u200b\u2028\x85\x0cab$w"), max_size=40)
TEXTS = st.one_of(
    RISKY, st.text(max_size=60), st.sampled_from(["![x](y)", "[a](command:b)", "<img src=x>", "&lt;", "www.a.b"])
)


def code_spans_are_balanced(markdown: str) -> bool:
    without_escapes = re.sub(r"\\.", "", re.sub(r"(?<!\\)`[^`]*`", "", re.sub(r"\\[\\`]", "", markdown)))
    return "`" not in without_escapes


@given(TEXTS)
@example("a](b")
@example("`a`](b)")
@example("\\`a`")
@example("]`(`")
@example("://")
@example("see https://a.b")
@example("see https://a.b")
def test_escaped_text_has_no_html_no_link_and_no_open_code_span(text: str) -> None:
    escaped = wording.escape_markdown(text)
    assert "<" not in escaped
    assert "](" not in escaped
    assert not re.search(r"(?<!\\)://", escaped)
    assert not re.search(r"(?<!\\)\[", re.sub(r"(?<!\\)`[^`]*`", "", escaped))
    assert code_spans_are_balanced(escaped)


@given(TEXTS)
def test_escaped_text_is_one_line_that_begins_no_block(text: str) -> None:
    escaped = wording.escape_markdown(text)
    assert len(escaped.splitlines()) <= 1
    assert not re.match(r"(#{1,6}|[-+*=>]|\d+[.)])(\s|$)", escaped)


@given(st.text())
def test_plain_text_has_no_control_bidirectional_or_layout_characters(text: str) -> None:
    shown = wording.plain(text)
    assert shown == shown.strip()
    for char in shown:
        assert unicodedata.category(char) not in {"Cc", "Cs", "Zl", "Zp"}
        assert char not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff"
    shown.encode()


@given(st.text(), st.integers(1, 30))
def test_plain_text_keeps_to_its_limit(text: str, limit: int) -> None:
    assert len(wording.plain(text, limit)) <= limit


@given(TEXTS, TEXTS, TEXTS)
def test_a_belief_line_is_one_line_whatever_was_stored(text: str, name: str, reason: str) -> None:
    belief = evolve(BELIEF, text=text, author=Author(name, AuthorKind.AGENT), source=reason)
    judgement = Judgement(belief, Standing.CHANGED, (Reason("x", reason),))
    line = wording.belief_line(judgement, NOW, with_id=True)
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line


@given(TEXTS, TEXTS, TEXTS)
def test_belief_markdown_is_at_most_three_harmless_lines(text: str, name: str, reason: str) -> None:
    belief = evolve(BELIEF, text=text, author=Author(name), source=name, scope=Scope(ScopeKind.GLOB, text))
    shown = wording.belief_markdown(Judgement(belief, Standing.CHANGED, (Reason("x", reason),)), NOW)
    assert len(shown.splitlines()) <= 3
    assert "<" not in shown
    assert "](" not in shown
    assert all(code_spans_are_balanced(line) for line in shown.splitlines())


@given(TEXTS, TEXTS, TEXTS)
def test_history_markdown_is_one_harmless_line_a_change(subject: str, author: str, change: str) -> None:
    history = SymbolHistory((evolve(COMMIT, subject=subject, author=author, change=change),) * 2)
    shown = wording.history_markdown(history, NOW)
    assert len(shown.splitlines()) == 2
    assert "<" not in shown
    assert "](" not in shown
    assert all(code_spans_are_balanced(line) for line in shown.splitlines())


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=-30), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(minutes=5), "5 minutes ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(hours=24), "yesterday"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=15), "2 weeks ago"),
        (timedelta(days=90), "3 months ago"),
        (timedelta(days=364), "12 months ago"),
        (timedelta(days=365), "1 year ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_ages_read_as_people_say_them(ago: timedelta, said: str) -> None:
    assert wording.age(NOW - ago, NOW) == said


def test_an_age_without_a_zone_is_read_as_utc() -> None:
    assert wording.age(datetime(2026, 11, 20, 12, 0), NOW) == "yesterday"  # noqa: DTZ001 - that is the case


def test_every_standing_has_a_mark() -> None:
    assert all(len(wording.standing_mark(Judgement(BELIEF, standing))) == 1 for standing in Standing)


def test_a_belief_that_holds_reads_as_statement_and_provenance() -> None:
    assert wording.belief_markdown(HOLDS, NOW) == (
        "= **current** retries three times  \n_decision · Ann · 3 days ago · cli · no claim checked_"
    )


def test_a_broken_belief_says_why_before_it_says_who() -> None:
    first, second, third = wording.belief_markdown(BROKEN, NOW).splitlines()
    assert first.startswith("✗ **contradicted** ")
    assert second.strip() == "`3` is `5` now"
    assert "Ann" in third


def test_names_with_underscores_do_not_end_the_emphasis_around_them() -> None:
    belief = evolve(BELIEF, author=Author("_bob_"), source="my_tool")
    last = wording.belief_markdown(Judgement(belief, Standing.CURRENT), NOW).splitlines()[-1]
    assert re.fullmatch(r"_(?:[^_\\]|\\.)*_", last)


def test_an_agent_and_a_lock_are_named() -> None:
    belief = evolve(BELIEF, author=Author("Codex", AuthorKind.AGENT), authority=Authority.LOCKED)
    assert wording.provenance(belief, NOW) == "decision, locked · Codex (agent) · 3 days ago · cli"


def test_code_spans_that_people_write_stay_code() -> None:
    text = "use `fetch_all(url, [1])` here"
    assert wording.escape_markdown(text) == text


def test_snake_case_is_not_littered_with_escapes() -> None:
    assert (
        wording.escape_markdown("call fetch_user_by_id, not __init__") == "call fetch_user_by_id, not \\_\\_init\\_\\_"
    )


def test_a_history_line_names_commit_age_author_subject_and_change() -> None:
    assert wording.history_line(COMMIT, NOW) == "01234567 1 year ago, Bob: Retry more → `3` became `5`"


def test_no_history_reads_as_nothing() -> None:
    assert wording.history_markdown(SymbolHistory(), NOW) == ""


def lens(kinds: tuple[tuple[str, int], ...], standings: tuple[tuple[Standing, int], ...]) -> Lens:
    spot = SymbolSpot("a.py", "f", SymbolKind.FUNCTION, 0)
    return Lens(spot, sum(count for _, count in kinds), kinds, standings, ())


def test_a_lens_counts_kinds_then_what_no_longer_holds() -> None:
    shown = lens((("decision", 2),), ((Standing.CURRENT, 1), (Standing.CHANGED, 1)))
    assert wording.lens_title(shown) == "2 decisions · 1 changed"


def test_a_lens_with_many_kinds_counts_beliefs() -> None:
    shown = lens((("decision", 1), ("rule", 1), ("gotcha", 1)), ((Standing.CURRENT, 3),))
    assert wording.lens_title(shown) == "3 beliefs"


def test_the_worst_standing_comes_first_in_a_lens() -> None:
    shown = lens((("fact", 3),), ((Standing.CHANGED, 1), (Standing.CONTRADICTED, 2)))
    assert wording.lens_title(shown) == "3 facts · 2 contradicted · 1 changed"
