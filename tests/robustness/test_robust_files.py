"""Files that cannot be read as text, or are read otherwise than most: said in one line, and everything else goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from project import Project, shop
from robust_world import FETCH, Agent, Editor, cli, open_folder, without_rights

from memlsp import Memory
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Standing

BINARY = bytes(range(256)) * 40
LARGE = b"# padding\n" * 600_000

ODD_TEXT = {
    "bom.py": b"\xef\xbb\xbf" + FETCH.encode(),
    "latin.py": "# café\n".encode("latin-1") + FETCH.encode(),
    "utf16le.py": ("\ufeff" + FETCH).encode("utf-16-le"),
    "utf16be.py": ("\ufeff" + FETCH).encode("utf-16-be"),
    "crlf.py": FETCH.replace("\n", "\r\n").encode(),
    "cr.py": FETCH.replace("\n", "\r").encode(),
    "mixed.py": FETCH.replace("\n", "\r\n", 2).replace("try:\n", "try:\r").encode(),
    "no_end.py": FETCH.rstrip().encode(),
    "zero_later.py": FETCH.encode() + b"# " + b"x" * 9000 + b"\0\n",
}

REFUSED = {
    "binary.py": "is binary",
    "large.py": "larger than 5 MB",
    "pipe.py": "no regular file",
    "device.py": "outside of the workspace",
    "loop.py": "no such file",
    "outside.py": "outside of the workspace",
    "pricing": "is a folder",
    "whole": "is a folder",
    "missing.py": "no such file",
}


def messy(root: Path) -> Project:
    """A project with everything in it that should not be there."""
    project = shop(root)
    for name, data in {**ODD_TEXT, "binary.py": BINARY, "large.py": LARGE}.items():
        (root / name).write_bytes(data)
    (root / "loop.py").symlink_to("loop.py")
    (root / "whole").symlink_to(".", target_is_directory=True)
    (root / "outside.py").symlink_to("/etc/hosts")
    (root / "device.py").symlink_to("/dev/zero")
    if sys.platform != "win32":
        os.mkfifo(root / "pipe.py")
        os.mkfifo(root / "pricing" / ".gitignore")
        (root / os.fsdecode(b"b\xe9.py")).write_text(FETCH)
    return project


@pytest.fixture(scope="module")
def mess(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return messy(tmp_path_factory.mktemp("mess") / "mess")


@pytest.fixture
def opened(mess: Project) -> Iterator[Memory]:
    with Memory.open(mess.root) as memory:
        yield memory


@pytest.mark.parametrize("name", REFUSED)
def test_a_command_says_in_one_line_what_is_wrong_with_a_file(mess: Project, name: str) -> None:
    for words in (("remember", "It retries 3 times", "--at", name), ("why", name), ("history", f"{name}:1")):
        said = cli(mess.root, *words)
        assert (said.status, said.out, len(said.lines)) == (1, "", 1), said.err
        assert REFUSED[name] in said.err


@pytest.mark.parametrize("name", ODD_TEXT)
def test_text_of_every_encoding_and_line_end_is_read(opened: Memory, mess: Project, name: str) -> None:
    line = 4 + (name == "latin.py")
    at = Place(name, line=line)
    judgement = opened.remember("It retries 3 times", at=[at], by=Caller(folder=mess.root))
    assert (judgement.standing, judgement.ties[0].symbol) == (Standing.CURRENT, "fetch")
    encoding = {"latin.py": "latin-1", "utf16le.py": "utf-16", "utf16be.py": "utf-16"}.get(name, "utf-8-sig")
    text = ODD_TEXT[name].decode(encoding)
    opened.open_buffer(name, text.replace("\r\n", "\n").replace("\r", "\n"), 1)
    assert opened.belief(judgement.belief.id).standing is Standing.CURRENT, "the editor has the same text"
    opened.open_buffer(name, text.replace("retries=3", "retries=4"), 2)
    assert opened.belief(judgement.belief.id).standing is Standing.CONTRADICTED


def test_a_belief_at_a_file_that_went_bad_is_doubted_with_the_reason(opened: Memory, project: Project) -> None:
    with Memory.open(project.root) as memory:
        held = memory.remember(
            "It retries 3 times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
        )
        for data, reason in ((BINARY, "binary"), (LARGE, "larger than 5 MB")):
            (project.root / "client.py").write_bytes(data)
            now = memory.belief(held.belief.id)
            assert now.standing is Standing.CHANGED
            assert reason in now.reasons[0].message


@pytest.mark.timeout(60)
def test_nothing_is_opened_that_would_never_end(opened: Memory, mess: Project) -> None:
    """Searching the workspace for what a statement names passes pipes and devices by."""
    judgement = opened.remember("`fetch_everything` and `pipe.py` are used by `compute_tax`")
    assert judgement.belief.id
    assert opened.recall("fetch").tokens >= 0
    assert all(check.ok is not False for check in opened.doctor())


@pytest.mark.timeout(60)
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize(
    "place",
    [
        *("info/exclude", "info/attributes", "objects/pack/multi-pack-index", "an object"),
        *("core.excludesFile", "core.attributesFile", "include.path"),
    ],
)
def test_nobody_waits_at_a_pipe_that_git_would_read_by_itself(project: Project, place: str) -> None:
    """In the folder of the repository, or named by its configuration. A commit that waits is looked at by its hash."""
    cli(project.root, "remember", "fetch retries three times", "--at", "client.py#fetch")
    commit = project.git("rev-parse", "HEAD").strip()
    pipe = project.root / ".git" / (f"objects/{commit[:2]}/{commit[2:]}" if place == "an object" else place)
    if "." in place:
        pipe = project.root.parent / "pipe"
        project.git("config", place, str(pipe))
    pipe.parent.mkdir(exist_ok=True)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    project.write("pricing/new.py", FETCH)
    for words in ("status", "beliefs", "settle"):
        said = cli(project.root, words)
        assert said.status == 0, said
        assert "Traceback" not in said.err


@pytest.mark.timeout(60)
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_rules_that_are_turned_off_by_the_empty_device_are_no_pipe(project: Project) -> None:
    project.git("config", "core.excludesFile", os.devnull)
    assert "main at" in cli(project.root, "status").out


@pytest.mark.timeout(60)
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize("words", ["check --changed", "diff", "settle", "beliefs", "onboard --dry-run"])
def test_nobody_waits_at_the_rules_of_a_folder_that_are_a_pipe(project: Project, words: str) -> None:
    """libgit2 opens them on its own, for what differs on disk and for a file that is not tracked."""
    project.write("AGENTS.md", "`fetch` retries 3 times.\n")
    project.commit("Instructions")
    os.mkfifo(project.root / "pricing" / ".gitignore")
    project.write("pricing/new.py", FETCH)
    project.replace("client.py", "retries=3", "retries=4")
    said = cli(project.root, *words.split())
    assert said.status == 0 or "a pipe or a device" in said.err
    assert "Traceback" not in said.err


def test_an_editor_goes_on_and_is_told_once(mess: Project, tmp_path: Path) -> None:
    with Editor(mess.root, tmp_path / "data") as editor:
        editor.open("client.py", (mess.root / "client.py").read_text())
        assert editor.remember("client.py", 4, "It retries 3 times")["ok"]
        for name in (*REFUSED, *ODD_TEXT):
            if name not in {"large.py", "pricing", "whole"}:
                editor.open(name, FETCH)
                editor.hover(name, 0)
                editor.diagnostics(name)
        large = LARGE.decode()
        editor.open("large.py", large)
        assert editor.hover("large.py", 0) == ""
        assert "larger than 5 MB" in editor.waits_for("window/logMessage", "large.py")
        editor.change("large.py", {"text": large + "# more\n"})
        assert editor.diagnostics("large.py") == []
        answer = editor.remember("large.py", 1, "It is large")
        assert (answer["ok"], "cannot be read" in answer["error"] or "5 MB" in answer["error"]) == (False, True)
        assert "It retries 3 times" in editor.hover("client.py", 3)
        assert not [each for each in editor.said("window/logMessage") if "large.py is larger" in each]
        assert [each for each in editor.said("window/showMessage") if "Error" in each] == []


def test_an_agent_goes_on(mess: Project, tmp_path: Path) -> None:
    with Agent(mess.root, tmp_path / "data") as agent:
        for name, reason in REFUSED.items():
            for tool, arguments in (("why", {}), ("remember", {"text": "It retries 3 times"})):
                well, text = agent.call(tool, place=name, **arguments)
                assert not well
                assert reason in text
        assert agent.call("remember", text="It retries 3 times", place="utf16le.py#fetch")[0]
        assert "It retries 3 times" in agent.call("recall", query="how often is it tried again: retries?")[1]


@pytest.mark.skipif(sys.platform == "win32", reason="file names are text there")
def test_a_file_name_that_is_no_text_is_carried_through_every_face(mess: Project, tmp_path: Path) -> None:
    name = os.fsdecode(b"b\xe9.py")
    data = tmp_path / "data"
    with Memory.open(mess.root, data_dir=data) as memory:
        held = memory.remember("It retries 3 times", at=[Place(name, symbol="fetch")], by=Caller(folder=mess.root))
        assert memory.belief(held.belief.id).standing is Standing.CURRENT
    with Agent(mess.root, data) as agent, Editor(mess.root, data) as editor:
        assert "It retries 3 times" in agent.call("recall", query="retries")[1]
        editor.open(name, FETCH)
        assert "It retries 3 times" in editor.hover(name, 0)


def test_what_may_not_be_read_is_said() -> None:
    with open_folder() as folder:
        project = shop(folder / "shop")
        project.write("secret/a.py", FETCH)
        project.write("mine.py", FETCH)
        (project.root / "mine.py").chmod(0)
        (project.root / "secret").chmod(0)
        try:
            with without_rights(), Memory.open(project.root, data_dir=folder / "data") as memory:
                for path, reason in (("mine.py", "Permission denied"), ("secret/a.py", "Permission denied")):
                    with pytest.raises(Exception, match=reason):
                        memory.why(Place(path), base=project.root)
                assert memory.remember("It retries 3 times", at=[Place("client.py")], by=Caller(folder=project.root))
                assert memory.remember("`fetch` is in `mine.py` and in `secret/a.py`")
                assert memory.recall("fetch").hits
        finally:
            (project.root / "secret").chmod(0o700)
