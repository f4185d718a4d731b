from __future__ import annotations

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.sentences import sentence
from memlsp.code.syntax.outline import Outline, outline
from memlsp.model.change import ChangeKind

ONE = "    def one(self, rows):\n        return sum(row.price * row.count for row in rows if row.price > 0)\n"
TWO = "    def two(self, path):\n        with open(path) as file:\n            return file.read().splitlines()\n"


def outlines(*files: tuple[str, str]) -> list[Outline]:
    return [outline(path, text.encode()) for path, text in files]


def said(old: list[Outline], new: list[Outline]) -> list[str]:
    return [sentence(change) for change in diff(old, new)]


def test_a_renamed_class_is_told_once() -> None:
    old = outlines(("m.py", "class Courier:\n" + ONE + TWO))
    new = outlines(("m.py", "class Carrier:\n" + ONE + TWO))
    assert said(old, new) == ["`Courier` renamed to `Carrier`."]


def test_a_member_that_changed_in_a_renamed_class_is_told_for_itself() -> None:
    old = outlines(("m.py", "class Courier:\n" + ONE + TWO))
    new = outlines(("m.py", "class Carrier:\n" + ONE.replace("> 0", ">= 0") + TWO))
    changes = diff(old, new)
    assert [change.new.name for change in changes if change.new] == ["Carrier", "Carrier.one"]
    assert changes[0].kinds == {ChangeKind.RENAMED}


def test_an_added_class_does_not_list_its_members() -> None:
    old = outlines(("m.py", "X = 1\n"))
    assert said(old, outlines(("m.py", "X = 1\nclass Courier:\n" + ONE + TWO))) == ["Added `Courier`."]


def test_a_removed_class_does_not_list_its_members() -> None:
    old = outlines(("m.py", "X = 1\nclass Courier:\n" + ONE + TWO))
    assert said(old, outlines(("m.py", "X = 1\n"))) == ["Removed `Courier`."]


def test_a_new_file_is_told_as_one() -> None:
    assert said([], outlines(("pkg/m.py", "class Courier:\n" + ONE))) == ["Added pkg/m.py."]


def test_a_changed_member_is_not_told_again_of_its_holder() -> None:
    old = outlines(("m.py", "class Courier:\n" + ONE + TWO))
    new = outlines(("m.py", "class Courier:\n" + ONE.replace("> 0", ">= 0") + TWO))
    assert [change.new.name for change in diff(old, new) if change.new] == ["Courier.one"]


def test_a_method_that_moved_to_another_class_is_told() -> None:
    old = outlines(("m.py", "class A:\n" + ONE + TWO), ("n.py", "class B:\n    x = 1\n"))
    new = outlines(("m.py", "class A:\n" + TWO), ("n.py", "class B:\n    x = 1\n" + ONE))
    assert said(old, new) == ["`A.one` moved from m.py to n.py; nothing else changed."]


def test_an_open_end_carries_its_alternatives() -> None:
    body = ONE.replace("    def", "def").replace("        ", "    ").replace("self, ", "")
    old = outlines(("m.py", body + "\nKEPT = 1\n"))
    new = outlines(("m.py", body.replace("one", "x") + body.replace("one", "y") + "\nKEPT = 1\n"))
    gone = next(change for change in diff(old, new) if change.new is None)
    assert {ref.name for ref in gone.alternatives} == {"x", "y"}


def test_nothing_is_told_of_equal_states() -> None:
    state = outlines(("m.py", "class Courier:\n" + ONE + TWO))
    assert diff(state, state) == ()
