"""A parser of JSON as people write it in settings (comments, trailing commas), which keeps the place of every value. A
scanner of our own because an edit must leave every other character where it was: the standard library forgets places
and comments, and the grammar that the code rooms use answers a trailing comma with an error."""

from __future__ import annotations

import json
import re

from attrs import frozen

from memlsp.model.errors import UnreadableSource

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

_DEEPEST = 100
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}


@frozen
class JsonNode:
    """A value with its place, `text[start:end]`. `children` are a list's items or an object's members."""

    start: int
    end: int
    value: JsonValue
    children: tuple[JsonChild, ...] = ()

    def find(self, key: str) -> JsonChild | None:
        """The member of that name, or None."""
        return next((child for child in self.children if child.key == key), None)


@frozen
class JsonChild:
    """An item (key None) or a member; it begins at `start`, with its key."""

    start: int
    node: JsonNode
    key: str | None = None

    @property
    def end(self) -> int:
        """The end of it, before any comma."""
        return self.node.end


def parse(text: str) -> JsonNode:
    """Parse the one value of a document. Raises UnreadableSource with the line of the error."""
    reader = _JsoncParser(text)
    root = reader.value(skip(text, 0), 0)
    rest = skip(text, root.end)
    if rest < len(text):
        raise reader.error(rest, "something follows the end of the value")
    return root


def skip(text: str, place: int) -> int:
    """The next place at or after `place` that is neither white space nor comment."""
    while place < len(text):
        if text[place] in " \t\r\n":
            place += 1
        elif text.startswith("//", place):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif text.startswith("/*", place):
            end = text.find("*/", place + 2)
            if end < 0:
                raise _JsoncParser(text).error(place, "a comment that does not end")
            place = end + 2
        else:
            break
    return place


class _JsoncParser:
    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, place: int, what: str) -> UnreadableSource:
        line = self.text.count("\n", 0, place) + 1
        return UnreadableSource(f"line {line}: {what}")

    def value(self, place: int, depth: int) -> JsonNode:
        text = self.text
        if depth > _DEEPEST:
            raise self.error(place, "nested too deeply")
        if place >= len(text):
            raise self.error(place, "the file ends in the middle of a value")
        if text[place] == "{":
            return self._object(place, depth)
        if text[place] == "[":
            return self._array(place, depth)
        if text[place] == '"':
            return self._string(place)
        for word, value in _WORDS.items():
            if text.startswith(word, place):
                return JsonNode(place, place + len(word), value)
        number = _NUMBER.match(text, place)
        if not number:
            raise self.error(place, f"{text[place]!r} begins no value")
        value = json.loads(number[0])
        return JsonNode(place, number.end(), value)

    def _string(self, place: int) -> JsonNode:
        found = _STRING.match(self.text, place)
        if not found:
            raise self.error(place, "a string that does not end, or has a character that JSON forbids")
        value: str = json.loads(found[0])
        return JsonNode(place, found.end(), value)

    def _object(self, start: int, depth: int) -> JsonNode:
        members: list[JsonChild] = []
        value: dict[str, JsonValue] = {}
        place = skip(self.text, start + 1)
        while not self.text.startswith("}", place):
            if not self.text.startswith('"', place):
                raise self.error(place, 'a name in "quotes" or } is missing')
            name = self._string(place)
            key = str(name.value)
            if key in value:
                raise self.error(place, f"{key!r} stands there twice")
            colon = skip(self.text, name.end)
            if not self.text.startswith(":", colon):
                raise self.error(colon, "a : is missing")
            node = self.value(skip(self.text, colon + 1), depth + 1)
            members.append(JsonChild(place, node, key))
            value[key] = node.value
            place = self._past_comma(node.end, "}")
        return JsonNode(start, place + 1, value, tuple(members))

    def _array(self, start: int, depth: int) -> JsonNode:
        items: list[JsonChild] = []
        place = skip(self.text, start + 1)
        while not self.text.startswith("]", place):
            node = self.value(place, depth + 1)
            items.append(JsonChild(place, node))
            place = self._past_comma(node.end, "]")
        return JsonNode(start, place + 1, [item.node.value for item in items], tuple(items))

    def _past_comma(self, place: int, closing: str) -> int:
        place = skip(self.text, place)
        if self.text.startswith(",", place):
            return skip(self.text, place + 1)
        if not self.text.startswith(closing, place):
            raise self.error(place, f"a comma or {closing} is missing")
        return place
