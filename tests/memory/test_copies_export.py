"""Export and import as lines: lossless among one's own, and suspicious of everything else."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forgetting_world import barred
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from project import Project, shop

from memlsp import Memory
from memlsp.memory.transfer.belief_jsonl import _is_inner  # pyright: ignore[reportPrivateUsage]
from memlsp.memory.transfer.export_file import HEADING
from memlsp.model.belief import (
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Limits,
    RevisionAction,
    Scope,
)
from memlsp.model.caller import Caller
from memlsp.model.copy import CopyImport, ImportResult
from memlsp.model.errors import MemlspError, NoSuchFile, Refused
from memlsp.model.place import Place
from memlsp.model.review import Settlement

AGENT = Author("Claude Code", AuthorKind.AGENT)
TAX = Place("pricing/tax.py", symbol="compute_tax")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Memory]:
    """The empty memory of another clone of the same shop."""
    with Memory.open(shop(tmp_path / "other").root) as opened:
        yield opened


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory on another machine."""
    with Memory.open(shop(tmp_path / "stranger").root, data_dir=tmp_path / "stranger-data") as opened:
        yield opened


@pytest.fixture
def told(memory: Memory, project: Project) -> Memory:
    first = memory.remember("compute_tax rounds to 2 places", at=[TAX], by=Caller(folder=project.root)).belief
    memory.revise(first.id, RevisionAction.CONFIRM, by=Caller(note="looked"))
    memory.revise(first.id, RevisionAction.LOCK)
    second = memory.remember(
        "Ships on Fridays", kind=BeliefKind.RULE, limits=Limits(conditions=(("env", "staging"),))
    ).belief
    memory.revise(second.id, RevisionAction.SUPERSEDE, text="Ships on Mondays")
    memory.remember("Rests on taxes", because_of=[first.id], by=Caller(author=AGENT, session="s1"))
    memory.revise(memory.remember("Gone").belief.id, RevisionAction.RETIRE)
    return memory


@pytest.fixture
def written(told: Memory, tmp_path: Path) -> Path:
    path = tmp_path / "out.jsonl"
    told.copies.export(path)
    return path


def test_an_export_says_what_is_in_it_and_is_its_owners_alone(told: Memory, tmp_path: Path) -> None:
    done = told.copies.export(tmp_path / "out.jsonl")
    assert done.beliefs == 5
    assert stat.S_IMODE(done.path.stat().st_mode) == 0o600
    assert [copy.path for copy in told.copies.known()] == [done.path]
    assert done.path.read_bytes().startswith(HEADING)


def test_export_then_import_into_an_empty_memory_then_export_is_the_same_bytes(
    written: Path, other: Memory, tmp_path: Path
) -> None:
    done = other.copies.take(written, CopyImport(locks=True))
    assert (done.sealed, len(done.added), done.passed, done.clashes) == (True, 5, (), ())
    other.copies.export(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == written.read_bytes()
    assert other.doctor()[-1].ok is not False


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=60).filter(
    lambda text: any(sign.isalnum() for sign in text)
)
_ACTIONS = st.lists(st.sampled_from(["confirm", "retire", "lock", "supersede", "rollback"]), max_size=4)


@given(st.lists(st.tuples(_WORDS, _ACTIONS, st.booleans()), max_size=5))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_said_and_done_makes_the_round(
    tmp_path_factory: pytest.TempPathFactory, taught: list[tuple[str, list[str], bool]]
) -> None:
    folder = tmp_path_factory.mktemp("round")
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    with (
        Memory.open(folder / "a", data_dir=folder / "data") as one,
        Memory.open(folder / "b", data_dir=folder / "data") as two,
    ):
        for text, actions, by_agent in taught:
            _teach(one, text, actions, AGENT if by_agent else None)
        one.copies.export(folder / "one.jsonl")
        two.copies.take(folder / "one.jsonl", CopyImport(locks=True))
        two.copies.export(folder / "two.jsonl")
    assert (folder / "two.jsonl").read_bytes() == (folder / "one.jsonl").read_bytes()


