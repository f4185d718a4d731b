"""The review, undoing and forgetting as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.faces.render.belief_json import Json, picked, shape_of
from memlsp.model.audit import ErasureReceipt, Preview
from memlsp.model.review import CodeChange, ReviewItem

if TYPE_CHECKING:
    from memlsp.memory.curation.undo import UndoResult  # it brings the whole memory along


def item_shape(item: ReviewItem, changes: Sequence[CodeChange] | None = None) -> Json:
    """One decision that waits; with `changes` the code before and after."""
    shape = {**shape_of(item), "replaces": item.replaces.belief.id if item.replaces is not None else None}
    return shape if changes is None else {**shape, "changes": [shape_of(change) for change in changes]}


def undone_shape(undone: UndoResult) -> Json:
    """The beliefs that were, or would be, taken back. Undoing `session` undoes it."""
    return {
        **picked(undone, "session?"),
        "changed": [
            {
                **picked(each.before, "id text"),
                "before_revision": each.number,
                **picked(each.before, "was=status"),
                **picked(each.after, "is=status text_now=text"),
            }
            for each in undone.changed
        ],
        "left": [{**picked(each.belief, "id text"), "reason": each.reason} for each in undone.left],
        **picked(undone, "already"),
    }


def preview_shape(preview: Preview) -> Json:
    """The records that forgetting would erase."""
    return {
        **picked(preview.selector, "by=kind"),
        "beliefs": [picked(belief, "id text kind status") for belief in preview.beliefs],
        **picked(preview, "others{} stays[id,reason] copies refused"),
    }


def forgotten_shape(receipt: ErasureReceipt) -> Json:
    """The erased records in numbers, and the files that still hold something."""
    return {
        **picked(receipt, "id at"),
        **picked(receipt.author, "author=name author_kind=kind"),
        **picked(receipt, "by=selector removed{} searched left"),
    }
