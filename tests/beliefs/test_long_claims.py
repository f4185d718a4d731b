"""What a statement costs does not grow with the square of what it claims."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
from project import Project

from memlsp import Memory, Place


def calls(project: Project, text: str) -> int:
    """The calls of functions, ours and the interpreter's, that remembering and judging a statement takes."""
    made = 0

    def count(_frame: FrameType, event: str, _of: object) -> None:
        nonlocal made
        made += event in {"call", "c_call"}

    with Memory.open(project.root) as memory:
        memory.remember("fetch tries three times", at=[Place.parse("client.py#fetch")])
        sys.setprofile(count)
        try:
            memory.remember(text, at=[Place.parse("client.py#fetch")])
        finally:
            sys.setprofile(None)
    return made


@pytest.mark.parametrize("piece", ["1,", "three ", "`a`", "a(", "1:1 ", "`1`"])
def test_twice_as_many_claims_take_no_four_times_the_work(project: Project, piece: str) -> None:
    half = calls(project, piece * (2_000 // len(piece)))
    whole = calls(project, piece * (4_000 // len(piece)))
    assert whole < 2.6 * half
