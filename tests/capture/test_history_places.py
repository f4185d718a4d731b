"""A symbol is followed to wherever it was: other files, other classes, both sides of a merge."""

from __future__ import annotations

from pathlib import Path

import pytest
from history_world import Repository, said, subjects

from memlsp.capture.history.past import symbol_history


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def send(name: str = "send", retries: int = 3) -> str:
    return f"""\
    def {name}(self, letter):
        for attempt in range({retries}):
            reply = self.office.post(letter, self.stamp)
            if reply.accepted:
                return reply.number
        raise Undeliverable(letter)
"""


def paint(colour: str = "red") -> str:
    return f"""\
    def paint(self, wall):
        brush = self.shed.take(wall.size, "{colour}")
        while wall.bare:
            brush.stroke(wall.next())
        return wall.finish()
"""


def short(name: str = "Rule") -> str:
    return f"class {name}:\n    def visit(self, node):\n        return self.walk(node)\n"


PADDING = "".join(f"\n\ndef helper_{n}(value):\n    return value.part_{n}(value, {n})\n" for n in range(6))


def test_a_method_that_goes_to_another_class_of_the_file_is_followed(repository: Repository) -> None:
    repository.commit("one", {"a.py": "class Clerk:\n" + send() + paint() + "\n\nclass Courier:\n    bag = 1\n"})
    repository.commit("two", {"a.py": "class Clerk:\n" + paint() + "\n\nclass Courier:\n    bag = 1\n\n" + send()})
    repository.commit(
        "three", {"a.py": "class Clerk:\n" + paint() + "\n\nclass Courier:\n    bag = 1\n\n" + send(retries=9)}
    )
    history = symbol_history(repository.root, "a.py", "Courier.send")
    assert subjects(history) == ["three", "two", "one"]
    assert history.changes[-1].symbol == "Clerk.send"


def test_a_file_that_is_renamed_with_its_class_is_followed(repository: Repository) -> None:
    repository.commit("one", {"clerk.py": "class Clerk:\n" + send() + paint() + PADDING})
    repository.commit("two", {"clerk.py": None, "courier.py": "class Courier:\n" + send() + paint("blue") + PADDING})
    repository.commit("three", {"courier.py": "class Courier:\n" + send(retries=9) + paint("blue") + PADDING})
    assert subjects(symbol_history(repository.root, "courier.py", "Courier.send")) == ["three", "one"]


def test_of_many_files_that_are_renamed_at_once_each_finds_its_own(repository: Repository) -> None:
    def rules(folder: str, first: str = "walk") -> dict[str, str | bytes | None]:
        return {
            f"{folder}/{name}.py": f"# {name}\nLIMIT = '{name}'\n"
            + short().replace("walk", first if name == "c" else "walk")
            for name in "abcdef"
        }

    repository.commit("one", rules("rules", "descend"))
    repository.commit("two", rules("rules"))
    moved: dict[str, str | bytes | None] = {
        path.replace("rules/", "lib/"): text for path, text in rules("rules").items()
    }
    repository.commit("three", {**dict.fromkeys(rules("rules")), **moved})
    history = symbol_history(repository.root, "lib/c.py", "Rule.visit")
    assert subjects(history) == ["two", "one"]
    assert history.changes[0].path == "rules/c.py"


def test_a_file_that_is_split_leaves_each_symbol_its_past(repository: Repository) -> None:
    repository.commit("one", {"all.py": "class Clerk:\n" + send() + "\n\nclass Painter:\n" + paint()})
    repository.commit("two", {"all.py": "class Clerk:\n" + send(retries=9) + "\n\nclass Painter:\n" + paint()})
    repository.commit(
        "three",
        {"all.py": None, "clerk.py": "class Clerk:\n" + send(retries=9), "painter.py": "class Painter:\n" + paint()},
    )
    assert subjects(symbol_history(repository.root, "clerk.py", "Clerk.send")) == ["two", "one"]
    assert subjects(symbol_history(repository.root, "painter.py", "Painter.paint")) == ["one"]


