"""The JSON that scripts and editor extensions read, the same in every face. Its keys are a contract
(docs/reference/json.md): added to, never changed. Most classes have theirs in `shapes.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from memlsp.model.belief import Breach
    from memlsp.model.standing import Judgement

Json = dict[str, Any]

_SHAPES: dict[str, str] = tomllib.loads(Path(__file__).with_name("shapes.toml").read_text("utf-8"))
_WORD = re.compile(r"(\w+)(?:=(\w+(?:\.[a-z]\w*)*))?(?:\.(\d))?([?@]|\{\}|\[(\w+),(\w+)\]|\(([^)]*)\))?")


def moment(value: datetime) -> str:
    """UTC, ISO 8601, to the second: 2026-11-21T10:30:00Z."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def shape_of(value: object) -> Json:
    """A value as JSON, by the attributes that shapes.toml lists for its class."""
    return picked(value, _SHAPES[type(value).__name__])


def picked(value: object, names: str) -> Json:
    """These attributes of a value as JSON, their names split by spaces: times in UTC, enumerations by value, values
    with a shape as objects, others as text.

    Of `key=name` the key is another; `key=one.two` is an attribute of an attribute, null where the first is none.
    `name?` is null where it is empty, `name.3` is rounded to three places, `name@` is a time in full. `name{}` makes an
    object of pairs, `name[one,two]` an object of each pair, and `name(one two)` one of these attributes of each."""
    shape: Json = {}
    for key, path, places, mark, first, second, parts in _WORD.findall(names):
        found: Any = value
        for name in (path or key).split("."):
            found = None if found is None else getattr(found, name)
        if places:
            found = None if found is None else round(found, int(places))
        elif mark == "@":
            found = found and found.isoformat()
        elif first:
            found = [{first: one, second: two} for one, two in found]
        elif parts:
            found = [picked(each, parts) for each in found]
        elif mark == "{}":
            found = dict(shaped(found))
        else:
            found = shaped(found)
        shape[key] = found or None if mark == "?" else found
    return shape


def shaped(value: Any) -> Any:
    """A value of the model, or several, as JSON; what has no shape as text."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, frozenset):
        return sorted(map(shaped, cast("frozenset[Any]", value)))
    if isinstance(value, dict):
        return {key: shaped(each) for key, each in cast("Json", value).items()}
    if isinstance(value, (tuple, list)):
        return [shaped(each) for each in cast("Sequence[Any]", value)]
    kind = type(value).__name__
    if kind == "Judgement":
        return belief_shape(value)
    return shape_of(value) if kind in _SHAPES else str(value)


def belief_shape(judgement: Judgement) -> Json:
    """One belief with its standing now. Anchors are where the code is now, or where it last was."""
    belief = judgement.belief
    return {
        **picked(belief, "id text kind scope authority confidence.3"),
        **picked(judgement, "standing reasons checked anchors=ties"),
        "candidates": [shaped(candidate) for tie in judgement.ties for candidate in tie.candidates],
        **picked(belief, "author source created_at updated_at expires_at superseded_by"),
        "conditions": [f"{key}={value}" for key, value in belief.conditions],
        **picked(belief, "because_of stale_after_days=stale_after confirmed_at session? guards"),
    }


def breach_shape(breach: Breach) -> Json:
    """A place that breaks a guard."""
    return {**picked(breach, "guard path symbol"), "line": breach.span.start_line + 1, "text": breach.excerpt}
