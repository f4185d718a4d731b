"""Answers and receipts as JSON."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.recall import Omission, Recall, Receipt, WorkHit


def recall_shape(recall: Recall) -> Json:
    """An answer, best first."""
    return {
        "hits": [
            {
                "id": hit.judgement.belief.id,
                "text": hit.judgement.belief.text,
                "standing": str(hit.judgement.standing),
                "score": round(hit.score, 4),
                **picked(hit, "why detail"),
            }
            for hit in recall.hits
        ],
        "work": [work_shape(hit) for hit in recall.work],
        "tokens": recall.tokens,
        "left_out": _left_out(recall.left_out),
    }


def work_shape(hit: WorkHit) -> Json:
    """A commit or an episode that answers."""
    return {**picked(hit, "id title at who symbols"), "score": round(hit.score, 4), **picked(hit, "why detail")}


def receipt_shape(receipt: Receipt) -> Json:
    """The record of one recall."""
    return {
        **picked(receipt, "id at asker query"),
        "as_of": receipt.as_of or None,
        **picked(receipt, "served"),
        "left_out": _left_out(receipt.left_out),
        "tokens": receipt.tokens,
    }


def _left_out(omissions: tuple[Omission, ...]) -> list[Json]:
    return [picked(omission, "id reason") for omission in omissions]