def _teach(memory: Memory, text: str, actions: list[str], author: Author | None) -> None:
    try:
        id = memory.remember(text, by=Caller(author=author)).belief.id
        for action in actions:
            words = f"{text} now" if action == "supersede" else None
            memory.revise(id, action, text=words, by=Caller(author=author))
    except MemlspError:
        pass  # not every order of actions makes sense


def test_importing_again_changes_nothing(written: Path, other: Memory) -> None:
    other.copies.take(written)
    again = other.copies.take(written)
    assert (again.added, again.advanced, again.proposed, again.known) == ((), (), (), 5)


def test_a_lock_is_left_behind_unless_a_person_keeps_it(written: Path, other: Memory) -> None:
    done = other.copies.take(written)
    assert len(done.unlocked) == 1
    belief = other.belief(done.unlocked[0]).belief
    assert belief.authority is Authority.PERSON
    assert other.revisions(belief.id)[-1].action is RevisionAction.UNLOCK


def test_what_an_agent_imports_is_proposed_whoever_wrote_it(written: Path, other: Memory) -> None:
    done = other.copies.take(written, author=AGENT)
    assert (done.added, done.past, len(done.proposed)) == ((), 2, 3)
    assert other.beliefs() == ()
    with pytest.raises(Refused):
        other.copies.take(written, CopyImport(trusted=True), author=AGENT)


def test_what_another_machine_wrote_is_proposed(written: Path, stranger: Memory) -> None:
    done = stranger.copies.take(written)
    assert (done.sealed, done.added, len(done.proposed), done.past) == (False, (), 3, 2)
    assert stranger.beliefs() == ()
    waiting = {each.text: each for each in _proposals(stranger)}
    assert set(waiting) == {"compute_tax rounds to 2 places", "Ships on Mondays", "Rests on taxes"}
    assert waiting["Ships on Mondays"].conditions == (("env", "staging"),)
    assert [a.symbol for a in waiting["compute_tax rounds to 2 places"].anchors] == ["compute_tax"]
    assert stranger.copies.take(written).proposed == ()


def test_a_person_may_take_another_machine_at_its_word(written: Path, stranger: Memory, tmp_path: Path) -> None:
    done = stranger.copies.take(written, CopyImport(trusted=True, locks=True))
    assert (len(done.added), done.trusted, done.sealed) == (5, True, False)
    stranger.copies.export(tmp_path / "again.jsonl")
    assert _without_seal(tmp_path / "again.jsonl") == _without_seal(written)


def test_an_edited_export_has_lost_its_seal(written: Path, other: Memory) -> None:
    written.write_bytes(written.read_bytes().replace(b"Ships on Mondays", b"Ships on Sundays"))
    done = other.copies.take(written)
    assert (done.sealed, done.added) == (False, ())
    assert "Ships on Sundays" in {each.text for each in _proposals(other)}


def test_a_truncated_export_is_refused_and_what_is_left_may_be_taken(written: Path, other: Memory) -> None:
    lines = written.read_bytes().splitlines(keepends=True)
    written.write_bytes(b"".join(lines[:3]) + lines[3][:100])
    with pytest.raises(Refused, match="ends in the middle"):
        other.copies.take(written)
    done = other.copies.take(written, CopyImport(damaged=True, trusted=True))
    assert (len(done.added), [each.name for each in done.passed]) == (2, ["line 4"])


