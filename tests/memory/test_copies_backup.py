"""Backups: consistent while in use, verified, believed only where this machine wrote them, and undone when restored."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from forgetting_world import barred
from project import Project, shop

from memlsp import Memory
from memlsp.model.belief import Author, AuthorKind, Limits, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.copy import CopyKind
from memlsp.model.errors import MemlspError, NoSuchFile, Refused
from memlsp.model.place import Place
from memlsp.store.core import migrations, store_file
from memlsp.store.core.database import connect

AGENT = Author("Claude Code", AuthorKind.AGENT)


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory of the same shop on another machine."""
    with Memory.open(tmp_path / "shop", data_dir=tmp_path / "stranger-data") as opened:
        yield opened


@pytest.fixture
def told(memory: Memory, project: Project) -> Memory:
    first = memory.remember(
        "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    memory.revise(first.belief.id, RevisionAction.LOCK)
    memory.remember("Ships on Fridays")
    return memory


@pytest.fixture
def backup(told: Memory, tmp_path: Path) -> Path:
    return told.copies.backup(tmp_path / "shop.db").path


def _texts(memory: Memory) -> set[str]:
    return {j.belief.text for j in memory.beliefs()}


def test_a_backup_is_one_private_file_that_says_what_is_in_it(told: Memory, tmp_path: Path) -> None:
    done = told.copies.backup(tmp_path / "shop.db")
    assert dict(done.counts)["belief"] == 2
    assert stat.S_IMODE(done.path.stat().st_mode) == 0o600
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_file()) == ["shop.db", "shop.db.json"]
    assert [copy.kind for copy in told.copies.known()] == [CopyKind.BACKUP]
    checked = told.copies.verify(done.path)
    assert (checked.problem, checked.sealed, checked.counts) == ("", True, done.counts)


def test_a_backup_made_while_others_write_is_whole(told: Memory, project: Project, tmp_path: Path) -> None:
    over = threading.Event()

    def write() -> None:
        with Memory.open(project.root) as writer:
            number = 0
            while not over.is_set():
                number += 1
                writer.remember(f"Number {number} was said while the backup was made")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(5):
            done = told.copies.backup(tmp_path / f"{number}.db")
            assert told.copies.verify(done.path).problem == ""
    finally:
        over.set()
        thread.join(30)


def test_restoring_brings_back_what_was_there_and_sets_aside_what_is_there_now(told: Memory, backup: Path) -> None:
    before = _texts(told)
    told.remember("Ships on Mondays")
    done = told.copies.restore(backup)
    assert _texts(told) == before
    assert done.aside is not None
    assert stat.S_IMODE(done.aside.stat().st_mode) == 0o600
    told.copies.restore(done.aside)
    assert _texts(told) == {*before, "Ships on Mondays"}
    assert told.recall("Mondays").hits
    assert all(check.ok is not False for check in told.doctor())


def test_others_who_have_it_open_see_what_was_restored_and_lose_no_write(
    told: Memory, backup: Path, project: Project
) -> None:
    with Memory.open(project.root) as other:
        told.remember("Ships on Mondays")
        assert len(other.beliefs()) == 3
        version = other.version()
        told.copies.restore(backup)
        assert other.version() != version
        assert _texts(other) == {"fetch tries three times", "Ships on Fridays"}
        other.remember("Written afterwards")
        assert "Written afterwards" in _texts(told)


def test_no_write_that_was_acknowledged_is_lost_while_a_backup_is_restored(
    told: Memory, backup: Path, project: Project
) -> None:
    said: dict[str, list[str]] = {}
    over = threading.Event()

    def write(name: str) -> None:
        with Memory.open(project.root) as writer:
            while not over.is_set():
                words = f"{name} said number {len(said[name])}"
                writer.remember(words)
                said[name].append(words)

    threads: list[threading.Thread] = []
    for name in ("Ann", "Bob"):
        said[name] = []
        threads.append(threading.Thread(target=write, args=(name,)))
        threads[-1].start()
    try:
        while not all(len(words) > 3 for words in said.values()):
            threads[0].join(0.01)
        first = told.copies.restore(backup)
        at = {name: len(words) for name, words in said.items()}
        while not all(len(words) > at[name] + 3 for name, words in said.items()):
            threads[0].join(0.01)
    finally:
        over.set()
        for thread in threads:
            thread.join(30)
    after = _texts(told)
    assert first.aside is not None
    told.copies.restore(first.aside)
    before = _texts(told)
    assert {words for each in said.values() for words in each} <= before | after


