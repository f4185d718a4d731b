from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from statements import belief_of, revision_of

from memlsp.model.belief import BeliefStatus, RevisionAction
from memlsp.model.errors import BadValue
from memlsp.model.handoff import Handoff
from memlsp.store.core import hook_connection
from memlsp.store.store import Store, open_store
from memlsp.store.tables import hook_notes
from memlsp.store.tables.handoffs import KEPT, KeptNote, KeptRemedy

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOON_MS = int(NOON.timestamp() * 1000)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "memory.db") as opened:
        yield opened


def left(id: str = "h1", session: str = "s1", **more: object) -> Handoff:
    given_: dict[str, object] = {"created_at": NOON, "expires_at": NOON + timedelta(days=7)} | more
    return Handoff(id=id, title="Round the tax", source="cursor", made_by="agent", session=session, **given_)  # type: ignore[arg-type]


def test_a_hook_reads_notes_without_importing_what_takes_time() -> None:
    code = (
        "import sys; before = set(sys.modules); import memlsp.store.tables.hook_notes;"
        " import memlsp.episodes.command_templates; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    heavy = {"attrs", "attr", "typing", "re", "json", "pathlib", "datetime", "enum", "dataclasses", "apsw", "cattrs"}
    assert not heavy & set(done.stdout.split())


# -- briefings ----------------------------------------------------------------------------------------------------


def test_a_line_about_a_file_is_told_while_the_file_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    stamp = hook_notes.stamp_of(str(tmp_path / "a.py"))
    stored = hook_notes.composed([("Of a.py:", None, [("| it holds", (("a.py", stamp),))]), ("Always", None, [])])
    assert hook_notes.assembled(stored, str(tmp_path), NOON_MS) == "Of a.py:\n| it holds\nAlways"
    (tmp_path / "a.py").write_text("x = 12\n")
    assert hook_notes.assembled(stored, str(tmp_path), NOON_MS) == "Always"


def test_the_age_is_that_of_the_moment_of_telling() -> None:
    stored = hook_notes.composed([(f"Ann, {hook_notes.AGE}:", NOON_MS, [])])
    assert hook_notes.assembled(stored, "", NOON_MS + 3 * 3_600_000) == "Ann, 3 hours ago:"
    assert hook_notes.assembled(stored, "", NOON_MS - 1) == "Ann, just now:"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "just now"), (59, "just now"), (60, "1 minute ago"), (7_200, "2 hours ago"), (86_400 * 45, "45 days ago")],
)
def test_ages_are_told_in_one_unit(seconds: int, told: str) -> None:
    assert hook_notes.age(0, seconds * 1000) == told


LINES = st.lists(st.tuples(st.text("ab |<é", min_size=1, max_size=9), st.just(())), max_size=4)


@given(st.lists(st.tuples(st.text("ab :é", min_size=1, max_size=9), st.none(), LINES), max_size=4))
def test_what_is_stored_is_what_is_told(parts: list[hook_notes.Part]) -> None:
    whole = [line for heading, _, lines in parts for line in (heading, *(text for text, _ in lines))]
    assert hook_notes.assembled(hook_notes.composed(parts), "", 0).split("\n") == (whole or [""])


def test_a_session_is_told_of_its_own_work_and_a_new_one_of_that_of_others(store: Store) -> None:
    own = hook_notes.session_key("cursor", "s1")
    written = {("", ""): "general", ("", "fix"): "for fix", (own, ""): "own"}
    store.handoffs.keep_briefings(
        {place: hook_notes.composed([(text, None, [])]) for place, text in written.items()}, NOON
    )
    assert store.handoffs.briefing("", "main", "", NOON) == "general"
    assert store.handoffs.briefing("", "fix", "", NOON) == "for fix"
    assert store.handoffs.briefing(own, "fix", "", NOON) == "own"
    assert store.handoffs.briefing("cursor s2", "main", "", NOON) == "general"
    store.handoffs.keep_briefings({}, NOON)
    assert store.handoffs.briefing(own, "main", "", NOON) == ""