def test_what_went_on_there_goes_on_here(told: Memory, other: Memory, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    told.copies.export(path)
    other.copies.take(path)
    id = next(j.belief.id for j in told.beliefs() if j.belief.text == "Rests on taxes")
    told.revise(id, RevisionAction.CONFIRM)
    told.copies.export(path)
    assert other.copies.take(path).advanced == (id,)
    assert other.revisions(id) == told.revisions(id)


def test_what_both_changed_is_reported_and_nothing_lost(told: Memory, other: Memory, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    told.copies.export(path)
    other.copies.take(path)
    id = next(j.belief.id for j in told.beliefs() if j.belief.text == "Ships on Mondays")
    other.revise(id, RevisionAction.SUPERSEDE, text="Ships on Tuesdays")
    told.revise(id, RevisionAction.SUPERSEDE, text="Ships on Sundays")
    told.copies.export(path)
    (clash,) = other.copies.take(path).clashes
    assert (clash.id, clash.here) == (id, "superseded: Ships on Mondays")
    assert {"Ships on Tuesdays", "Ships on Sundays"} <= {j.belief.text for j in other.beliefs()}
    assert "Ships on Mondays" in {j.belief.text for j in other.beliefs(include_past=True)}


def test_what_is_locked_here_is_not_changed_by_what_went_on_there(told: Memory, other: Memory, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    told.copies.export(path)
    other.copies.take(path, CopyImport(locks=True))
    id = next(j.belief.id for j in told.beliefs() if j.belief.locked)
    told.revise(id, RevisionAction.RETIRE)
    told.copies.export(path)
    (clash,) = other.copies.take(path).clashes
    assert (clash.id, clash.reason) == (id, "it is locked here")
    assert other.belief(id).belief.locked


def test_what_was_forgotten_does_not_come_back(written: Path, other: Memory) -> None:
    ids = [json.loads(line)["belief"]["id"] for line in written.read_bytes().splitlines()[1:-1]]
    barred(other, ids[0])
    done = other.copies.take(written)
    assert ids[0] not in done.added
    assert [each.name for each in done.passed] == ids[:1]


def test_a_dry_run_says_the_same_and_keeps_nothing(written: Path, other: Memory) -> None:
    dry = other.copies.take(written, CopyImport(dry_run=True))
    assert other.beliefs(include_past=True) == ()
    assert other.copies.take(written).added == dry.added


def test_one_that_stands_twice_is_taken_once(written: Path, other: Memory) -> None:
    lines = written.read_bytes().splitlines(keepends=True)
    written.write_bytes(b"".join([lines[0], lines[1], *lines[1:]]))
    done = other.copies.take(written, CopyImport(trusted=True))
    assert len(done.added) == 5
    assert "stood in it before" in done.passed[0].reason


def test_a_statement_that_is_here_already_is_joined(written: Path, other: Memory) -> None:
    ours = other.remember(
        "Ships on Mondays", kind=BeliefKind.RULE, limits=Limits(conditions=(("env", "staging"),))
    ).belief.id
    done = other.copies.take(written)
    assert [pair[1] for pair in done.joined] == [ours]
    assert sum(j.belief.text == "Ships on Mondays" for j in other.beliefs()) == 1
    former = next(j.belief for j in other.beliefs(include_past=True) if j.belief.text == "Ships on Fridays")
    assert former.superseded_by == ours  # what it says came after it is to be found here
    assert other.copies.take(written).added == ()


def test_secrets_are_taken_out_of_what_another_wrote(written: Path, stranger: Memory) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    written.write_bytes(written.read_bytes().replace(b"looked", f"key {key}".encode()))
    stranger.copies.take(written, CopyImport(trusted=True))
    assert all(key not in r.note for j in stranger.beliefs() for r in stranger.revisions(j.belief.id))
    assert any("redacted" in r.note for j in stranger.beliefs() for r in stranger.revisions(j.belief.id))


def _change(path: Path, **fields: Any) -> None:
    lines = path.read_bytes().splitlines()
    value = json.loads(lines[1])
    for name, new in fields.items():
        value["belief"][name] = new
    lines[1] = json.dumps(value).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")


def test_personal_data_is_taken_out_where_the_settings_say_so(
    memory: Memory, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = "gwendolyn.plumbago@vexholm.example"
    memory.remember(f"Ask {mail} before shipping")
    path = memory.copies.export(tmp_path / "one.jsonl").path
    (tmp_path / "mine.toml").write_text('[redaction]\npersonal = ["email"]\n')
    monkeypatch.setenv("MEMLSP_CONFIG", str(tmp_path / "mine.toml"))
    with Memory.open(project.root, data_dir=tmp_path / "another machine") as stranger:
        assert len(stranger.copies.take(path, CopyImport(trusted=True)).added) == 1
        assert [j.belief.text for j in stranger.beliefs()] == ["Ask [redacted:email] before shipping"]


_WRONG: list[tuple[str, object]] = [
    ("id", "../../etc"),
    ("id", 7),
    ("text", ""),
    ("text", "x" * 10_000),
    ("text", "half \ud800"),
    ("confidence", 1e999),
    ("confidence", "1"),
    ("created_at", "9999-12-31T00:00:00+00:00"),
    ("created_at", "yesterday"),
    ("authority", "emperor"),
    ("conditions", [["a", "b"]] * 1_000),
    ("anchors", [{}]),
    ("anchors", {"a": 1}),
    ("because_of", ["' OR 1=1"]),
    ("guards", [{"pattern": "((((", "must": True, "language": "python", "engine": "query"}]),
    ("surprise", 1),
]


@pytest.mark.parametrize(("field", "value"), _WRONG)
def test_what_no_belief_can_be_is_passed_over_and_the_rest_taken(
    written: Path, stranger: Memory, field: str, value: object
) -> None:
    _change(written, **{field: value})
    done = stranger.copies.take(written, CopyImport(trusted=True))
    assert (len(done.added), len(done.passed)) == (4, 1)


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.py", "a/../../x.py", "C:/x", "a//b", "", "a\u0000b"])
def test_an_anchor_that_leads_out_of_the_workspace_is_passed_over(written: Path, stranger: Memory, path: str) -> None:
    value = json.loads(written.read_bytes().splitlines()[1])
    anchors = value["belief"]["anchors"]
    anchors[0]["path"] = path
    _change(written, anchors=anchors)
    done = stranger.copies.take(written, CopyImport(trusted=True))
    assert len(done.passed) == 1


@pytest.mark.parametrize("path", ["facts/..\\..\\x.md", "facts\\x.md", "facts/C:/x.md", "facts/x.md:stream"])
def test_a_path_that_windows_would_read_otherwise_is_none_there(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlsp.memory.transfer.belief_jsonl._FORBIDDEN_CHARACTERS", "")
    assert _is_inner(path)
    monkeypatch.setattr("memlsp.memory.transfer.belief_jsonl._FORBIDDEN_CHARACTERS", "\\:")
    assert not _is_inner(path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        b"not json",
        b'{"memlsp":"export","format":2}\n',
        HEADING,
        HEADING + b"[" * 100_000,
        HEADING + b'{"end":{}}',
        HEADING + b'{"belief":' + b"9" * 10_000 + b"}\n",
        HEADING + b"\xc3\x28\n" + b'{"end":{},"digest":"","seal":""}\n',
    ],
)
def test_rubbish_is_refused_or_passed_over_and_never_an_accident(memory: Memory, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "rubbish"
    path.write_bytes(data)
    for damaged in (False, True):
        try:
            done = memory.copies.take(path, CopyImport(damaged=damaged, trusted=True))
        except Refused:
            continue
        assert done.added == ()
    assert memory.beliefs(include_past=True) == ()


@given(st.binary(max_size=300), st.integers(0, 3_000))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_export_is_never_an_accident(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int
) -> None:
    folder = tmp_path_factory.mktemp("noise")
    with Memory.open(folder, data_dir=folder / "data") as memory:
        memory.remember("Ships on Fridays")
        memory.copies.export(folder / "x.jsonl")
        data = (folder / "x.jsonl").read_bytes()
        (folder / "x.jsonl").write_bytes(data[:place] + noise + data[place + len(noise) :])
        try:
            done: ImportResult | None = memory.copies.take(folder / "x.jsonl", CopyImport(damaged=True, trusted=True))
        except Refused:
            done = None
        assert done is None or len(done.added) <= 1
        assert memory.belief(memory.beliefs()[0].belief.id)


def test_pipes_folders_and_what_is_not_there_are_refused(memory: Memory, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, error in ((tmp_path / "pipe", Refused), (tmp_path / "none", NoSuchFile)):
        with pytest.raises(error):
            memory.copies.take(path)


def test_an_export_replaces_an_export_and_nothing_else(told: Memory, written: Path, tmp_path: Path) -> None:
    told.copies.export(written)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(Refused):
        told.copies.export(tmp_path / "mine.txt")
    (tmp_path / "link").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(Refused):
        told.copies.export(tmp_path / "link")
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_what_holds_for_the_user_goes_to_the_users_memory(memory: Memory, stranger: Memory, tmp_path: Path) -> None:
    memory.remember("I prefer short names", limits=Limits(scope=Scope.parse("user")))
    done = memory.copies.export(tmp_path / "me.jsonl", user=True)
    assert done.beliefs == 1
    stranger.copies.take(tmp_path / "me.jsonl", CopyImport(trusted=True))
    assert [str(j.belief.scope) for j in stranger.beliefs()] == ["user"]
    assert stranger.copies.export(tmp_path / "workspace.jsonl").beliefs == 0


def test_what_was_decided_about_a_contradiction_comes_along(memory: Memory, other: Memory, tmp_path: Path) -> None:
    memory.remember("The service listens on port 8080")
    memory.remember("The service listens on port 9090")
    (conflict,) = memory.conflicts.open()
    memory.conflicts.settle(conflict.id, Settlement.KEPT, by=Caller(note="behind a proxy"))
    done = memory.copies.export(tmp_path / "one.jsonl")
    assert done.conflicts == 1
    other.copies.take(done.path)
    assert other.conflicts.open() == ()
    assert other.conflicts.get(conflict.id).note == "behind a proxy"
    other.copies.export(tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == done.path.read_bytes()


@pytest.mark.parametrize("field", ["first", "values", "settlement", "wording", "found_at", "reason"])
def test_a_decision_that_cannot_be_read_is_left_out(
    memory: Memory, stranger: Memory, tmp_path: Path, field: str
) -> None:
    memory.remember("The service listens on port 8080")
    memory.remember("The service listens on port 9090")
    memory.conflicts.settle(memory.conflicts.open()[0].id, Settlement.KEPT)
    path = memory.copies.export(tmp_path / "one.jsonl").path
    lines = path.read_bytes().splitlines()
    value = json.loads(lines[3])
    value["conflict"][field] = ["x" * 9_000]
    lines[3] = json.dumps(value).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")
    stranger.copies.take(path, CopyImport(trusted=True))
    assert len(stranger.conflicts.open()) == 1


def test_an_import_is_taken_back_as_one(written: Path, other: Memory) -> None:
    ours = other.remember("Ours").belief.id
    done = other.copies.take(written)
    assert {j.belief.id for j in other.beliefs()} > {ours}
    assert done.batch in [each.session for each in other.undo.sessions()]
    other.undo.session(other.undo.named(done.batch))
    assert [j.belief.id for j in other.beliefs()] == [ours]


def test_an_import_can_be_found_by_its_batch(written: Path, other: Memory) -> None:
    done = other.copies.take(written)
    revisions = other._store.changes.of_session(done.batch)  # pyright: ignore[reportPrivateUsage]
    assert {*done.added} == {each.belief_id for each in revisions}


def _proposals(memory: Memory) -> list[Belief]:
    return memory._store.beliefs(status=(BeliefStatus.PROPOSED,))  # pyright: ignore[reportPrivateUsage]


def _without_seal(path: Path) -> bytes:
    return path.read_bytes().rpartition(b'"seal"')[0]
