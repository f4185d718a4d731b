"""What the statements of two texts say, and how that reads."""

from __future__ import annotations

import pytest

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.explanation import SourceText, explain_change, explain_from_texts, statement_edits
from memlsp.code.diff.quotes import code_pair, in_own_style
from memlsp.code.diff.repetitions import ReportedChange, without_repetitions
from memlsp.code.diff.sentences import explanation, sentence
from memlsp.code.syntax.outline import outline
from memlsp.model.change import SymbolChange


def changes(path: str, old: str, new: str) -> list[SymbolChange]:
    """The changes between two states of a file, explained."""
    before, after = SourceText(path, old.encode()), SourceText(path, new.encode())
    return [
        explain_change(c, before, after) for c in diff([outline(path, old.encode())], [outline(path, new.encode())])
    ]


def told(path: str, old: str, new: str) -> list[str]:
    """The sentences between two states of a file."""
    return [sentence(one.change) for one in without_repetitions(changes(path, old, new))]


PYTHON = "def run(items, limit):\n    total = 0\n{body}    return total\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    seen = items\n", "    seen = items[1:]\n", "has `seen = items[1:]` where it had `seen = items`"),
        ("", "    total += limit\n", "now has `total += limit`"),
        ("    total += limit\n", "", "no longer has `total += limit`"),
        ("    total += limit\n", "    total -= limit\n", "has `total -= limit` where it had `total += limit`"),
        ("    a = items\n    b = limit\n", "    b = limit\n    a = items\n", "moved `b = limit` before `a = items`"),
        ("    total = limit\n", "    with items:\n        total = limit\n", "puts `total = limit` under `with items`"),
        (
            "    with items:\n        total = limit\n",
            "    total = limit\n",
            "has `total = limit` no longer under `with items`",
        ),
    ],
)
def test_what_no_fact_explains_is_told_by_its_statement(old: str, new: str, said: str) -> None:
    assert told("a.py", PYTHON.format(body=old), PYTHON.format(body=new)) == [f"`run` {said}."]


def test_a_local_that_was_renamed_throughout_is_no_edit_beside_another() -> None:
    old = "def run(items):\n    total = 0\n    for item in items:\n        total += item\n    return total\n"
    new = "def run(items):\n    result = 0\n    for each in items:\n        result += each\n    return result + 1\n"
    assert told("a.py", old, new) == ["`run` returns `result + 1` instead of `total`."]


def test_the_same_replacement_in_several_statements_is_told_once() -> None:
    old = "def run(a):\n    x = a.one.size_of_all, 1\n    y = [a.one.size_of_all, 2]\n    return x + y\n"
    assert told("a.py", old, old.replace("one", "two")) == [
        "`run` has `a.two.size_of_all` where it had `a.one.size_of_all`."
    ]


def test_a_function_is_not_told_for_what_the_function_inside_of_it_is_told_for() -> None:
    old = "def outer(a):\n    def inner(b):\n        return b + 1\n    return inner(a)\n"
    assert told("a.py", old, old.replace("b + 1", "b + 2")) == ["`outer.inner` returns `b + 2` instead of `b + 1`."]


def test_callers_follow_the_new_name_of_what_was_renamed() -> None:
    old = "def fetch(u, n):\n    for _ in range(n):\n        if get(u):\n            return 1\n    return 2\n\n\ndef use(u):\n    return fetch(u, 3)\n"  # noqa: E501
    found = without_repetitions(changes("a.py", old, old.replace("fetch", "fetch_all")))
    assert [(one.change.new.name if one.change.new else "", one.follows) for one in found] == [
        ("fetch_all", ()),
        ("use", ("fetch",)),
    ]


def test_the_entry_of_a_long_table_is_told_instead_of_the_table() -> None:
    names = ", ".join(f'"entry number {i}"' for i in range(20))
    old = f"NAMES = [{names}]\n"
    assert told("a.py", old, old.replace("]", ', "one more"]')) == ["`NAMES` now has `'one more'`."]


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (
            "a.go",
            'package a\n\nfunc F() string { return "x y" }\n',
            ("x y", "z"),
            '`F` returns `"z"` instead of `"x y"`.',
        ),
        ("a.js", "function f() { return 'x y'; }\n", ("x y", "z"), "`f` returns `'z'` instead of `'x y'`."),
        (
            "A.java",
            'class A { String f() { return "x y"; } }\n',
            ("x y", "z"),
            '`A.f` returns `"z"` instead of `"x y"`.',
        ),
        ("a.rs", 'fn f() -> &str { "x y" }\n', ("x y", "z"), '`f` returns `"z"` instead of `"x y"`.'),
    ],
)
def test_code_is_quoted_as_its_language_writes_it(path: str, old: str, new: tuple[str, str], said: str) -> None:
    assert told(path, old, old.replace(*new)) == [said]


