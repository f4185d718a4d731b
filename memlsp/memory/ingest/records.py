"""Complete a hook's record: add key, time and place, drop what is off or ignored, redact, then cut.

Nothing here reads a disk or a database; settings are handed in. `hook_ingest` stores the result.
"""

from __future__ import annotations

import os
from _blake2 import blake2b

from memlsp.capture.workspace.workspace_cache import read_head
from memlsp.store.tables.journal import json_line, shortened

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memlsp.capture.redaction.event_filter import Screen
    from memlsp.capture.settings.settings import Settings
    from memlsp.capture.workspace.workspace_cache import KnownWorkspace

    Record = dict[str, object]

_BEYOND = 3_000
"""Characters read beyond the kept ones, at either end of a text. A secret cut there is known by its beginning, which is
read, or is of a kind that is searched in the whole text."""

_MOST_EXTRA = 4_000  # characters of an unknown key that may be kept

_SAME = 2_000
"""Milliseconds within which an identical payload without an id counts as the same observation: agents that find a hook
in two of their files run it twice."""


def completed(record: Record, where: KnownWorkspace, folder: str, now: int, screen: Screen) -> Record:
    """The record with place and key, redacted and then cut. A text that cannot be redacted is left out."""
    source, session = str(record.get("source", "")), str(record.get("session", ""))
    place = os.path.join(folder, str(record.get("folder") or ""))
    record = dict(record)
    if "paths" in record:
        found = (inside(path, place, where.root) for path in _list(record["paths"]) if isinstance(path, str))
        record["paths"] = list(dict.fromkeys(path for path in found if path))
    dropped = record.get("dropped")
    # a command may run elsewhere than its session: neither place may be off
    off = any(screen.why_off(source, session, each) for each in dict.fromkeys((folder, place)))
    dropped = dropped or (off and "off") or screen.sift(record)
    if dropped:
        return {"source": source, "dropped": dropped}
    made: Record = {name: value for name, value in record.items() if name not in _TEXTS}
    at = made.get("at")
    made["at"] = at if isinstance(at, int) and at > 0 else now
    if not made.get("key"):
        made["key"], made["near"] = _keys(record, now)
    made["root"] = where.root
    made["folder"] = inside(place, folder, where.root)
    if not made.get("branch"):
        made["branch"], commit = read_head(where.root)
        made.setdefault("commit", commit)
    try:
        _redact(record, made, screen.settings)
    except Exception:  # it must never be kept as it came
        for name in _TEXTS:
            made.pop(name, None)
        made["found"] = ["unredactable"]
    return made


_TEXTS = ("text", "output", "extra", "plan")


def _redact(record: Record, made: Record, settings: Settings) -> None:
    from memlsp.capture.redaction.redaction import redact  # late: not every record has a text

    kinds = [str(kind) for kind in _list(record.get("found"))]
    cut = 0

    def clean(text: str) -> str:
        redacted = redact(text, settings.personal)
        kinds.extend(redacted.found)
        return redacted.text

    for name, most in (("text", settings.text), ("output", settings.output)):
        value = record.get(name)
        if isinstance(value, str) and value:
            looked_at, unseen = _window(value.replace("\0", ""), most)
            made[name], left_out = shortened(clean(looked_at), most)
            cut += unseen + left_out
    extra = record.get("extra")
    if isinstance(extra, dict) and extra:
        made["extra"] = _extra(extra, clean)  # pyright: ignore[reportUnknownArgumentType] - JSON has strings as keys
    if "plan" in record:
        items = [_list(each) for each in _list(record["plan"])]
        made["plan"] = [[clean(str(part)) for part in item] for item in items if len(item) == 2]
    if kinds:
        made["found"] = kinds
    if cut:
        made["cut"] = cut


def seen(most: int) -> int:
    """The number of characters read from either end of a very long text, of which `most` may be kept."""
    return most + _BEYOND


def _window(text: str, most: int) -> tuple[str, int]:
    """A text, or both ends of a very long one, and the number of characters skipped; whole where a secret is only known
    whole."""
    end = seen(most)
    if len(text) <= 2 * end or "-----BEGIN" in text or "private>" in text.lower():
        return text, 0
    return f"{text[:end]}\n[...]\n{text[-end:]}", len(text) - 2 * end


def _extra(extra: dict[str, object], clean: Callable[[str], str]) -> Record:
    """Unknown keys with their values, redacted together: the name of a key can make its value a secret."""
    kept: Record = {}
    for told, value in extra.items():
        name = clean(str(told))
        if value is None or isinstance(value, (bool, int, float)):
            kept[name] = value
            continue
        try:
            cleaned = _each_cleaned(value, clean)
            text = json_line({name: cleaned})
        except (TypeError, ValueError, RecursionError):
            kept[name] = None
            continue
        looked_at, _ = _window(text, _MOST_EXTRA)
        safe = clean(looked_at)
        kept[name] = cleaned if safe == text else safe
    return kept


def _each_cleaned(value: object, clean: Callable[[str], str]) -> object:
    """A JSON value with each of its texts redacted by itself: a log line between quotes and braces looks like code."""
    if isinstance(value, str):
        return clean(value) if len(value) <= 2 * seen(_MOST_EXTRA) else value  # the longer ones as part of the whole
    inner: Any = value
    if isinstance(inner, list):
        return [_each_cleaned(each, clean) for each in inner]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(inner, dict):
        return {name: _each_cleaned(each, clean) for name, each in inner.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return value


def _keys(record: Record, now: int) -> tuple[str, list[object]]:
    """The record's key and those of the time spans before and after it, so that a repetition across the edge is
    recognised."""
    told = repr([record.get(name) for name in ("source", "session", "kind", "tool", "text", "paths", "ok")])
    span = now // _SAME
    key, before, after = (
        blake2b(f"{each} {told}".encode("utf-8", "replace"), digest_size=16).hexdigest()
        for each in (span, span - 1, span + 1)
    )
    return key, [_SAME, before, after]


def inside(path: str, folder: str, root: str) -> str:
    """A path as agents write it, relative to the root with posix separators; "" for one outside of it."""
    if not path or "\0" in path:
        return ""
    whole = os.path.normpath(os.path.join(folder, path.removeprefix("file://")))
    for top in (root, os.path.realpath(root)):
        if whole == top:
            return "."
        if whole.startswith(top.rstrip(os.sep) + os.sep):
            return whole[len(top.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    real = os.path.realpath(whole)
    if real != whole and real.startswith(root.rstrip(os.sep) + os.sep):
        return real[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    return ""


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []  # pyright: ignore[reportUnknownArgumentType]
