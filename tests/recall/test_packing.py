"""An answer within its budget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from statements import belief_of

from memlsp.model.belief import Author, AuthorKind, Belief
from memlsp.model.standing import Judgement, Reason, Standing
from memlsp.recall.budget import RankedBelief, pack, render_belief_line, tokens_of


def ranked(belief: Belief, standing: Standing = Standing.CURRENT, reason: str = "") -> RankedBelief:
    reasons = (Reason("code", reason),) if reason else ()
    return RankedBelief(Judgement(belief, standing, reasons), 1.0, ("matches",))


def test_a_statement_is_served_whole_with_kind_standing_author_and_date() -> None:
    belief = evolve(belief_of("b1", "We retry three times."), created_at=datetime(2026, 3, 1, tzinfo=UTC))
    [hit], tokens, left_out = pack([ranked(belief)], 100)
    assert hit.detail == "full"
    assert hit.served == "[b1] decision for env=staging, current · Ann, 2026-03-01\nWe retry three times."
    assert tokens == tokens_of(hit.served)
    assert left_out == []


def test_what_does_not_hold_says_so_before_the_statement() -> None:
    belief = belief_of("b1", "We retry three times.", author=Author("Claude", AuthorKind.AGENT))
    [hit], _, _ = pack([ranked(belief, Standing.CONTRADICTED, "the literal 3 became 5.")], 100)
    assert hit.served.startswith(
        "[b1] decision for env=staging, contradicted: the literal 3 became 5 · Claude (agent), "
    )


def test_the_first_are_whole_then_one_liners_then_ids_then_left_out() -> None:
    beliefs = [evolve(belief_of(f"b{number}", f"{number} " + "word " * 60), conditions=()) for number in range(120)]
    hits, tokens, left_out = pack([ranked(belief) for belief in beliefs], 1_000)
    details = [hit.detail for hit in hits]
    assert details == sorted(details, key=["full", "line", "id"].index)
    assert set(details) == {"full", "line", "id"}
    assert tokens <= 1_000
    assert [omission.reason for omission in left_out] == ["budget"] * len(left_out)
    assert [hit.judgement.belief.id for hit in hits] + [omission.id for omission in left_out] == [
        f"b{number}" for number in range(120)
    ]


def test_an_answer_of_ten_short_statements_takes_no_more_than_400_tokens() -> None:
    beliefs = [belief_of(f"b{number}", f"{number} " + "word " * 18) for number in range(10)]
    hits, tokens, left_out = pack([ranked(belief) for belief in beliefs], 1_200)
    assert len(hits) == 10
    assert left_out == []
    assert 300 < tokens <= 450


def test_a_gigantic_statement_is_shortened_and_points_to_the_whole() -> None:
    giant = belief_of("b1", "all " * 50_000)
    [hit], tokens, _ = pack([ranked(giant)], 300)
    assert tokens <= 300
    assert hit.detail == "line", "a face that shows a full hit shows the whole belief"
    assert hit.served.endswith("… (the whole: b1)")
    assert len(hit.served) > 800


def test_a_gigantic_statement_leaves_room_for_the_others() -> None:
    giant, small = belief_of("b1", "all " * 50_000), belief_of("b2", "We retry three times.")
    hits, _, left_out = pack([ranked(giant), ranked(small)], 300)
    assert [hit.detail for hit in hits] == ["line", "full"]
    assert left_out == []


def test_a_one_liner_is_one_line_and_says_what_does_not_hold() -> None:
    belief = belief_of("b1", "First line.\nSecond line.\r\n" + "word " * 100)
    line = render_belief_line(Judgement(belief, Standing.CHANGED, (Reason("code", "the body\nchanged"),)))
    assert "\n" not in line
    assert "changed: the body changed" in line
    assert line.endswith("… (the whole: b1)")


def test_nothing_stored_can_steer_a_terminal_or_reorder_a_line() -> None:
    nasty = "\x1b[31mred\x07 \u202ereversed \x9b2J\ud83d \u2028 done\nnext"
    belief = evolve(belief_of("b1", nasty), author=Author("\x1b]0;title\x07Eve\nroot"))
    [hit], _, _ = pack([ranked(belief, Standing.CHANGED, "\x1b[2J")], 200)
    shown = [char for char in hit.served if not char.isprintable() and char != "\n"]
    assert shown == []
    assert hit.served.count("\n") == 2


@settings(deadline=None, suppress_health_check=[HealthCheck.large_base_example, HealthCheck.data_too_large])
@given(
    texts=st.lists(st.text(max_size=400) | st.sampled_from(["wörd " * 60, "wörd " * 4000, "x" * 30_000]), max_size=12),
    author=st.text(max_size=200),
    reason=st.text(max_size=500),
    standing=st.sampled_from(list(Standing)),
    budget=st.integers(-5, 1500),
)
def test_the_budget_is_never_exceeded_and_nothing_disappears(
    texts: Sequence[str], author: str, reason: str, standing: Standing, budget: int
) -> None:
    answers = [
        ranked(evolve(belief_of(f"b{number}", text), author=Author(author)), standing, reason)
        for number, text in enumerate(texts)
    ]
    hits, tokens, left_out = pack(answers, budget)
    whole = "\n".join(hit.served for hit in hits)
    assert tokens <= max(budget, 0)
    assert len(whole.encode()) <= 4 * tokens
    assert sorted([hit.judgement.belief.id for hit in hits] + [omission.id for omission in left_out]) == sorted(
        f"b{number}" for number in range(len(texts))
    )
    assert pack(answers, budget) == (hits, tokens, left_out)
