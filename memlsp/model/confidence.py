"""How a confidence came to be."""

from __future__ import annotations

from attrs import frozen

from memlsp.model.belief import Revision


@frozen
class Step:
    """What one revision did to the confidence, and why in a few words. `before` is None for the first."""

    revision: Revision
    before: float | None
    after: float
    how: str
