"""Opening: privacy, migrations, damage, read-only folders, full disks."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from attrs import evolve
from statements import belief_of, revision_of

from memlsp.model.belief import BeliefStatus, RevisionAction
from memlsp.model.errors import StoreCorrupt, StoreTooNew, StoreUnavailable
from memlsp.store.core import migrations
from memlsp.store.core.database import connect
from memlsp.store.store import Store, open_store

_BOTH = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE

posix = pytest.mark.skipif(sys.platform == "win32", reason="access on Windows is by the folder's own rights")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workspaces" / "shop" / "memory.db"


def remember(store: Store, id: str, text: str = "We retry three times.") -> None:
    belief = belief_of(id, text)
    store.add(belief, revision_of(belief))


def set_aside(path: Path) -> list[Path]:
    """The damaged files kept beside a store, without their side files."""
    return sorted(each for each in path.parent.glob("memory.db.corrupt-*") if not each.name.endswith(("-wal", "-shm")))


def sql(path: Path, statement: str) -> None:
    connection = connect(path, _BOTH)
    connection.execute(statement).fetchall()  # a statement with rows would hold up those behind it
    connection.close()


# --- privacy -------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_nobody_else_can_read_a_memory_whatever_the_umask_is(path: Path, mask: int) -> None:
    path.parent.parent.parent.mkdir(exist_ok=True)
    before = os.umask(mask)
    try:
        with open_store(path) as store:
            remember(store, "b1")
            files = list(path.parent.iterdir())
            assert {"memory.db", "memory.db-wal", "memory.db-shm"} <= {each.name for each in files}
            assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
            assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)


@posix
def test_a_memory_that_others_could_read_is_closed_to_them(path: Path) -> None:
    open_store(path).close()
    path.chmod(0o644)
    open_store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_a_folder_that_was_there_keeps_its_rights(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    folder.chmod(0o750)
    open_store(folder / "memory.db").close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o750


def test_deleted_text_does_not_stay_in_the_file(path: Path) -> None:
    with open_store(path) as store:
        remember(store, "b1", "the unforgettablezebra walks")
        for number in range(30):
            remember(store, f"c{number}", f"filler {number}")
    assert b"unforgettablezebra" in path.read_bytes()
    sql(
        path,
        """
        PRAGMA secure_delete = on;
        PRAGMA foreign_keys = on;
        DELETE FROM search WHERE rowid = (SELECT seq FROM belief WHERE id = 'b1');
        DELETE FROM belief WHERE id = 'b1';
        PRAGMA wal_checkpoint(TRUNCATE);
        """,
    )
    assert b"unforgettablezebra" not in path.read_bytes()
    assert not any(b"unforgettablezebra" in each.read_bytes() for each in path.parent.iterdir())


# --- layouts -------------------------------------------------------------------------------------------------------


def test_an_older_store_is_brought_up_to_date_and_keeps_what_it_holds(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", migrations.STEPS[:12])
        older.setattr(migrations, "LATEST", 12)
        with open_store(path) as store:
            remember(store, "b1")
    with open_store(path) as store:
        assert store.belief("b1") is not None
        assert store.receipts() == []
        assert store.notice == ""


def test_opening_goes_on_when_another_process_migrates_the_store_meanwhile(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite cannot load an index while the schema changes twice under it: "vtable constructor failed"."""
    undisturbed = migrations.refuse_newer
    left = [apsw.SchemaChangeError("vtable constructor failed: search")] * 3

    def disturbed(*arguments: Any) -> None:
        if left:
            raise left.pop()
        undisturbed(*arguments)

    monkeypatch.setattr(migrations, "refuse_newer", disturbed)
    with open_store(path) as store:
        remember(store, "b1")
        assert [hit.id for hit in store.search([["retry"]], limit=1)] == ["b1"]


