"""`memlsp upgrade`: memories of earlier versions have everything afterwards, and a backup of what they were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import apsw
import pytest
from command_run import Run
from stored_shop import ASKED, KEY, LAYOUTS, STORES, WRITTEN, made_shop, stored

from memlsp.faces.cli.admin import upgrade as command
from memlsp.faces.setup import installation
from memlsp.memory import Memory
from memlsp.memory.transfer.upgrade import LAYOUT
from memlsp.model.audit import Selector, SelectorKind
from memlsp.store.backup.backup import counts_of
from memlsp.store.core import migrations
from memlsp.store.core.database import connect, connect_read_only
from memlsp.store.core.locations import data_folder, store_path, user_store_path
from memlsp.store.core.other_memories import layout_and_writer
from memlsp.version import VERSION

OLDER = "layout-18"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call memlsp in the shop whose store earlier versions wrote, soon after they did."""
    made_shop(tmp_path / "shop")
    monkeypatch.chdir(tmp_path / "shop")
    really = Memory.open

    def opened_then(start: Path) -> Memory:
        return really(start, clock=lambda: WRITTEN)

    monkeypatch.setattr(Memory, "open", opened_then)
    return Run()


def counts(path: Path) -> dict[str, int]:
    """How many rows each table has."""
    with closing(connect_read_only(path)) as connection:
        return counts_of(connection)


def layout_at(path: Path) -> int:
    return layout_and_writer(path)[0]


def leaves(found: Any, where: str = "") -> Iterator[tuple[str, object]]:
    """Each value in JSON with the way to it, and the length of each list."""
    if isinstance(found, dict):
        for key, each in cast("dict[str, Any]", found).items():
            yield from leaves(each, f"{where}.{key}")
    elif isinstance(found, list):
        several = cast("list[Any]", found)
        yield f"{where}.length", len(several)
        for number, each in enumerate(several):
            yield from leaves(each, f"{where}[{number}]")
    else:
        yield where, found


# --- everything is there -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_store_of_an_earlier_version_answers_as_it_did_there(run: Run, layout: str) -> None:
    path = stored(layout, store_path(KEY))
    before = counts(path)
    known = json.loads((STORES / f"{layout}.json").read_text("utf-8"))
    here = str(Path.cwd())
    said = {" ".join(words): run.json(*words) for words in ASKED}
    found = json.loads(json.dumps(said).replace(here, "/home/ada/shop"))
    answers = dict(leaves(found))
    assert {where: each for where, each in leaves(known) if answers.get(where) != each} == {}  # keys may have come
    after = counts(path)
    assert {name: number for name, number in before.items() if after.get(name, 0) < number} == {}
    assert layout_at(path) == LAYOUT


def test_the_stored_shops_hold_some_of_everything() -> None:
    """Else the test above would compare nothing with nothing."""
    for layout in LAYOUTS:
        known = json.loads((STORES / f"{layout}.json").read_text("utf-8"))
        assert {" ".join(words) for words in ASKED} == known.keys()
        assert [name for name, found in known.items() if not found] == []


# --- what upgrade does ---------------------------------------------------------------------------------------------


def test_an_upgrade_keeps_a_backup_that_brings_the_former_memory_back(run: Run) -> None:
    path = stored(OLDER, store_path(KEY))
    before = counts(path)
    (done,) = run.json("upgrade")["stores"]
    assert (done["name"], done["layout"], done["memlsp"], done["state"]) == (KEY, 18, "0.1.0", "upgraded")
    assert layout_at(path) == LAYOUT
    backup = Path(done["backup"])
    assert (layout_at(backup), counts(backup)) == (18, before)
    run("remember", "This came after the upgrade.")
    with Memory.open(".") as memory:
        memory.copies.restore(backup)
        texts = {judged.belief.text for judged in memory.beliefs()}
    assert "This came after the upgrade." not in texts
    assert "The pool has 20 connections" in texts