def test_beliefs_that_unpack_to_more_than_any_belief_are_passed_over(
    told: Memory, backup: Path, stranger: Memory
) -> None:
    bomb = zlib.compress(b'{"a": "' + b"x" * (100 << 20) + b'"}', 9)
    connection = sqlite3.connect(backup)
    connection.execute("UPDATE anchor SET value = ?", (bomb,))
    connection.commit()
    connection.close()
    done = stranger.copies.take(backup)
    assert (len(done.passed), len(done.proposed)) == (1, 1)


def test_vectors_are_made_anew_for_what_was_restored(told: Memory, backup: Path) -> None:
    told.vectors.refresh(60)
    told.copies.restore(backup)
    assert told._store.vectors.is_due()  # pyright: ignore[reportPrivateUsage]
    told.vectors.refresh(60)
    known = {j.belief.id for j in told.beliefs()}
    assert {id for _, id, _ in told.vectors.near("on which day is it shipped", 5, ("belief",))} <= known


@pytest.mark.parametrize("layout", [1, 8, 13])
def test_a_backup_of_an_older_layout_is_brought_up_to_date(told: Memory, tmp_path: Path, layout: int) -> None:
    path = tmp_path / "older.db"
    connection = connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    for number in range(layout):
        connection.execute(migrations.step(number)).fetchall()
    connection.execute(f"PRAGMA user_version = {layout}")
    connection.execute(f"PRAGMA application_id = {store_file.APPLICATION_ID}")
    connection.close()
    told.copies.restore(path, trusted=True)
    assert _texts(told) == set()
    assert [check for check in told.doctor() if check.ok is False] == []
    assert told._store.integrity() == "ok"  # pyright: ignore[reportPrivateUsage]


def test_the_beliefs_of_a_backup_can_be_taken_alone(told: Memory, backup: Path, stranger: Memory) -> None:
    done = stranger.copies.take(backup)
    assert (done.sealed, done.added, len(done.proposed)) == (False, (), 2)
    assert told.copies.take(backup).known == 2


def test_a_new_machine_takes_it_when_a_person_says_so(backup: Path, stranger: Memory) -> None:
    with pytest.raises(Refused, match="not written by memlsp on this machine"):
        stranger.copies.restore(backup)
    done = stranger.copies.restore(backup, trusted=True)
    assert (done.aside, dict(done.counts)["belief"]) == (None, 2)
    assert any(j.belief.locked for j in stranger.beliefs())


def test_an_agent_restores_nothing(told: Memory, backup: Path) -> None:
    with pytest.raises(Refused, match="only a person"):
        told.copies.restore(backup, author=AGENT)


def test_the_memory_of_another_workspace_takes_the_place_of_none(told: Memory, backup: Path, tmp_path: Path) -> None:
    with Memory.open(shop(tmp_path / "other").root) as other:
        with pytest.raises(Refused, match="is the memory of shop"):
            other.copies.restore(backup)
        other.copies.restore(backup, anyway=True)
        assert _texts(other) == _texts(told)


def test_forgotten_ids_stay_forgotten_and_observations_too(told: Memory, backup: Path) -> None:
    gone = next(j.belief.id for j in told.beliefs() if j.belief.text == "Ships on Fridays")
    barred(told, gone)
    done = told.copies.restore(backup)
    assert done.forgotten == 1
    assert _texts(told) == {"fetch tries three times"}
    assert not told.recall("Fridays").hits
    assert told._store.integrity() == "ok"  # pyright: ignore[reportPrivateUsage]
    assert told._store.copies.forgotten([gone]) == {gone}  # pyright: ignore[reportPrivateUsage]


def test_the_log_and_the_register_go_on(told: Memory, backup: Path) -> None:
    before = len(told._store.audit.entries())  # pyright: ignore[reportPrivateUsage]
    done = told.copies.restore(backup)
    after = told._store.audit.entries()  # pyright: ignore[reportPrivateUsage]
    assert len(after) == before + 1
    assert after[0].action == "restore"
    assert {copy.path for copy in told.copies.known()} == {backup, done.aside}