def test_a_new_session_is_told_nothing_while_it_may_be_stale(store: Store, tmp_path: Path) -> None:
    one, two = tmp_path / "a.py", tmp_path / "b.py"
    files = tuple((path.name, hook_notes.stamp_of(str(path))) for path in (one, two))
    own = hook_notes.session_key("cursor", "s1")
    parts: list[hook_notes.Part] = [("Work:", None, [("| it tries five times", files), ("| go on", ())])]
    store.handoffs.keep_briefings({place: hook_notes.composed(parts) for place in (("", ""), (own, ""))}, NOON)
    connection = hook_connection.opened(str(store.path))
    root, whole = str(tmp_path), "Work:\n| it tries five times\n| go on"
    assert hook_notes.briefing(connection, "", "", root) == whole
    assert hook_notes.briefing(connection, "", "", root, behind=True) is None
    assert hook_notes.briefing(connection, own, "", root, behind=True) == whole
    two.write_text("x = 1\n")
    assert hook_notes.briefing(connection, "", "", root) is None
    assert hook_notes.briefing(connection, own, "", root) == "Work:\n| go on"
    two.unlink()
    assert hook_notes.briefing(connection, "", "", root) == whole
    assert hook_notes.briefing(connection, "", "none", root, behind=True) is None


# -- notes and remedies -------------------------------------------------------------------------------------------


def kept(sentence: str, mark: str, belief: str = "b1", revised_at: datetime = NOON) -> KeptNote:
    return KeptNote(sentence, mark, belief, revised_at)


@pytest.fixture
def believing(store: Store) -> Store:
    """A store with the beliefs b1 and b2."""
    for id in ("b1", "b2"):
        belief = belief_of(id, "Retries three times")
        store.add(belief, revision_of(belief))
    return store


def test_a_note_is_said_for_the_file_as_it_was_judged(believing: Store) -> None:
    shelf = believing.handoffs
    shelf.keep_notes("a.py", "1:2", "1 x", [kept("first", "b1 current"), kept("second", "b2 current", "b2")])
    assert shelf.notes_at("a.py", "1:2") == [("first", "b1 current"), ("second", "b2 current")]
    assert shelf.notes_at("a.py", "1:3") == []
    assert shelf.notes_at("a.py", "") == []


