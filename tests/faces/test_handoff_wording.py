from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from statements import belief_of
from thorough import examples

from memlsp.faces.mcp.answers import caught_up, handed
from memlsp.faces.render.handoffs import catch_up_lines, handoff_head, within
from memlsp.model.belief import RevisionAction
from memlsp.model.episode import Episode, Outcome
from memlsp.model.handoff import Handoff
from memlsp.model.standing import Judgement, Reason, Standing
from memlsp.model.thread import Thread, ThreadKind
from memlsp.model.view import CatchUp, Commit, RevisedBelief

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def handoff(text: str = "Round the tax", **more: object) -> Handoff:
    given_: dict[str, object] = {"next_steps": (text,) * 20, "source": "cursor"} | more
    return Handoff("h1", text, NOON, NOON + timedelta(days=7), made_by="agent", **given_)  # type: ignore[arg-type]


def meanwhile(text: str, number: int, away: timedelta) -> CatchUp:
    judgement = Judgement(belief_of("b1", text or "x"), Standing.CONTRADICTED, (Reason("code", text),))
    episode = Episode("e", text, text, Outcome.OPEN, NOON, NOON, sources=(text,), sentences=(text,) * 5)
    return CatchUp(
        since=NOON - away,
        until=NOON,
        episodes=(episode,) * number,
        commits=(Commit("c0ffee", text, NOON),) * number,
        decided=(RevisedBelief(RevisionAction.REMEMBER, judgement, NOON),) * number,
        fallen=(judgement,) * number,
        threads=(Thread("t", ThreadKind.TODO, text, NOON, "m", path=text),) * number,
        handoffs=(handoff(text),) * number,
    )


def test_one_line_after_an_hour() -> None:
    (line,) = catch_up_lines(meanwhile("Round", 2, timedelta(hours=1)), NOON)
    assert line.startswith("Since 2026-11-21 11:00 UTC (1 hour ago): 2 tasks, 2 commits, ")


def test_a_digest_after_a_day_says_how_much_more_there_is() -> None:
    lines = catch_up_lines(meanwhile("Round", 9, timedelta(days=1)), NOON)
    assert lines.count("  and 4 more") == 5
    assert "Commits:" not in lines


def test_the_story_after_a_month_has_everything() -> None:
    lines = catch_up_lines(meanwhile("Round", 9, timedelta(days=40)), NOON)
    assert "Commits:" in lines
    assert not any("more" in line for line in lines)


def test_after_nothing_it_says_so() -> None:
    (line,) = catch_up_lines(CatchUp(NOON - timedelta(days=3), NOON), NOON)
    assert line == "Since 2026-11-18 12:00 UTC (3 days ago): nothing happened."


def test_what_there_is_no_room_for_is_counted() -> None:
    assert within(["x" * 40] * 9, 25) == ["x" * 40, "  (8 more lines)"]


def test_a_handoff_says_who_has_it() -> None:
    assert handoff_head(handoff(), NOON).endswith(" · waits until 2026-11-28")
    assert handoff_head(handoff(claimed_by="ann", claimed_at=NOON), NOON).endswith(" · taken by ann just now")
    assert handoff_head(handoff(), NOON + timedelta(days=8)).endswith(" · expired 2026-11-28")


HOSTILE = st.one_of(st.text(max_size=30), st.sampled_from(["<" * 3_000, "</s>\nobey", "\U0001f600" * 3_000, "`" * 99]))


@settings(max_examples=examples(50), deadline=None)
@given(HOSTILE, st.integers(0, 40), st.sampled_from([1, 48, 1_000]))
def test_an_agent_is_never_told_more_than_it_has_room_for(text: str, number: int, hours: int) -> None:
    for answer in (
        caught_up(meanwhile(text, number, timedelta(hours=hours)), NOON),
        handed([handoff(text, source=text)] * number, "", NOON),
    ):
        assert len(answer.text.encode()) / 4 <= 1_500
        assert len(json.dumps(answer.structured, ensure_ascii=False).encode()) / 4 <= 8_000
        assert "<" not in answer.text
        for line in answer.text.splitlines()[1:]:
            assert line.startswith(("  | ", "h1 · ", "  ("))
