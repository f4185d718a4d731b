from __future__ import annotations

from pathlib import Path

import pygit2
import pytest
from history_world import START, Repository, said

from memlsp.capture.history.past import WalkBounds, symbol_history
from memlsp.model.episode import SymbolHistory


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def fetch(name: str = "fetch", arguments: str = "url", timeout: int = 30, note: str = "") -> str:
    return f"""
def {name}({arguments}):
    session = make_session({note})
    for attempt in range(3):
        reply = session.get(url, timeout={timeout})
        if reply.status_code < 500:
            return reply.json()
    raise Unreachable(url)
"""


OTHER = "\ndef other(path):\n    with open(path) as file:\n        return file.read().splitlines()\n"


def test_the_changes_of_meaning_are_listed_newest_first(repository: Repository) -> None:
    born = repository.commit("Fetch things", {"a.py": OTHER + fetch()})
    repository.commit("Say what it does", {"a.py": OTHER + fetch().replace("):\n", '):\n    """Get it."""\n', 1)})
    repository.commit("Change the other one", {"a.py": OTHER.replace("open", "io.open") + fetch()})
    slow = repository.commit("Be patient", {"a.py": OTHER + fetch(timeout=60)})
    repository.commit("Reformat", {"a.py": OTHER + fetch(timeout=60).replace("url, ", "url,   ")})
    history = symbol_history(repository.root, "a.py", "fetch")
    assert [change.commit for change in history.changes] == [slow, born]
    newest, oldest = history.changes
    assert newest.change == "`fetch` changed `timeout` from 30 to 60."
    assert oldest.change == "Added `fetch`."
    assert (newest.author, newest.subject) == ("Ada Byron", "Be patient")
    assert newest.date.timestamp() == START + 60 * 4
    assert newest.date.tzinfo is not None
    assert (history.complete, history.stopped) == (True, "")


def test_a_rename_of_the_symbol_is_followed(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch() + OTHER})
    repository.commit("two", {"a.py": fetch("load") + OTHER})
    repository.commit("three", {"a.py": fetch("load", timeout=60) + OTHER})
    history = symbol_history(repository.root, "a.py", "load")
    assert said(history) == [
        ("three", "`load` changed `timeout` from 30 to 60."),
        ("two", "`fetch` renamed to `load`."),
        ("one", "Added `fetch`."),
    ]
    assert [change.symbol for change in history.changes] == ["load", "load", "fetch"]


def test_a_move_to_another_file_is_followed(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch() + OTHER, "b.py": "X = 1\n"})
    repository.commit("two", {"a.py": OTHER, "b.py": "X = 1\n" + fetch()})
    history = symbol_history(repository.root, "b.py", "fetch")
    assert said(history) == [
        ("two", "`fetch` moved from a.py to b.py; nothing else changed."),
        ("one", "Added `fetch`."),
    ]
    assert [change.path for change in history.changes] == ["b.py", "a.py"]


def test_a_move_with_an_edit_is_followed(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch() + OTHER, "b.py": "X = 1\n"})
    repository.commit("two", {"a.py": OTHER, "b.py": "X = 1\n" + fetch(timeout=60)})
    history = symbol_history(repository.root, "b.py", "fetch")
    assert said(history)[0][1].startswith("`fetch` moved from a.py to b.py, changed `timeout` from 30 to 60")
    assert len(history.changes) == 2


def test_a_renamed_file_is_followed_and_is_no_change(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch() + OTHER})
    repository.commit("two", {"a.py": None, "src/pkg/a.py": fetch() + OTHER})
    repository.commit("three", {"src/pkg/a.py": fetch(timeout=9) + OTHER})
    history = symbol_history(repository.root, "src/pkg/a.py", "fetch")
    assert [subject for subject, _ in said(history)] == ["three", "one"]


def test_a_file_that_is_renamed_and_edited_at_once_is_followed(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch() + OTHER})
    repository.commit("two", {"a.py": None, "b.py": fetch(timeout=60) + OTHER})
    history = symbol_history(repository.root, "b.py", "fetch")
    assert [subject for subject, _ in said(history)] == ["two", "one"]


def test_a_method_follows_its_renamed_class_without_a_word(repository: Repository) -> None:
    body = "".join("    " + line + "\n" for line in fetch(arguments="self, url").strip().splitlines())
    repository.commit("one", {"a.py": "class Courier:\n" + body})
    repository.commit("two", {"a.py": "class Carrier:\n" + body})
    history = symbol_history(repository.root, "a.py", "Carrier.fetch")
    assert [subject for subject, _ in said(history)] == ["one"]
    assert history.changes[0].symbol == "Courier.fetch"


