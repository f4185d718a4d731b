"""The interface of every model that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


class Encoder(Protocol):
    """Turns texts into vectors that are near each other when the texts mean the same, or one answers the other."""

    @property
    def name(self) -> str:
        """The model and its version. Vectors of two names cannot be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Floats:
        """One row of length 1 for each text, of shape (texts, dimensions); zeros for a text without known words."""
        ...