def test_lifetimes_and_characters_are_no_strings() -> None:
    assert in_own_style("fn a<'a>(x: &'a str) -> 'b c'", "a.rs") == "fn a<'a>(x: &'a str) -> \"b c\""
    assert in_own_style("'x' + 'two'", "a.c") == "'x' + \"two\""
    assert in_own_style("say('it\\'s \"so\"')", "a.go") == 'say("it\'s \\"so\\"")'
    assert in_own_style("'x'", "a.py") == "'x'"


@pytest.mark.parametrize("where", ["ahead", "behind", "both"])
def test_two_long_texts_are_cut_so_that_the_difference_shows(where: str) -> None:
    same = "some.thing(that, is, equal) and " * 4
    old, new = {
        "ahead": (f"one {same}", f"two {same}"),
        "behind": (f"{same} one", f"{same} two"),
        "both": (f"{same} one {same}", f"{same} two {same}"),
    }[where]
    left, right = code_pair(old, new)
    assert "one" in left
    assert "two" in right
    assert max(len(left), len(right)) <= 42


@pytest.mark.parametrize(
    ("old", "new", "left", "right"),
    [
        ("table.getOrDefault(group, 15)", "table.getOrDefault(group, 0)", "`…(group, 15)`", "`…(group, 0)`"),
        (
            "{a: 1, tries: 4, wait: 30, b: 2}",
            "{a: 1, tries: 2, wait: 30, b: 2}",
            "`…tries: 4, wait:…`",
            "`…tries: 2, wait:…`",
        ),
        ("is_summer || is_warm(room, hall)", "is_warm(room, hall)", "`is_summer || is_…`", "`is_warm(room, hall)`"),
        (
            "W/${hash}'} if eta == null ret",
            "W/${hash}'} const tag = 4 ret",
            "`…} if eta == null…`",
            "`…} const tag = 4 ret`",
        ),
    ],
)
def test_little_room_shows_the_smallest_part_that_differs(old: str, new: str, left: str, right: str) -> None:
    assert code_pair(old, new, 20) == (left, right)


def test_the_fuller_form_tells_every_clause_with_its_values() -> None:
    old = "def run(a, b, c):\n    return a\n"
    body = "".join(f"    {name}(a)\n" for name in ("first", "second", "third", "fourth"))
    new = f"def run(a, b, c, d=1):\n{body}    if d:\n        return b\n    return a\n"
    (change,) = changes("a.py", old, new)
    assert "and 1 more" in sentence(change)
    assert explanation(change) == (
        "gained `d=1`",
        "now calls `first`, `second`, `third` and `fourth`",
        "now returns `b`",
        "now checks `d`",
    )


def test_the_texts_of_the_definitions_alone_tell_as_much() -> None:
    old = "class A {\n  run(a) {\n    this.x = a;\n  }\n}\n"
    new = old.replace("this.x = a", "this.x = a.b")
    (bare,) = [c for c in diff([outline("a.js", old.encode())], [outline("a.js", new.encode())]) if c.details]
    alone = explain_from_texts(
        bare, old.splitlines()[1] + "\n    this.x = a;\n  }", new.splitlines()[1] + "\n    this.x = a.b;\n  }"
    )
    assert (
        sentence(alone)
        == sentence(changes("a.js", old, new)[0])
        == "`A.run` has `this.x = a.b` where it had `this.x = a`."
    )


def test_a_text_too_long_to_align_is_told_by_its_facts() -> None:
    old = "def run():\n" + "".join(f"    a{i} = b.c{i}(d, e, f)\n" for i in range(1500))
    (change,) = changes("a.py", old, old.replace("b.c7(", "b.x7("))
    assert sentence(change) == "`run` calls `b.x7` instead of `b.c7`."


def test_a_source_that_does_not_parse_is_no_obstacle() -> None:
    old, new = "def run(:\n    return 1\n", "def run(:\n    return 2 +\n"
    assert all(isinstance(one, ReportedChange) for one in without_repetitions(changes("a.py", old, new)))
    for change in changes("a.py", old, new):
        if change.old and change.new:
            statement_edits(change.old, change.new, SourceText("a.py", old.encode()), SourceText("a.py", new.encode()))
