"""The review, undoing, the audit log and forgetting as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.faces.render.belief_json import Json, belief_shape, moment, picked
from memlsp.model.audit import AuditEntry, ErasureReceipt, Preview
from memlsp.model.review import CodeChange, Decision, ReviewItem

if TYPE_CHECKING:
    from memlsp.memory.curation.undo import UndoResult  # it brings the whole memory along


def item_shape(item: ReviewItem, changes: Sequence[CodeChange] | None = None) -> Json:
    """One decision that waits; with `changes` the code before and after."""
    shape: Json = {
        **picked(item, "id kind question impact choices"),
        "beliefs": [belief_shape(judgement) for judgement in item.judgements],
        "evidence": list(item.evidence),
        "replaces": item.replaces.belief.id if item.replaces is not None else None,
    }
    if changes is not None:
        shape["changes"] = [
            {
                "was": change.was,
                "now": change.now or None,
                "verified_at": moment(change.verified_at),
                "commit": change.commit or None,
                "lines": list(change.lines),
            }
            for change in changes
        ]
    return shape


def decision_shape(decision: Decision) -> Json:
    """A decision and its effect."""
    return {
        **picked(decision, "item choice"),
        "author": picked(decision.author, "name kind"),
        "at": moment(decision.at),
        "revisions": [{"id": id, "number": number} for id, number in decision.revisions],
        "belief": belief_shape(decision.judgement) if decision.judgement is not None else None,
    }


def undone_shape(undone: UndoResult) -> Json:
    """The beliefs that were, or would be, taken back. Undoing `session` undoes it."""
    return {
        "session": undone.session or None,
        "changed": [
            {
                "id": each.before.id,
                "text": each.before.text,
                "before_revision": each.number,
                "was": each.before.status.value,
                "is": each.after.status.value,
                "text_now": each.after.text,
            }
            for each in undone.changed
        ],
        "left": [{"id": each.belief.id, "text": each.belief.text, "reason": each.reason} for each in undone.left],
        "already": undone.already,
    }


def audit_shape(entry: AuditEntry) -> Json:
    """One entry of the audit log."""
    return {
        **picked(entry, "id at action"),
        "author": picked(entry.author, "name kind"),
        "source": entry.source,
        "session": entry.session or None,
        **picked(entry, "targets note"),
    }


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
