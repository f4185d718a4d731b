"""Adding a member or an item to a JSON text and removing it, with every other character left where it was. Functions
map text to text. Removing the latest addition restores the text, but an empty container comes back as `{}` or `[]`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from memlsp.faces.setup.edits.jsonc import JsonChild, JsonNode, JsonValue, parse, skip
from memlsp.model.errors import UnreadableSource

Path = Sequence[str]
Kept = Callable[[Path], bool]

_INDENT = re.compile(r"\n([ \t]+)\S")
_WIDTH = 120
_NOTHING = re.compile(r"\s*\Z")


def lookup(text: str, path: Path) -> JsonValue:
    """The value at that path; None where there is none."""
    node = _at(text, path)
    return node.value if node else None


def with_member(text: str, path: Path, value: JsonValue) -> str:
    """Set `path` to `value`, with the objects above it. Raises UnreadableSource when one of them is no object."""
    *above, key = path
    text, holder, missing = _holder(text, above, "object")
    if missing:
        return _inserted(text, holder, missing[0], _nested([*missing[1:], key], value))
    child = holder.find(key)
    if child is None:
        return _inserted(text, holder, key, value)
    if child.node.value == value:
        return text
    margin = _margin(text, child.start)
    return text[: child.node.start] + _written(text, value, margin) + text[child.node.end :]


def with_item(text: str, path: Path, value: JsonValue) -> str:
    """Append `value` to the array at `path`, which is made when it is missing."""
    text, holder, missing = _holder(text, path, "array")
    if missing:
        return _inserted(text, holder, missing[0], _nested(missing[1:], [value]))
    return _inserted(text, holder, None, value)


def without_member(text: str, path: Path, kept: Kept) -> str:
    """Remove that member, and the objects above it that are then empty and not `kept`."""
    node = _at(text, path[:-1])
    child = node.find(path[-1]) if node else None
    if node is None or child is None:
        return text
    return _pruned(_removed(text, node, child), path[:-1], kept)


def without_items(text: str, path: Path, ours: Callable[[JsonValue], bool], kept: Kept) -> str:
    """Remove items of ours, our handlers in items of others, and containers that are then empty."""
    before = text
    while found := _item_of_ours(text, path, ours):
        text = _removed(text, *found)
    return text if text == before else _pruned(text, path, kept)


def _item_of_ours(text: str, path: Path, ours: Callable[[JsonValue], bool]) -> tuple[JsonNode, JsonChild] | None:
    """The first item of ours in the array at `path`, else the first handler of ours in an item, with its array."""
    node = _at(text, path)
    if node is None or not isinstance(node.value, list):
        return None
    arrays = [node, *(handlers.node for item in node.children if (handlers := item.node.find("hooks")))]
    return next(((array, child) for array in arrays for child in array.children if ours(child.node.value)), None)


def _pruned(text: str, path: Path, kept: Kept) -> str:
    while path:
        node = _at(text, path)
        if node is None or node.children or text[node.start + 1 : node.end - 1].strip() or kept(path):
            return text
        above = _at(text, path[:-1])
        child = above.find(path[-1]) if above else None
        if above is None or child is None:
            return text
        text = _removed(text, above, child)
        path = path[:-1]
    return text


def _at(text: str, path: Path) -> JsonNode | None:
    if _NOTHING.match(text):
        return None
    node = parse(text)
    for key in path:
        child = node.find(key)
        if child is None:
            return None
        node = child.node
    return node


def _holder(text: str, path: Path, kind: str) -> tuple[str, JsonNode, list[str]]:
    """The container at `path`, or the deepest object above it and the keys that are missing below that."""
    if _NOTHING.match(text):
        text = "{}" + (text or "\n")
    node = parse(text)
    for depth, key in enumerate(path):
        _demand(node, path[:depth], "object")
        child = node.find(key)
        if child is None:
            return text, node, list(path[depth:])
        node = child.node
    _demand(node, path, kind)
    return text, node, []


def _demand(node: JsonNode, path: Path, kind: str) -> None:
    if not isinstance(node.value, dict if kind == "object" else list):
        name = ".".join(path) or "the file"
        raise UnreadableSource(f"{name} is no {kind}")


def _nested(keys: Sequence[str], value: JsonValue) -> JsonValue:
    for key in reversed(keys):
        value = {key: value}
    return value


def _inserted(text: str, holder: JsonNode, key: str | None, value: JsonValue) -> str:
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    close = holder.end - 1
    if holder.children and "\n" not in text[holder.start : holder.end]:
        last = holder.children[-1].end
        comma = skip(text, last)
        last = comma + 1 if text[comma] == "," else last
        lead = " " if text[comma] == "," else ", "
        return text[:last] + lead + name + json.dumps(value, ensure_ascii=False) + text[last:]
    newline = _newline(text)
    margin = _child_margin(text, holder)
    addition = newline + margin + name + _written(text, value, margin)
    end = len(text[:close].rstrip())
    if not holder.children:
        bare = end == holder.start + 1
        tail = newline + _margin(text, holder.start) + text[close:] if bare else text[end:]
        return text[:end] + addition + tail
    last = holder.children[-1].end
    if text[skip(text, last)] == ",":
        return text[:end] + addition + "," + text[end:]
    return text[:last] + "," + text[last:end] + addition + text[end:]


def _removed(text: str, holder: JsonNode, child: JsonChild) -> str:
    index = holder.children.index(child)
    after = skip(text, child.end)
    followed = text[after] == ","
    start = len(text[: child.start].rstrip())
    end = after + 1 if followed else child.end
    if index == 0 and len(holder.children) > 1 and "\n" not in text[holder.start : holder.end]:
        end = skip(text, end)
        start = child.start
    before = text[:start]
    if not followed and index > 0:
        comma = skip(text, holder.children[index - 1].end)
        before = text[:comma] + text[comma + 1 : start]
    rest = text[end:]
    if len(holder.children) == 1 and not text[holder.start + 1 : start].strip():
        inside = text[end : holder.end - 1]
        if not inside.strip():
            return text[: holder.start + 1] + text[holder.end - 1 :]
    return before + rest


def _written(text: str, value: JsonValue, margin: str) -> str:
    unit = _INDENT.search(text)
    return _lines(value, margin, unit[1] if unit else "  ", _newline(text))


def _lines(value: JsonValue, margin: str, unit: str, newline: str) -> str:
    short = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, (dict, list)) or (len(margin) + len(short) < _WIDTH and not _deep(value)):
        return short
    inner = margin + unit
    if isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_lines(part, inner, unit, newline)}"
            for key, part in value.items()
        ]
    else:
        opening, closing = "[", "]"
        parts = [inner + _lines(part, inner, unit, newline) for part in value]
    return opening + newline + f",{newline}".join(parts) + newline + margin + closing


def _deep(value: dict[str, JsonValue] | list[JsonValue]) -> bool:
    """True for objects in objects, which read better over several lines."""
    return isinstance(value, dict) and any(part and isinstance(part, (dict, list)) for part in value.values())


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _margin(text: str, place: int) -> str:
    """The white space that begins the line of `place`."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _child_margin(text: str, holder: JsonNode) -> str:
    if holder.children:
        first = holder.children[0].start
        line = text[text.rfind("\n", 0, first) + 1 : first]
        if not line.strip() and "\n" in text[holder.start : first]:
            return line
    unit = _INDENT.search(text)
    return _margin(text, holder.start) + (unit[1] if unit else "  ")
