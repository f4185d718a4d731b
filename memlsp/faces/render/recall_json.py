"""Answers and receipts as JSON."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, moment
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
                "why": list(hit.why),
                "detail": hit.detail,
            }
            for hit in recall.hits
        ],
        "work": [work_shape(hit) for hit in recall.work],
        "tokens": recall.tokens,
        "left_out": _left_out(recall.left_out),
    }


def work_shape(hit: WorkHit) -> Json:
    """A commit or an episode that answers."""
    return {
        "id": hit.id,
        "title": hit.title,
        "at": moment(hit.at),
        "who": hit.who,
        "symbols": list(hit.symbols),
        "score": round(hit.score, 4),
        "why": list(hit.why),
        "detail": hit.detail,
    }


def receipt_shape(receipt: Receipt) -> Json:
    """The record of one recall."""
    return {
        "id": receipt.id,
        "at": moment(receipt.at),
        "asker": receipt.asker,
        "query": receipt.query,
        "as_of": receipt.as_of or None,
        "served": list(receipt.served),
        "left_out": _left_out(receipt.left_out),
        "tokens": receipt.tokens,
    }


def _left_out(omissions: tuple[Omission, ...]) -> list[Json]:
    return [{"id": omission.id, "reason": omission.reason} for omission in omissions]
