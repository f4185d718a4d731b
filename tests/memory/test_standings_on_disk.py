"""Answers that a process leaves to the next one are those that a fresh look would give, whatever happened between."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from attrs import evolve
from project import Project, shop

from memlsp import Memory
from memlsp.beliefs.files import Files
from memlsp.beliefs.standing import standing, symbol_uses
from memlsp.capture.workspace import stamp
from memlsp.memory.judging import kept_standings
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Belief, Limits
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Judgement, Standing
from memlsp.store.core import derived_rows

LONG_AGO = 1_600_000_000
EDITS = [
    ("client.py", "retries=3", "retries=5"),
    ("client.py", "def fetch", "def load"),
    ("pricing/tax.py", "round(net * RATE, 2)", "net * RATE"),
    ("pricing/tax.py", "pricing.rates import", "rates import"),
    ("pricing/tax.py", "class Invoice", "class Bill"),
    ("pricing/rates.py", "RATE = 0.20", "RATE = 0.25"),
]
Told = dict[str, tuple[object, ...]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return shop(tmp_path / "shop")


@pytest.fixture
def data(project: Project, tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    with Memory.open(project.root, data_dir=folder) as memory:

        def keep(text: str, *places: Place) -> str:
            return memory.remember(text, at=places, by=Caller(folder=project.root)).belief.id

        keep("fetch gives up after 3 retries", Place("client.py", symbol="fetch"))
        keep("compute_tax rounds to 2 places", Place("pricing/tax.py", symbol="compute_tax"))
        keep("An Invoice has a total", Place("pricing/tax.py", symbol="Invoice.total"))
        keep("The rate is in pricing/rates.py as `RATE`")
        keep("Callers wait", Place("client.py"))
        keep("We ship on Fridays")
    settle(project.root)
    return folder


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The beliefs that are judged by their code from here on."""
    found: list[str] = []
    judge = standing.judge_in

    def noting(belief: Belief, files: Files, *, now: datetime) -> Judgement:
        found.append(belief.text)
        return judge(belief, files, now=now)

    monkeypatch.setattr(standing, "judge_in", noting)
    return found


def settle(root: Path, moment: int = LONG_AGO) -> None:
    """Make everything old, as most files of a workspace are: what was just written may be written again unnoticed."""
    for folder, _, names in os.walk(root):
        for path in (Path(folder), *(Path(folder, name) for name in names)):
            os.utime(path, (moment, moment), follow_symlinks=False)


def kept_file(data: Path) -> Path:
    return next(data.glob("workspaces/*"), data) / kept_standings.NAME


def rows(data: Path) -> dict[str, Any]:
    """The kept rows: an answer for each belief, and the list of files."""
    with closing(sqlite3.connect(kept_file(data))) as connection:
        return {key: json.loads(value) for key, value in connection.execute("SELECT key, value FROM kept")}


def told(project: Project, data: Path, clock: Callable[[], datetime] | None = None) -> Told:
    """What a new process says of all beliefs, of the place of each, and of two files."""
    symbol_uses._uses = symbol_uses.Uses()  # pyright: ignore[reportPrivateUsage] - a new process has none
    with Memory.open(project.root, data_dir=data, clock=clock) as memory:
        listed = [*memory.beliefs(include_past=True), *memory.about("client.py"), *memory.about("pricing/tax.py")]
    return {
        f"{number} {each.belief.text}": (each.standing, each.reasons, [(t.path, t.symbol, t.line) for t in each.ties])
        for number, each in enumerate(listed)
    }


def judge_ahead(project: Project, data: Path) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        memory.judge_ahead(1e6, lambda: False)


def afresh(project: Project, data: Path) -> Told:
    """The same without the kept answers, which stay as they are."""
    path = kept_file(data)
    kept = path.read_bytes() if path.exists() else None
    path.unlink(missing_ok=True)
    found = told(project, data)
    if kept is not None:
        path.write_bytes(kept)
    return found


