from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from git_world import git, repository, write

from memlsp.capture.bounded_cache import BoundedCache
from memlsp.capture.workspace.file_list import FileList
from memlsp.capture.workspace.source_files import LARGEST_SOURCE, SourceFiles
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.errors import NoSuchFile, Refused, UnreadableSource

_needs_links = pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")


def _names(worktree: Worktree, path: str) -> list[str]:
    outline = worktree.outline(path)
    return [symbol.name for symbol in outline.symbols if symbol.name] if outline else []


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    files = {
        "src/app.py": "def pay():\n    return 1\n",
        "src/rates.py": "RATE = 0.20\n",
        "README.md": "# Shop\n",
        ".gitignore": "*.log\n/out/\n",
    }
    return repository(tmp_path / "shop", files=files)


@pytest.fixture
def worktree(shop: Path) -> Worktree:
    return Worktree(shop, git=True)


# paths


def test_tracked_and_new_files_are_listed_and_ignored_ones_are_not(shop: Path, worktree: Worktree) -> None:
    write(
        shop,
        {"src/new.py": "", "debug.log": "", "out/a.py": "", "node_modules/x/i.js": "", "src/__pycache__/a.pyc": ""},
    )
    assert worktree.paths() == (".gitignore", "README.md", "src/app.py", "src/new.py", "src/rates.py")


def test_a_tracked_file_is_listed_even_where_it_is_ignored(shop: Path, worktree: Worktree) -> None:
    write(shop, {"out/kept.py": "", "out/lost.py": "", "build/a.py": ""})
    git(shop, "add", "-f", "out/kept.py", "build/a.py")
    assert "out/kept.py" in worktree.paths()
    assert "build/a.py" in worktree.paths()
    assert "out/lost.py" not in worktree.paths()


def test_a_file_that_is_tracked_and_deleted_is_not_listed(shop: Path, worktree: Worktree) -> None:
    (shop / "src" / "app.py").unlink()
    assert "src/app.py" not in worktree.paths()


def test_the_private_exclude_file_counts(shop: Path, worktree: Worktree) -> None:
    write(shop, {".git/info/exclude": "secret.py\n", "secret.py": ""})
    assert "secret.py" not in worktree.paths()


def test_new_and_removed_files_are_noticed_without_being_told(shop: Path, worktree: Worktree) -> None:
    before = worktree.paths()
    write(shop, {"src/deep/new.py": ""})
    assert set(worktree.paths()) - set(before) == {"src/deep/new.py"}
    (shop / "src" / "deep" / "new.py").unlink()
    assert worktree.paths() == before


def test_changed_ignore_rules_are_noticed_without_being_told(shop: Path, worktree: Worktree) -> None:
    write(shop, {"src/deep/a.py": ""})
    assert "src/deep/a.py" in worktree.paths()
    write(shop, {"src/.gitignore": "deep/\n"})
    assert "src/deep/a.py" not in worktree.paths()
    write(shop, {"src/.gitignore": "# nothing\n"})
    assert "src/deep/a.py" in worktree.paths()
    (shop / "src" / ".gitignore").write_text("deep/\n")
    assert "src/deep/a.py" not in worktree.paths()
    (shop / "src" / ".gitignore").unlink()
    assert "src/deep/a.py" in worktree.paths()


def test_a_branch_switch_is_noticed_without_being_told(shop: Path, worktree: Worktree) -> None:
    git(shop, "checkout", "-q", "-b", "other")
    git(shop, "rm", "-q", "src/rates.py")
    git(shop, "commit", "-q", "-m", "Drop the rates")
    assert "src/rates.py" not in worktree.paths()
    git(shop, "checkout", "-q", "main")
    assert "src/rates.py" in worktree.paths()


@_needs_links
def test_links_are_not_followed_and_loops_do_no_harm(shop: Path, worktree: Worktree, tmp_path: Path) -> None:
    write(tmp_path / "outside", {"a.py": ""})
    (shop / "src" / "loop").symlink_to(shop, target_is_directory=True)
    (shop / "src" / "away").symlink_to(tmp_path / "outside", target_is_directory=True)
    (shop / "src" / "alias.py").symlink_to(shop / "src" / "app.py")
    assert [path for path in worktree.paths() if path.startswith("src/")] == ["src/app.py", "src/rates.py"]


