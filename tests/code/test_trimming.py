"""What two states of a file share is cut out of both, and the difference stays the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import examples

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.sentences import sentence
from memlsp.code.diff.trimmed_source import parsed, trimmed
from memlsp.code.syntax.outline import outline

BODIES = {
    "a": "    for each in items:\n        send(each, timeout=30)\n    return len(items)\n",
    "b": "    if not items:\n        raise ValueError(items)\n    return sorted(items, key=str)\n",
    "c": "    with open(items) as file:\n        return file.read().strip()\n",
    "d": "    return round(items * 0.2, 2)\n",
}
LONG = "".join(f"def helper_{n}(items):\n{BODIES['a']}\n\n" for n in range(20))


def states(old: str, new: str, path: str = "a.py") -> tuple[str, str]:
    left, right = parsed(path, old.encode()), parsed(path, new.encode())
    assert left is not None
    assert right is not None
    before, after = trimmed(left, right)
    return before.decode(), after.decode()


def told(old: str, new: str) -> list[str]:
    return [sentence(change) for change in diff([outline("a.py", old.encode())], [outline("a.py", new.encode())])]


def test_what_is_the_same_in_both_is_cut_and_what_differs_stays() -> None:
    old = LONG + "def tax(net):\n    return net * 0.2\n"
    before, after = states(old, old.replace("0.2", "0.25"))
    assert "helper_3" not in before + after
    assert "0.2\n" in before
    assert "0.25\n" in after


def test_a_class_of_the_same_name_keeps_the_members_that_differ() -> None:
    old = f"class Courier:\n{''.join(f'    def m{n}(self):{chr(10)}        return {n}{chr(10)}' for n in range(60))}"
    before, after = states(old, old.replace("return 7\n", "return 77\n"))
    assert "return 7\n" in before
    assert "return 77\n" in after
    assert "m8" not in before + after


def test_a_renamed_class_stays_whole_so_that_it_is_known_again() -> None:
    old = LONG + "class Courier:\n    def send(self, items):\n    " + BODIES["a"].replace("\n", "\n    ") + "\n"
    new = old.replace("class Courier", "class Postman")
    before, after = states(old, new)
    assert told(before, after) == told(old, new) == ["`Courier` renamed to `Postman`."]


def test_a_block_does_not_become_empty() -> None:
    old = LONG + "class Courier(Base):\n    def send(self):\n        return 1\n"
    before, after = states(old, old.replace("Base", "Other"))
    assert not outline("a.py", before.encode()).has_errors
    assert told(before, after) == told(old, old.replace("Base", "Other"))


def test_a_comment_goes_with_the_definition_below_it() -> None:
    old = "package a\n\n" + "".join(f"// F{n} is one.\nfunc F{n}() int {{ return {n} }}\n\n" for n in range(60))
    before, after = states(old, old.replace("// F3 is one.", "// F3 is three."), "a.go")
    assert "// F3 is one." in before
    assert "// F3 is three." in after
    assert "F4" not in before + after


def test_of_a_document_the_sections_that_differ_stay() -> None:
    old = "# Changes\n\nAll of them.\n\n" + "".join(
        f"## 1.{n}\n\n### Fixed\n\n- Number {n} of the things that were wrong.\n\n" for n in range(60)
    )
    new = old.replace("All of them.\n\n", "All of them.\n\n## 2.0\n\n### Fixed\n\n- Everything.\n\n")
    new = new.replace("- Number 7 of", "- Number 8 of")
    before, after = states(old, new, "CHANGES.md")
    assert len(after) < 300
    assert "Number 9" not in before + after
    whole = diff([outline("a.md", old.encode())], [outline("a.md", new.encode())])
    parts = diff([outline("a.md", before.encode())], [outline("a.md", after.encode())])
    assert sorted(map(sentence, parts)) == sorted(map(sentence, whole))


def test_of_a_toml_file_the_tables_that_differ_stay() -> None:
    old = "".join(f"[tool.t{n}]\nlimit = {n}\nname = 'a tool of ours'\n\n" for n in range(60))
    before, after = states(old, old.replace("limit = 7\n", "limit = 77\n"), "a.toml")
    assert "limit = 7\n" in before
    assert "limit = 77\n" in after
    assert "t8" not in before + after


@pytest.mark.parametrize("source", [b"def f(:\n", b"\xff\xfe\x00", b"x = 1\n" * 200_000])
def test_what_is_broken_or_too_long_is_left_alone(source: bytes) -> None:
    assert parsed("a.py", source) is None


def test_an_unknown_language_is_left_alone() -> None:
    assert parsed("notes.xyz", b"hello") is None


functions = st.lists(
    st.tuples(st.sampled_from("pqrstuvw"), st.sampled_from(sorted(BODIES))), max_size=6, unique_by=lambda pair: pair[0]
)


def module(defined: list[tuple[str, str]], members: list[tuple[str, str]]) -> str:
    top = "".join(f"def {name}(items):\n{BODIES[body]}\n\n" for name, body in defined)
    inside = "".join(
        f"    def {name}(self, items):\n    {BODIES[body].strip(chr(10)).replace(chr(10), chr(10) + '    ')}\n\n"
        for name, body in members
    )
    return LONG + top + (f"class Courier:\n    limit = 3\n\n{inside}" if members else "")


@settings(max_examples=examples(60), deadline=None)
@given(functions, functions, functions, functions)
def test_what_changed_is_told_the_same(
    old: list[tuple[str, str]],
    new: list[tuple[str, str]],
    old_members: list[tuple[str, str]],
    new_members: list[tuple[str, str]],
) -> None:
    before, after = module(old, old_members), module(new, new_members)
    bodies = [body for _, body in old + old_members]
    if len(set(bodies)) < len(bodies):
        return  # twins are told apart by what else is there
    assert sorted(told(*states(before, after))) == sorted(told(before, after))
