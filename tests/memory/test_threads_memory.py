"""Threads of a real repository: what opens one, what closes it, and what it survives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import KeptChange
from memlsp.model.errors import BadValue, NotFound
from memlsp.model.event import Event, EventKind
from memlsp.model.symbol import SymbolKind
from memlsp.model.thread import Thread, ThreadKind

START = datetime(2026, 11, 1, tzinfo=UTC)
TEST = "def test_tax():\n    assert compute_tax(1) == 2\n"


class World:
    """A project, its memory, and events in their order."""

    def __init__(self, project: Project, memory: Memory) -> None:
        self.project = project
        self.memory = memory
        self.minute = 0

    def event(
        self, kind: EventKind, *paths: str, source: str = "claude-code", session: str = "s", **more: Any
    ) -> Event:
        self.minute += 1
        at = START + timedelta(minutes=self.minute)
        event = Event(self.minute, f"e{self.minute}", at, kind, source, session, paths=paths, **more)
        self.memory.threads.observe(event)
        return event

    def edit(self, path: str, old: str, new: str, **more: Any) -> Event:
        self.project.replace(path, old, new)
        return self.event(EventKind.EDIT, path, **more)

    def write(self, path: str, text: str) -> Event:
        self.project.write(path, text)
        return self.event(EventKind.EDIT, path)

    def commit(self, message: str = "Change it") -> Event:
        return self.event(EventKind.COMMIT, source="git", session="", text=message, commit=self.project.commit(message))

    def run(self, command: str, output: str, ok: bool) -> Event:
        return self.event(EventKind.COMMAND, text=command, output=output, ok=ok)

    def open(self) -> list[tuple[str, str, str]]:
        return sorted((each.kind.value, f"{each.path}#{each.symbol}", each.text) for each in self.memory.threads.open())

    def closed(self) -> list[str]:
        return [each.closed_by for each in self.memory.threads.all() if not each.is_open]


@pytest.fixture
def world(project: Project, memory: Memory) -> World:
    return World(project, memory)


def todo(world: World, text: str = "TODO: round half up") -> Thread:
    """Add a remark to `compute_tax`; its thread."""
    world.edit("pricing/tax.py", "    return round", f"    # {text}\n    return round")
    (thread,) = world.memory.threads.open()
    return thread


def test_a_remark_that_was_added_is_open_where_it_stands(world: World) -> None:
    thread = todo(world)
    assert (thread.kind, thread.text) == (ThreadKind.TODO, "TODO: round half up")
    assert (thread.path, thread.symbol, thread.line) == ("pricing/tax.py", "compute_tax", 8)
    assert (thread.source, thread.session) == ("claude-code", "s")


def test_what_was_always_there_is_no_thread(project: Project, memory: Memory) -> None:
    project.write("old.py", "# TODO: since 2009\ndef f():\n    raise NotImplementedError\n")
    project.commit("Old things")
    world = World(project, memory)
    world.edit("old.py", "def f", "def g():\n    return 1\n\n\ndef f")
    world.event(EventKind.FILES, "old.py", source="files")
    assert world.open() == []


def test_an_edit_that_was_committed_before_anybody_looked_is_found_by_the_commit(world: World) -> None:
    world.project.replace("pricing/tax.py", "    return round", "    # TODO: later\n    return round")
    hash_ = world.project.commit("Add it")
    world.event(EventKind.EDIT, "pricing/tax.py")
    assert world.open() == []
    world.event(EventKind.COMMIT, source="git", text="Add it", commit=hash_)
    assert [text for _, _, text in world.open()] == ["TODO: later"]


def test_the_same_event_again_changes_nothing(world: World) -> None:
    todo(world)
    event = world.commit()
    before = world.memory.threads.all()
    world.memory.threads.observe(event)
    world.event(EventKind.EDIT, "pricing/tax.py")
    assert world.memory.threads.all() == before


def test_a_remark_that_is_gone_is_done(world: World) -> None:
    todo(world)
    world.edit("pricing/tax.py", "    # TODO: round half up\n", "")
    assert world.open() == []
    assert world.closed() == ["the remark is gone"]


def test_a_remark_whose_symbol_is_gone_went_with_its_code(world: World) -> None:
    world.edit("pricing/tax.py", "class Invoice", "def extra():\n    # TODO: think\n    return 1\n\n\nclass Invoice")
    world.edit("pricing/tax.py", "def extra():\n    # TODO: think\n    return 1\n\n\n", "")
    assert world.closed() == ["its code was removed"]


def test_a_deleted_file_takes_its_threads_along(world: World) -> None:
    todo(world)
    (world.project.root / "pricing/tax.py").unlink()
    world.event(EventKind.FILES, "pricing/tax.py", source="files")
    assert world.closed() == ["its code was removed"]


def test_a_thread_survives_the_renaming_of_its_symbol(world: World) -> None:
    thread = todo(world)
    text = (world.project.root / "pricing/tax.py").read_text(encoding="utf-8")
    world.write("pricing/tax.py", text.replace("compute_tax", "tax_of"))
    (now,) = world.memory.threads.open()
    assert (now.id, now.symbol) == (thread.id, "tax_of")


def test_a_thread_survives_other_words(world: World) -> None:
    thread = todo(world)
    world.edit("pricing/tax.py", "round half up", "round half up, as the law wants it")
    (now,) = world.memory.threads.open()
    assert (now.id, now.text) == (thread.id, "TODO: round half up, as the law wants it")


@pytest.mark.parametrize("order", [("new", "old"), ("old", "new"), ("both",)])
def test_a_thread_survives_the_move_to_another_file(world: World, order: tuple[str, ...]) -> None:
    thread = todo(world)
    moved = "def compute_tax(net: float) -> float:\n    # TODO: round half up\n    return round(net * 0.2, 2)\n"
    rest = "class Invoice:\n    pass\n"
    texts = {"new": ("pricing/law.py", moved), "old": ("pricing/tax.py", rest)}
    for step in order:
        if step == "both":
            for path, text in texts.values():
                world.project.write(path, text)
            world.event(EventKind.EDIT, *[path for path, _ in texts.values()])
        else:
            world.write(*texts[step])
    (now,) = world.memory.threads.open()
    assert (now.id, now.path) == (thread.id, "pricing/law.py")


def test_the_same_remark_in_two_files_is_two_threads(world: World) -> None:
    for path in ("a.yaml", "b.yaml"):
        world.project.write(path, "policy: audit # TODO: block after a couple of runs\n")
    world.event(EventKind.EDIT, "a.yaml", "b.yaml")
    assert [place for _, place, _ in world.open()] == ["a.yaml#policy", "b.yaml#policy"]
    world.write("a.yaml", "policy: block\n")
    assert [place for _, place, _ in world.open()] == ["b.yaml#policy"]
    (closed,) = [each for each in world.memory.threads.all() if not each.is_open]
    assert closed.path == "a.yaml"


@pytest.mark.parametrize("order", [("pricing/b.py", "pricing/a.py"), ("pricing/a.py", "pricing/b.py")])
def test_an_old_remark_that_is_moved_opens_nothing(world: World, order: tuple[str, str]) -> None:
    old = "def f(x):\n    # TODO: make this faster some day\n    return x\n"
    world.project.write("pricing/a.py", old)
    world.project.commit("Old things")
    texts = {"pricing/a.py": "X = 1\n", "pricing/b.py": old}
    for path in order:
        world.write(path, texts[path])
    assert world.open() == []
    world.commit("Move it")
    assert world.open() == []


def test_a_stub_is_open_until_it_has_a_body(world: World) -> None:
    world.edit("client.py", "import time", "import time\n\n\ndef post(url):\n    raise NotImplementedError\n")
    assert world.open() == [("stub", "client.py#post", "post: raise NotImplementedError")]
    world.edit("client.py", "    raise NotImplementedError", "    return send(url)")
    assert world.closed() == ["it has a body now"]


def test_a_stub_that_is_renamed_is_the_same_stub(world: World) -> None:
    world.edit("client.py", "import time", "import time\n\n\ndef post(url):\n    raise NotImplementedError\n")
    world.edit("client.py", "def post", "def put")
    (thread,) = world.memory.threads.open()
    assert thread.symbol == "put"
    assert world.closed() == []


def test_a_base_whose_heir_is_written_later_was_no_stub(world: World) -> None:
    world.write("shape.py", "class Shape:\n    def area(self):\n        raise NotImplementedError\n")
    assert len(world.open()) == 1
    world.write(
        "square.py", "from shape import Shape\n\n\nclass Square(Shape):\n    def area(self):\n        return 1\n"
    )
    assert world.open() == []
    world.write("other.py", "class Other(Shape):\n    def area(self):\n        return 2\n")
    assert world.open() == []


def test_a_stub_that_is_filled_in_leaves_its_namesake_in_another_file_open(world: World) -> None:
    for path in ("csv_source.py", "json_source.py"):
        world.write(path, 'def load():\n    raise NotImplementedError("not implemented yet")\n')
    world.commit("Begin two sources")
    world.write("json_source.py", "def load():\n    return 3\n")
    assert [place for _, place, _ in world.open()] == ["csv_source.py#load"]
    assert world.closed() == ["it has a body now"]


def test_a_file_moved_before_its_commit_was_looked_at_takes_its_threads_along(world: World) -> None:
    thread = todo(world)
    first = world.project.commit("Add a remark")
    world.project.git("mv", "pricing/tax.py", "pricing/taxes.py")
    second = world.project.commit("Move it")
    for commit in (first, second):
        world.event(EventKind.COMMIT, source="git", session="", commit=commit)
    (now,) = world.memory.threads.open()
    assert (now.id, now.path) == (thread.id, "pricing/taxes.py")


def test_a_revert_brings_a_thread_back(world: World) -> None:
    thread = todo(world)
    world.commit("Add a remark")
    world.edit("pricing/tax.py", "    # TODO: round half up\n", "")
    world.commit("Take it out")
    world.project.git("revert", "--no-edit", "HEAD")
    world.event(EventKind.COMMIT, source="git", commit=world.project.git("rev-parse", "HEAD").strip())
    (now,) = world.memory.threads.open()
    assert (now.id, now.closed_by) == (thread.id, "")


def test_a_checkout_takes_threads_away_and_gives_them_back(world: World) -> None:
    world.project.git("checkout", "--quiet", "-b", "feature")
    thread = todo(world)
    world.commit("Add a remark")
    world.project.git("checkout", "--quiet", "main")
    world.event(EventKind.CHECKOUT, source="git")
    assert world.open() == []
    world.project.git("checkout", "--quiet", "feature")
    world.event(EventKind.CHECKOUT, source="git")
    assert [each.id for each in world.memory.threads.open()] == [thread.id]


def test_what_a_pull_brings_is_not_left_open_by_anybody_here(world: World) -> None:
    todo(world)
    world.commit()
    world.project.write("theirs.py", "def f():\n    # TODO: theirs\n    return 1\n")
    world.project.commit("Theirs")
    world.event(EventKind.FILES, "theirs.py", source="files")
    world.event(EventKind.MERGE, source="git")
    assert [text for _, _, text in world.open()] == ["TODO: round half up"]


def test_what_a_person_closes_stays_closed_while_its_remark_stands(world: World) -> None:
    thread = todo(world)
    closed = world.memory.threads.close(thread.id, "not worth it")
    assert closed.closed_by == "closed by Ann Ode: not worth it"
    world.edit("pricing/tax.py", '"""Taxes."""', '"""All taxes."""')
    world.commit()
    assert world.open() == []
    with pytest.raises(BadValue, match="closed already"):
        world.memory.threads.close(thread.id)
    assert world.memory.threads.reopen(thread.id).is_open
    with pytest.raises(NotFound):
        world.memory.threads.close("nothing")


def test_a_vendored_heap_of_remarks_is_nobodys_work(world: World) -> None:
    world.write("heap.py", "".join(f"# TODO: number {number}\n" for number in range(60)))
    assert world.open() == []


def test_a_secret_in_a_remark_is_not_kept(world: World) -> None:
    world.edit("pricing/tax.py", "    return round", "    # TODO: rotate password=hunter2hunter2Xy9\n    return round")
    assert "hunter2" not in str(world.memory.threads.all())


def test_an_ignored_file_is_not_read_out_of_a_commit_either(world: World) -> None:
    world.project.write(".memlsp/config.toml", '[capture]\nignore = ["customers/**"]\n')
    world.project.commit("Settings")
    world.project.write("customers/a.py", "# TODO: call them\n")
    world.project.write("other.py", "# TODO: seen\n")
    world.commit("Add")
    assert [text for _, _, text in world.open()] == ["TODO: seen"]


def test_the_place_follows_the_text_that_nobody_saved_yet(world: World) -> None:
    todo(world)
    text = (world.project.root / "pricing/tax.py").read_text(encoding="utf-8")
    world.memory.open_buffer("pricing/tax.py", "\n\n" + text, 2)
    (placed,) = world.memory.threads.at("pricing/tax.py")
    assert (placed.line, placed.symbol, placed.symbol_line) == (9, "compute_tax", 7)
    world.memory.open_buffer("pricing/tax.py", text.replace("    # TODO: round half up\n", ""), 3)
    assert world.memory.threads.at("pricing/tax.py") == ()
    assert len(world.open()) == 1


def test_a_failing_test_is_open_until_it_passes(world: World) -> None:
    world.project.write("tests/test_tax.py", TEST)
    failed = "FAILED tests/test_tax.py::test_tax - assert 0.2 == 2\n1 failed in 0.01s\n"
    first = world.run("pytest -q", failed, ok=False)
    assert world.open() == [("test", "tests/test_tax.py#test_tax", "test_tax fails: assert 0.2 == 2")]
    world.run("pytest -q", "1 passed in 0.01s\n", ok=True)
    assert world.closed() == ["it fails no more in: pytest -q"]
    world.memory.threads.observe(first)
    assert world.open() == []
    world.run("pytest -q", failed, ok=False)
    assert len(world.memory.threads.all()) == 1
    assert len(world.open()) == 1


def test_a_run_of_another_file_closes_no_test(world: World) -> None:
    world.project.write("tests/test_tax.py", TEST)
    world.run("pytest", "FAILED tests/test_tax.py::test_tax - assert 0\n1 failed in 0.01s\n", ok=False)
    world.run("pytest tests/test_other.py", "1 passed in 0.01s\n", ok=True)
    assert len(world.open()) == 1
    world.run("cd tests && pytest test_tax.py", "1 passed in 0.01s\n", ok=True)
    assert world.open() == []


def test_a_failing_test_that_is_deleted_is_gone(world: World) -> None:
    world.write("tests/test_tax.py", TEST)
    world.run("pytest", "FAILED tests/test_tax.py::test_tax - assert 0\n1 failed in 0.01s\n", ok=False)
    world.write("tests/test_tax.py", "def test_other():\n    assert True\n")
    assert world.closed() == ["its code was removed"]


def test_plans_and_next_steps_come_in_by_their_events(world: World) -> None:
    world.event(EventKind.PLAN, plan=(("Write the docs", "pending"), ("Write the code", "completed")))
    world.event(EventKind.SAY, text="Next step: write the migration")
    assert [(kind, text) for kind, _, text in world.open()] == [
        ("next", "write the migration"),
        ("plan", "Write the docs"),
    ]


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[World]:
    """A folder without git."""
    root = tmp_path / "plain"
    root.mkdir()
    project = object.__new__(Project)
    project.root = root
    project.write("a.py", "def f():\n    # TODO: old\n    return 1\n")
    with Memory.open(root) as memory:
        yield World(project, memory)


def test_a_plain_folder_knows_what_it_saw_last(plain: World) -> None:
    plain.edit("a.py", "return 1", "return 2")
    assert plain.open() == []
    plain.edit("a.py", "return 2", "# TODO: new\n    return 2")
    assert [text for _, _, text in plain.open()] == ["TODO: new"]


def test_a_plain_folder_knows_that_a_file_said_nothing(plain: World) -> None:
    plain.write("b.py", "def g():\n    return 1\n")
    plain.edit("b.py", "return 1", "# TODO: new\n    return 1")
    assert [text for _, _, text in plain.open()] == ["TODO: new"]


def test_a_symbol_that_is_new_in_a_plain_folder_was_added(plain: World) -> None:
    added = KeptChange(frozenset({ChangeKind.ADDED}), None, SymbolRef("b.py", "g", SymbolKind.FUNCTION), "added")
    plain.project.write("b.py", "def g():\n    # TODO: new\n    return 1\n")
    plain.event(EventKind.EDIT, "b.py", changes=(added,))
    assert [text for _, _, text in plain.open()] == ["TODO: new"]


def test_what_is_gone_from_another_worktree_is_still_open_here(world: World, tmp_path: Path) -> None:
    here, there = str(world.project.root), str(tmp_path / "there")
    world.project.git("worktree", "add", "--quiet", there, "-b", "feature")
    world.project.replace("pricing/tax.py", "    return round", "    # TODO: later\n    return round")
    world.event(EventKind.EDIT, "pricing/tax.py", root=here)
    world.event(EventKind.EDIT, "pricing/tax.py", root=there)
    world.event(EventKind.CHECKOUT, source="git", root=there)
    assert len(world.open()) == 1
    world.event(EventKind.EDIT, "pricing/tax.py", root=str(tmp_path / "nowhere"))
    assert len(world.open()) == 1
    world.edit("pricing/tax.py", "    # TODO: later\n", "", root=here)
    assert world.open() == []


def test_a_scan_says_everything_and_opens_nothing(world: World) -> None:
    world.project.write("old.py", "# TODO: since 2009\n")
    world.project.commit("Old things")
    assert [(end.path, end.text) for end in world.memory.threads.scan()] == [("old.py", "TODO: since 2009")]
    assert world.open() == []


def test_the_memory_moves_when_a_thread_does(world: World) -> None:
    before = world.memory.version()
    todo(world)
    opened = world.memory.version()
    assert opened != before
    world.event(EventKind.EDIT, "pricing/tax.py")
    assert world.memory.version() == opened