def test_repositories_inside_are_left_to_themselves(shop: Path, worktree: Worktree, tmp_path: Path) -> None:
    repository(shop / "vendor" / "lib")
    git(shop, "submodule", "add", "-q", str(repository(tmp_path / "other")), "sub")
    assert not [path for path in worktree.paths() if path.startswith(("vendor/", "sub/"))]


def test_a_plain_folder_honours_its_ignore_files(tmp_path: Path) -> None:
    write(
        tmp_path / "notes",
        {
            ".gitignore": "*.tmp\n",
            ".ignore": "drafts/\n",
            "a.md": "",
            "b.tmp": "",
            "drafts/c.md": "",
            "deep/.gitignore": "!b.tmp\n",
            "deep/b.tmp": "",
            "dist/x.js": "",
            "node_modules/y.js": "",
            "venv/pyvenv.cfg": "",
            "venv/lib.py": "",
            "target/z.rs": "",
        },
    )
    paths = Worktree(tmp_path / "notes", git=False).paths()
    assert paths == (".gitignore", ".ignore", "a.md", "deep/.gitignore", "deep/b.tmp")


def test_one_bad_pattern_does_not_cost_the_others(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "a/**b\\\n[\n!\n*.log\n", "x.log": "", "y.md": ""})
    assert Worktree(tmp_path, git=False).paths() == (".gitignore", "y.md")


def test_a_bare_repository_has_no_files(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "app.git")
    worktree = Worktree(tmp_path / "app.git", git=True)
    assert worktree.paths() == ()
    assert worktree.head() is None


def test_a_listing_stops_at_its_most(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}/a.py": "" for number in range(30)})
    listing = FileList(tmp_path, git=False, most=10)
    assert len(listing.paths()) == 10


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="such names cannot be there")
def test_a_name_that_is_no_text_is_passed_over(shop: Path, worktree: Worktree) -> None:
    (Path(os.fsdecode(os.fsencode(shop) + b"/bad\xff.py"))).write_text("")
    assert all(path.isprintable() for path in worktree.paths())


def test_a_folder_that_vanished_is_empty(tmp_path: Path) -> None:
    assert Worktree(tmp_path / "gone", git=True).paths() == ()


# relative


def test_a_path_is_understood_however_it_is_typed(
    shop: Path, worktree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop / "src")
    assert worktree.relative("app.py") == "src/app.py"
    assert worktree.relative("./app.py") == "src/app.py"
    assert worktree.relative("../README.md") == "README.md"
    assert worktree.relative("src/app.py") == "src/app.py"
    assert worktree.relative(shop / "src" / "app.py") == "src/app.py"
    assert worktree.relative("app.py", base=shop / "src") == "src/app.py"
    monkeypatch.chdir(shop)
    assert worktree.relative("app.py", base=Path("src")) == "src/app.py"