def changes(project: Project, chance: random.Random) -> Iterator[None]:
    """Edits, renames, moves, deletions, new modules, other rules for the list of files, switches of the branch."""
    root = project.root
    project.git("branch", "other")
    while True:
        path, old, new = chance.choice(EDITS)
        there = (root / path).exists()
        what = chance.randrange(9)
        if what < 3 and there:
            text = (root / path).read_text(encoding="utf-8")
            project.write(path, text.replace(old, new) if old in text else text.replace(new, old))
        elif what == 3 and there:
            (root / path).rename(root / chance.choice(["pricing/moved.py", "rates.py", "client.py"]))
        elif what == 4:
            (root / path).unlink(missing_ok=True)
        elif what == 5:
            project.write(chance.choice(["rates.py", "pricing/__init__.py", path]), "RATE = 0.5\n")
        elif what == 8 and there:  # as it was, or back to what a kept answer saw
            text = (root / path).read_text(encoding="utf-8")
            (root / path).unlink()
            project.write(path, text.replace(new, old))
        elif what == 6:
            project.write(".gitignore", chance.choice(["rates.py\n", "pricing/\n", "\n"]))
        else:
            project.git("stash", "--include-untracked", "--quiet")
            project.git("checkout", "--quiet", chance.choice(["main", "other"]))
            if chance.random() < 0.5:
                project.git("stash", "pop", "--quiet") if project.git("stash", "list") else None
        yield


@pytest.mark.parametrize("seed", range(8))
def test_after_any_changes_a_kept_answer_is_a_fresh_one(project: Project, data: Path, seed: int) -> None:
    chance = random.Random(seed)
    reused = 0
    for number, _ in zip(range(10), changes(project, chance), strict=False):
        if chance.random() < 0.8:
            # the same moment for every state: nothing but the change itself tells two of the same size apart
            settle(project.root, LONG_AGO + chance.choice([0, number]))
        reused += kept_file(data).exists()
        if chance.random() < 0.5:
            judge_ahead(project, data)
        assert told(project, data) == afresh(project, data)
    assert reused


def test_what_did_not_change_is_not_judged_again(project: Project, data: Path, judged: list[str]) -> None:
    first = told(project, data)
    judged.clear()
    assert told(project, data) == first
    assert judged == []
    project.replace("client.py", "retries=3", "retries=5")
    os.utime(project.root / "client.py", (LONG_AGO, LONG_AGO))
    told(project, data)
    assert "fetch gives up after 3 retries" in judged
    assert "compute_tax rounds to 2 places" not in judged


def test_a_file_that_was_written_again_as_it_was_is_not_judged_again(
    project: Project, data: Path, judged: list[str]
) -> None:
    first = told(project, data)
    for path in ("client.py", "pricing/tax.py", "pricing/rates.py"):
        text = (project.root / path).read_text(encoding="utf-8")
        (project.root / path).unlink()
        project.write(path, text)
    settle(project.root, LONG_AGO + 5)
    before = rows(data)
    judged.clear()
    assert told(project, data) == first
    assert told(project, data) == first
    assert judged == []
    assert rows(data) != before, "the new stamps are kept, so that the files are not read each time"


def test_the_settler_judges_ahead_what_nothing_is_kept_of(
    project: Project, data: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_standings, "_REST", 0)
    kept_file(data).unlink()
    judge_ahead(project, data)
    assert len(judged) == 6
    judged.clear()
    told(project, data)
    assert judged == []
    project.replace("client.py", "retries=3", "retries=5")
    settle(project.root)
    judge_ahead(project, data)
    assert sorted(judged) == ["Callers wait", "fetch gives up after 3 retries"]
    judged.clear()
    assert Standing.CONTRADICTED in {state[0] for state in told(project, data).values()}
    assert judged == []


def test_judging_ahead_rests_after_a_turn_and_stops_when_told(
    project: Project, data: Path, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_standings, "_REST", 0)
    kept_file(data).unlink()
    with Memory.open(project.root, data_dir=data) as memory:
        memory.judge_ahead(1e6, lambda: True)
        assert judged == []
        monkeypatch.setattr(kept_standings, "_REST", 1e9)
        memory.judge_ahead(1e6, lambda: False)
        assert len(judged) == 6
    kept = rows(data)
    project.replace("client.py", "retries=3", "retries=5")
    judge_ahead(project, data)
    assert (len(judged), rows(data)) == (6, kept)


