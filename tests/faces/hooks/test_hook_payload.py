"""A payload is read as JSON says, or refused; never anything else."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.faces.hooks.payload import Unreadable, parsed, received

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES), st.booleans(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_every_object_is_read_as_it_was_written(value: dict[str, object], ascii_: bool, encoding: str) -> None:
    text = json.dumps(value, ensure_ascii=ascii_)
    if not ascii_ and any("\ud800" <= char <= "\udfff" for char in text):
        return
    assert parsed(text.encode(encoding)) == json.loads(json.dumps(value))


@given(st.binary(max_size=200))
def test_bytes_are_an_object_or_refused(data: bytes) -> None:
    with suppress(Unreadable):
        assert isinstance(parsed(data), dict)


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.data())
def test_a_torn_object_is_refused(value: dict[str, object], draw: st.DataObject) -> None:
    whole = json.dumps(value).encode()
    with pytest.raises(Unreadable):
        parsed(whole[: draw.draw(st.integers(0, len(whole) - 1))])


def test_numbers_that_json_has_not_are_nothing() -> None:
    assert parsed(b'{"a": NaN, "b": -Infinity}') == {"a": None, "b": None}


def test_a_whole_payload_is_taken_though_the_pipe_stays_open() -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"a": 1}\n')
    assert received(reading, limit=30) == b'{"a": 1}\n'
    os.close(writing)


def test_half_a_payload_is_waited_for_and_then_left() -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"a": ')
    assert received(reading, limit=0.5) == b'{"a": '
    os.close(writing)


def test_a_payload_that_comes_in_parts_is_taken_whole() -> None:
    reading, writing = os.pipe()
    whole = json.dumps({"parts": ["x" * 1_000] * 300}).encode()

    def write() -> None:
        for start in range(0, len(whole), 7_001):
            os.write(writing, whole[start : start + 7_001])
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    assert received(reading, limit=30) == whole
    writer.join()


def test_a_closed_handle_is_an_empty_payload() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    os.close(reading)
    assert received(reading, limit=30) == b""