def test_a_path_from_the_root_works_from_outside(
    worktree: Worktree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(tmp_path / "elsewhere", {"src/app.py": "", "only.py": ""})
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert worktree.relative("src/app.py") == "src/app.py"
    with pytest.raises(Refused, match="outside"):
        worktree.relative("only.py")


def test_what_is_not_there_or_no_file_is_said(shop: Path, worktree: Worktree) -> None:
    with pytest.raises(NoSuchFile, match=r"missing\.py"):
        worktree.relative("missing.py", base=shop)
    with pytest.raises(NoSuchFile, match="folder"):
        worktree.relative("src", base=shop)
    with pytest.raises(NoSuchFile):
        worktree.relative("a\0b", base=shop)


def test_what_lies_outside_is_refused(shop: Path, worktree: Worktree, tmp_path: Path) -> None:
    write(tmp_path, {"other.py": "", "shop-two/a.py": ""})
    for path in (tmp_path / "other.py", tmp_path / "shop-two" / "a.py"):
        with pytest.raises(Refused):
            worktree.relative(path)
    with pytest.raises(Refused):
        worktree.relative("../other.py", base=shop)


@_needs_links
def test_links_are_followed_to_where_they_lead(shop: Path, worktree: Worktree, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shop, target_is_directory=True)
    (shop / "alias.py").symlink_to("src/app.py")
    write(tmp_path, {"other.py": "x = 1\n"})
    (shop / "escape.py").symlink_to(tmp_path / "other.py")
    assert worktree.relative(tmp_path / "link" / "src" / "app.py") == "src/app.py"
    assert worktree.relative("alias.py", base=shop) == "src/app.py"
    with pytest.raises(Refused):
        worktree.relative("escape.py", base=shop)
    with pytest.raises(Refused):
        worktree.read("escape.py")
    assert worktree.outline("escape.py") is None


def test_an_open_buffer_counts_as_a_file(shop: Path, worktree: Worktree) -> None:
    worktree.set_buffer("src/unsaved.py", "x = 1\n", 1)
    assert worktree.relative("src/unsaved.py", base=shop) == "src/unsaved.py"


# read, outline, buffers


@pytest.mark.parametrize("path", ["../other", "/etc/hosts", "src/../../x", "", "a\0b"])
def test_nothing_is_read_outside_of_the_root(worktree: Worktree, path: str) -> None:
    with pytest.raises(Refused):
        worktree.read(path)


def test_a_buffer_is_read_before_the_disk(worktree: Worktree) -> None:
    worktree.set_buffer("src/rates.py", "RATE = 0.25\n", 1)
    assert worktree.has_buffer("src/rates.py")
    assert worktree.read("src/rates.py") == b"RATE = 0.25\n"
    worktree.drop_buffer("src/rates.py")
    assert worktree.read("src/rates.py") == b"RATE = 0.20\n"
    assert not worktree.has_buffer("src/rates.py")


def test_a_lone_surrogate_in_a_buffer_does_no_harm(worktree: Worktree) -> None:
    worktree.set_buffer("src/rates.py", "x = '\ud800'\n", 1)
    assert worktree.outline("src/rates.py") is not None


def test_what_is_absent_is_none(worktree: Worktree) -> None:
    assert worktree.read("src/missing.py") is None
    assert worktree.read("src") is None
    assert worktree.read("README.md/deeper") is None
    assert worktree.outline("src/missing.py") is None
    assert worktree.problem("src/missing.py") is None


def test_binary_and_huge_files_are_said_once(shop: Path, worktree: Worktree) -> None:
    (shop / "a.py").write_bytes(b"x = 1\0\n")
    with (shop / "b.py").open("wb") as file:
        file.truncate(LARGEST_SOURCE + 1)
    for path, reason in (("a.py", "binary"), ("b.py", "larger than 5 MB")):
        with pytest.raises(UnreadableSource, match=reason):
            worktree.read(path)
        assert worktree.outline(path) is None
        assert reason in (worktree.problem(path) or "")
        assert worktree.outline(path) is None
        assert worktree.problem(path) is None
    write(shop, {"a.py": "x = 1\n"})
    assert worktree.outline("a.py") is not None
    assert worktree.problem("a.py") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_a_pipe_does_not_block(shop: Path, worktree: Worktree) -> None:
    os.mkfifo(shop / "pipe.py")
    with pytest.raises(UnreadableSource, match="not a regular file"):
        worktree.read("pipe.py")
    assert "pipe.py" not in worktree.paths()


def test_an_outline_follows_the_file_without_being_told(shop: Path, worktree: Worktree) -> None:
    assert _names(worktree, "src/app.py") == ["pay"]
    write(shop, {"src/app.py": "def buy():\n    return 1\n"})
    assert _names(worktree, "src/app.py") == ["buy"]
    (shop / "src" / "app.py").unlink()
    assert worktree.outline("src/app.py") is None


def test_a_change_within_one_tick_of_the_clock_is_seen(shop: Path, worktree: Worktree) -> None:
    path = shop / "src" / "app.py"
    for name in ("aaa", "bbb", "ccc", "ddd"):
        path.write_text(f"def {name}():\n    return 1\n")  # the same size each time
        assert _names(worktree, "src/app.py") == [name]


def test_an_outline_is_made_once_for_one_state(shop: Path, worktree: Worktree) -> None:
    os.utime(shop / "src" / "app.py", (1_700_000_000, 1_700_000_000))
    assert worktree.outline("src/app.py") is worktree.outline("src/app.py")
    os.utime(shop / "src" / "app.py", (1_700_000_100, 1_700_000_100))
    first = worktree.outline("src/app.py")
    worktree.set_buffer("src/rates.py", "a = 1\n", 1)
    assert worktree.outline("src/app.py") is first
    assert worktree.outline("src/rates.py") is worktree.outline("src/rates.py")


def test_an_outline_follows_the_buffer(worktree: Worktree) -> None:
    worktree.set_buffer("src/app.py", "def one(): ...\n", 1)
    assert _names(worktree, "src/app.py") == ["one"]
    worktree.set_buffer("src/app.py", "def two(): ...\n", 1)  # an editor may start to count anew
    assert _names(worktree, "src/app.py") == ["two"]
    worktree.drop_buffer("src/app.py")
    assert _names(worktree, "src/app.py") == ["pay"]


def test_the_generation_moves_with_every_change(worktree: Worktree) -> None:
    seen = [worktree.generation()]
    for act in (
        lambda: worktree.set_buffer("a.py", "", 1),
        lambda: worktree.drop_buffer("a.py"),
        lambda: worktree.changed(["src/app.py"]),
        worktree.changed,
    ):
        act()
        seen.append(worktree.generation())
    assert len(set(seen)) == 5
    worktree.drop_buffer("never-open.py")
    assert worktree.generation() == seen[-1]


def test_what_is_kept_in_memory_is_let_go_when_it_takes_too_much() -> None:
    kept: BoundedCache[str, int] = BoundedCache(100)
    for number, name in enumerate("abc"):
        kept.put(name, number, 40)
    assert kept.get("a") is None
    assert kept.get("b") == 1
    kept.put("d", 3, 40)  # `b` was used last
    assert [kept.get(name) for name in "bcd"] == [1, None, 3]
    kept.put("huge", 4, 500)
    assert [kept.get(name) for name in ("b", "d", "huge")] == [None, None, 4]
    kept.put("huge", 5, 20)
    kept.put("a", 0, 80)
    assert [kept.get(name) for name in ("huge", "a")] == [5, 0]
    kept.drop(["huge", "unknown"])
    assert [kept.get(name) for name in ("huge", "a")] == [None, 0]
    kept.drop()
    assert kept.get("a") is None


# containing


def test_files_that_hold_all_needles_are_found_in_order(shop: Path, worktree: Worktree) -> None:
    write(shop, {"src/b.py": "pay rate\n", "src/a.py": "pay rate\n", "src/c.txt": "pay rate\n", "src/d.py": "pay\n"})
    assert worktree.containing([b"pay", b"rate"]) == ["src/a.py", "src/b.py", "src/c.txt"]
    assert worktree.containing([b"pay", b"rate"], suffixes=[".py"]) == ["src/a.py", "src/b.py"]
    assert worktree.containing([b"pay", b"rate"], limit=1) == ["src/a.py"]
    assert worktree.containing([b"nowhere"]) == []


def test_a_search_near_a_file_reads_those_listed_next_to_it(
    shop: Path, worktree: Worktree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlsp.capture.workspace.worktree._NEAREST", 2)
    write(shop, {f"src/n{number}.py": "payable\n" for number in range(9)})
    assert worktree.containing([b"payable"], near="src/n4.py") == ["src/n3.py", "src/n4.py", "src/n5.py", "src/n6.py"]
    assert worktree.containing([b"payable"], near="src/n8.py") == ["src/n7.py", "src/n8.py"]
    assert len(worktree.containing([b"payable"])) == 9


def test_a_search_sees_buffers_and_changes(shop: Path, worktree: Worktree) -> None:
    assert worktree.containing([b"RATE"]) == ["src/rates.py"]
    worktree.set_buffer("src/rates.py", "nothing\n", 1)
    worktree.set_buffer("src/unsaved.py", "RATE = 1\n", 1)
    assert worktree.containing([b"RATE"]) == ["src/unsaved.py"]
    worktree.drop_buffer("src/rates.py")
    worktree.drop_buffer("src/unsaved.py")
    write(shop, {"src/rates.py": "LATE = 0.20\n"})
    assert worktree.containing([b"RATE"]) == []


def test_while_a_watcher_runs_a_search_is_kept_until_it_reports_a_change(worktree: Worktree, shop: Path) -> None:
    worktree.watchers += 1
    assert worktree.containing([b"RATE"]) == ["src/rates.py"]
    write(shop, {"src/b.py": "RATE = 0.25\n"})
    assert worktree.containing([b"RATE"]) == ["src/rates.py"]
    worktree.changed(["src/b.py"])
    assert worktree.containing([b"RATE"]) == ["src/b.py", "src/rates.py"]
    worktree.watchers -= 1
    write(shop, {"src/c.py": "RATE = 0.3\n"})
    assert worktree.containing([b"RATE"]) == ["src/b.py", "src/c.py", "src/rates.py"]


def test_buffers_count_at_once_in_a_search_that_is_kept(worktree: Worktree) -> None:
    worktree.watchers += 1
    assert worktree.containing([b"RATE"], suffixes=[".py"], limit=2) == ["src/rates.py"]
    worktree.set_buffer("src/app.py", "from rates import RATE\n", 1)
    assert worktree.containing([b"RATE"], suffixes=[".py"], limit=2) == ["src/app.py", "src/rates.py"]
    worktree.set_buffer("src/rates.py", "SHARE = 0.2\n", 1)
    assert worktree.containing([b"RATE"], suffixes=[".py"], limit=2) == ["src/app.py"]
    worktree.set_buffer("notes.txt", "RATE\n", 1)
    assert worktree.containing([b"RATE"], suffixes=[".py"], limit=2) == ["src/app.py"]
    worktree.drop_buffer("src/rates.py")
    worktree.drop_buffer("src/app.py")
    assert worktree.containing([b"RATE"], suffixes=[".py"], limit=2) == ["src/rates.py"]


def test_a_search_passes_over_what_cannot_be_read(shop: Path, worktree: Worktree) -> None:
    (shop / "src" / "blob.py").write_bytes(b"RATE\0")
    assert worktree.containing([b"RATE"]) == ["src/rates.py"]


def test_a_search_takes_each_file_in_one_go_and_looks_at_none_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"file{number}.py" for number in range(20)]
    write(tmp_path, dict.fromkeys(names, "def pay():\n    return 1\n"))
    for name in names:
        os.utime(tmp_path / name, (1_700_000_000, 1_700_000_000))
    sources = SourceFiles(tmp_path)
    calls: list[str] = []

    def counted(name: str) -> None:
        really = getattr(os, name)

        def call(*words: object, **more: object) -> object:
            calls.append(name)
            return really(*words, **more)

        monkeypatch.setattr(os, name, call)

    for name in ("stat", "lstat", "open"):
        counted(name)
    assert all(sources.search(name, [b"pay", b"return"]) for name in names)
    assert calls == ["open"] * len(names)
    calls.clear()
    assert not any(sources.search(name, [b"pay", b"refund"]) for name in names)
    assert calls == ["stat"] * len(names)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_that_took_the_place_of_a_file_holds_up_no_search(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "app.py")
    assert not SourceFiles(tmp_path).search("app.py", [b"pay"])


def test_what_is_kept_for_searching_is_bounded(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}.py": "x" * 1000 for number in range(20)})
    sources = SourceFiles(tmp_path, cache_bytes=5_500)
    for _ in range(2):
        assert all(sources.search(f"{number}.py", [b"x"]) for number in range(20))
    assert sources.cached_bytes <= 5_500


# git


def test_head_and_branch_are_those_of_now(shop: Path, worktree: Worktree) -> None:
    assert worktree.head() == git(shop, "rev-parse", "HEAD")
    assert worktree.branch() == "main"
    git(shop, "commit", "-q", "--allow-empty", "-m", "More")
    assert worktree.head() == git(shop, "rev-parse", "HEAD")
    git(shop, "checkout", "-q", "-b", "feature/one")
    assert worktree.branch() == "feature/one"
    git(shop, "checkout", "-q", "--detach")
    assert worktree.branch() is None
    assert worktree.head() == git(shop, "rev-parse", "HEAD")


def test_a_repository_without_commits_has_a_branch_and_no_head(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "new")
    write(tmp_path / "new", {"a.py": ""})
    worktree = Worktree(tmp_path / "new", git=True)
    assert worktree.head() is None
    assert worktree.branch() == "main"
    assert worktree.paths() == ("a.py",)


def test_a_plain_folder_has_neither_head_nor_branch(tmp_path: Path) -> None:
    worktree = Worktree(tmp_path, git=False)
    assert worktree.head() is None
    assert worktree.branch() is None


def test_many_threads_may_use_it_at_once(shop: Path, worktree: Worktree) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(15):
                worktree.set_buffer(f"src/{number}.py", f"def f{turn}(): ...\n", turn)
                assert _names(worktree, f"src/{number}.py") == [f"f{turn}"]
                assert "src/app.py" in worktree.paths()
                assert worktree.containing([b"RATE"]) == ["src/rates.py"]
                assert worktree.head()
                worktree.changed([f"src/{number}.py"] if turn % 2 else None)
        except BaseException as failure:  # noqa: BLE001  told to the test's own thread
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
