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
from memlsp.model.episode import PastChange
from memlsp.model.standing import Judgement, Reason, Standing

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


def test_an_agent_and_a_lock_are_named() -> None:
    belief = evolve(BELIEF, author=Author("Codex", AuthorKind.AGENT), authority=Authority.LOCKED)
    assert wording.provenance(belief, NOW) == "decision, locked · Codex (agent) · 3 days ago · cli"


def test_code_spans_that_people_write_stay_code() -> None:
    text = "use `fetch_all(url, [1])` here"
    assert wording.escape_markdown(text) == text


def test_names_are_code_and_not_littered_with_escapes() -> None:
    shown = wording.escape_markdown("call fetch_user_by_id(), not __init__ of *args or **options")
    assert shown == "call `fetch_user_by_id()`, not `__init__` of `*args` or `**options`"


def test_code_that_could_be_a_tag_is_plain_text() -> None:
    assert wording.escape_markdown("`rooms < 1` is refused") == "rooms &lt; 1 is refused"


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("one two three four", 12, "one two…"),
        ("ends inside `a piece of code` that is long", 22, "ends inside `a piece…`"),
        ("ends behind `code`", 14, "ends behind…"),
        ("short", 5, "short"),
    ],
)
def test_a_cut_keeps_words_whole_and_closes_code(text: str, limit: int, short: str) -> None:
    assert wording.cut(text, limit) == short


@given(TEXTS, st.integers(4, 60))
def test_a_cut_keeps_to_its_limit(text: str, limit: int) -> None:
    assert len(wording.cut(text, limit)) <= limit


def test_a_history_line_names_commit_age_author_subject_and_change() -> None:
    assert wording.history_line(COMMIT, NOW) == "01234567 1 year ago, Bob: Retry more → `3` became `5`"
