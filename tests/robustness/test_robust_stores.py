"""Memories that cannot be written, are full, damaged or too new: said once, nothing lost, and the servers go on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from project import Project, shop
from robust_world import (
    FETCH,
    PROGRAM,
    Agent,
    Editor,
    cli,
    environment,
    fill,
    open_folder,
    remount,
    small_disk,
    without_rights,
)

from memlsp import Memory
from memlsp.model.caller import Caller
from memlsp.model.errors import StoreUnavailable
from memlsp.model.place import Place
from memlsp.store.core.database import connect

COMMANDS: list[tuple[str, ...]] = [
    ("status",),
    ("beliefs",),
    ("why", "client.py#fetch"),
    ("history", "client.py#fetch"),
    ("recall", "retries"),
]
WRITING: list[tuple[str, ...]] = [("remember", "It waits", "--at", "client.py#fetch"), ("revise", "{id}", "confirm")]


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small disk that memories are kept on."""
    with small_disk(tmp_path / "disk") as folder:
        monkeypatch.setenv("MEMLSP_DATA_DIR", str(folder / "data"))
        yield folder


def held(root: Path, text: str = "It retries 3 times") -> str:
    """Remember something; its id."""
    said = cli(root, "remember", text, "--at", "client.py#fetch")
    assert said.status == 0, said.err
    return said.out.strip()


def database(data: Path) -> Path:
    """The store of the only workspace."""
    (found,) = (data / "workspaces").rglob("memory.db")
    return found


def checks_reading_goes_on(root: Path, id: str, reason: str) -> None:
    for words in COMMANDS:
        said = cli(root, *words)
        assert said.status == 0, (words, said.err)
        assert [reason in line for line in said.lines].count(True) == 1, (words, said.err)
        assert words[0] in {"status", "history"} or "It retries 3 times" in said.out
    for words in WRITING:
        said = cli(root, *(word.format(id=id) for word in words))
        assert (said.status, said.out, len(said.lines)) == (1, "", 1), (words, said.err)
        assert reason in said.err


def test_a_full_disk_leaves_reading(project: Project, disk: Path) -> None:
    id = held(project.root)
    filler = fill(disk)
    checks_reading_goes_on(project.root, id, "the disk is full")
    assert "the disk is full" in cli(project.root, "doctor").out
    filler.unlink()
    held(project.root, "It waits between two attempts")
    assert len(cli(project.root, "beliefs", "--json").json()) == 2


def test_a_disk_that_was_always_full_is_said(project: Project, disk: Path) -> None:
    fill(disk)
    for words in (*COMMANDS, WRITING[0]):
        said = cli(project.root, *words)
        assert (said.status, said.out, len(said.lines)) == (1, "", 1), (words, said.err)
        assert "disk is full" in said.err or "No space left" in said.err


def test_a_read_only_disk_leaves_reading(project: Project, disk: Path) -> None:
    id = held(project.root)
    remount(disk, "ro")
    checks_reading_goes_on(project.root, id, "read-only")


def test_what_a_killed_process_left_in_the_log_is_read_on_a_full_and_a_read_only_disk(
    project: Project, disk: Path
) -> None:
    script = "import os; from memlsp import Memory; m = Memory.open('.'); m.remember('It retries 3 times'); os._exit(9)"
    subprocess.run(
        [PROGRAM[0], "-c", script], cwd=project.root, env=environment(disk / "data"), check=False, timeout=60
    )
    log = Path(f"{database(disk / 'data')}-wal")
    assert log.stat().st_size
    filler = fill(disk)
    assert "It retries 3 times" in cli(project.root, "beliefs").out
    filler.unlink()
    remount(disk, "ro")
    assert "It retries 3 times" in cli(project.root, "beliefs").out