def test_what_a_process_judged_is_not_judged_again_in_it(project: Project, data: Path, judged: list[str]) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        first = memory.beliefs()
        judged.clear()
        assert memory.beliefs() == first
        assert judged == []


def test_a_change_of_the_same_size_at_the_same_time_is_seen(project: Project, data: Path) -> None:
    told(project, data)
    project.replace("client.py", "retries=3", "retries=5")
    settle(project.root)
    assert Standing.CONTRADICTED in {state[0] for state in told(project, data).values()}


def test_an_open_buffer_speaks_for_its_file(project: Project, data: Path) -> None:
    told(project, data)
    with Memory.open(project.root, data_dir=data) as memory:
        text = (project.root / "client.py").read_text(encoding="utf-8")
        memory.open_buffer("client.py", text.replace("retries=3", "retries=5"), 1)
        assert Standing.CONTRADICTED in {each.standing for each in memory.beliefs()}
    assert Standing.CONTRADICTED not in {state[0] for state in told(project, data).values()}


def test_a_kept_answer_ends_with_its_date(project: Project, data: Path) -> None:
    now = datetime(2030, 1, 1, tzinfo=UTC)
    with Memory.open(project.root, data_dir=data, clock=lambda: now) as memory:
        memory.remember(
            "Until summer", limits=Limits(expires_at=now + timedelta(days=9)), by=Caller(folder=project.root)
        )
    for _ in range(2):
        assert Standing.EXPIRED not in {state[0] for state in told(project, data, lambda: now).values()}
    later = told(project, data, lambda: now + timedelta(days=10))
    assert Standing.EXPIRED in {state[0] for state in later.values()}


def test_a_file_that_became_a_link_out_of_the_workspace_is_not_read(
    project: Project, data: Path, tmp_path: Path
) -> None:
    told(project, data)
    outside = tmp_path / "outside.py"
    (project.root / "client.py").rename(outside)
    (project.root / "client.py").symlink_to(outside)
    settle(project.root)
    now = told(project, data)
    assert now == afresh(project, data)
    assert now["0 fetch gives up after 3 retries"][0] is not Standing.CURRENT


def test_nothing_of_a_forgotten_belief_stays(project: Project, data: Path) -> None:
    told(project, data)
    with Memory.open(project.root, data_dir=data) as slow, Memory.open(project.root, data_dir=data) as memory:
        id = slow.beliefs()[0].belief.id
        assert id in rows(data)
        memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
        assert not kept_file(data).exists()
    assert not kept_file(data).exists() or id.encode() not in kept_file(data).read_bytes()
    told(project, data)
    assert id.encode() not in kept_file(data).read_bytes()


def test_a_secret_in_the_code_is_not_quoted_in_the_file(project: Project, data: Path) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    settle(project.root)
    told(project, data)
    assert b"retries" in kept_file(data).read_bytes()  # the reason, which needs no judging again
    secret = "ghp_" + "x7Kq2Lm9Rt4Vb8Nz1Wc5Yd3Hf6Jg0PaSuEoI"[:36]
    project.replace("client.py", "retries=5", f'retries="{secret}"')
    settle(project.root, LONG_AGO + 1)
    told(project, data)
    assert secret.encode() not in kept_file(data).read_bytes()


@pytest.mark.parametrize("damage", ["", "{", "SQLite format 3", "rules", "nested", "other"])
def test_a_damaged_file_is_as_good_as_none(project: Project, data: Path, damage: str) -> None:
    fresh = told(project, data)
    answers: dict[str, list[object]] = {
        "nested": [1, 2],
        "other": ["", "current", {}, {}, "", None, [["x"]], [[1, 2, 3, 4, 5, 6, 7]]],
    }
    if damage in answers:
        for key, (digest, *_) in rows(data).items():
            whole = json.dumps([digest, *answers[damage][1:]])
            with closing(sqlite3.connect(kept_file(data))) as connection, connection:
                connection.execute("UPDATE kept SET value = ? WHERE key = ?", (whole, key))
    elif damage == "rules":
        with closing(sqlite3.connect(kept_file(data))) as connection, connection:
            connection.execute("UPDATE kept SET mark = 'of another version'")
    else:
        kept_file(data).write_text(damage, encoding="utf-8")
    assert told(project, data) == fresh
    assert told(project, data) == fresh


