"""Writing down what was observed: once each, all counted, bounded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import examples

from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import KeptChange
from memlsp.model.event import Event, EventKind
from memlsp.model.symbol import SymbolKind
from memlsp.store.store import Store, open_store
from memlsp.store.tables import journal
from memlsp.store.tables.event_repository import CheckoutProgress, EventQuery, FileBaseline
from memlsp.store.tables.journal import Caps, shortened

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
AT = int(NOW.timestamp() * 1000)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "memory.db") as opened:
        yield opened


def record(key: str, kind: str = "command", **more: object) -> dict[str, object]:
    return {"key": key, "at": AT, "kind": kind, "source": "claude-code", "session": "s1"} | more


def passages(store: Store) -> int:
    return store.journal._number("SELECT count(*) FROM passage")  # pyright: ignore[reportPrivateUsage]


def test_the_same_seen_on_both_sides_of_an_edge_in_time_is_kept_once(store: Store) -> None:
    def seen(at: int) -> dict[str, object]:
        span = at // 4_000
        return record(f"near {span}", at=at, near=[4_000, f"near {span - 1}", f"near {span + 1}"])

    edge = AT - AT % 4_000
    store.journal.append([seen(edge - 1)], now=NOW)
    store.journal.append([seen(edge)], now=NOW)
    assert totals(store)["repeated"] == 1
    store.journal.append([seen(edge + 3_999)], now=NOW)
    assert len(store.journal.unsettled()) == 2


@pytest.mark.parametrize("near", [None, [], [4_000], ["x", 1, 2], [4_000, None, 3], "text", {"a": 1}])
def test_a_strange_time_beside_a_key_harms_nothing(store: Store, near: object) -> None:
    store.journal.append([record("k", near=near)], now=NOW)
    assert len(store.journal.unsettled()) == 1


def totals(store: Store) -> dict[str, int]:
    found: dict[str, int] = {}
    for tally in store.journal.tallies():
        found[tally.what] = found.get(tally.what, 0) + tally.number
    return found


def test_every_kind_of_event_can_be_kept() -> None:
    assert frozenset(kind.value for kind in EventKind) == journal.KINDS


def test_what_is_appended_comes_back_as_it_was(store: Store) -> None:
    store.journal.append(
        [
            record(
                "k",
                text="pytest -q " + "x" * 1000,
                output="1 failed",
                paths=["src/a.py", "src/ü.py"],
                ok=False,
                exit=1,
                tool="Bash",
                ms=1200,
                folder="src",
                branch="main",
                commit="c" * 40,
                extra={"future": {"a": [1, None]}},
                found=["aws-key"],
                cut=7,
                root="/home/me/project",
            )
        ],
        now=NOW,
    )
    (event,) = store.journal.unsettled()
    assert event == Event(
        id=event.id,
        key=journal.key_of("k").hex(),
        at=NOW,
        kind=EventKind.COMMAND,
        source="claude-code",
        session="s1",
        text="pytest -q " + "x" * 1000,
        output="1 failed",
        paths=("src/a.py", "src/ü.py"),
        ok=False,
        exit_code=1,
        tool="Bash",
        milliseconds=1200,
        folder="src",
        branch="main",
        commit="c" * 40,
        extra=(("future", '{"a":[1,null]}'),),
        found=("aws-key",),
        cut=7,
        root="/home/me/project",
    )


def test_a_plan_keeps_its_items(store: Store) -> None:
    store.journal.append([record("p", "plan", plan=[["write tests", "pending"], ["read", "completed"]])], now=NOW)
    assert store.journal.unsettled()[0].plan == (("write tests", "pending"), ("read", "completed"))


def test_the_same_observation_is_kept_once_and_counted_as_repeated(store: Store) -> None:
    first = store.journal.append([record("a"), record("b"), record("a", text="other")], now=NOW)
    again = store.journal.append([record("b")], now=NOW)
    assert (first.stored, first.repeated, again.stored, again.repeated) == (2, 1, 0, 1)
    assert totals(store) == {"received": 4, "stored": 2, "repeated": 2}


def test_a_record_that_cannot_be_read_is_counted_and_does_not_hold_up_others(store: Store) -> None:
    broken: list[dict[str, object]] = [
        {"at": AT, "kind": "edit", "source": "claude-code"},
        record("x", "no-such-kind"),
        record("y", dropped="own-tool"),
        {**record("z"), "at": "noon"},
    ]
    done = store.journal.append([*broken, record("good")], now=NOW)
    assert (done.stored, done.dropped) == (1, 4)
    reasons = {(tally.reason, tally.number) for tally in store.journal.tallies() if tally.what == "dropped"}
    assert reasons == {("unreadable", 3), ("own-tool", 1)}


def test_secrets_taken_out_are_counted_by_kind(store: Store) -> None:
    store.journal.append([record("a", found=["jwt", "jwt"]), record("b", found=["private"])], now=NOW)
    assert {(t.reason, t.number) for t in store.journal.tallies() if t.what == "redacted"} == {
        ("jwt", 2),
        ("private", 1),
    }


def test_what_came_from_the_spool_is_counted_as_drained(store: Store) -> None:
    store.journal.append([record("a")], now=NOW)
    store.journal.append([record("a"), record("b")], now=NOW, drained=True)
    assert totals(store) == {"received": 3, "stored": 2, "repeated": 1, "drained": 2}


def test_a_session_has_a_cap_and_what_tells_its_story_has_more_room(store: Store) -> None:
    caps = Caps(session=3)
    store.journal.append([record(f"r{number}", "read") for number in range(5)], now=NOW, caps=caps)
    store.journal.append([record("p", "prompt"), record("other", session="s2")], now=NOW, caps=caps)
    kinds = [event.kind.value for event in store.journal.events()]
    assert kinds == ["read", "read", "read", "prompt", "command"]
    assert {(t.reason, t.number) for t in store.journal.tallies() if t.what == "dropped"} == {("cap-session", 2)}


def test_a_day_has_a_cap_over_all_sessions(store: Store) -> None:
    caps = Caps(day=2)
    for number in range(4):
        store.journal.append([record(f"r{number}", session=f"s{number}")], now=NOW, caps=caps)
    store.journal.append([record("tomorrow")], now=NOW + timedelta(days=1), caps=caps)
    assert len(store.journal.events()) == 3
    assert {(t.reason, t.number) for t in store.journal.tallies() if t.what == "dropped"} == {("cap-day", 2)}


def test_an_event_is_cut_to_its_cap_and_says_so(store: Store) -> None:
    store.journal.append([record("a", text="t" * 50_000, output="o" * 50_000, cut=1)], now=NOW)
    (event,) = store.journal.events()
    assert len(event.text) <= 4_000
    assert len(event.output) <= 2_000
    assert event.cut == 46_000 + 48_000 + 2 * 46 + 1


@given(st.text(max_size=300), st.integers(min_value=0, max_value=200))
def test_shortening_keeps_the_beginning_and_the_end_and_stays_within_its_room(text: str, most: int) -> None:
    short, left_out = shortened(text, most)
    if len(text) <= most:
        assert (short, left_out) == (text, 0)
        return
    assert len(short) <= most
    assert shortened(short, most) == (short, 0)
    kept = len(text) - left_out
    assert kept > 0 or not most
    tail = kept // 4 if most > 46 else 0
    assert short.startswith(text[: kept - tail])
    assert short.endswith(text[len(text) - tail :] if tail else "")


def test_a_long_text_is_kept_once_however_often_it_is_seen(store: Store) -> None:
    body = "\n".join(f"line {number} of a generated file" for number in range(60))
    store.journal.append([record(f"k{number}", output=body) for number in range(50)], now=NOW)
    assert passages(store) == 1
    assert all(event.output == body for event in store.journal.events())


def test_events_are_found_by_what_is_known_of_them(store: Store) -> None:
    store.journal.append(
        [
            record("a", "edit", paths=["a.py", "b.py"]),
            record("b", "prompt", session="s2", at=AT + 1000),
            record("c", "edit", paths=["b.py"], source="editor", at=AT + 2000),
        ],
        now=NOW,
    )
    found = store.journal.events
    assert [e.key for e in found(EventQuery(path="b.py"))] == [journal.key_of("a").hex(), journal.key_of("c").hex()]
    assert [e.kind for e in found(EventQuery(session="s2"))] == [EventKind.PROMPT]
    assert [e.source for e in found(EventQuery(kinds=[EventKind.EDIT]))] == ["claude-code", "editor"]
    assert len(found(EventQuery(since=NOW + timedelta(seconds=1)))) == 2
    assert len(found(EventQuery(until=NOW + timedelta(seconds=1)))) == 1
    assert [e.source for e in found(newest=True, limit=1)] == ["editor"]
    assert len(found(EventQuery(source="claude-code"))) == 2


def test_an_event_is_settled_once_with_its_changes_and_can_move_to_another_episode(store: Store) -> None:
    (id,) = store.journal.append([record("a", "edit", paths=["a.py"])], now=NOW).ids
    change = KeptChange(frozenset({ChangeKind.ADDED}), None, SymbolRef("a.py", "f", SymbolKind.FUNCTION), "Added `f`.")
    assert store.journal.pending()
    store.journal.record_changes(id, [change], root="/r", now=NOW)
    assert store.journal.unsettled()[0].changes == (change,)
    store.journal.settled(id, episode="one")
    assert not store.journal.pending()
    assert store.journal.unsettled() == []
    store.journal.give([id], "two")
    assert [event.changes for event in store.journal.events(EventQuery(episode="two"))] == [(change,)]
    assert store.journal.events(EventQuery(episode="one")) == []


def test_sessions_say_when_they_began_and_ended(store: Store) -> None:
    store.journal.append(
        [
            record("a", "session-start"),
            record("b", "session-end", at=AT + 5000),
            record("c", session="s2", source="cursor", at=AT + 9000),
        ],
        now=NOW,
    )
    cursor, claude = store.journal.sessions()
    assert (cursor.source, cursor.ended_at, cursor.events) == ("cursor", None, 1)
    assert (claude.began_at, claude.ended_at) == (NOW, NOW + timedelta(seconds=5))


def test_a_session_that_ended_stays_so_when_its_beginning_comes_late_from_the_spool(store: Store) -> None:
    store.journal.append([record("b", "session-end", at=AT + 5000)], now=NOW)
    store.journal.append([record("a", "session-start")], now=NOW)
    (claude,) = store.journal.sessions()
    assert (claude.began_at, claude.ended_at) == (NOW, NOW + timedelta(seconds=5))
    store.journal.append([record("c", at=AT + 9000)], now=NOW)
    assert store.journal.sessions()[0].ended_at is None, "it was resumed"


def test_age_takes_bodies_first_and_events_later_but_nothing_unsettled(store: Store) -> None:
    long = "word " * 200
    days = {"old": 200, "middle": 40, "waiting": 400, "new": 0}
    ids: dict[str, int] = {}
    for key in sorted(days, key=lambda each: -days[each]):
        more: dict[str, object] = {"extra": {"a": 1}, "paths": ["a.py"], "text": long} if key == "middle" else {}
        came = NOW - timedelta(days=days[key])
        (ids[key],) = store.journal.append([record(key, output=long) | more], now=came).ids
    for key in ("old", "middle", "new"):
        store.journal.settled(ids[key])
    store.journal.prune(now=NOW)
    waiting, middle, new = store.journal.events()
    assert (middle.text, middle.output, middle.extra, middle.paths) == ("", "", (), ("a.py",))
    assert new.output == waiting.output == long
    assert ("aged", 1) in {(each.what, each.number) for each in store.journal.tallies()}
    kept = store.journal.events()
    store.journal.prune(now=NOW)
    assert store.journal.events() == kept
    assert store.integrity() == "ok"


def test_a_passage_goes_with_the_last_event_that_has_it(store: Store) -> None:
    long = "word " * 200
    came = NOW - timedelta(days=1000)
    ids = [*store.journal.append([record("a", output=long)], now=came).ids]
    ids += store.journal.append([record("b", at=0, text=long)], now=NOW).ids
    for id in ids:
        store.journal.settled(id)
    store.journal.prune(now=NOW)
    assert [event.text for event in store.journal.events()] == [long]
    assert passages(store) == 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["key", "at", "kind", "source", "session", "text", "output", "paths", "ok", "exit"]), _JSON
    )
)
def test_no_record_whatever_it_holds_is_lost_uncounted(wild: dict[str, object]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "memory.db") as store:
        done = store.journal.append([wild, record("good", extra=wild)], now=NOW)
        assert done.stored + done.repeated + done.dropped == 2
        assert totals(store)["received"] == 2
        assert "good" not in wild.values() or done.stored == 1
        assert len(store.journal.events()) == done.stored


def test_half_a_surrogate_pair_does_not_keep_an_event_out(store: Store) -> None:
    store.journal.append([record("\ud800", text="a\ud800b", paths=["\udcff.py"], extra={"\ud800": "\ud800"})], now=NOW)
    assert store.journal.events()[0].text == "a?b"


def test_writing_down_needs_nothing_that_is_slow_to_import() -> None:
    code = (
        "import sys; before = set(sys.modules); import memlsp.store.tables.journal;"
        " print(*sorted(set(sys.modules) - before))"
    )
    found = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
    slow = {"json", "re", "attrs", "attr", "typing", "enum", "datetime", "dataclasses", "hashlib", "apsw", "pathlib"}
    assert not slow & set(found.split())


def test_the_states_of_files_go_with_the_changes_that_were_told_of_them(store: Store) -> None:
    journal = store.journal
    assert journal.tree("/r") == CheckoutProgress()
    journal.record_changes(
        None,
        root="/r",
        baselines={"a.py": FileBaseline(b"1" * 20, b"text"), "b.py": FileBaseline(b"")},
        base="c1",
        now=NOW,
    )
    journal.mark_tree("/r", "here")
    assert journal.tree("/r") == CheckoutProgress("c1", "here")
    assert journal.state("/r", "a.py") == FileBaseline(b"1" * 20, b"text")
    assert journal.state("/other", "a.py") is None
    assert journal.states("/r") == {"a.py": b"1" * 20, "b.py": b""}
    journal.record_changes(None, root="/r", baselines={"a.py": None}, now=NOW)
    assert journal.states("/r") == {"b.py": b""}
    journal.forget_tree("/r")
    assert (journal.tree("/r"), journal.states("/r"), journal.trees()) == (CheckoutProgress(), {}, ["/r"])


def test_the_texts_that_are_kept_of_files_are_bounded_and_their_digests_stay(store: Store) -> None:
    for number in range(305):
        at = NOW + timedelta(seconds=number)
        store.journal.record_changes(
            None, root="/r", baselines={f"{number}.py": FileBaseline(b"d" * 20, b"text")}, now=at
        )
    store.journal.record_changes(
        None, root="/r", baselines={"huge.py": FileBaseline(b"d" * 20, b"x" * 500_000)}, now=NOW
    )
    assert store.journal.state("/r", "304.py") == FileBaseline(b"d" * 20, b"text")
    assert store.journal.state("/r", "0.py") == FileBaseline(b"d" * 20)
    assert store.journal.state("/r", "huge.py") == FileBaseline(b"d" * 20)
