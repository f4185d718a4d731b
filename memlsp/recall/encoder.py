"""What turns a text into a vector, and which one does: only the user's own settings choose it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

EMBEDDED, NONE = "embedded", "none"


class Encoder(Protocol):
    """From texts to vectors. Texts that mean the same are near each other; a question and its answer are too."""

    @property
    def name(self) -> str:
        """The model and its version: vectors of another are of no use."""
        ...

    @property
    def dimensions(self) -> int:
        """How long a vector is."""
        ...

    def encode(self, texts: Sequence[str]) -> Floats:
        """One row for each text, of shape (texts, dimensions) and length 1; 0 for a text without meaning."""
        ...


def encoder_of(choice: str) -> Encoder | None:
    """The encoder that the settings name: `embedded`, `none`, or a model of sentence-transformers by its name or
    folder. None when there is to be none.

    Raises BadValue when the model cannot be had: it is not on this machine, or the extra `semantic` is not installed.
    """
    if choice == NONE:
        return None
    if choice == EMBEDDED:
        from memlsp.recall.static_encoder import StaticEncoder  # late: it needs numpy

        return StaticEncoder()
    from memlsp.recall.transformer import Transformer  # late: it needs torch

    return Transformer(choice)
