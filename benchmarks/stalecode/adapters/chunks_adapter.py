"""What is called RAG: fixed chunks of 500 characters with 100 in common, MiniLM vectors, the nearest chunks' notes.

pip install numpy onnxruntime tokenizers; the folder MODEL holds all-MiniLM-L6-v2 as model.onnx (which gives one
normalised vector for each text) and tokenizer.json. With WHOLE=1 a note is one chunk: vectors alone.

python chunks_adapter.py MODEL [WHOLE=1]
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stalecode.serve import serve

_SIZE, _STEP, _TOKENS = 500, 400, 256


class Chunks:
    """Vectors in memory, compared with all of them."""

    name = "chunks"

    def __init__(self, model: Path, *, whole: bool) -> None:
        self._numpy = importlib.import_module("numpy")
        runtime = importlib.import_module("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = runtime.InferenceSession(str(model / "model.onnx"), options)
        self._tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(str(model / "tokenizer.json"))
        self._tokenizer.enable_truncation(_TOKENS)
        self._tokenizer.enable_padding()
        self._whole = whole
        self._ids: list[str] = []
        self._vectors: list[Any] = []

    def begin(self, folder: str, data: str) -> None:  # noqa: ARG002 - nothing is read or written
        """Forget all."""
        self._ids, self._vectors = [], []

    def learn(self, notes: Sequence[dict[str, Any]]) -> None:
        """Cut and encode them."""
        pieces = [(note["id"], piece) for note in notes for piece in self._pieces(note["text"])]
        pieces.sort(key=lambda entry: len(entry[1]))  # those of one length cost least together
        for at in range(0, len(pieces), 16):
            batch = pieces[at : at + 16]
            self._ids += [id for id, _ in batch]
            self._vectors.append(self._encoded([text for _, text in batch]))

    def recall(self, text: str, k: int) -> dict[str, Any]:
        """The notes of the nearest chunks."""
        if not self._ids:
            return {"ids": []}
        near = self._numpy.concatenate(self._vectors) @ self._encoded([text])[0]
        order: list[int] = self._numpy.argsort(-near, kind="stable").tolist()
        return {"ids": list(dict.fromkeys(self._ids[at] for at in order))[:k]}

    def _pieces(self, text: str) -> list[str]:
        if self._whole or len(text) <= _SIZE:
            return [text]
        return [text[at : at + _SIZE] for at in range(0, max(len(text) - _SIZE + _STEP, 1), _STEP)]

    def _encoded(self, texts: Sequence[str]) -> Any:
        read = self._tokenizer.encode_batch(list(texts))
        ids, mask = ([getattr(each, name) for each in read] for name in ("ids", "attention_mask"))
        inputs = {"input_ids": self._numpy.array(ids), "attention_mask": self._numpy.array(mask)}
        return self._session.run(None, inputs)[0]


if __name__ == "__main__":
    serve(Chunks(Path(sys.argv[1]), whole="WHOLE=1" in sys.argv[2:]))