def test_a_copy_is_born_where_it_was_copied(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch()})
    repository.commit("two", {"a.py": fetch(), "b.py": fetch()})
    assert said(symbol_history(repository.root, "b.py", "fetch")) == [("two", "Added `fetch`.")]


def test_changes_on_a_merged_branch_are_found(repository: Repository) -> None:
    repository.commit("base", {"a.py": fetch() + OTHER})
    repository.switch("side", create=True)
    repository.commit("side", {"a.py": fetch(timeout=60) + OTHER})
    repository.switch("main")
    repository.commit("main", {"a.py": fetch() + OTHER.replace("open", "io.open")})
    merged = fetch(timeout=60) + OTHER.replace("open", "io.open")
    repository.commit("merge", {"a.py": merged}, merging=repository.tip("side"))
    history = symbol_history(repository.root, "a.py", "fetch")
    assert [subject for subject, _ in said(history)] == ["side", "base"]


def test_a_merge_of_two_changes_lists_both(repository: Repository) -> None:
    repository.commit("base", {"a.py": fetch()})
    repository.switch("side", create=True)
    repository.commit("side", {"a.py": fetch(timeout=60)})
    repository.switch("main")
    repository.commit("main", {"a.py": fetch(arguments="url, log")})
    repository.commit("merge", {"a.py": fetch(arguments="url, log", timeout=60)}, merging=repository.tip("side"))
    history = symbol_history(repository.root, "a.py", "fetch")
    assert [subject for subject, _ in said(history)] == ["main", "side", "base"]


def test_the_changes_of_two_branches_are_told_in_the_order_of_their_dates(repository: Repository) -> None:
    repository.commit("base", {"a.py": fetch()})
    repository.switch("side", create=True)
    repository.commit("side 1", {"a.py": fetch(timeout=40)})
    repository.switch("main")
    repository.commit("main 1", {"a.py": fetch(arguments="url, log")})
    repository.switch("side")
    repository.commit("side 2", {"a.py": fetch(timeout=50)})
    repository.switch("main")
    repository.commit("main 2", {"a.py": fetch(arguments="url, log, note")})
    merged = fetch(arguments="url, log, note", timeout=50)
    repository.commit("merge", {"a.py": merged}, merging=repository.tip("side"))
    history = symbol_history(repository.root, "a.py", "fetch")
    assert [subject for subject, _ in said(history)] == ["main 2", "side 2", "main 1", "side 1", "base"]


def test_a_change_merged_from_a_branch_with_the_older_path_is_its_own(repository: Repository) -> None:
    repository.commit("base", {"a.py": fetch() + OTHER})
    repository.switch("side", create=True)
    repository.commit("side", {"a.py": fetch(timeout=60) + OTHER})
    repository.switch("main")
    repository.commit("main", {"a.py": None, "src/a.py": fetch() + OTHER})
    repository.commit("merge", {"src/a.py": fetch(timeout=60) + OTHER}, merging=repository.tip("side"))
    history = symbol_history(repository.root, "src/a.py", "fetch")
    assert [subject for subject, _ in said(history)] == ["side", "base"]


def test_the_limit_is_said(repository: Repository) -> None:
    for timeout in range(5):
        repository.commit(f"t{timeout}", {"a.py": fetch(timeout=timeout)})
    history = symbol_history(repository.root, "a.py", "fetch", bounds=WalkBounds(limit=2))
    assert [subject for subject, _ in said(history)] == ["t4", "t3"]
    assert (history.complete, history.stopped) == (False, "limit")


def test_a_history_that_ends_at_the_limit_is_complete(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch()})
    repository.commit("two", {"a.py": fetch(timeout=9)})
    assert symbol_history(repository.root, "a.py", "fetch", bounds=WalkBounds(limit=2)).complete


def test_a_deadline_and_a_cancellation_end_the_walk(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch()})
    repository.commit("two", {"a.py": fetch(timeout=9)})
    assert symbol_history(repository.root, "a.py", "fetch", bounds=WalkBounds(deadline=-1.0)).stopped == "deadline"
    history = symbol_history(repository.root, "a.py", "fetch", bounds=WalkBounds(cancelled=lambda: True))
    assert (history.complete, history.stopped) == (False, "cancelled")


def test_what_is_not_committed_is_no_history_but_its_name_is_understood(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch() + OTHER})
    now = fetch("load", timeout=60) + OTHER
    (repository.root / "a.py").write_text(now)
    history = symbol_history(repository.root, "a.py", "load", source=now.encode())
    assert said(history) == [("one", "Added `fetch`.")]


