"""The parameters of a request, read value by value: what has the wrong type is an error that names it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from attrs import field, frozen

from memlsp.model.errors import BadValue

MOST_TEXT = 100_000
"""Characters of one value; a statement has 4,000 at the most, and nobody types this much."""


@frozen
class Asked:
    """One request. `cancelled` is set when the editor does not want the answer any more."""

    values: Mapping[str, object]
    cancelled: threading.Event = field(factory=threading.Event)

    @classmethod
    def of(cls, params: object) -> Asked:
        """Read the parameters, an object or nothing. Raises BadValue."""
        if params is None:
            return cls({})
        if not isinstance(params, Mapping):
            raise BadValue(f"expected an object, got {_shown(params)}", "send the parameters by their names")
        return cls(cast("Mapping[str, object]", params))

    def text(self, name: str) -> str:
        """A text that must be there."""
        found = self.maybe(name)
        if found is None or not found.strip():
            raise BadValue(f"`{name}` is missing", f"send `{name}`, a text")
        return found

    def maybe(self, name: str) -> str | None:
        """A text that may be left out."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise BadValue(f"`{name}`: expected a text, got {_shown(value)}", f"send `{name}` as a text")
        if len(value) > MOST_TEXT:
            raise BadValue(f"`{name}` has {len(value):,} characters", f"{MOST_TEXT:,} is the most")
        return value

    def number(self, name: str, *, least: int = 0, most: int = 1_000_000_000) -> int | None:
        """A whole number that may be left out; JSON has no other numbers, so 3.0 is 3."""
        value = self.values.get(name)
        if value is None:
            return None
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or not least <= cast("float", value) <= most:
            hint = f"send `{name}` as a whole number, {most:,} at the most"
            raise BadValue(f"`{name}`: expected a whole number from {least}, got {_shown(value)}", hint)
        return int(cast("float", value))

    def one_of(self, name: str, words: Collection[str]) -> str | None:
        """One of some words; may be left out."""
        value = self.maybe(name)
        if value is not None and value not in words:
            raise BadValue(f"`{name}`: not known: {_shown(value)}", f"one of {', '.join(words)}")
        return value

    def texts(self, name: str, words: Collection[str] | None = None) -> Sequence[str] | None:
        """A list of texts, of some words where those are given; may be left out."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise BadValue(f"`{name}`: expected a list, got {_shown(value)}", f"send `{name}` as a list of texts")
        found = cast("Sequence[object]", value)
        for each in found:
            if not isinstance(each, str):
                raise BadValue(f"`{name}`: expected texts, got {_shown(each)}", f"send `{name}` as a list of texts")
            if words is not None and each not in words:
                raise BadValue(f"`{name}`: not known: {_shown(each)}", f"some of {', '.join(words)}")
        return cast("Sequence[str]", found)


def _shown(value: object) -> str:
    return repr(value)[:60]