def test_servers_say_that_the_disk_is_full_and_write_again_when_it_is_not(project: Project, disk: Path) -> None:
    data = disk / "data"
    held(project.root)
    filler = fill(disk)
    with Editor(project.root, data) as editor, Agent(project.root, data) as agent:
        editor.open("client.py", (project.root / "client.py").read_text())
        assert "It retries 3 times" in editor.hover("client.py", 3)
        assert "the disk is full" in editor.waits_for("window/showMessage", "nothing new is remembered")
        answer = editor.remember("client.py", 4, "It waits between two attempts")
        assert (answer["ok"], "the disk is full" in answer["error"]) == (False, True)
        told = [agent.call("why", place="client.py#fetch") for _ in range(3)]
        assert [("It retries 3 times" in text, "nothing new is remembered" in text) for _, text in told] == [
            (True, True), (True, False), (True, False)
        ]  # fmt: skip
        well, text = agent.call("remember", text="It waits", place="client.py#fetch")
        assert (well, "the disk is full" in text) == (False, True)
        filler.unlink()
        assert editor.remember("client.py", 4, "It waits between two attempts")["ok"]
        assert agent.call("remember", text="It is slow", place="client.py#fetch")[0]
        assert "It is slow" in editor.hover("client.py", 3)
        assert not [each for each in editor.said("window/showMessage") if "nothing new is remembered" in each]
    assert len(cli(project.root, "beliefs", "--json").json()) == 3


def test_a_disk_that_fills_up_under_a_server_is_said(project: Project, disk: Path) -> None:
    with Memory.open(project.root) as memory:
        at = [Place("client.py", symbol="fetch")]
        memory.remember("It retries 3 times", at=at, by=Caller(folder=project.root))
        filler = fill(disk)
        written = 1

        def use_up() -> None:
            nonlocal written
            for _ in range(500):  # what the log has reserved is used up first
                memory.remember(f"It is number {written}", at=at, by=Caller(folder=project.root))
                written += 1

        with pytest.raises(StoreUnavailable, match="the disk is full"):
            use_up()
        assert len(memory.beliefs()) == written
        filler.unlink()
        memory.remember("There is room again")
    assert len(cli(project.root, "beliefs", "--json").json()) == written + 1


def test_a_limit_on_the_size_of_files_is_said(project: Project, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    held(project.root)
    done = subprocess.run(
        [*PROGRAM, "remember", "It waits", "--at", "client.py"], cwd=project.root, env=dict(os.environ),
        capture_output=True, text=True, timeout=60, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
    )  # fmt: skip
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1), done.stderr
    assert len(cli(project.root, "beliefs", "--json").json()) == 1


def test_a_data_folder_that_may_not_be_written_leaves_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder() as folder:
        monkeypatch.setenv("MEMLSP_DATA_DIR", str(folder / "data"))
        project = shop(folder / "shop")
        with without_rights():
            id = held(project.root)
            folders = [each for each in (folder / "data").rglob("*") if each.is_dir()]
            for each in folders:
                each.chmod(0o500)
            try:
                checks_reading_goes_on(project.root, id, "read-only")
            finally:
                for each in folders:
                    each.chmod(0o700)


@pytest.mark.parametrize("where", ["a file", "below a file", "below a device"])
def test_no_folder_for_the_memory_is_said(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    (tmp_path / "file").touch()
    places = {
        "a file": tmp_path / "file",
        "below a file": tmp_path / "file" / "x",
        "below a device": Path("/dev/null/x"),
    }
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(places[where]))
    for words in (*COMMANDS, WRITING[0], ("doctor",)):
        said = cli(project.root, *words)
        assert (said.status, said.out, len(said.lines)) == (1, "", 1), (words, said.err)
        assert str(places[where]) in said.err


