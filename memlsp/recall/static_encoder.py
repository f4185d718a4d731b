"""The embedded encoder: a text is the normalised sum of its words' vectors. It needs only numpy.

Each word of the vocabulary has a row of signed bytes with a scale; rare words have longer rows. A word counts with the
root of its frequency in the text. Identifiers are split into words, unknown words into the longest known pieces
(WordPiece, as in BERT). `benchmarks/recall/train_encoder.py` makes the files by distillation as in Model2Vec, with
smooth inverse frequency (Arora et al., 2017) as first weights, tuned with in-batch negatives (Henderson et al., 2017).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

FILES = Path(__file__).parent
MOST_WORDS = 400
"""Words of a text that are encoded."""

_LONGEST = 6 * MOST_WORDS * 4  # characters
_LONGEST_WORD = 40
_KNOWN_AT_MOST = 200_000
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, identifiers in parts; at most `MOST_WORDS`."""
    return [word.lower() for word in _WORD.findall(text[:_LONGEST])[:MOST_WORDS]]


class WordPieces:
    """From words to rows of the vocabulary, in which `##` marks what only continues a word."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._rows = {piece: row for row, piece in enumerate(vocabulary)}
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, text: str) -> Counter[int]:
        """The count of each row in a text."""
        found: Counter[int] = Counter()
        for word, times in Counter(words_of(text)).items():
            for row in self._of_word(word):
                found[row] += times
        return found

    def _of_word(self, word: str) -> tuple[int, ...]:
        known = self._known.get(word)
        if known is None:
            known = self._split(word)
            if len(self._known) < _KNOWN_AT_MOST:
                self._known[word] = known
        return known

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest known beginning, then the longest continuation, and so on; nothing when a part is unknown."""
        if word in self._rows:
            return (self._rows[word],)
        found: list[int] = []
        at = 0
        word = word[:_LONGEST_WORD]
        while at < len(word):
            mark = "##" if at else ""
            for end in range(len(word), at, -1):
                row = self._rows.get(mark + word[at:end])
                if row is not None:
                    found.append(row)
                    at = end
                    break
            else:
                return ()
        return tuple(found)


class StaticEncoder:
    """The encoder of the files in a folder: `encoder.json` has its name, `encoder.txt` the vocabulary by line,
    `encoder.npy` the rows. `name` is the model and its version: vectors of two names cannot be compared. Raises OSError
    and ValueError for files that are not there or not whole. Any thread may use it."""

    def __init__(self, folder: Path = FILES) -> None:
        about = cast("dict[str, object]", json.loads((folder / "encoder.json").read_text(encoding="utf-8")))
        self.name = str(about["name"])
        vocabulary = (folder / "encoder.txt").read_text(encoding="utf-8").split("\n")
        # mapped: of eight megabytes a question needs the rows of its words
        stored = np.load(folder / "encoder.npy", mmap_mode="r", allow_pickle=False)
        if stored.dtype != np.int8 or stored.ndim != 2 or len(stored) != len(vocabulary):
            raise ValueError("the embedded encoder's files do not belong together")
        self.dimensions = int(stored.shape[1]) - _SCALE
        self._stored = stored
        self._pieces = WordPieces(vocabulary)

    def encode(self, texts: Sequence[str]) -> Floats:
        """One row of length 1 for each text, of shape (texts, dimensions); zeros for a text without a known word."""
        made = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for at, text in enumerate(texts):
            counts = self._pieces.of(text)
            if not counts:
                continue
            stored = self._stored[list(counts)]
            scales = np.ascontiguousarray(stored[:, -_SCALE:]).view(np.float32)[:, 0]
            weights = scales * np.sqrt(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))
            total = weights @ stored[:, :-_SCALE].astype(np.float32)
            length = float(np.sqrt(total @ total))
            if length > 0:
                made[at] = total / length
        return made


_SCALE = 4
"""Bytes at the end of a row that are its scale, a little-endian float32."""
