"""Packs an answer into a token budget: whole statements first, then one-liners, then ids.

A token counts as four bytes of UTF-8, rounded up: more than the usual tokenizers need for English and code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from attrs import frozen

from memlsp.model.belief import AuthorKind
from memlsp.model.recall import Hit, Omission
from memlsp.model.standing import Judgement

BYTES_PER_TOKEN = 4

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_LINE, _REASON, _NAME = 160, 200, 60
"""Characters of a statement in a one-liner, of reasons, of a name."""

_LARGEST_SHARE = 2
"""One belief of several takes at most half of the budget."""

SPENT = 3
_WHOLE, _LINES = 4, SPENT
"""After the first few, statements are whole up to a quarter of the budget, lines up to a third, then ids: an answer of
many rarely takes more than 400 tokens of its 1,200."""

_FIRST = 3  # hits that are served as well as there is room, whatever the ones before took


@frozen
class RankedBelief:
    """A judged and explained hit before it is packed."""

    judgement: Judgement
    score: float
    why: tuple[str, ...] = ()


def tokens_of(text: str) -> int:
    """The tokens that a text counts as, its line end included."""
    return -(-(len(text.encode("utf-8", "replace")) + 1) // BYTES_PER_TOKEN)


def pack(ranked: Sequence[RankedBelief], budget: int) -> tuple[list[Hit], int, list[Omission]]:
    """The hits that fit into `budget` tokens, in their order, their tokens, and the omissions.

    Each is served in the best form that fits: `full`, `line` or `id`; hits after the first three may not use up the
    whole budget. A belief that needs more than half of the budget is cut to that as a `line`, unless it is alone.
    """
    hits: list[Hit] = []
    left_out: list[Omission] = []
    used = 0
    for each in ranked:
        room = budget - used
        share = room if len(ranked) == 1 else min(room, max(budget // _LARGEST_SHARE, 1))
        if len(hits) >= _FIRST:
            share, line = min(share, budget // _WHOLE - used), min(room, budget // _LINES - used)
        else:
            line = room
        form = _best_form(each.judgement, share, line, room, first=not hits)
        if form is None:
            left_out.append(Omission(each.judgement.belief.id, "budget"))
            continue
        detail, served = form
        used += tokens_of(served)
        hits.append(Hit(each.judgement, each.score, each.why, detail, served))
    return hits, used, left_out


def _best_form(judgement: Judgement, share: int, line_room: int, room: int, *, first: bool) -> tuple[str, str] | None:
    head = render_belief_head(judgement)
    text = harmless(judgement.belief.text)
    full = f"{head}\n{text}"
    if tokens_of(full) <= share:
        return "full", full
    # the best answer is cut to its share rather than to one line
    cut = _cut(head, text, judgement.belief.id, share) if first else None
    if cut is not None:
        return "line", cut
    line = render_belief_line(judgement)
    if tokens_of(line) <= line_room:
        return "line", line
    bare = f"[{judgement.belief.id}] {judgement.belief.kind.value}, {judgement.standing.value}"
    return ("id", bare) if tokens_of(bare) <= room else None


def _cut(head: str, text: str, id: str, tokens: int) -> str | None:
    """As much of the text as fits, with a pointer to the whole; None where a one-liner holds more."""
    tail = f"… (the whole: {id})"
    room = tokens * BYTES_PER_TOKEN - 1 - len(f"{head}\n{tail}".encode("utf-8", "replace"))
    if room < _LINE:
        return None
    kept = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore").rstrip()
    return f"{head}\n{kept}{tail}"


def render_belief_head(judgement: Judgement) -> str:
    """One line: id, kind, conditions, standing with its reason when it does not hold, or not yet, author, date."""
    belief = judgement.belief
    standing = judgement.standing.value
    if judgement.has_caveat:
        reasons = "; ".join(reason.message.rstrip(". ") for reason in judgement.reasons if reason.message)
        standing = f"{standing}: {shortened(reasons, _REASON)}" if reasons else standing
    agent = " (agent)" if belief.author.kind is AuthorKind.AGENT else ""
    author = shortened(belief.author.name, _NAME) or "someone"
    under = ", ".join(f"{key}={value}" for key, value in belief.conditions)
    kind = f"{belief.kind.value} for {shortened(under, _NAME)}" if under else belief.kind.value
    return f"[{belief.id}] {kind}, {standing} · {author}{agent}, {belief.created_at:%Y-%m-%d}"


def render_belief_line(judgement: Judgement) -> str:
    """One line: the head and the shortened statement, with a pointer to the whole where it was cut."""
    text = harmless(judgement.belief.text)
    line = shortened(text, _LINE)
    more = f" (the whole: {judgement.belief.id})" if line.endswith("…") and not text.endswith("…") else ""
    return f"{render_belief_head(judgement)} · {line}{more}"


def shortened(text: str, limit: int) -> str:
    """The text on one harmless line of at most `limit` characters, with an ellipsis where it was cut."""
    line = " ".join(harmless(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def matched_clause(words: Sequence[str]) -> str:
    """The clause of an explanation that names the words found."""
    return "matches " + ", ".join(f'"{shortened(word, 60)}"' for word in words[:8])


def harmless(text: str) -> str:
    """The text without control, invisible and bidirectional characters and lone surrogates; line ends stay."""
    if text.isascii() and not _CONTROL.search(text):
        return text.strip()
    kept = [char for char in text.replace("\r\n", "\n").replace("\r", "\n") if char in "\n\t" or _shows(char)]
    return "".join(kept).strip()


def _shows(char: str) -> bool:
    # zero-width joiners hold scripts and emoji together
    return unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} or char in "\u200c\u200d"