def test_an_edit_has_the_notes_of_its_lines_and_of_the_whole_file(believing: Store, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("a\nb\nc\nb\nd\n", encoding="utf-8")
    shelf = believing.handoffs
    notes = [evolve(kept("of c", "m"), lines=(3, 3)), kept("of all", "n"), evolve(kept("of d", "o"), lines=(4, 5))]
    shelf.keep_notes("a.py", "1", "x", notes)

    def told(old: str) -> list[str]:
        return [sentence for sentence, _ in shelf.notes_at("a.py", "1", str(file), old)]

    assert told("c") == ["of c", "of all"]
    assert told("b\nd") == ["of d", "of all"]
    assert told("d\nc") == ["of c", "of d", "of all"]  # two edits at once
    assert told("b") == told("e") == told("") == ["of c", "of all", "of d"]  # nobody knows where
    assert told("a\n") == ["of all"]


def test_nothing_is_said_of_a_belief_that_was_revised_since(believing: Store) -> None:
    shelf = believing.handoffs
    shelf.keep_notes("a.py", "1", "x", [kept("first", "m"), kept("second", "n", "b2")])
    confirmed = evolve(belief_of("b1", "Retries three times"), updated_at=NOON + timedelta(hours=1))
    believing.change(confirmed, revision_of(confirmed, RevisionAction.CONFIRM))
    assert shelf.notes_at("a.py", "1") == [("second", "n")]
    retired = belief_of("b2", "Retries three times", status=BeliefStatus.RETIRED)
    believing.change(retired, revision_of(retired, RevisionAction.RETIRE))
    assert shelf.notes_at("a.py", "1") == []


def test_notes_are_replaced_as_a_whole(believing: Store) -> None:
    shelf = believing.handoffs
    shelf.keep_notes("a.py", "1", "x", [kept("first", "m"), kept("second", "n")], ["rates.py"])
    shelf.keep_notes("a.py", "2", "y", [kept("third", "o")])
    assert shelf.notes_at("a.py", "2") == [("third", "o")]
    assert shelf.leaning_on(["rates.py"]) == set()
    assert shelf.noted() == {"a.py": ("2", "y")}


def test_a_session_is_told_a_thing_once(store: Store) -> None:
    told = [("first", "m"), ("second", "n")]
    with store._writing() as connection:  # pyright: ignore[reportPrivateUsage] - as a hook has it
        hook_notes.said(connection, "cursor s1", ["m"], NOON_MS)
        hook_notes.said(connection, "cursor s1", ["m"], NOON_MS)
        assert hook_notes.unsaid(connection, "cursor s1", told) == [("second", "n")]
        assert hook_notes.unsaid(connection, "cursor s2", told) == told
        hook_notes.forgotten(connection, "cursor s1")
        assert hook_notes.unsaid(connection, "cursor s1", told) == told


def test_a_remedy_is_for_one_program_and_one_failure(store: Store) -> None:
    store.handoffs.keep_remedies([KeptRemedy("pytest", "f1", "install it", NOON)])
    assert store.handoffs.remedy_for("pytest -x P", "f1") == ("install it", "remedy f1")
    assert store.handoffs.remedy_for("pytest", "f2") is None
    assert store.handoffs.remedy_for("make test", "f1") is None
    assert store.handoffs.remedy_for("", "") is None


def test_the_latest_remedy_counts(store: Store) -> None:
    store.handoffs.keep_remedies([KeptRemedy("make", "f", "new", NOON)])
    store.handoffs.keep_remedies([KeptRemedy("make", "f", "old", NOON - timedelta(days=1))])
    assert store.handoffs.remedy_for("make", "f") == ("new", "remedy f")


# -- handoffs -----------------------------------------------------------------------------------------------------


def test_a_handoff_comes_back_as_it_was_left(store: Store) -> None:
    handoff = left(done=("a", "b"), stuck="pytest failed \udc80", claimed_at=NOON, claimed_by="x", ended=False)
    store.handoffs.keep(handoff)
    assert store.handoffs.handoff("h1") == left(
        done=("a", "b"), stuck="pytest failed ?", claimed_at=NOON, claimed_by="x", ended=False
    )


def test_the_next_handoff_of_a_session_takes_the_place_of_the_former(store: Store) -> None:
    store.handoffs.keep(left("h1"))
    store.handoffs.keep(left("h2", created_at=NOON + timedelta(hours=1)))
    store.handoffs.keep(left("h3", session="s2"))
    assert {each.id: each.successor for each in store.handoffs.handoffs()} == {"h1": "h2", "h2": "", "h3": ""}
    assert {each.id for each in store.handoffs.waiting(NOON)} == {"h2", "h3"}


def test_handoffs_without_a_session_stand_beside_each_other(store: Store) -> None:
    store.handoffs.keep(left("h1", session=""))
    store.handoffs.keep(left("h2", session=""))
    assert len(store.handoffs.waiting(NOON)) == 2


def test_a_claim_stands_against_another_and_against_renewal(store: Store) -> None:
    store.handoffs.keep(left())
    assert store.handoffs.claim("h1", "ann", NOON) == left(claimed_by="ann", claimed_at=NOON)
    second = store.handoffs.claim("h1", "bert", NOON + timedelta(hours=1))
    assert second is not None
    assert second.claimed_by == "ann"
    assert not store.handoffs.keep(left(done=("more",)))
    assert store.handoffs.handoff("h1") == left(claimed_by="ann", claimed_at=NOON)
    assert store.handoffs.claim("h9", "ann", NOON) is None


def test_what_expired_waits_no_more_and_goes_after_half_a_year(store: Store) -> None:
    store.handoffs.keep(left())
    store.handoffs.prune(NOON + timedelta(days=8))
    assert store.handoffs.waiting(NOON + timedelta(days=8)) == []
    assert store.handoffs.handoffs() == [left()]
    store.handoffs.prune(NOON + KEPT + timedelta(days=8))
    assert store.handoffs.handoffs() == []


def test_a_unique_beginning_of_an_id_is_enough(store: Store) -> None:
    store.handoffs.keep(left("habc"))
    store.handoffs.keep(left("habd", session="s2"))
    assert store.handoffs.resolve("habc") == "habc"
    assert store.handoffs.resolve("x") is None
    with pytest.raises(BadValue, match="several"):
        store.handoffs.resolve("hab")


def test_of_many_that_claim_at_once_one_has_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with open_store(path) as store:
        store.handoffs.keep(left())

    def claim(name: str) -> str:
        with open_store(path) as own:
            taken = own.handoffs.claim("h1", name, NOON)
            assert taken is not None
            return taken.claimed_by

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(claim, "abcdefgh"))) == 1