def _spoil(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


_CRAFTED = [
    "CREATE TRIGGER evil AFTER INSERT ON belief BEGIN DELETE FROM belief; END",
    "CREATE VIEW evil AS SELECT load_extension('evil')",
    "CREATE TABLE evil (x)",
    "CREATE INDEX evil ON receipt (abs(tokens))",
    "DROP TRIGGER audit_is_not_shortened",
    "ALTER TABLE receipt ADD COLUMN evil TEXT",
    "PRAGMA user_version = 999",
    "PRAGMA user_version = 0",
    "PRAGMA application_id = 7",
]


@pytest.mark.parametrize("statement", _CRAFTED)
def test_a_backup_that_holds_anything_but_our_tables_is_refused_even_when_it_is_trusted(
    told: Memory, backup: Path, statement: str
) -> None:
    _spoil(backup, statement)
    before = _texts(told)
    assert told.copies.verify(backup).problem
    with pytest.raises(Refused):
        told.copies.restore(backup, trusted=True)
    assert _texts(told) == before


def test_a_table_that_is_really_a_view_is_refused(told: Memory, backup: Path) -> None:
    _spoil(
        backup,
        "PRAGMA writable_schema = on",
        "UPDATE sqlite_master SET type = 'view', sql = 'CREATE VIEW receipt AS SELECT 1', rootpage = 0"
        " WHERE name = 'receipt'",
    )
    with pytest.raises(Refused):
        told.copies.restore(backup, trusted=True)


def test_a_changed_byte_is_found(told: Memory, backup: Path) -> None:
    data = bytearray(backup.read_bytes())
    data[-100] ^= 0xFF
    backup.write_bytes(bytes(data))
    checked = told.copies.verify(backup)
    assert checked.problem
    assert not checked.sealed


@pytest.mark.parametrize("size", [0, 10, 100, 5_000, 100_000])
def test_a_backup_that_is_cut_off_is_refused(told: Memory, backup: Path, size: int) -> None:
    backup.write_bytes(backup.read_bytes()[:size])
    before = _texts(told)
    assert told.copies.verify(backup).problem
    with pytest.raises(MemlspError):
        told.copies.restore(backup, trusted=True)
    assert _texts(told) == before


def test_rubbish_pipes_and_what_is_not_there_are_refused(told: Memory, tmp_path: Path) -> None:
    (tmp_path / "rubbish").write_bytes(b"SQLite format 3\0" + os.urandom(5_000))
    os.mkfifo(tmp_path / "pipe")
    for name, error in (("rubbish", Refused), ("pipe", Refused), ("none", NoSuchFile), (".", MemlspError)):
        with pytest.raises(error):
            told.copies.restore(tmp_path / name, trusted=True)


def test_a_note_that_is_rubbish_makes_no_accident(told: Memory, backup: Path) -> None:
    note = backup.with_name("shop.db.json")
    for data in (b"", b"[1]", b"\xff", b"{" * 60_000, b'{"seal": 5, "digest": [], "at": 3, "counts": "x"}'):
        note.write_bytes(data)
        assert not told.copies.verify(backup).sealed
        with pytest.raises(Refused):
            told.copies.restore(backup)


def test_nothing_is_left_of_the_copy_that_was_looked_at(told: Memory, backup: Path) -> None:
    told.copies.restore(backup)
    assert not (Path(os.environ["MEMLSP_DATA_DIR"]) / "restoring").exists()


def test_a_backup_replaces_a_backup_and_nothing_else(told: Memory, backup: Path, tmp_path: Path) -> None:
    told.copies.backup(backup)
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "link.db").symlink_to(tmp_path / "mine.txt")
    for name in ("mine.txt", "link.db"):
        with pytest.raises(Refused):
            told.copies.backup(tmp_path / name)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_backup_takes_the_place_of_no_memory(told: Memory, backup: Path, tmp_path: Path) -> None:
    own, users = (store.path for store in (told._store, told._user))  # pyright: ignore[reportPrivateUsage]
    (tmp_path / "link").symlink_to(own.parent)
    opened = tmp_path / "opened.db"
    opened.write_bytes(backup.read_bytes())
    opened.with_name("opened.db-wal").write_bytes(b"what somebody writes there")
    for path in (own, users, own.with_name("beside.db"), tmp_path / "link" / own.name, opened):
        with pytest.raises(Refused, match="is where a memory itself is kept"):
            told.copies.backup(path)
    told.remember("It goes on")
    assert "It goes on" in _texts(told)


def test_the_users_memory_is_backed_up_by_itself(told: Memory, tmp_path: Path) -> None:
    from memlsp.model.belief import Scope

    told.remember("I prefer short names", limits=Limits(scope=Scope.parse("user")))
    done = told.copies.backup(tmp_path / "me.db", user=True)
    assert dict(done.counts)["belief"] == 1
    told.copies.restore(done.path, user=True)
    assert "I prefer short names" in _texts(told)
