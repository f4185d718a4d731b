from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lsprotocol import types

from memlsp.faces.lsp.server.positions import DocumentText, index_of, replace, split_lines, units, well_formed

TEXTS = st.text(st.sampled_from("ab \n\r\x0c\u2028\x85é漢😀"), max_size=24)


def offset(text: str, line: int, column: int) -> int:
    """The slow and obvious way from a wire position to an index."""
    starts = [0, *(found.end() for found in re.finditer(r"\r\n|\r|\n", text))]
    if line >= len(starts):
        return len(text)
    end = starts[line + 1] if line + 1 < len(starts) else len(text)
    index, seen = starts[line], 0
    while index < end and text[index] not in "\r\n" and seen < column:
        seen += 2 if text[index] > "\uffff" else 1
        index += 1
    return index


@given(TEXTS, TEXTS, st.integers(0, 6), st.integers(0, 9), st.integers(0, 6), st.integers(0, 9))
@example("a\r\nb", "", 0, 1, 1, 0)
@example("a\rb", "\n", 0, 0, 0, 0)
@example("a\r", "\n", 1, 0, 1, 0)
@example("\n", "\r", 0, 0, 0, 0)
@example("a\nb\n", "x", 9, 0, 9, 0)
def test_an_edit_gives_the_text_that_replacing_by_offsets_gives(
    text: str, new: str, line: int, column: int, end_line: int, end_column: int
) -> None:
    start, end = sorted([(line, column), (end_line, end_column)])
    lines = split_lines(text)
    replace(lines, types.Range(types.Position(*start), types.Position(*end)), new)
    first, last = offset(text, *start), offset(text, *end)
    expected = text[:first] + new + text[max(first, last) :]
    assert "".join(lines) == expected
    assert lines == split_lines(expected)


@given(st.text())
def test_lines_add_up_to_the_text(text: str) -> None:
    assert "".join(split_lines(text)) == text


def test_only_line_feeds_and_carriage_returns_end_a_line() -> None:
    assert split_lines("a\x0cb\u2028c\x85d\r\ne\rf\n") == ["a\x0cb\u2028c\x85d\r\n", "e\r", "f\n", ""]


@pytest.mark.parametrize(("line", "column", "index"), [("😀ab", 2, 1), ("漢字x", 2, 2), ("ab\n", 9, 2), ("é", 1, 1)])
def test_columns_count_utf_16_units(line: str, column: int, index: int) -> None:
    assert index_of(line, column) == index


@given(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])))
def test_a_column_and_its_byte_are_the_same_place(line: str) -> None:
    text = DocumentText.of(line)
    for index in range(len(line) + 1):
        byte = len(line[:index].encode())
        assert text.column(0, byte) == units(line[:index])
        assert index_of(line, text.column(0, byte)) == index


def test_a_name_behind_an_emoji_and_chinese_is_found_where_the_wire_counts() -> None:
    line = "x = '😀漢' ; def price(): pass"
    start = len(line[: line.index("price")].encode())
    span = DocumentText.of(line).span(0, start, start + 5)
    assert span == types.Range(types.Position(0, 16), types.Position(0, 21))


def test_nothing_is_shown_on_a_blank_line() -> None:
    text = DocumentText.of("\n   \nvalue = 1\n\n")
    shown = types.Range(types.Position(2, 0), types.Position(2, 9))
    assert [text.span(number, 0, 0) for number in (0, 1, 2)] == [shown] * 3
    assert text.span(4, 0, 0) == shown
    assert text.span(99, 0, 0) == shown
    assert DocumentText.of("\n \n").span(0, 0, 0) is None


def test_a_word_is_found_from_either_of_its_ends() -> None:
    text = DocumentText.of("a = größe(x)")
    assert [text.word_at(types.Position(0, column)) for column in (4, 9)] == [("größe", 4, 9)] * 2
    assert text.word_at(types.Position(0, 2)) is None


def test_lone_surrogates_are_replaced_one_for_one() -> None:
    assert well_formed("a\ud800b") == "a\ufffdb"


def test_the_memory_sees_a_lone_carriage_return_as_the_line_end_that_it_is() -> None:
    assert DocumentText.of("a\rb\r\nc").source() == "a\nb\r\nc"
