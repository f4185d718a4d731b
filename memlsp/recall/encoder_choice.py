"""The encoder that the user's own settings name. No file of a workspace can choose one.

A model of sentence-transformers (extra `semantic`) must be on this machine: none is fetched, and no code that comes
with a model is run.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memlsp.model.errors import BadValue
from memlsp.recall.encoder import Encoder

if TYPE_CHECKING:
    from memlsp.recall.encoder import Floats

EMBEDDED, NONE = "embedded", "none"

_BATCH = 32
_LONGEST = 4_000  # characters; models read a few hundred tokens


def encoder_of(choice: str) -> Encoder | None:
    """The encoder of a setting: `embedded`, `none` (None), or the name or folder of a sentence-transformers model.
    Raises BadValue when the model is not on this machine, or the extra `semantic` is not installed."""
    if choice == NONE:
        return None
    if choice == EMBEDDED:
        from memlsp.recall.static_encoder import StaticEncoder  # late: it needs numpy

        return StaticEncoder()
    return Transformer(choice)


class Transformer:
    """A model by name or folder. Raises BadValue when it is not here, or the extra is not installed."""

    def __init__(self, model: str) -> None:
        try:
            library: Any = import_module("sentence_transformers")
        except ImportError as error:
            raise BadValue(
                f"the encoder {model!r} needs the extra `semantic`", "pip install 'memlsp[semantic]'"
            ) from error
        folder = Path(model).expanduser()
        try:
            with _without_bars():
                self._model: Any = library.SentenceTransformer(
                    str(folder) if folder.is_dir() else model,
                    local_files_only=True,
                    trust_remote_code=False,
                    device="cpu",
                )
        except Exception as error:
            raise BadValue(
                f"the encoder {model!r} is not on this machine: {' '.join(str(error).split())[:200]}",
                "name the folder of a sentence-transformers model, or one that was downloaded before",
            ) from error
        sample = self.encode(["the same model makes the same vectors of the same words"])
        self.dimensions = int(sample.shape[1])  # asking the model for it has another name in each version, and warns
        self.name = f"{folder.name if folder.is_dir() else model}@{_fingerprint(sample)}"

    def encode(self, texts: Sequence[str]) -> Floats:
        """One row of length 1 for each text."""
        made: object = self._model.encode(
            [text[:_LONGEST] for text in texts],
            batch_size=_BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return cast("Floats", made)


def _fingerprint(sample: Floats) -> str:
    """A digest of one encoded sentence, which tells models of one name apart."""
    import numpy as np  # late: comes with the extra

    return blake2b(np.round(sample, 2).tobytes(), digest_size=4).hexdigest()


@contextmanager
def _without_bars() -> Generator[None]:
    """Keep transformers from drawing a progress bar while it loads a model, which every command does."""
    try:
        bars: Any = import_module("transformers.utils.logging")
        shown = bool(bars.is_progress_bar_enabled())
    except (ImportError, AttributeError):
        yield  # a version that draws none
        return
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()
