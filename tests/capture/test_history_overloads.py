"""Overloads are known by what they take, not by their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from history_world import Repository, subjects

from memlsp.capture.history.past import symbol_history


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def method(arguments: str, body: str) -> str:
    return f"  int send({arguments}) {{\n    {body}\n  }}\n"


LONG = "for (int i = 0; i < {n}; i++) {{ office.post(letter, stamps.take(i)); }} return office.count(letter);"
BY_LETTER = method("Letter letter", LONG.format(n=3))
BY_NAME = method("String name", "Letter letter = shelf.find(name); return archive.store(letter, clock.now());")


def java(*methods: str) -> dict[str, str | bytes | None]:
    return {"Clerk.java": "class Clerk {\n" + "".join(methods) + "}\n"}


def test_each_overload_has_its_own_past(repository: Repository) -> None:
    repository.commit("one", java(BY_LETTER, BY_NAME))
    repository.commit("letter", java(BY_LETTER.replace("< 3", "< 9"), BY_NAME))
    repository.commit("name", java(BY_LETTER.replace("< 3", "< 9"), BY_NAME.replace("store", "keep")))
    first = symbol_history(repository.root, "Clerk.java", "Clerk.send")
    second = symbol_history(repository.root, "Clerk.java", "Clerk.send", ordinal=1)
    assert subjects(first) == ["letter", "one"]
    assert subjects(second) == ["name", "one"]


def test_an_overload_put_in_front_does_not_shift_the_others(repository: Repository) -> None:
    repository.commit("one", java(BY_LETTER))
    repository.commit("two", java(BY_LETTER.replace("< 3", "< 9")))
    repository.commit("three", java(BY_NAME, BY_LETTER.replace("< 3", "< 9")))
    repository.commit("four", java(BY_NAME.replace("store", "keep"), BY_LETTER.replace("< 3", "< 12")))
    assert subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send", ordinal=1)) == ["four", "two", "one"]
    assert subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send")) == ["four", "three"]


def test_an_overload_that_took_the_body_over_is_new_and_the_old_one_stays_itself(repository: Repository) -> None:
    repository.commit("one", java(BY_LETTER))
    wide = method("Letter letter, int tries", LONG.format(n="tries"))
    thin = method("Letter letter", "return send(letter, 3);")
    repository.commit("two", java(thin, wide))
    assert subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send")) == ["two", "one"]
    assert subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send", ordinal=1)) == ["two"]


def test_an_overload_that_takes_more_is_still_itself_when_no_other_is_it(repository: Repository) -> None:
    repository.commit("one", java(BY_NAME, BY_LETTER))
    repository.commit("two", java(BY_NAME, BY_LETTER.replace("Letter letter", "Letter letter, boolean fast", 1)))
    assert subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send", ordinal=1)) == ["two", "one"]
    assert subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send")) == ["one"]


def test_a_setter_is_not_taken_for_its_getter(repository: Repository) -> None:
    getter = (
        "class Clerk:\n    @property\n    def pace(self):\n        return self.office.clock.pace_of(self, self.desk)\n"
    )
    setter = (
        "\n    @pace.setter\n    def pace(self, pace):\n        self.office.clock.set_pace_of(self, self.desk, {})\n"
    )
    repository.commit("one", {"a.py": getter})
    repository.commit("two", {"a.py": getter + setter.format("pace")})
    repository.commit("three", {"a.py": getter + setter.format("pace + 1")})
    assert subjects(symbol_history(repository.root, "a.py", "Clerk.pace")) == ["one"]
    assert subjects(symbol_history(repository.root, "a.py", "Clerk.pace", ordinal=1)) == ["three", "two"]


def test_a_type_is_the_same_with_its_package_and_with_annotations(repository: Repository) -> None:
    repository.commit("one", java(BY_LETTER, BY_NAME))
    plain = BY_NAME.replace("String name", "java.lang.String name", 1)
    repository.commit("two", java(plain, BY_LETTER.replace("Letter letter", "@Sealed(by = 1) Letter letter", 1)))
    repository.commit("three", java(plain, BY_LETTER.replace("< 3", "< 9")))
    assert subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send", ordinal=1))[-1] == "one"
    assert "three" not in subjects(symbol_history(repository.root, "Clerk.java", "Clerk.send"))
