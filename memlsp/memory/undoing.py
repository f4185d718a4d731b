"""Taking back more than one revision."""

from __future__ import annotations

from memlsp.memory.premises import Premises


class Undoing:
    """Takes back what a session, an import or a span of time taught; itself undoable."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