def test_a_second_upgrade_finds_nothing_to_do(run: Run) -> None:
    path = stored(OLDER, store_path(KEY))
    run("upgrade")
    bytes_before = path.read_bytes()
    again = run.json("upgrade")
    assert ([each["state"] for each in again["stores"]], again["news"]) == (["current"], [])
    assert path.read_bytes() == bytes_before
    assert len(list((path.parent / "aside").glob("*.db"))) == 1


def test_a_memory_of_the_present_layout_needs_no_backup_and_its_version_is_noted(run: Run) -> None:
    path = stored("layout-19", store_path(KEY))
    assert LAYOUT == 19, "this fixture is of the present layout no more"
    done = run.json("upgrade")
    assert [(each["state"], each["backup"]) for each in done["stores"]] == [("upgraded", None)]
    assert [each["version"] for each in done["news"]] == [VERSION]
    assert layout_and_writer(path) == (LAYOUT, VERSION)


def test_every_memory_of_the_machine_is_brought_up_to_date(run: Run) -> None:
    paths = [user_store_path(), store_path(KEY), store_path("other-shop")]
    for path in paths:
        stored(OLDER, path)
    printed = run("upgrade").stdout
    assert [layout_at(path) for path in paths] == [LAYOUT] * 3
    assert printed.count(f": upgraded (layout 18 of {LAYOUT})") == 3
    assert "Editors and agents that are open keep the old program" in printed


def test_a_dry_run_says_what_would_be_done_and_does_nothing(run: Run) -> None:
    path = stored(OLDER, store_path(KEY))
    before = path.read_bytes()
    printed = run("upgrade", "--dry-run").stdout
    assert f"{KEY}: would be upgraded (layout 18 of {LAYOUT})\n" in printed
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir() if each.is_dir()] == []


def test_what_is_forgotten_afterwards_leaves_the_backup_of_the_upgrade_too(run: Run) -> None:
    stored(OLDER, store_path(KEY))
    (done,) = run.json("upgrade")["stores"]
    with Memory.open(".") as memory:
        receipt = memory.forgetting.forget(Selector(SelectorKind.QUERY, "eu-west-1"))
    assert receipt.left == ()
    assert b"eu-west-1" not in Path(done["backup"]).read_bytes()


# --- what goes wrong -----------------------------------------------------------------------------------------------


