"""What the requests of `wire` answer with, made of what the memory gives."""

from __future__ import annotations

from typing import cast

from memlsp.faces.lsp.requests.wire import Belief, CodeChange, ReviewItem, TimelineEntry
from memlsp.faces.render.belief_json import belief_shape, moment
from memlsp.faces.render.episode_json import timeline_shape
from memlsp.faces.render.review_json import item_shape
from memlsp.faces.render.wording import plain
from memlsp.model import episode, review
from memlsp.model.standing import Judgement


def belief_wire(judgement: Judgement, root: str) -> Belief:
    """A belief of the workspace whose root has this uri."""
    belief = judgement.belief
    shape = {
        **belief_shape(judgement),
        "locked": belief.locked,
        "holds": judgement.standing.holds,
        "root": root,
        "status": belief.status.value,
    }
    return cast("Belief", shape)


def change_wire(change: review.CodeChange) -> CodeChange:
    """The code of an anchor, before and after."""
    return {
        "was": change.was,
        "now": change.now or None,
        "verified_at": moment(change.verified_at),
        "commit": change.commit or None,
        "lines": list(change.lines),
    }


def item_wire(item: review.ReviewItem, root: str) -> ReviewItem:
    """What waits, without the code."""
    shape = item_shape(item)
    shape["question"] = plain(item.question)
    shape["evidence"] = [plain(line) for line in item.evidence]
    shape["beliefs"] = [belief_wire(judgement, root) for judgement in item.judgements]
    return cast("ReviewItem", shape)


def entry_wire(entry: episode.TimelineEntry) -> TimelineEntry:
    """A line of the timeline."""
    shape = timeline_shape(entry)
    shape["title"] = plain(entry.title)
    return cast("TimelineEntry", shape)
