"""The byte range that an edit replaced, and its effect on syntax trees and line starts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

import tree_sitter
from attrs import frozen

from memlsp.code.syntax.parser import line_starts_of

_BLOCK = 1 << 12


@frozen
class Replacement:
    """Bytes `start` to `old_end` of the old text are now `start` to `new_end` of the new one."""

    start: int
    old_end: int
    new_end: int

    @property
    def delta(self) -> int:
        """The shift of everything behind the range."""
        return self.new_end - self.old_end

    def hull(self, other: Replacement) -> Replacement:
        """The smallest range that covers both; their texts are equally long."""
        start, old_end = min(self.start, other.start), max(self.old_end, other.old_end)
        return Replacement(start, old_end, old_end + self.delta)


def replacement(old: bytes, new: bytes) -> Replacement:
    """The smallest range outside of which two texts are equal, in whole characters of UTF-8."""
    left, right = len(old), len(new)
    most = min(left, right)
    start = _equal_bytes(most, lambda low, high: old[low:high] == new[low:high])
    while start > 0 and (_inside(old, start) or _inside(new, start)):
        start -= 1
    behind = _equal_bytes(
        most - start, lambda low, high: old[left - high : left - low] == new[right - high : right - low]
    )
    while behind > 0 and _inside(old, left - behind):
        behind -= 1
    return Replacement(start, left - behind, right - behind)


def edited_tree(tree: tree_sitter.Tree, edit: Replacement, before: list[int], after: list[int]) -> tree_sitter.Tree:
    """A copy of a tree with an edit applied. `before` and `after` are the starts of the lines."""
    edited = tree.copy()
    edited.edit(
        start_byte=edit.start,
        old_end_byte=edit.old_end,
        new_end_byte=edit.new_end,
        start_point=_point(before, edit.start),
        old_end_point=_point(before, edit.old_end),
        new_end_point=_point(after, edit.new_end),
    )
    return edited


def lines_after(starts: list[int], edit: Replacement, source: bytes) -> list[int]:
    """The line starts of `source`, computed from those of the former text."""
    kept = starts[: bisect_right(starts, edit.start)]
    kept.extend(edit.start + start for start in line_starts_of(source[edit.start : edit.new_end])[1:])
    delta = edit.delta
    behind = starts[bisect_right(starts, edit.old_end) :]
    kept.extend([start + delta for start in behind] if delta else behind)
    return kept


def _point(starts: list[int], offset: int) -> tuple[int, int]:
    line = bisect_right(starts, offset) - 1
    return line, offset - starts[line]


def _inside(text: bytes, at: int) -> bool:
    """True inside a UTF-8 character."""
    return at < len(text) and text[at] & 0xC0 == 0x80


def _equal_bytes(most: int, equal: Callable[[int, int], bool]) -> int:
    """How many of `most` bytes are equal from one end on; `equal` compares a range of them, counted from that end."""
    at = 0
    while at < most and equal(at, min(at + _BLOCK, most)):
        at += _BLOCK
    high = min(most, at + _BLOCK)
    while at < high:
        middle = (at + high + 1) // 2
        if equal(at, middle):
            at = middle
        else:
            high = middle - 1
    return min(at, most)