def test_a_copied_file_is_born_where_it_was_copied(repository: Repository) -> None:
    repository.commit("one", {"a.py": "class Clerk:\n" + send() + PADDING})
    repository.commit("two", {"b.py": "class Clerk:\n" + send() + PADDING})
    assert subjects(symbol_history(repository.root, "b.py", "Clerk.send")) == ["two"]


def test_line_ends_and_layout_are_no_change(repository: Repository) -> None:
    text = "class Clerk:\n" + send() + PADDING
    repository.commit("one", {"a.py": text})
    repository.commit("to CRLF", {"a.py": text.replace("\n", "\r\n").encode()})
    repository.commit("to tabs", {"a.py": text.replace("    ", "\t")})
    repository.commit("back", {"a.py": text})
    assert subjects(symbol_history(repository.root, "a.py", "Clerk.send")) == ["one"]


def test_a_file_renamed_and_reformatted_at_once_is_followed(repository: Repository) -> None:
    text = "class Clerk:\n" + send() + PADDING
    repository.commit("one", {"a.py": text})
    repository.commit("two", {"a.py": None, "b.py": text.replace("    ", "\t").replace("\n", "\r\n").encode()})
    assert subjects(symbol_history(repository.root, "b.py", "Clerk.send")) == ["one"]


def test_what_was_taken_out_of_a_method_begins_there(repository: Repository) -> None:
    repository.commit("one", {"a.py": "class Clerk:\n" + send() + paint()})
    thin = "    def send(self, letter):\n        return self.deliver(letter)\n\n"
    repository.commit("two", {"a.py": "class Clerk:\n" + thin + send("deliver") + paint()})
    assert subjects(symbol_history(repository.root, "a.py", "Clerk.deliver")) == ["two"]
    assert subjects(symbol_history(repository.root, "a.py", "Clerk.send")) == ["two", "one"]


def test_a_change_picked_onto_both_sides_is_told_once_for_each_commit(repository: Repository) -> None:
    def text(retries: int, colour: str = "red") -> str:
        return "class Clerk:\n" + send(retries=retries) + paint(colour)

    repository.commit("base", {"a.py": text(3)})
    repository.switch("side", create=True)
    repository.commit("picked on side", {"a.py": text(9)})
    repository.switch("main")
    repository.commit("other", {"a.py": text(3, "blue")})
    repository.commit("picked on main", {"a.py": text(9, "blue")})
    repository.commit("merge", {"a.py": text(9, "blue")}, merging=repository.tip("side"))
    history = symbol_history(repository.root, "a.py", "Clerk.send")
    assert subjects(history) == ["picked on main", "base"]  # as `git log`, along the first parent that has it


def test_lines_of_descent_that_meet_again_are_not_told_twice(repository: Repository) -> None:
    repository.commit("base", {"a.py": "class Clerk:\n" + send()})
    for round_ in range(3):
        repository.switch(f"side{round_}", create=True)
        repository.commit(f"side {round_}", {"a.py": "class Clerk:\n" + send(retries=10 + round_)})
        repository.switch("main")
        repository.commit(f"main {round_}", {"b.py": f"X = {round_}\n"})
        repository.commit(
            f"merge {round_}",
            {"a.py": "class Clerk:\n" + send(retries=10 + round_)},
            merging=repository.tip(f"side{round_}"),
        )
    history = symbol_history(repository.root, "a.py", "Clerk.send")
    assert subjects(history) == ["side 2", "side 1", "side 0", "base"]


def test_a_stranger_of_the_same_name_does_not_hide_where_the_symbol_came_from(repository: Repository) -> None:
    stranger = (
        "    def send(self, letter):\n        with self.lock:\n            self.tray.append(letter.copy().seal())\n"
    )
    repository.commit("one", {"a.py": "class Clerk:\n" + stranger, "b.py": "class Courier:\n" + send() + paint()})
    repository.commit("two", {"b.py": "class Courier:\n" + send(retries=9) + paint()})
    repository.commit("three", {"a.py": "class Clerk:\n" + send(retries=9), "b.py": "class Courier:\n" + paint()})
    history = symbol_history(repository.root, "a.py", "Clerk.send")
    assert [entry.symbol for entry in history.changes] == ["Clerk.send", "Courier.send", "Courier.send"], said(history)
