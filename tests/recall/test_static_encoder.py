"""The embedded encoder reads text the same way always, and from any text comes a row of length 1, or of length 0."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.recall.encoder_files import write
from memlsp.recall.static_encoder import MOST_WORDS, StaticEncoder, WordPieces, words_of

VOCABULARY = ["retry", "fetch", "user", "tax", "##es", "re", "##try", "##ing"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("encoder")
    rows = np.random.default_rng(3).normal(size=(len(VOCABULARY), 64)).astype(np.float32)
    write(made, {"name": "tiny-1"}, VOCABULARY, rows)
    return made


@pytest.fixture(scope="module")
def encoder(folder: Path) -> StaticEncoder:
    return StaticEncoder(folder)


def test_identifiers_count_as_the_words_that_they_are_made_of() -> None:
    assert words_of("fetchUserById HTTP_server v2") == ["fetch", "user", "by", "id", "http", "server", "v", "2"]


def test_a_word_that_is_not_known_is_read_in_its_longest_known_parts() -> None:
    pieces = WordPieces(VOCABULARY)
    assert pieces.of("taxes") == {VOCABULARY.index("tax"): 1, VOCABULARY.index("##es"): 1}
    assert pieces.of("xylophone") == {}


def test_texts_of_the_same_words_are_one_vector(encoder: StaticEncoder) -> None:
    one, other = encoder.encode(["fetch the user", "the user: fetch!"])
    assert np.allclose(one, other)
    assert encoder.name == "tiny-1"
    assert encoder.dimensions == 64


def test_signed_bytes_say_nearly_what_the_rows_said(folder: Path) -> None:
    rows = np.random.default_rng(3).normal(size=(len(VOCABULARY), 64)).astype(np.float32)
    read = StaticEncoder(folder).encode(["tax"])[0]
    assert float(read @ (rows[3] / np.linalg.norm(rows[3]))) > 0.999


@given(st.lists(st.text(max_size=200), max_size=5))
def test_any_text_gives_a_row_of_length_one_or_none(texts: list[str]) -> None:
    encoder = any_encoder()
    made = encoder.encode(texts)
    assert made.shape == (len(texts), encoder.dimensions)
    lengths = np.linalg.norm(made, axis=1)
    assert all(np.isclose(length, 1, atol=1e-5) or length == 0 for length in lengths)


def test_a_long_text_is_read_as_far_as_its_first_words(encoder: StaticEncoder) -> None:
    first = "tax " * MOST_WORDS
    one, other = encoder.encode([first, first + "fetch " * 100_000])
    assert np.allclose(one, other)


def test_files_that_do_not_belong_together_are_refused(folder: Path, tmp_path: Path) -> None:
    for name in ("encoder.json", "encoder.npy"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "encoder.txt").write_text("one\nword", encoding="utf-8")
    with pytest.raises(ValueError, match="do not belong together"):
        StaticEncoder(tmp_path)
    with pytest.raises(OSError, match=r"encoder\.json"):
        StaticEncoder(tmp_path / "nowhere")


@cache
def any_encoder() -> StaticEncoder:
    """One for the property, where a fixture would be made for every example."""
    made = Path(tempfile.mkdtemp())
    write(made, {"name": "tiny-1"}, VOCABULARY, np.eye(len(VOCABULARY), 64, dtype=np.float32))
    assert json.loads((made / "encoder.json").read_text(encoding="utf-8")) == {"name": "tiny-1"}
    return StaticEncoder(made)
