"""Turns values of the model into the answers of `wire`, each checked against its declared type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from cattrs import Converter

from memlsp.faces.lsp.requests.wire import wire_types
from memlsp.faces.render.belief_json import Json, belief_shape, shape_of
from memlsp.faces.render.wording import plain
from memlsp.model import episode, review
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    from memlsp.memory import Memory

T = TypeVar("T")


def _same(value: object, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.60} is no {kind.__name__}")
    return value


_CONVERTER = Converter(detailed_validation=False)
for _kind in (str, bool, int):  # cattrs would convert them: None to "None"
    _CONVERTER.register_structure_hook(_kind, _same)


def typed(kind: str, shape: Mapping[str, object]) -> Json:
    """The JSON object `shape` as an answer of this type. Raises when a key is missing or a value has another type."""
    return _CONVERTER.structure(shape, wire_types()[kind])


def conflicts_by_belief(memory: Memory) -> dict[str, list[str]]:
    """The ids of the open conflicts of each belief that has one. In the worker thread."""
    found: dict[str, list[str]] = {}
    for conflict in memory.conflicts.open():
        for side in (conflict.first, conflict.second):
            found.setdefault(side, []).append(conflict.id)
    return found


def belief_wire(judgement: Judgement, root: str, conflicts: Mapping[str, list[str]] | None = None) -> Json:
    """A belief of the workspace whose root has this uri; `conflicts` as `conflicts_by_belief` returns them."""
    belief = judgement.belief
    more = {"locked": belief.locked, "holds": judgement.standing.holds, "root": root, "status": belief.status.value}
    clashes = {"conflicts": conflicts[belief.id]} if conflicts and belief.id in conflicts else {}
    return typed("Belief", {**belief_shape(judgement), **more, **clashes})


def change_wire(change: review.CodeChange) -> Json:
    """The code of an anchor, before and after."""
    return typed("CodeChange", shape_of(change))


def item_wire(item: review.ReviewItem, root: str) -> Json:
    """A review item, without the code."""
    shape = shape_of(item)
    shape["question"] = plain(item.question)
    shape["evidence"] = [plain(line) for line in item.evidence]
    shape["beliefs"] = [belief_wire(judgement, root) for judgement in item.judgements]
    return typed("ReviewItem", shape)


def entry_wire(entry: episode.TimelineEntry) -> Json:
    """A line of the timeline."""
    return typed("TimelineEntry", {**shape_of(entry), "title": plain(entry.title)})
