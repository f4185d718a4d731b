"""What is forgotten is gone: from every table, index, cache, log and file; and the rest is as it was."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import apsw
import pytest
from forgetting_world import AGENT, FETCH, OTHER, SECRET, Clock, observe, saturate, standing_in
from project import Project

from memlsp import Memory
from memlsp.memory.transfer.copies_in_progress import FOLDER, announce
from memlsp.memory.transfer.export_file import ExportFile, open_export, write_export
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Author, Limits, RevisionAction, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.copy import CopyImport, CopyKind, ExportResult
from memlsp.model.errors import BadValue, NoSuchBelief, NotFound, Refused
from memlsp.model.place import Place
from memlsp.recall.search import recall as recall_from
from memlsp.store.core import spool
from memlsp.store.core.database import connect
from memlsp.store.core.locations import store_path
from memlsp.store.store import Store, open_store
from memlsp.store.tables.acts import FoundBy
from memlsp.store.tables.handoffs import KeptNote

USER = Scope(ScopeKind.USER)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def memory(project: Project, clock: Clock, data: Path) -> Iterator[Memory]:
    with Memory.open(project.root, clock=clock, data_dir=data) as opened:
        opened.events.settle()  # the first look
        yield opened


def one(id: str) -> Selector:
    return Selector(SelectorKind.BELIEF, id)


def test_a_belief_is_gone_from_every_file_with_all_that_was_derived_from_it(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    id = saturate(memory, project, clock)
    before = {name for name, _ in standing_in(data)}
    assert "memory.db" in before or "memory.db-wal" in before
    receipt = memory.forgetting.forget(one(id))
    assert receipt.left == ()
    assert receipt.searched > 3
    assert list(standing_in(data)) == []
    assert [judgement.belief.text for judgement in memory.beliefs()] == [OTHER]
    assert memory.recall("thirty seconds gateway").hits


def test_what_is_left_of_the_rest_can_still_be_read(memory: Memory, project: Project, clock: Clock) -> None:
    memory.forgetting.forget(one(saturate(memory, project, clock)))
    assert memory.events.list()
    assert memory.episodes.list()
    assert memory.handoffs.list(include_past=True)
    memory.threads.all()
    memory.why(FETCH, base=project.root)
    memory.handoffs.briefing()
    memory.events.settle()
    assert all("[forgotten]" not in judgement.belief.text for judgement in memory.beliefs())
    assert all(check.ok for check in memory.doctor() if "integrity" in check.name)


def test_a_preview_says_what_would_go_and_takes_nothing(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    id = saturate(memory, project, clock)
    before = list(standing_in(data))
    preview = memory.forgetting.preview(one(id))
    assert [belief.text.rstrip(".") for belief in preview.beliefs] == [SECRET, SECRET]  # also what the prompt said
    assert id in {belief.id for belief in preview.beliefs}
    others = dict(preview.others)
    assert others["revisions"] == 3
    assert {"events", "threads", "handoffs", "receipts", "episodes", "briefings"} <= others.keys()
    assert len(list(standing_in(data))) >= len(before)
    assert memory.belief(id).belief.text == SECRET


def test_a_preview_keeps_nobody_from_writing_and_waits_for_nobody(memory: Memory, data: Path) -> None:
    id = memory.remember(SECRET).belief.id
    writer = connect(memory.events.store_path, apsw.SQLITE_OPEN_READWRITE)
    try:
        writer.execute("BEGIN IMMEDIATE")
        preview = memory.forgetting.preview(one(id))
        writer.execute("ROLLBACK")
    finally:
        writer.close()
    assert [belief.id for belief in preview.beliefs] == [id]
    assert not (data / "restoring").exists()


def test_the_receipt_says_how_much_went_and_holds_nothing_of_it(memory: Memory, project: Project, clock: Clock) -> None:
    preview = memory.forgetting.preview(one(id := saturate(memory, project, clock)))
    receipt = memory.forgetting.forget(one(id), source="cli")
    assert dict(receipt.removed) | dict(preview.others) == dict(receipt.removed)
    assert memory.forgetting.receipts() == (receipt,)
    assert (receipt.selector, receipt.author) == ("belief", memory.person())
    assert "uartz" not in repr(receipt)


def test_a_query_takes_everything_that_holds_its_words_whatever_the_signs_between_them(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    saturate(memory, project, clock)
    memory.remember("Ask VEXHOLM, brothers, before you change the invoices", at=[FETCH], by=Caller(folder=project.root))
    kept = memory.remember("The brothers of nobody in particular pay at once").belief.id
    receipt = memory.forgetting.forget(Selector(SelectorKind.QUERY, "vexholm brothers"))
    assert dict(receipt.removed)["beliefs"] == 3  # and what the prompt said
    assert receipt.left == ()
    assert list(standing_in(data, "vexholm")) == []
    assert {judgement.belief.text for judgement in memory.beliefs()} == {OTHER, memory.belief(kept).belief.text}


@pytest.mark.parametrize("end", ["retired", "superseded", "active"])
def test_a_query_leaves_a_belief_whose_code_alone_holds_its_words_and_takes_them_out_of_it(
    memory: Memory, project: Project, data: Path, end: str
) -> None:
    project.write("deploy.py", 'def deploy():\n    return "vexholm deploy"\n')
    id = memory.remember("Deploys run on Fridays alone", at=[Place("deploy.py", symbol="deploy")]).belief.id
    project.write("deploy.py", 'def deploy():\n    return "coolify deploy"\n')
    if end == "retired":
        memory.revise(id, "retire")
    elif end == "superseded":
        memory.revise(id, "supersede", text="Deploys run on any day")
    other = memory.remember("Vexholm pays for the deploys").belief.id
    receipt = memory.forgetting.forget(Selector(SelectorKind.QUERY, "vexholm"))
    assert dict(receipt.removed)["beliefs"] == 1
    assert receipt.left == ()
    assert list(standing_in(data, "vexholm")) == []
    with pytest.raises(NoSuchBelief):
        memory.belief(other)
    assert memory.belief(id).belief.text == "Deploys run on Fridays alone"
    assert all(revision.belief_id == id for revision in memory.revisions(id))


def test_a_session_takes_what_it_did_and_taught_and_leaves_what_others_did(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    saturate(memory, project, clock)
    observe(memory, clock, "prompt", "Please document how the timeouts of the client are chosen", session="s2")
    memory.events.settle()
    receipt = memory.forgetting.forget(Selector(SelectorKind.SESSION, "s1"))
    assert receipt.left == ()
    assert list(standing_in(data)) == []
    assert {event.session for event in memory.events.list() if event.session} == {"s2"}
    assert all("s1" not in episode.sessions for episode in memory.episodes.list())
    assert all(handoff.session != "s1" for handoff in memory.handoffs.list(include_past=True))
    assert [judgement.belief.text for judgement in memory.beliefs()] == [OTHER]


def test_a_file_takes_what_is_known_of_it_and_leaves_what_is_known_of_others(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    memory.onboard()
    saturate(memory, project, clock)
    receipt = memory.forgetting.forget(Selector(SelectorKind.FILE, "pricing/tax.py"))
    assert receipt.left == ()
    assert list(standing_in(data, "quartzlantern", "compute_tax")) == []
    assert all("pricing/tax.py" not in event.paths for event in memory.events.list())
    assert all("pricing/tax.py" not in episode.paths for episode in memory.episodes.list())
    assert [judgement.belief.text for judgement in memory.beliefs()] == [OTHER]
    assert memory.why(FETCH, base=project.root).beliefs


def test_a_person_takes_what_he_said_and_his_name_out_of_all_that_stays(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    memory.onboard()
    bob = Author("Bob Quillfeather")
    memory.remember("Bob's own: the tax is never rounded up", by=Caller(author=bob))
    stays = memory.remember("Bob Quillfeather asked that invoices are numbered by year").belief.id
    memory.revise(stays, RevisionAction.CONFIRM, by=Caller(author=bob, note="by Bob Quillfeather himself"))
    observe(memory, clock, "prompt", "Do what bob quillfeather said about the invoices")
    memory.recall("what did Bob Quillfeather say")
    memory.events.settle()
    receipt = memory.forgetting.forget(Selector(SelectorKind.PERSON, "Bob Quillfeather"))
    assert receipt.left == ()
    assert list(standing_in(data, "quillfeather")) == []
    assert [judgement.belief.text for judgement in memory.beliefs()] == [
        "[forgotten] asked that invoices are numbered by year"
    ]
    assert memory.revisions(stays)[-1].author.name == "[forgotten]"
    assert memory.recall("invoices numbered by year").hits


def test_a_workspace_takes_everything_and_leaves_the_users_own_beliefs(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    memory.onboard()
    saturate(memory, project, clock)
    own = memory.remember("I like short functions", limits=Limits(scope=USER)).belief.id
    receipt = memory.forgetting.forget(Selector(SelectorKind.WORKSPACE))
    assert receipt.left == ()
    assert list(standing_in(data, "quartzlantern", "gateway", "compute_tax")) == []
    assert [judgement.belief.id for judgement in memory.beliefs(include_past=True)] == [own]
    assert memory.events.list() == ()
    assert memory.episodes.list() == ()
    memory.remember("A new beginning", at=[FETCH], by=Caller(folder=project.root))
    assert memory.recall("new beginning").hits


def test_the_users_own_beliefs_go_in_one_go_and_nothing_else(memory: Memory, data: Path) -> None:
    memory.remember("I like plumbago functions", limits=Limits(scope=USER))
    memory.remember(OTHER)
    receipt = memory.forgetting.forget(Selector(SelectorKind.USER))
    assert dict(receipt.removed)["beliefs"] == 1
    assert list(standing_in(data, "plumbago")) == []
    assert [judgement.belief.text for judgement in memory.beliefs()] == [OTHER]
    assert memory.forgetting.receipts()[0].selector == "user"


# -- who may -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "selector", [SelectorKind.QUERY, SelectorKind.FILE, SelectorKind.PERSON, SelectorKind.WORKSPACE, SelectorKind.USER]
)
def test_an_agent_forgets_nothing_wide(memory: Memory, project: Project, selector: SelectorKind) -> None:
    memory.remember(OTHER, at=[FETCH], by=Caller(author=AGENT, folder=project.root))
    chosen = Selector(selector, "client.py")
    assert "only a person" in memory.forgetting.preview(chosen, author=AGENT).refused
    with pytest.raises(Refused, match="only a person"):
        memory.forgetting.forget(chosen, author=AGENT)
    assert len(memory.beliefs()) == 1


def test_an_agent_forgets_what_agents_said_and_nothing_that_a_person_stands_behind(memory: Memory) -> None:
    its = memory.remember("The cache holds ten entries", by=Caller(author=AGENT)).belief.id
    theirs = memory.remember("The cache holds eleven entries").belief.id
    locked = memory.remember("The cache holds twelve entries", by=Caller(author=AGENT)).belief.id
    memory.revise(locked, RevisionAction.LOCK)
    with pytest.raises(Refused, match="a person stands behind"):
        memory.forgetting.forget(one(theirs), author=AGENT)
    with pytest.raises(Refused, match="is locked by a person"):
        memory.forgetting.forget(one(locked), author=AGENT)
    memory.forgetting.forget(one(its), author=AGENT)
    memory.forgetting.forget(one(locked))
    assert [judgement.belief.id for judgement in memory.beliefs()] == [theirs]


def test_an_agent_forgets_its_own_session_and_no_other(memory: Memory, clock: Clock) -> None:
    memory.remember("The cache holds ten entries", by=Caller(author=AGENT, session="mine"))
    observe(memory, clock, "prompt", "What a person asked in another session", session="theirs")
    memory.events.settle()
    other, own = Selector(SelectorKind.SESSION, "theirs"), Selector(SelectorKind.SESSION, "mine")
    assert "not its own" in memory.forgetting.preview(other, author=AGENT, session="mine").refused
    with pytest.raises(Refused, match="not its own"):
        memory.forgetting.forget(other, author=AGENT, session="mine")
    with pytest.raises(Refused, match="not its own"):
        memory.forgetting.forget(own, author=AGENT)
    assert memory.events.list(session="theirs")
    memory.forgetting.forget(own, author=AGENT, session="mine")
    assert memory.beliefs() == ()


# -- when it is interrupted ------------------------------------------------------------------------------------------


def _interrupted(memory: Memory, id: str, at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"memlsp.memory.erasure.forgetting.{at}", stop)
        with pytest.raises(KeyboardInterrupt):
            memory.forgetting.forget(one(id))


def test_what_was_interrupted_when_the_rows_were_gone_is_ended_by_its_words(
    memory: Memory, project: Project, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = saturate(memory, project, clock)
    (tmp_path / "copies").mkdir()
    memory.copies.backup(tmp_path / "copies" / "all.db")
    _interrupted(memory, id, "erase_copies", monkeypatch)
    with pytest.raises(NoSuchBelief):
        memory.forgetting.forget(one(id))
    words = Selector(SelectorKind.QUERY, SECRET)
    assert dict(memory.forgetting.forget(words).removed)["copies"] == 1
    assert list(standing_in(tmp_path / "copies")) == []
    with pytest.raises(NotFound):
        memory.forgetting.forget(words)


def test_what_was_observed_does_not_come_back_with_a_backup_after_an_interrupted_forgetting(
    memory: Memory, project: Project, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = saturate(memory, project, clock)
    path = memory.copies.backup(tmp_path / "all.db").path
    elsewhere = tmp_path / "moved.db"
    path.rename(elsewhere)  # nobody knows of it there
    (tmp_path / "all.db.json").rename(tmp_path / "moved.db.json")
    _interrupted(memory, id, "search_files", monkeypatch)
    assert memory.forgetting.receipts() == ()
    restored = memory.copies.restore(elsewhere, author=memory.person())
    assert (restored.forgotten, restored.observations) == (2, False)
    assert not any("uartzlantern" in event.text for event in memory.events.list())


# -- what does not come back -----------------------------------------------------------------------------------------


def test_whoever_has_a_forgotten_belief_in_hand_cannot_bring_it_back(memory: Memory) -> None:
    belief = memory.remember(SECRET).belief
    revision = memory.revisions(belief.id)[0]
    memory.forgetting.forget(one(belief.id))
    with open_store(memory.events.store_path) as other:
        with pytest.raises(Refused):
            other.add(belief, revision)
        with pytest.raises(NoSuchBelief):
            other.change(belief, revision)
        with pytest.raises((Refused, NoSuchBelief)):
            other.change_all([(belief, revision, FoundBy())])
        other.handoffs.keep_notes("client.py", "1:1", "", [KeptNote(SECRET, "m", belief.id, belief.updated_at)])
        assert other.handoffs.notes_at("client.py", "1:1") == []
    assert memory.beliefs() == ()


def test_the_same_words_may_be_said_again_and_are_another_belief(memory: Memory) -> None:
    first = memory.remember(SECRET).belief.id
    memory.forgetting.forget(one(first))
    again = memory.remember(SECRET).belief.id
    assert again != first
    assert memory.recall("auditor Plimsoll").hits


def test_what_was_found_in_the_repository_is_not_proposed_again_after_it_was_forgotten(
    memory: Memory, project: Project
) -> None:
    project.write("AGENTS.md", "# Rules\n\n- Never call the ledger without a timeout.\n")
    made = memory.proposals.learn().made
    assert made
    for belief in made:
        memory.forgetting.forget(one(belief.id))
    assert memory.proposals.learn().made == ()
    assert memory.proposals.list() == ()


# -- its neighbours ---------------------------------------------------------------------------------------------------


def test_the_chain_goes_where_it_carries_the_words_and_is_named_where_it_does_not(memory: Memory) -> None:
    first = memory.remember("The tax is rounded down to whole cents for all customers").belief.id
    second = memory.revise(first, "supersede", text="The tax is rounded down to whole cents for all customers abroad")
    third = memory.revise(second.belief.id, "supersede", text="Nothing is rounded").belief.id
    preview = memory.forgetting.preview(one(second.belief.id))
    assert {belief.id for belief in preview.beliefs} == {first, second.belief.id}
    assert [id for id, _ in preview.stays] == [third]
    memory.forgetting.forget(one(second.belief.id))
    assert memory.belief(third).belief.text == "Nothing is rounded"


def test_words_that_another_memory_says_too_stay_there(memory: Memory, project: Project, data: Path) -> None:
    text = "All requests of the plumbago client go through one gateway of ours"
    first = memory.remember(text).belief.id
    memory.remember(text, at=[FETCH], by=Caller(folder=project.root))
    receipt = memory.forgetting.forget(one(first))
    assert receipt.left == ()
    assert [judgement.belief.text for judgement in memory.beliefs()] == [text]
    assert memory.recall("plumbago").hits


def test_words_that_are_too_short_to_be_told_are_not_looked_for(memory: Memory) -> None:
    with pytest.raises(BadValue, match="too short"):
        memory.forgetting.preview(Selector(SelectorKind.QUERY, "a b"))
    with pytest.raises(BadValue, match="nothing is named"):
        memory.forgetting.preview(Selector(SelectorKind.SESSION, " "))
    with pytest.raises(NotFound):
        memory.forgetting.forget(Selector(SelectorKind.QUERY, "never said by anybody"))
    with pytest.raises(NoSuchBelief):
        memory.forgetting.forget(one("bzzzzzzz"))


def test_what_waits_in_the_spool_is_taken_in_and_forgotten_with_the_rest(
    memory: Memory, project: Project, data: Path
) -> None:
    id = memory.remember(SECRET).belief.id
    record: dict[str, object] = {
        "key": "k1",
        "at": 1,
        "kind": "prompt",
        "source": "claude-code",
        "session": "s9",
        "text": SECRET,
    }
    spool.spool(str(memory.events.store_path), [record], 1)
    broken = Path(spool.folder_of(str(memory.events.store_path))) / "1-1-1.json"
    broken.write_text(f'[{{"text": "{SECRET}", ')
    assert memory.forgetting.forget(one(id)).left == ()
    assert list(standing_in(data)) == []


def test_a_copy_of_another_programs_memory_that_was_left_by_a_killed_import_goes(memory: Memory, data: Path) -> None:
    id = memory.remember(SECRET).belief.id
    left = data / "importing" / "1-abc"
    left.mkdir(parents=True)
    (left / "copy.db").write_text(SECRET)
    left.with_suffix(".held").touch()
    assert memory.forgetting.forget(one(id)).left == ()
    assert not left.exists()


def test_a_file_that_nobody_thought_of_is_found_and_named(memory: Memory, data: Path) -> None:
    id = memory.remember(SECRET).belief.id
    strange = memory.events.store_path.parent / "notes-of-a-later-version.bin"
    strange.write_bytes(b"\x00\x01" + SECRET.encode("utf-16-le"))
    assert memory.forgetting.forget(one(id)).left == (str(strange),)
    assert memory.forgetting.receipts()[0].left == (str(strange),)


def test_a_question_that_is_answered_while_its_words_are_forgotten_leaves_no_word(
    memory: Memory, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = memory.remember(SECRET).belief.id
    memory.remember(OTHER)

    def recall_and_lose(*words: Any, **more: Any) -> Any:
        answer = recall_from(*words, **more)
        memory.forgetting.forget(one(id))
        return answer

    monkeypatch.setattr("memlsp.memory.recall.recall.recall_from", recall_and_lose)
    assert memory.recall(SECRET).hits
    (receipt,) = memory.receipts()
    assert (receipt.query, id in receipt.served) == ("[forgotten]", False)
    assert list(standing_in(data)) == []


# -- copies -----------------------------------------------------------------------------------------------------------


def test_exports_and_backups_are_gone_through_and_stay_what_they_were(
    memory: Memory, project: Project, clock: Clock, data: Path, tmp_path: Path
) -> None:
    id = saturate(memory, project, clock)
    copies = tmp_path / "copies"
    copies.mkdir()
    memory.copies.export(copies / "all.jsonl")
    memory.copies.backup(copies / "all.db")
    assert len({name for name, _ in standing_in(copies)}) == 2
    assert len(memory.forgetting.preview(one(id)).copies) == 2
    receipt = memory.forgetting.forget(one(id))
    assert receipt.left == ()
    assert dict(receipt.removed)["copies"] == 2
    assert list(standing_in(copies)) == []
    verified = memory.copies.verify(copies / "all.db")
    assert (verified.problem, verified.sealed) == ("", True)
    taken = memory.copies.take(copies / "all.jsonl")
    assert (taken.sealed, taken.known, taken.added) == (True, 1, ())
    memory.copies.restore(copies / "all.db", author=memory.person())
    assert [judgement.belief.text for judgement in memory.beliefs()] == [OTHER]


def _killed_while_it_writes(memory: Memory, project: Project, data: Path, path: Path) -> None:
    """Another process writes a backup, and is killed when all of it is in the file that it writes to."""
    script = (
        "import os, sys; from pathlib import Path; from memlsp import Memory\n"
        "memory = Memory.open(sys.argv[1], data_dir=Path(sys.argv[2]))\n"
        "memory.copies.backup(Path(sys.argv[3]), progress=lambda done, all: os._exit(9))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, project.root, data, path], check=False, capture_output=True, timeout=100
    )
    assert done.returncode == 9, done.stderr


def test_what_a_process_left_that_was_killed_while_it_wrote_a_backup_goes(
    memory: Memory, project: Project, data: Path, tmp_path: Path
) -> None:
    id = memory.remember(SECRET).belief.id
    copies = tmp_path / "copies"
    copies.mkdir()
    _killed_while_it_writes(memory, project, data, copies / "all.db")
    assert [name for name, _ in standing_in(copies)]
    assert memory.forgetting.forget(one(id)).left == ()
    assert list(copies.iterdir()) == []


def test_the_next_copy_takes_away_what_is_left_of_a_killed_one(
    memory: Memory, project: Project, data: Path, tmp_path: Path
) -> None:
    memory.remember(OTHER)
    copies = tmp_path / "copies"
    copies.mkdir()
    _killed_while_it_writes(memory, project, data, copies / "all.db")
    memory.copies.export(tmp_path / "all.jsonl")
    assert list(copies.iterdir()) == []


@pytest.mark.parametrize("kind", ["backup", "export"])
def test_a_copy_that_is_being_written_is_waited_for(
    memory: Memory, project: Project, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    id = memory.remember(SECRET).belief.id
    memory.remember(OTHER)
    begun, may_end = threading.Event(), threading.Event()
    path = tmp_path / f"all.{kind}"

    def halt(*_: object) -> None:
        begun.set()
        may_end.wait(60)

    def slow(file: IO[bytes], path: Path, store: Store, data: Path) -> ExportResult:
        read = BytesIO()
        done = write_export(read, path, store, data)
        halt()
        file.write(read.getvalue())
        return done

    monkeypatch.setattr("memlsp.memory.transfer.copies.write_export", slow)

    def write() -> None:
        with Memory.open(project.root, data_dir=data) as other:
            _ = other.copies.backup(path, progress=halt) if kind == "backup" else other.copies.export(path)

    def report(what: str) -> None:
        if "waiting" in what:
            may_end.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(60)
    receipt = memory.forgetting.forget(one(id), progress=report)
    may_end.set()
    writer.join(60)
    assert receipt.left == ()
    assert path.exists()
    assert not [name for name, _ in standing_in(tmp_path) if name.startswith("all.")]


def test_a_copy_that_does_not_come_to_its_end_is_named(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = memory.remember(SECRET).belief.id
    monkeypatch.setattr("memlsp.memory.transfer.copies_in_progress.PATIENCE", 0.1)
    with announce(memory.events.store_path, tmp_path / "all.db") as part:
        assert memory.forgetting.forget(one(id)).left == (str(part),)


def test_an_announcement_of_a_process_that_was_killed_before_it_named_its_copy_is_taken_away(memory: Memory) -> None:
    id = memory.remember(SECRET).belief.id
    mark = memory.events.store_path.parent / FOLDER / "0123456789ab"
    mark.parent.mkdir(parents=True)
    mark.touch()
    assert memory.forgetting.forget(one(id)).left == ()
    assert not mark.exists()


def test_an_export_that_somebody_edited_gets_no_seal_by_forgetting(memory: Memory, tmp_path: Path) -> None:
    id = memory.remember(SECRET).belief.id
    memory.remember(OTHER)
    path = tmp_path / "all.jsonl"
    memory.copies.export(path)
    path.write_text(path.read_text().replace("gives up", "never gives up"))
    assert memory.forgetting.forget(one(id)).left == ()
    assert "uartzlantern" not in path.read_text()
    assert "never gives up" in path.read_text()
    assert not memory.copies.take(path, CopyImport(dry_run=True)).sealed


def test_a_copy_that_was_made_before_does_not_bring_back_what_was_forgotten(memory: Memory, tmp_path: Path) -> None:
    id = memory.remember(SECRET).belief.id
    memory.copies.export(tmp_path / "all.jsonl")
    elsewhere = tmp_path / "moved.jsonl"
    (tmp_path / "all.jsonl").rename(elsewhere)  # nobody knows of it there
    memory.forgetting.forget(one(id))
    memory.copies.take(elsewhere, CopyImport(trusted=True))
    assert memory.beliefs() == ()


def test_the_users_export_is_gone_through_when_his_beliefs_are_deleted(memory: Memory, tmp_path: Path) -> None:
    memory.remember("I like plumbago functions", limits=Limits(scope=USER))
    memory.copies.export(tmp_path / "mine.jsonl", user=True)
    assert memory.forgetting.forget(Selector(SelectorKind.USER)).left == ()
    assert "plumbago" not in (tmp_path / "mine.jsonl").read_text()


def test_a_vault_of_an_earlier_version_is_named_and_not_touched(
    memory: Memory, clock: Clock, data: Path, tmp_path: Path
) -> None:
    id = memory.remember(SECRET).belief.id
    note = tmp_path / "vault" / "note.md"
    note.parent.mkdir()
    note.write_text(SECRET)
    with open_store(store_path(memory.workspace.key, data)) as store:
        store.copies.add(note.parent, CopyKind.VAULT, clock())
    assert memory.forgetting.preview(one(id)).copies == ()
    assert memory.forgetting.forget(one(id)).left == (str(note.parent),)
    assert note.read_text() == SECRET


def test_an_export_that_is_changed_while_it_is_gone_through_gets_no_seal(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = memory.remember(SECRET).belief.id
    memory.remember(OTHER)
    path = tmp_path / "all.jsonl"
    memory.copies.export(path)

    @contextmanager
    def looked_at(*asked: Any) -> Generator[ExportFile]:
        with open_export(*asked) as export:
            assert export.sealed
            yield export
        path.write_text(path.read_text().replace("gives up", "never gives up"))

    monkeypatch.setattr("memlsp.memory.erasure.exported_copies.open_export", looked_at)
    memory.forgetting.forget(one(id))
    monkeypatch.undo()
    assert "never gives up" in path.read_text()
    assert not memory.copies.take(path, CopyImport(dry_run=True)).sealed


def test_vectors_go_with_what_they_were_made_of(memory: Memory, project: Project, clock: Clock, data: Path) -> None:
    id = saturate(memory, project, clock)
    if not memory.vectors.refresh(30):
        pytest.skip("no encoder is installed")
    assert any(found == id for _, found, _ in memory.vectors.near("rounding of invoices", 10))
    memory.forgetting.forget(one(id))
    assert all(found != id for _, found, _ in memory.vectors.near("rounding of invoices", 10))
    with open_store(memory.events.store_path) as store:
        assert store.vectors.rows("belief", [id]) == []


def test_what_was_caught_of_the_same_words_goes_too_and_what_somebody_says_himself_is_named(
    memory: Memory, project: Project, clock: Clock, data: Path
) -> None:
    rule = "Never round quartzlantern invoices of Vexholm Brothers without asking the auditor Plimsoll"
    observe(memory, clock, "prompt", f"Please keep in mind: {rule}")
    memory.events.settle()
    assert len(memory.beliefs()) == 1
    id = memory.remember(f"{rule}.", at=[FETCH], by=Caller(author=AGENT, folder=project.root)).belief.id
    own = memory.remember(f"{rule}, says Ann", at=[FETCH], by=Caller(folder=project.root)).belief.id
    preview = memory.forgetting.preview(one(id))
    assert len(preview.beliefs) == 2
    assert (preview.refused, [stays for stays, _ in preview.stays]) == ("", [own])
    memory.forgetting.forget(one(id))
    assert [each.belief.id for each in memory.beliefs()] == [own]
    memory.forgetting.forget(one(own))
    assert list(standing_in(data)) == []


def test_it_goes_on_where_somebody_settles_all_the_while(
    memory: Memory, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = memory.remember(SECRET).belief.id
    monkeypatch.setattr("memlsp.memory.erasure.forgetting._LOCK_WAIT", 0.0)
    with open_store(memory.events.store_path) as other, other.journal.turn() as mine:
        assert mine
        assert memory.forgetting.forget(one(id)).left == ()
    assert list(standing_in(data)) == []


def test_what_rests_on_something_forgotten_stays_and_is_asked_about(memory: Memory) -> None:
    base = memory.remember(SECRET).belief.id
    upon = memory.remember("So the spring audit comes first", because_of=[base]).belief.id
    memory.forgetting.forget(one(base))
    judged = memory.belief(upon)
    assert not judged.standing.holds
    assert all("uartz" not in reason.message for reason in judged.reasons)
    (entry,) = memory.audit.list(action="forget")
    assert entry.targets == (base,)


def test_a_file_takes_its_code_out_of_what_is_known_of_its_callers(
    memory: Memory, project: Project, data: Path
) -> None:
    project.write("names.py", 'FIRM = "Vexholm zebrawood"\n')
    project.write(
        "lib.py", "from names import FIRM\n\n\ndef helper(x):\n    print('quillfeather', FIRM)\n    return x\n"
    )
    project.write("use.py", "from lib import helper\n\n\ndef run(x):\n    return helper(x) * 2\n")
    belief = memory.remember("doubles what the helper gives", at=[Place("use.py", symbol="run")]).belief
    memory.revise(belief.id, RevisionAction.CONFIRM)
    assert memory.forgetting.forget(Selector(SelectorKind.FILE, "names.py")).left == ()
    assert list(standing_in(data, "zebrawood")) == []
    assert list(standing_in(data, "quillfeather"))
    assert memory.forgetting.forget(Selector(SelectorKind.FILE, "lib.py")).left == ()
    assert list(standing_in(data, "quillfeather")) == []
    assert memory.belief(belief.id).standing.holds
