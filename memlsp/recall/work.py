"""Pieces of work that bear on a question: commits that were read, and episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from attrs import frozen

from memlsp.model.recall import Omission, WorkHit
from memlsp.recall.packing import shortened, tokens_of
from memlsp.recall.question import Question
from memlsp.store import SearchHit

_SHARE = 0.3
_CANDIDATES = 40
_FAR_BELOW = 0.25
"""As for beliefs (`candidates`, `search`)."""

TYPICAL = 400
"""Tokens that an answer should take: work is added up to these."""

_LEAST = 120
"""Tokens that work may take behind beliefs that took more."""

_WHOLE = 2  # the best are told with what they changed
_MOST_SENTENCES = 2
_MOST_SYMBOLS = 8
_TITLE, _WHO, _SENTENCE = 100, 40, 140


@frozen
class Piece:
    """A commit or an episode as an answer needs it."""

    kind: str  # commit or episode
    id: str
    title: str
    at: datetime
    who: str
    symbols: tuple[str, ...] = ()  # as path#name
    sentences: tuple[str, ...] = ()


class Archive(Protocol):
    """Where work is looked up."""

    def best(self, terms: Sequence[Sequence[str]], *, limit: int) -> Sequence[SearchHit]:
        """The best pieces for some words with their alternatives, best first; an id is `commit:HASH` or
        `episode:ID`."""
        ...

    def piece(self, key: str) -> Piece | None:
        """What such an id stands for; None when it is gone, or is not part of what is checked out."""
        ...


@frozen
class WorkAnswer:
    """What was found of work, how many tokens it takes, and what was left out."""

    hits: tuple[WorkHit, ...] = ()
    tokens: int = 0
    left_out: tuple[Omission, ...] = ()


def work_for(asked: Question, archive: Archive, *, used: int, budget: int, limit: int) -> WorkAnswer:
    """The work that bears on a question, best first, at most `limit` pieces, in what beliefs that took `used` tokens
    leave of the budget. Nothing when nothing is relevant."""
    if not asked.terms or limit < 1:
        return WorkAnswer()
    hits = archive.best(asked.terms, limit=max(_CANDIDATES, 2 * limit))
    if not hits:
        return WorkAnswer()
    top_score, top_share = hits[0].score, max(hit.share for hit in hits)
    scored = [
        (_SHARE * hit.share + (1 - _SHARE) * top_share * (hit.score / top_score if top_score > 0 else 1.0), hit)
        for hit in hits
        if _is_relevant(hit, asked, top_share)
    ]
    scored.sort(key=lambda entry: (-entry[0], entry[1].id))
    return _packed(scored, archive.piece, min(budget - used, max(TYPICAL - used, _LEAST)), limit)


def _is_relevant(hit: SearchHit, asked: Question, top_share: float) -> bool:
    if len(asked.terms) < 2:
        return True
    if asked.tells and all(word in asked.slight for word in hit.matched):
        return False
    return len(hit.matched) > 1 or hit.share >= _FAR_BELOW * top_share


def _packed(
    scored: Sequence[tuple[float, SearchHit]], piece_of: Callable[[str], Piece | None], room: int, limit: int
) -> WorkAnswer:
    hits: list[WorkHit] = []
    left_out: list[Omission] = []
    used = 0
    for score, hit in scored:
        if len(hits) >= limit:
            break
        piece = piece_of(hit.id)
        if piece is None:
            continue
        why = (f"matches {', '.join(f'{chr(34)}{shortened(word, 60)}{chr(34)}' for word in hit.matched[:8])}",)
        forms = [("line", _line(piece))]
        if len(hits) < _WHOLE:
            forms.insert(0, ("full", _full(piece)))
        fitting = next(((detail, text) for detail, text in forms if used + tokens_of(text) <= room), None)
        if fitting is None:
            left_out.append(Omission(piece.id, "budget"))
            continue
        used += tokens_of(fitting[1])
        hits.append(
            WorkHit(piece.id, piece.title, piece.at, piece.who, piece.symbols, score, why, fitting[0], fitting[1])
        )
    return WorkAnswer(tuple(hits), used, tuple(left_out))


def _line(piece: Piece) -> str:
    id = piece.id[:10] if piece.kind == "commit" else piece.id
    head = f"[{piece.kind} {id}] {piece.at:%Y-%m-%d}"
    who = f" {shortened(piece.who, _WHO)}" if piece.who else ""
    return f"{head}{who} · {shortened(piece.title, _TITLE)}"


def _full(piece: Piece) -> str:
    told = [f"  {shortened(sentence, _SENTENCE)}" for sentence in piece.sentences[:_MOST_SENTENCES]]
    return "\n".join((_line(piece), *told))
