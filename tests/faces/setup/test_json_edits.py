"""Editing JSON with comments: what is put in comes out, and nothing else moves."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import examples

from memlsp.faces.setup.edits import json_edits
from memlsp.faces.setup.edits.jsonc import JsonValue, parse
from memlsp.model.errors import UnreadableSource

OURS: JsonValue = {"command": "memlsp", "args": ["hook", "x"]}


def is_ours(value: JsonValue) -> bool:
    return value == OURS


def none_kept(_: json_edits.Path) -> bool:
    return False


names = st.sampled_from(["hooks", "mcpServers", "Stop", "a", "b c", 'q"uote', "ünï"])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**6), st.text(max_size=8), st.sampled_from(["//", "/*", "}", ","])
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4), max_leaves=12
)
comments = st.sampled_from(["", "", "", " // said, by: somebody {", " /* a, comment ] */"])


@st.composite
def written(draw: st.DrawFn, value: JsonValue, margin: str, unit: str, newline: str) -> str:
    """A JSON text as people write it: over lines or in one, with comments and trailing commas."""
    if not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    members: Sequence[tuple[str | None, JsonValue]]
    if isinstance(value, dict):
        opening, closing, members = "{", "}", list(value.items())
    else:
        opening, closing, members = "[", "]", [(None, item) for item in value]
    if draw(st.integers(0, 4)) == 0:
        return json.dumps(value)
    lines: list[str] = []
    for index, (key, inner) in enumerate(members):
        text = draw(written(inner, margin + unit, unit, newline))
        name = "" if key is None else json.dumps(key) + ": "
        comma = "," if index + 1 < len(members) or draw(st.booleans()) else ""
        lines.append(f"{margin}{unit}{name}{text}{comma}{draw(comments)}")
    return newline.join([opening, *lines, margin + closing])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A settings file: an object that may have what we look for, or other things of that name."""
    value = draw(st.dictionaries(names, values, max_size=4))
    if draw(st.booleans()):
        value["hooks"] = draw(st.dictionaries(names, st.lists(values, max_size=3), max_size=3))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = draw(written(value, "", draw(st.sampled_from(["  ", "    ", "\t"])), newline))
    return draw(comments).strip().replace("{", newline) + text + draw(st.sampled_from(["", newline]))


def same_but_for_empty(one: str, other: str) -> bool:
    """Equal, where an empty object or list may have lost the space inside it."""
    if re.search(r"[{\[]\s*[}\]]", other):
        return "".join(one.split()) == "".join(other.split())
    return one == other


@given(documents())
def test_what_a_text_says_is_read_as_json_reads_it(text: str) -> None:
    bare = parse(text).value
    assert isinstance(bare, dict)
    assert parse(json.dumps(bare)).value == bare == json.loads(json.dumps(bare))


@given(documents(), st.sampled_from(["hooks", "zzz"]))
def test_an_item_is_put_in_by_insertion_alone_and_comes_out_again(text: str, key: str) -> None:
    former = parse(text).value
    try:
        put = json_edits.with_item(text, (key, "Stop"), OURS)
    except UnreadableSource:
        assert isinstance(former, dict)
        at = former[key]
        assert not isinstance(at, dict) or not isinstance(at["Stop"], list)
        return
    found = json_edits.lookup(put, (key, "Stop"))
    assert isinstance(found, list)
    assert found[-1] == OURS
    rest = iter("".join(put.split()))
    assert all(char in rest for char in "".join(text.split()))

    there = parse(text)

    def kept(path: json_edits.Path) -> bool:
        at: JsonValue = there.value
        for name in path:
            if not isinstance(at, dict) or name not in at:
                return False
            at = at[name]
        return True

    taken = json_edits.without_items(put, (key, "Stop"), is_ours, kept)
    assert parse(taken).value == former
    assert same_but_for_empty(taken, text)


@settings(max_examples=examples(60))
@given(documents(), values)
def test_a_member_is_put_in_and_comes_out_again(text: str, value: Any) -> None:
    put = json_edits.with_member(text, ("new", "memlsp"), value)
    assert json_edits.lookup(put, ("new", "memlsp")) == value
    assert json_edits.with_member(put, ("new", "memlsp"), value) == put
    assert same_but_for_empty(json_edits.without_member(put, ("new", "memlsp"), none_kept), text)


@settings(max_examples=examples(50))
@given(documents(), documents())
def test_what_somebody_adds_beside_ours_stays(text: str, more: str) -> None:
    addition = parse(more).value
    put = json_edits.with_member(text, ("new", "memlsp"), OURS)
    both = json_edits.with_member(put, ("later",), addition)
    taken = json_edits.without_member(both, ("new", "memlsp"), none_kept)
    former = parse(text).value
    assert isinstance(former, dict)
    assert parse(taken).value == {**former, "later": addition}


def test_comments_order_and_indentation_stay() -> None:
    text = (
        '{\n\t// first\n\t"b": 1, // one\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"command": "x"} // theirs\n'
        "\t\t]\n\t}\n}\n"
    )
    assert json_edits.with_item(text, ("hooks", "Stop"), OURS) == (
        '{\n\t// first\n\t"b": 1, // one\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"command": "x"}, // theirs\n'
        '\t\t\t{\n\t\t\t\t"command": "memlsp",\n\t\t\t\t"args": ["hook", "x"]\n\t\t\t}\n'
        "\t\t]\n\t}\n}\n"
    )


def test_a_file_in_one_line_stays_in_one_line() -> None:
    put = json_edits.with_member('{"a": 1}', ("mcp", "memlsp"), {"x": 1})
    assert put == '{"a": 1, "mcp": {"memlsp": {"x": 1}}}'
    assert json_edits.without_member(put, ("mcp", "memlsp"), none_kept) == '{"a": 1}'


def test_our_handler_leaves_a_group_that_somebody_added_to() -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [OURS, {"command": "theirs"}]}]}}, indent=2)
    taken = json_edits.without_items(text, ("hooks", "Stop"), is_ours, none_kept)
    assert parse(taken).value == {"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}}


def test_an_empty_object_with_a_comment_is_not_taken_along() -> None:
    text = '{\n  "mcp": {\n    // mine will follow\n  }\n}\n'
    put = json_edits.with_member(text, ("mcp", "memlsp"), 1)
    assert parse(put).value == {"mcp": {"memlsp": 1}}
    assert json_edits.without_member(put, ("mcp", "memlsp"), none_kept) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1', "line 1"),
        ('{\n"a" 1}', "line 2: a : is missing"),
        ('{"a": 1,\n"a": 2}', "line 2: 'a' stands there twice"),
        ("{'a': 1}", "line 1"),
        ('{"a": 01}', "line 1"),
        ('{"a": "x\ny"}', "a string that does not end"),
        ('{"a": nope}', "begins no value"),
        ("{} {}", "something follows"),
        ("/* {}", "a comment that does not end"),
        ("[" * 5000, "nested too deeply"),
        ("{", "line 1"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(text: str, says: str) -> None:
    with pytest.raises(UnreadableSource, match=says) as told:
        parse(text)
    assert "\n" not in str(told.value)
