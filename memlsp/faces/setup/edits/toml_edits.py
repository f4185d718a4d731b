"""Adding a table to a TOML text and removing it. tomlkit reads and writes values; lines give the places. Every result
is parsed again: an edit that changes the meaning of anything but our table is refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable

from memlsp.model.errors import UnreadableSource

TomlValue = str | int | bool | list[str]

_HEADER = re.compile(r"\s*\[")


def table(text: str, path: Sequence[str]) -> dict[str, Any] | None:
    """The contents of a table, or None when there is none. Raises UnreadableSource for a text that is no TOML."""
    found: Any = _read(text)
    for key in path:
        found = cast("dict[str, Any]", found).get(key) if isinstance(found, dict) else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def with_table(text: str, path: Sequence[str], values: Mapping[str, TomlValue]) -> str:
    """Set these values in that table: a new table is appended, in a present one only different values change."""
    present = table(text, path)
    if present is not None:
        new = _updated(text, path, values, present)
    else:
        newline = "\r\n" if "\r\n" in text else "\n"
        told = (f"{_key(key)} = {tomlkit.item(value).as_string()}" for key, value in values.items())
        lines = [f"[{_dotted(path)}]", *told]
        lead = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        new = text + lead + newline.join(lines) + newline
    expected = _read(text)
    at: dict[str, Any] = expected
    for key in path:
        below: Any = at.setdefault(key, {})
        if not isinstance(below, dict):
            raise UnreadableSource(f"{key} is no table")
        at = cast("dict[str, Any]", below)
    at.update(values)
    _demand(new, expected, path)
    return new


def without_table(text: str, path: Sequence[str]) -> str:
    """Remove that table with its sub-tables and the blank line before it; comments after it stay."""
    if table(text, path) is None:
        return text
    expected = _read(text)
    above: list[dict[str, Any]] = [expected]
    for key in path[:-1]:
        above.append(above[-1][key])
    del above[-1][path[-1]]
    for depth in range(len(path) - 1, 0, -1):  # a table that was only there by its sub-table goes with it
        if not above[depth] and not re.search(rf"(?m)^\s*\[\s*{re.escape(_dotted(path[:depth]))}\s*\]", text):
            del above[depth - 1][path[depth - 1]]
    new = _cut(text, path)
    _demand(new, expected, path)
    return new


def _cut(text: str, path: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    dotted = r"\s*\.\s*".join(_name(key) for key in path)
    header = re.compile(rf"\s*\[\s*{dotted}\s*[.\]]")
    kept: list[str] = []
    ours: list[str] | None = None
    for line in lines:
        if _HEADER.match(line):
            if ours is not None:
                kept.extend(_tail(ours))
            ours = [] if header.match(line) else None
            if ours is not None and kept and not kept[-1].strip():
                kept.pop()
        if ours is None:
            kept.append(line)
        else:
            ours.append(line)
    if ours is not None:
        kept.extend(_tail(ours))
    return "".join(kept)


def _tail(ours: list[str]) -> list[str]:
    """The blank lines and comments after our last key, which belong to the next table."""
    last = max(index for index, line in enumerate(ours) if line.strip() and not line.lstrip().startswith("#"))
    return ours[last + 1 :]


def _updated(text: str, path: Sequence[str], values: Mapping[str, TomlValue], present: dict[str, Any]) -> str:
    changed = {key: value for key, value in values.items() if present.get(key) != value}
    if not changed:
        return text
    document = tomlkit.parse(text)
    at: Any = document
    for key in path:
        at = at[key]
    for key, value in changed.items():
        cast("AbstractTable", at)[key] = value
    return tomlkit.dumps(document)


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UnreadableSource(str(error)) from error


def _demand(text: str, expected: dict[str, Any], path: Sequence[str]) -> None:
    try:
        found = _read(text)
        tomlkit.parse(text)
    except (UnreadableSource, TOMLKitError) as error:
        raise UnreadableSource(f"[{_dotted(path)}] cannot be placed in this file") from error
    if found != expected:
        raise UnreadableSource(f"[{_dotted(path)}] is not written as a table of its own in this file")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else tomlkit.string(name).as_string()


def _name(key: str) -> str:
    return rf"[\"']?{re.escape(key)}[\"']?"


def _dotted(path: Sequence[str]) -> str:
    return ".".join(_key(key) for key in path)