def test_a_step_that_fails_leaves_the_layout_before_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(path) as store:
        remember(store, "b1")
    broken = path.parent / "broken.sql"
    broken.write_text("CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);", encoding="utf-8")
    with monkeypatch.context() as newer:
        newer.setattr(migrations, "STEPS", (*migrations.STEPS, str(broken)))
        newer.setattr(migrations, "LATEST", migrations.LATEST + 1)
        with pytest.raises(Exception, match="nowhere"):
            open_store(path)
    with open_store(path) as store:
        assert store.belief("b1") is not None
        assert store.integrity() == "ok"


def test_a_store_of_a_newer_memlsp_is_left_alone_and_both_versions_are_named(path: Path) -> None:
    with open_store(path) as store:
        remember(store, "b1")
    sql(path, "UPDATE info SET value = '9.9.9' WHERE key = 'memlsp'; PRAGMA user_version = 900")
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match=r"memlsp 9\.9\.9 \(layout 900\).* memlsp \d+\.\d+") as raised:
        open_store(path)
    assert "update memlsp" in raised.value.hint
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    sql(path, "CREATE TABLE theirs (a); PRAGMA application_id = 1234")
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="another program's"):
        open_store(path)
    assert path.read_bytes() == before


# --- damage --------------------------------------------------------------------------------------------------------


def damage_garbage(path: Path) -> None:
    path.write_bytes(b"this was never a database" * 1000)


def damage_header(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[:100] = b"\xff" * 100
    path.write_bytes(content)


def damage_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 8] = b"\xa5" * (4096 * 6)
    path.write_bytes(content)


