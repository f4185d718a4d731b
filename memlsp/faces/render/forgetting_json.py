"""Previews and receipts of forgetting as JSON. A receipt holds nothing of what was forgotten; a preview does."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, moment
from memlsp.model.audit import ErasureReceipt, Preview


def preview_shape(preview: Preview) -> Json:
    """What would go."""
    return {
        "by": preview.selector.kind.value,
        "beliefs": [
            {"id": belief.id, "text": belief.text, "kind": belief.kind.value, "status": belief.status.value}
            for belief in preview.beliefs
        ],
        "others": dict(preview.others),
        "stays": [{"id": id, "reason": reason} for id, reason in preview.stays],
        "copies": list(preview.copies),
        "refused": preview.refused,
    }


def forgotten_shape(receipt: ErasureReceipt) -> Json:
    """What was done, and what was found afterwards."""
    return {
        "id": receipt.id,
        "at": moment(receipt.at),
        "author": receipt.author.name,
        "author_kind": receipt.author.kind.value,
        "by": receipt.selector,
        "removed": dict(receipt.removed),
        "searched": receipt.searched,
        "left": list(receipt.left),
    }