def test_a_shallow_clone_does_not_call_its_boundary_a_birth(repository: Repository) -> None:
    repository.commit("one", {"a.py": fetch()})
    boundary = repository.commit("two", {"a.py": fetch() + OTHER})
    repository.commit("three", {"a.py": fetch(timeout=60) + OTHER})
    (repository.root / ".git" / "shallow").write_text(boundary + "\n")
    history = symbol_history(repository.root, "a.py", "fetch")
    assert [subject for subject, _ in said(history)] == ["three"]
    assert (history.complete, history.stopped) == (False, "shallow")


def test_a_subfolder_and_a_linked_worktree_are_roots_too(repository: Repository, tmp_path: Path) -> None:
    repository.commit("one", {"lib/a.py": fetch()})
    repository.commit("two", {"lib/a.py": fetch(timeout=9)})
    history = symbol_history(repository.root / "lib", "a.py", "fetch")
    assert [change.path for change in history.changes] == ["a.py", "a.py"]
    linked = tmp_path / "linked"
    repository.git.add_worktree("linked", str(linked))
    assert len(symbol_history(linked, "lib/a.py", "fetch").changes) == 2


def test_an_overload_of_java_is_followed(repository: Repository) -> None:
    def java(limit: int) -> str:
        return f"class A {{\n  int f(int a) {{ return a; }}\n  int f(int a, int b) {{ return a + b + {limit}; }}\n}}\n"

    repository.commit("one", {"A.java": java(1)})
    repository.commit("two", {"A.java": java(2)})
    assert [subject for subject, _ in said(symbol_history(repository.root, "A.java", "A.f"))] == ["one"]


def test_where_there_is_nothing_to_tell_the_history_is_empty(repository: Repository, tmp_path: Path) -> None:
    empty = SymbolHistory()
    assert symbol_history(tmp_path / "project", "a.py", "fetch") == empty  # no commits yet
    assert symbol_history(tmp_path / "nowhere", "a.py", "fetch") == empty
    repository.commit("one", {"a.py": fetch(), "big.py": b"#" * 5_100_000, "bin.py": b"\0\1\2"})
    (repository.root / "new.py").write_text(fetch())
    (repository.root / "link.py").symlink_to("a.py")
    repository.commit("link", {"a.py": fetch() + OTHER})
    repository.git.index.add("link.py")
    repository.commit("with link", {})
    for path, symbol in [
        ("new.py", "fetch"),
        ("a.py", "nothing"),
        ("link.py", "fetch"),
        ("big.py", ""),
        ("bin.py", ""),
        ("", ""),
        ("a.py/x", "fetch"),
        ("../a.py", "fetch"),
    ]:
        assert symbol_history(repository.root, path, symbol) == empty, path


def test_a_bare_repository_and_a_plain_folder_have_no_history(tmp_path: Path) -> None:
    pygit2.init_repository(str(tmp_path / "bare"), bare=True)
    (tmp_path / "plain").mkdir()
    assert symbol_history(tmp_path / "bare", "a.py", "f") == SymbolHistory()
    assert symbol_history(tmp_path / "plain", "a.py", "f") == SymbolHistory()


def test_a_subject_cannot_carry_control_characters(repository: Repository) -> None:
    repository.commit("red \x1b[31m\u202ealert\nbody", {"a.py": fetch()})
    (change,) = symbol_history(repository.root, "a.py", "fetch").changes
    assert change.subject == "red [31malert"


def test_a_commit_that_only_writes_the_same_code_otherwise_is_not_listed(repository: Repository) -> None:
    old = "import typing\n\n\nclass A:\n    @typing.no_type_check\n    def f(self, a):\n        return g(a)\n"
    repository.commit("one", {"a.py": old})
    repository.commit("two", {"a.py": old.replace("import typing\n", "import typing as t\n").replace("@typing", "@t")})
    repository.commit("three", {"a.py": old.replace("@typing.no_type_check", "@cached").replace("g(a)", "h(a)")})
    assert said(symbol_history(repository.root, "a.py", "A.f")) == [
        ("three", ("`A.f` is now decorated with `cached`, is no longer decorated with `t.no_type_check`, "
         "calls `h` instead of `g`, returns `h(a)` instead of `g(a)`.")),
        ("one", "Added `A.f`."),
    ]  # fmt: skip


def test_a_statement_of_a_python_function_is_found_in_its_past(repository: Repository) -> None:
    old = "class A:\n    def f(self, s):\n        limit = s\n        return limit\n"
    repository.commit("one", {"a.py": old})
    repository.commit("two", {"a.py": old.replace("limit = s", "limit = s[1:]")})
    assert said(symbol_history(repository.root, "a.py", "A.f"))[0] == (
        "two",
        "`A.f` has `limit = s[1:]` where it had `limit = s`.",
    )