def test_a_full_disk_loses_the_answers_and_nothing_else(
    project: Project, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    kept_file(data).unlink()
    monkeypatch.setattr(derived_rows, "transaction", full)
    assert told(project, data) == told(project, data)
    assert rows(data) == {}


def test_a_file_whose_time_was_set_back_is_read_again(project: Project, data: Path) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        assert Standing.CONTRADICTED not in {each.standing for each in memory.beliefs()}
        project.replace("client.py", "retries=3", "retries=5")
        settle(project.root)
        assert Standing.CONTRADICTED in {each.standing for each in memory.beliefs()}


@pytest.mark.parametrize("seconds", [-1_000_000_000, 2_000_000_000], ids=["back", "forth"])
def test_a_clock_that_jumps_keeps_no_answer_too_long(project: Project, data: Path, seconds: int) -> None:
    told(project, data)
    project.replace("client.py", "retries=3", "retries=5")
    settle(project.root, LONG_AGO + seconds)
    now = told(project, data)
    assert now == afresh(project, data)
    assert Standing.CONTRADICTED in {state[0] for state in now.values()}
    project.replace("client.py", "retries=5", "retries=3")
    settle(project.root)
    assert Standing.CONTRADICTED not in {state[0] for state in told(project, data).values()}


def test_a_file_that_is_ignored_since_is_judged_as_without_kept_answers(project: Project, data: Path) -> None:
    told(project, data)
    project.write(".gitignore", "pricing/\nclient.py\n")
    project.git("rm", "-r", "--cached", "--quiet", "pricing", "client.py")
    settle(project.root)
    assert told(project, data) == afresh(project, data)


def test_times_in_steps_of_two_seconds_hide_no_change(
    project: Project, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on FAT and some network file systems: neither time tells the second writing from the first."""
    made = stamp.stamp_from

    def coarse(status: os.stat_result) -> stamp.Stamp:
        found = made(status)
        step = 2_000_000_000
        mtime, ctime = (each // step * step for each in (status.st_mtime_ns, status.st_ctime_ns))
        settled = time.time_ns() - mtime > step
        return evolve(found, mtime_ns=mtime, ctime_ns=ctime, settled=settled)

    monkeypatch.setattr(stamp, "stamp_from", coarse)
    with Memory.open(project.root, data_dir=data) as memory:
        for old, new in (("3", "5"), ("5", "3"), ("3", "5")):
            project.replace("client.py", f"retries={old}", f"retries={new}")
            found = {each.standing for each in memory.beliefs()}
            assert (Standing.CONTRADICTED in found) is (new == "5")


_ASKING = """
import sys
from pathlib import Path
from memlsp import Memory
for _ in range(int(sys.argv[3])):
    with Memory.open(Path(sys.argv[1]), data_dir=Path(sys.argv[2])) as memory:
        print(sorted((each.belief.text, each.standing.value) for each in memory.beliefs()))
"""


def test_eight_processes_share_what_they_keep(project: Project, data: Path) -> None:
    command = [sys.executable, "-c", _ASKING, str(project.root), str(data)]
    expected = subprocess.run([*command, "1"], capture_output=True, text=True, check=True).stdout
    processes = [subprocess.Popen([*command, "4"], stdout=subprocess.PIPE, text=True) for _ in range(8)]
    answers = {line for each in processes for line in each.communicate()[0].splitlines(keepends=True)}
    assert [each.returncode for each in processes] == [0] * 8
    assert answers == {expected}
    assert len(rows(data)) == 7  # six beliefs and the list of files
    assert told(project, data) == afresh(project, data)
