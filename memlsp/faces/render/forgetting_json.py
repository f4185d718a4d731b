"""Previews and receipts of forgetting as JSON. A preview quotes the text to forget, a receipt does not."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.audit import ErasureReceipt, Preview


def preview_shape(preview: Preview) -> Json:
    """The records that forgetting would erase."""
    return {
        "by": preview.selector.kind.value,
        "beliefs": [picked(belief, "id text kind status") for belief in preview.beliefs],
        "others": dict(preview.others),
        "stays": [{"id": id, "reason": reason} for id, reason in preview.stays],
        "copies": list(preview.copies),
        "refused": preview.refused,
    }


def forgotten_shape(receipt: ErasureReceipt) -> Json:
    """The erased records in numbers, and the files that still hold something."""
    return {
        **picked(receipt, "id at"),
        "author": receipt.author.name,
        "author_kind": receipt.author.kind.value,
        "by": receipt.selector,
        "removed": dict(receipt.removed),
        **picked(receipt, "searched left"),
    }
