"""Taking a memory elsewhere and bringing it back."""

from __future__ import annotations

from memlsp.memory.premises import Premises


class Copies:
    """Export, import, backup, restore, move and merge."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