def test_without_a_memory_the_servers_go_on_and_say_so_once(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "file"
    data.touch()
    with Editor(project.root, data) as editor, Agent(project.root, data) as agent:
        for name in ("client.py", "pricing/tax.py", "pricing/rates.py"):
            editor.open(name, (project.root / name).read_text())
            assert editor.hover(name, 3) == ""
        assert "cannot be used" in editor.waits_for("window/showMessage", str(data))
        assert editor.said("window/showMessage") == []
        for _ in range(2):
            well, text = agent.call("recall", query="retries")
            assert (well, "cannot be used" in text) == (False, True)
        data.unlink()
        assert agent.call("recall", query="retries")[0], "it works as soon as it can"


def test_a_store_of_a_newer_version_is_said_and_left_alone(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Memory.open(project.root, data_dir=data) as memory:
        memory.remember("It retries 3 times")
    path = database(data)
    newer = connect(path, apsw.SQLITE_OPEN_READWRITE)
    newer.pragma("journal_mode", "delete")
    newer.pragma("user_version", 99)
    newer.close()
    before = path.read_bytes()
    for words in (*COMMANDS, WRITING[0], ("doctor",)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MEMLSP_DATA_DIR", str(data))
            said = cli(project.root, *words)
        assert (said.status, said.out, len(said.lines)) == (1, "", 1), (words, said.err)
        assert "layout 99" in said.err
    with Editor(project.root, data) as editor, Agent(project.root, data) as agent:
        editor.open("client.py", (project.root / "client.py").read_text())
        assert editor.hover("client.py", 3) == ""
        assert "layout 99" in editor.waits_for("window/showMessage", "update memlsp")
        assert "layout 99" in agent.call("recall", query="retries")[1]
        other = shop(tmp_path / "other")
        assert agent.call("remember", text="It is another one", workspace=str(other.root))[0]
    assert path.read_bytes() == before


def wreck(path: Path) -> dict[str, bytes]:
    """Overwrite a store and its log with noise; what is there now, by name."""
    for each in (path, Path(f"{path}-wal")):
        if each.exists():
            with each.open("r+b") as file:
                file.write(b"\xa5" * each.stat().st_size)
    return {each.name: each.read_bytes() for each in path.parent.iterdir() if not each.name.endswith(("-shm", ".lock"))}


def kept(folder: Path, wrecked: dict[str, bytes]) -> bool:
    """True when all that was there is there under other names."""
    contents = [each.read_bytes() for each in folder.iterdir() if ".corrupt-" in each.name]
    return all(data in contents for name, data in wrecked.items() if name == "memory.db")


def test_a_damaged_store_is_set_aside_and_said_once(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(data))
    held(project.root)
    path = database(data)
    wrecked = wreck(path)
    said = [cli(project.root, "beliefs") for _ in range(2)]
    assert ["was damaged" in each.err and "was kept as" in each.err for each in said] == [True, False]
    assert [each.status for each in said] == [0, 0]
    assert kept(path.parent, wrecked)
    held(project.root)
    wrecked = wreck(path)
    with Editor(project.root, data) as editor, Agent(project.root, data) as agent:
        editor.open("client.py", (project.root / "client.py").read_text())
        assert "was kept as" in editor.waits_for("window/showMessage", "was damaged")
        assert editor.remember("client.py", 4, "It retries 3 times")["ok"]
        assert "It retries 3 times" in agent.call("why", place="client.py#fetch")[1]
        assert [each for each in editor.said("window/showMessage") if not each.startswith("Remembered")] == []
    assert kept(path.parent, wrecked)
    assert len([each for each in path.parent.iterdir() if each.suffix != ".lock" and each.name.endswith("Z")]) >= 1


def test_a_store_damaged_under_running_servers_is_set_aside_by_them(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Editor(project.root, data) as editor, Agent(project.root, data) as agent:
        editor.open("client.py", (project.root / "client.py").read_text())
        for number in range(5):
            assert editor.remember("client.py", 4, f"It retries 3 times, says {number}")["ok"]
        assert "says 4" in agent.call("recall", query="retries")[1]
        path = database(data)
        with Memory.open(project.root, data_dir=data) as memory:
            memory.remember("It is written beside, so that both have to read again")
        wrecked = wreck(path)
        answers = [agent.call("remember", text=f"It waits, says {number}") for number in range(3)]
        assert answers[-1][0], answers
        found = agent.call("recall", query="waits")[1]
        assert "says 2" in found
        tries = [editor.remember("client.py", 4, "It retries 3 times") for _ in range(3)]
        assert tries[-1]["ok"], tries
        assert "It retries 3 times" in editor.hover("client.py", 3)
        why = agent.call("why", place="client.py#fetch")[1]
        assert "It retries 3 times" in why
        if not any("was kept as" in text for text in (*(text for _, text in answers), found, why)):
            editor.waits_for("window/showMessage", "was kept as")  # it was the first to meet the damage, so it says it
    assert kept(path.parent, wrecked)
    with Memory.open(project.root, data_dir=data) as memory:
        assert memory.notices == ()
        assert {"It waits, says 2", "It retries 3 times"} <= {each.belief.text for each in memory.beliefs()}


def test_a_store_deleted_under_running_servers_is_begun_anew(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (project.root / "client.py").write_text(FETCH)
    with Memory.open(project.root, data_dir=data) as memory:
        memory.remember("It retries 3 times")
        path = database(data)
        for each in list(path.parent.iterdir()):
            each.unlink()
        path.parent.rmdir()
        memory.remember("It waits between two attempts")
    with Memory.open(project.root, data_dir=data) as memory:
        assert [each.belief.text for each in memory.beliefs()] == ["It waits between two attempts"]