def damage_length(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize(
    ("at", "number", "said"),
    [
        (44, 77, "unsupported file format"),  # the format of the schema
        (60, 0, "no memlsp has layout 0"),  # the layout, `user_version`
        (60, 0xFFFFFFFF, "no memlsp has layout -1"),
        (60, 0x00FF0000, "no memlsp has layout 16711680"),
    ],
)
def test_a_store_with_a_damaged_number_in_its_head_is_set_aside(path: Path, at: int, number: int, said: str) -> None:
    with open_store(path) as store:
        remember(store, "b1")
    with path.open("r+b") as file:
        file.seek(at)
        file.write(number.to_bytes(4, "big"))
    with open_store(path) as store:
        assert said in store.notice
        assert store.belief("b1") is None
    assert len(set_aside(path)) == 1


@pytest.mark.parametrize("damage", [damage_garbage, damage_header, damage_page, damage_length])
def test_a_damaged_store_is_set_aside_and_a_fresh_one_started(path: Path, damage: object) -> None:
    with open_store(path) as store:
        remember(store, "old")
    assert callable(damage)
    damage(path)
    content = path.read_bytes()

    with open_store(path) as store:
        [aside] = set_aside(path)
        assert aside.read_bytes() == content
        assert str(aside) in store.notice
        assert "\n" not in store.notice
        assert store.belief("old") is None
        remember(store, "new")
    with open_store(path) as store:
        assert store.belief("new") is not None
        assert store.notice == ""
    assert len(set_aside(path)) == 1


def test_the_side_files_go_with_a_damaged_store(path: Path) -> None:
    path.parent.mkdir(parents=True)
    damage_garbage(path)
    Path(f"{path}-wal").write_bytes(b"the last words")
    with open_store(path) as store:
        remember(store, "new")
        [aside] = set_aside(path)
        assert Path(f"{aside}-wal").read_bytes() == b"the last words"
        assert store.integrity() == "ok"


def test_two_damaged_stores_in_one_second_are_both_kept(path: Path) -> None:
    path.parent.mkdir(parents=True)
    for number in range(3):
        path.write_bytes(f"not a database {number}".encode() * 100)
        open_store(path).close()
    assert len({each.read_bytes() for each in set_aside(path)}) == 3


def test_a_store_that_another_process_has_replaced_meanwhile_is_not_set_aside(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir(parents=True)
    damage_garbage(path)
    with open_store(tmp_path / "sound" / "memory.db") as sound:
        remember(sound, "b1")

    def locked_after_the_other(handle: int) -> bool:
        (tmp_path / "sound" / "memory.db").replace(path)
        return True

    monkeypatch.setattr("memlsp.store.core.store_file.try_lock", locked_after_the_other)
    with open_store(path) as store:
        assert store.belief("b1") is not None
        assert store.notice == ""
    assert set_aside(path) == []


def test_damage_met_in_use_is_told_and_dealt_with_at_the_next_start(path: Path) -> None:
    with open_store(path) as store:
        for number in range(300):
            remember(store, f"b{number}", f"statement {number} " + "and so on " * 400)
    content = bytearray(path.read_bytes())
    assert len(content) > 1 << 20, "small enough to be examined at every start"
    content[4096 * 160 :] = b"\xa5" * (len(content) - 4096 * 160)
    path.write_bytes(content)

    with open_store(path) as store, pytest.raises(StoreCorrupt, match="damaged"):
        store.beliefs()
    with open_store(path) as store:
        assert len(set_aside(path)) == 1
        assert store.notice


def test_an_empty_file_is_a_fresh_store(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.touch()
    with open_store(path) as store:
        remember(store, "b1")
        assert store.notice == ""


# --- the file under an open store ------------------------------------------------------------------------------------


def test_what_is_said_after_the_folder_was_deleted_is_kept_in_a_fresh_one(path: Path) -> None:
    with open_store(path) as store:
        remember(store, "b1")
        moved = store.data_version()
        shutil.rmtree(path.parent)
        remember(store, "b2")
        assert store.data_version() != moved
        with open_store(path) as other:
            assert other.belief("b2") is not None


def test_what_is_said_after_another_process_set_the_file_aside_is_kept_in_the_fresh_one(path: Path) -> None:
    with open_store(path) as store:
        remember(store, "b1")
        path.rename(path.with_name("memory.db.corrupt-x"))
        with open_store(path) as other:
            remember(other, "b2")
            remember(store, "b3")
            assert other.belief("b3") is not None
            assert store.belief("b2") is not None
            assert other.integrity() == "ok"


# --- what cannot be written ----------------------------------------------------------------------------------------


def test_a_full_disk_is_said_and_nothing_is_half_written(path: Path) -> None:
    with open_store(path) as store:
        remember(store, "b1")
        pages = store._connection.pragma("page_count")  # pyright: ignore[reportPrivateUsage]
        store._connection.pragma("max_page_count", pages + 2)  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(StoreUnavailable, match="the disk is full"):
            remember(store, "b2", " ".join(f"word{number}" for number in range(20_000)))
        assert store.belief("b2") is None
        assert store.belief("b1") is not None
        assert store.integrity() == "ok"


def test_a_store_locked_for_too_long_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlsp.store.core.store_file.BUSY_TIMEOUT", 0.05)
    with open_store(path) as store:
        other = connect(path, _BOTH)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked"):
            remember(store, "b1")
        assert store.belief("b1") is None
        other.execute("ROLLBACK")
        other.close()
        remember(store, "b1")
        assert store.belief("b1") is not None


def test_a_folder_in_the_place_of_the_file_is_said(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreUnavailable, match="memory") as raised:
        open_store(path)
    assert "MEMLSP_DATA_DIR" in raised.value.hint


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", encoding="utf-8")
    with pytest.raises(StoreUnavailable, match="data") as raised:
        open_store(tmp_path / "data" / "workspaces" / "shop" / "memory.db")
    assert "MEMLSP_DATA_DIR" in raised.value.hint


_READ_ONLY = """
import os, sys
from pathlib import Path
from memlsp.model.errors import StoreUnavailable
from memlsp.store.store import open_store
from statements import belief_of, revision_of
path = Path(sys.argv[1])
with open_store(Path(sys.argv[2])) as scratch:  # so that what is imported late is there before the rights go
    belief = belief_of("b0", "retry")
    scratch.add(belief, revision_of(belief))
    scratch.belief("b0")
if hasattr(os, "geteuid") and os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    store = open_store(path, read_only_ok=sys.argv[3] == "ok")
except StoreUnavailable as error:
    print("unavailable:", error, "|", error.hint)
    sys.exit()
print("read_only:", store.read_only)
print("notice:", store.notice)
print("found:", [hit.id for hit in store.search([["retry"]], limit=5)], store.belief("b1").text)
try:
    belief = belief_of("b2", "x")
    store.add(belief, revision_of(belief))
except StoreUnavailable as error:
    print("refused:", error, "|", error.hint)
print("integrity:", store.integrity(), store.data_version() == store.data_version())
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can get to, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="memlsp-"))
    folder.chmod(0o755)
    yield folder
    for each in (folder, *(each for each in folder.rglob("*") if each.is_dir())):
        each.chmod(0o755)
    shutil.rmtree(folder)


def as_somebody_without_rights(path: Path, scratch: Path, allowed: str = "ok") -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", _READ_ONLY, str(path), str(scratch / "memory.db"), allowed],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@posix
@pytest.mark.parametrize("side_files", ["left", "gone"])
def test_a_read_only_folder_is_read(open_folder: Path, tmp_path: Path, side_files: str) -> None:
    path = open_folder / "shop" / "memory.db"
    store = open_store(path)
    remember(store, "b1")
    if side_files == "gone":
        store.close()
    for each in path.parent.iterdir():
        each.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        lines = as_somebody_without_rights(path, tmp_path)
    finally:
        store.close()
    said = dict(line.split(": ", 1) for line in lines)
    assert said["read_only"] == "True"
    assert "read-only" in said["notice"]
    assert said["found"] == "['b1'] We retry three times."
    assert str(path.parent) in said["refused"]
    assert "MEMLSP_DATA_DIR" in said["refused"]
    assert said["integrity"] == "ok True"


@posix
def test_a_read_only_folder_can_be_refused(open_folder: Path, tmp_path: Path) -> None:
    path = open_folder / "shop" / "memory.db"
    open_store(path).close()
    path.chmod(0o444)
    path.parent.chmod(0o555)
    [line] = as_somebody_without_rights(path, tmp_path, allowed="no")
    assert line.startswith("unavailable:")


@posix
def test_where_no_store_can_be_made_the_folder_and_the_variable_are_named(open_folder: Path, tmp_path: Path) -> None:
    open_folder.chmod(0o555)
    path = open_folder / "shop" / "memory.db"
    [line] = as_somebody_without_rights(path, tmp_path)
    assert line.startswith("unavailable:")
    assert str(path.parent) in line
    assert "MEMLSP_DATA_DIR" in line


def test_the_integrity_of_a_store_with_an_astray_index_is_not_ok(path: Path) -> None:
    with open_store(path) as store:
        remember(store, "b1")
        sql(path, "DELETE FROM search")
        assert store.integrity() == "1 active beliefs, 0 in the search index"


def test_a_retired_belief_is_no_problem_of_integrity(path: Path) -> None:
    with open_store(path) as store:
        remember(store, "b1")
        belief = store.belief("b1")
        assert belief is not None
        retired = evolve(belief, status=BeliefStatus.RETIRED)
        store.change(retired, revision_of(retired, RevisionAction.RETIRE))
        assert store.integrity() == "ok"


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_store_that_another_process_sets_aside_meanwhile_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "memory.db"
    open_store(path).close()
    real, moved = os.access, list[Path]()

    def access(asked: Path, mode: int, **more: bool) -> bool:
        found = real(asked, mode, **more)
        if not moved and asked == path and mode == os.W_OK:
            moved.append(path.rename(tmp_path / "memory.db.corrupt"))
            return found if moment == "after" else real(asked, mode, **more)
        return found

    monkeypatch.setattr(os, "access", access)
    with open_store(path) as store:
        assert store.beliefs() == []
        assert not store.read_only
    assert moved