def test_ctrl_c_leaves_each_memory_whole_and_a_second_run_does_the_rest(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [stored(OLDER, store_path(key)) for key in ("a-shop", "b-shop")]
    before = counts(paths[1])
    really, taken = migrations.step, list[int]()

    def step(number: int) -> str:
        if number >= 18:  # a backup of layout 18 is compared with those before
            taken.append(number)
        if taken[1:]:
            raise KeyboardInterrupt
        return really(number)

    with monkeypatch.context() as pressed:
        pressed.setattr(migrations, "step", step)
        assert "interrupted" in run("upgrade", status=130).stderr
    assert [layout_at(path) for path in paths] == [LAYOUT, 18]
    assert counts(paths[1]) == before
    assert [each["state"] for each in run.json("upgrade")["stores"]] == ["current", "upgraded"]


def test_a_memory_that_cannot_be_copied_whole_is_left_as_it_is(run: Run) -> None:
    good, bad = stored(OLDER, store_path("a-shop")), stored(OLDER, store_path("b-shop"))
    content = bytearray(bad.read_bytes())
    content[4096 * 2 : 4096 * 8] = b"\xa5" * (4096 * 6)
    bad.write_bytes(content)
    done = run.json("upgrade", status=1)["stores"]
    assert [each["state"] for each in done] == ["upgraded", "failed"]
    assert "damaged" in done[1]["problem"]
    assert bad.read_bytes() == bytes(content)
    assert layout_at(good) == LAYOUT


def test_a_memory_of_a_later_memlsp_is_refused_in_one_line_and_left_as_it_is(run: Run) -> None:
    path = stored(OLDER, store_path(KEY))
    with closing(connect(path, apsw.SQLITE_OPEN_READWRITE)) as connection:
        connection.execute("UPDATE info SET value = '9.9.9' WHERE key = 'memlsp'; PRAGMA user_version = 900").fetchall()
    before = path.read_bytes()
    for words in (("beliefs",), ("remember", "Nothing of this is written."), ("recall", "retries")):
        refused = run(*words, status=1)
        assert refused.stdout == ""
        assert refused.stderr == (
            f"memlsp: {path} was written by memlsp 9.9.9 (layout 900); this is memlsp {VERSION} (layout {LAYOUT})"
            " (update memlsp here, or set MEMLSP_DATA_DIR to another folder)\n"
        )
    (left,) = run.json("upgrade", status=1)["stores"]
    assert (left["state"], left["memlsp"], left["layout"]) == ("newer", "9.9.9", 900)
    assert path.read_bytes() == before
    assert sorted(each.name for each in path.parent.iterdir()) == ["memory.db"]


# --- what is new, and the program itself ---------------------------------------------------------------------------


def test_what_is_new_since_the_version_that_wrote_the_memory_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    news = tmp_path / "news.toml"
    releases = [("0.3.0", "third"), ("0.2.0", "second"), ("0.1.0", "first")]
    news.write_text("".join(f'[[release]]\nversion = "{v}"\ndate = "2026"\nnew = ["{t}"]\n' for v, t in releases))
    monkeypatch.setattr(command, "_NEWS", news)
    monkeypatch.setattr(command, "VERSION", "0.2.0")
    stored(OLDER, store_path(KEY))
    assert [each["new"] for each in run.json("upgrade", "--dry-run")["news"]] == [["second"]]
    assert [each["new"] for each in run.json("upgrade", "--dry-run", "--since", "0.0.9")["news"]] == [
        ["second"],
        ["first"],
    ]
    assert "New in 0.2.0, 2026:\n- second\n" in run("upgrade", "--dry-run").stdout
    assert "not a version: soon" in run("upgrade", "--since", "soon", status=1).stderr


def test_a_machine_without_memories_is_told_so_much(run: Run) -> None:
    assert not data_folder().exists() or not list(data_folder().iterdir())
    answer = run.json("upgrade")
    assert (answer["memlsp"], answer["layout"], answer["stores"]) == (VERSION, LAYOUT, [])


@pytest.mark.parametrize(
    ("installer", "source", "files", "expected"),
    [
        ("pip", "", (), "/env/bin/python -m pip install --upgrade memlsp"),
        ("uv", "", (), "uv pip install --python /env/bin/python --upgrade memlsp"),
        ("uv", "", ("uv-receipt.toml",), "uv tool upgrade memlsp"),
        ("pip", "", ("pipx_metadata.json",), "pipx upgrade memlsp"),
        ("pip", "/src/memlsp", (), "git pull in /src/memlsp, then /env/bin/python -m pip install /src/memlsp"),
        ("uv", "/src/memlsp", ("uv-receipt.toml",), "git pull in /src/memlsp, then uv tool upgrade memlsp --reinstall"),
    ],
)
def test_a_later_program_comes_the_way_that_this_one_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: str, source: str, files: tuple[str, ...], expected: str
) -> None:
    for name in files:
        (tmp_path / name).touch()
    monkeypatch.setattr(installation, "_installed_by", lambda: (installer, source, False))
    assert installation.upgrade_advice(tmp_path, "/env/bin/python") == expected


def test_an_environment_of_the_extension_or_of_homebrew_is_known_by_its_folder(tmp_path: Path) -> None:
    assert "extension" in installation.upgrade_advice(tmp_path / "globalStorage" / "memlsp.memlsp" / "server")
    assert installation.upgrade_advice(tmp_path / "Cellar" / "memlsp") == "brew upgrade memlsp"
