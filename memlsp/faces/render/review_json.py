"""The review, undoing, the audit log and forgetting as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.faces.render.belief_json import Json, belief_shape, picked
from memlsp.model.audit import AuditEntry, ErasureReceipt, Preview
from memlsp.model.review import CodeChange, Decision, ReviewItem

if TYPE_CHECKING:
    from memlsp.memory.curation.undo import UndoResult  # it brings the whole memory along


def item_shape(item: ReviewItem, changes: Sequence[CodeChange] | None = None) -> Json:
    """One decision that waits; with `changes` the code before and after."""
    shape: Json = {
        **picked(item, "id kind question impact choices"),
        "beliefs": [belief_shape(judgement) for judgement in item.judgements],
        **picked(item, "evidence"),
        "replaces": item.replaces.belief.id if item.replaces is not None else None,
    }
    if changes is not None:
        shape["changes"] = [code_shape(change) for change in changes]
    return shape


def code_shape(change: CodeChange) -> Json:
    """The code of an anchor, before and after."""
    return picked(change, "was now? verified_at commit? lines")


def decision_shape(decision: Decision) -> Json:
    """A decision and its effect."""
    return {
        **picked(decision, "item choice"),
        "author": picked(decision.author, "name kind"),
        **picked(decision, "at"),
        "revisions": [{"id": id, "number": number} for id, number in decision.revisions],
        "belief": belief_shape(decision.judgement) if decision.judgement is not None else None,
    }


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


def audit_shape(entry: AuditEntry) -> Json:
    """One entry of the audit log."""
    return {
        **picked(entry, "id at action"),
        "author": picked(entry.author, "name kind"),
        **picked(entry, "source session? targets note"),
    }


def preview_shape(preview: Preview) -> Json:
    """The records that forgetting would erase."""
    return {
        **picked(preview.selector, "by=kind"),
        "beliefs": [picked(belief, "id text kind status") for belief in preview.beliefs],
        **picked(preview, "others{}"),
        "stays": [{"id": id, "reason": reason} for id, reason in preview.stays],
        **picked(preview, "copies refused"),
    }


def forgotten_shape(receipt: ErasureReceipt) -> Json:
    """The erased records in numbers, and the files that still hold something."""
    return {
        **picked(receipt, "id at"),
        **picked(receipt.author, "author=name author_kind=kind"),
        **picked(receipt, "by=selector removed{} searched left"),
    }
