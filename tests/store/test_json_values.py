"""Values keep their meaning through JSON, whatever class of the model they are of."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import Enum
from typing import Any, get_args, get_type_hints

import cattrs
import pytest
from attrs import fields, has

from memlsp.model.belief import Anchor, Author, Belief, Evidence, Guard, Reference
from memlsp.model.episode import CommitEpisode, Episode, KeptChange
from memlsp.model.handoff import Handoff
from memlsp.store.core.rows import converter, moment, stamp
from memlsp.store.tables.threads import KeptThread

KEPT = [Anchor, Belief, Evidence, Guard, Reference, CommitEpisode, Episode, Handoff, KeptChange, KeptThread]
MOMENT = datetime(2026, 11, 26, 9, 30, tzinfo=UTC)


def filled(type_: Any) -> Any:
    """A value of a type with something in every part of it."""
    general = cattrs.Converter()
    general.register_structure_hook(datetime, lambda value, _: moment(value))
    return general.structure(raw(type_), type_)


def raw(type_: Any) -> Any:
    """JSON that a value of a type can be read from."""
    text = str(type_)
    if isinstance(type_, type) and has(type_):
        hints = get_type_hints(type_)
        return {each.name: raw(hints[each.name]) for each in fields(type_)}
    if type_ is datetime:
        return stamp(MOMENT)
    if isinstance(type_, type) and issubclass(type_, Enum):
        return next(iter(type_)).value
    if type_ in {str, int, float, bool}:
        return type_(3)
    inner = get_args(type_)
    if text.startswith(("tuple", "frozenset")):
        kinds = inner[:1] * 2 if inner[-1] is Ellipsis or text.startswith("frozenset") else inner
        return [raw(each) for each in kinds]
    return raw(inner[0])  # or none


@pytest.mark.parametrize("type_", KEPT, ids=lambda type_: type_.__name__)
def test_a_value_is_read_as_the_general_library_reads_it(type_: Any) -> None:
    value = filled(type_)
    written = json.loads(json.dumps(converter().unstructure(value)))
    assert converter().structure(written, type_) == value
    assert converter().structure(json.loads(json.dumps(raw(type_))), type_) == value
    short = converter(omit_defaults=True)
    assert short.structure(json.loads(json.dumps(short.unstructure(value))), type_) == value


def test_unknown_keys_are_ignored_and_missing_ones_take_their_default() -> None:
    assert converter().structure({"name": "Ann", "shoe size": 38}, Author) == Author("Ann")
    assert converter(omit_defaults=True).unstructure(Author("Ann")) == {"name": "Ann"}


@pytest.mark.parametrize("damage", [[], "text", None, {}, {"name": "Ann", "kind": "nobody"}, 3])
def test_json_of_another_shape_is_refused(damage: object) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        converter().structure(damage, Author)


def test_a_scalar_of_another_type_does_not_get_in() -> None:
    read = converter().structure({"name": ["Ann"], "kind": "person"}, Author)
    assert isinstance(read.name, str)
