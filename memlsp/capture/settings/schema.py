"""Every setting of `config.toml`: `schema.toml` describes them, and this module checks and applies values.

The user's file may set all of them. The workspace's file comes with the repository, so anyone who can write to the
repository can write it: it can only make things stricter, and can neither turn terminals on nor choose what is run or
admitted.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from memlsp.capture.settings.settings import IGNORED, SOURCES, Settings

_PERSONAL = ("email", "phone", "card")
_LARGEST_FILE = 256 * 1024
_LONGEST_PATTERN = 200
_MOST_PATTERNS = 200
_OTHER_TABLES = frozenset({"workspace"})  # read by `identity`

_Apply = Callable[[Settings, Any, bool], str]
"""Checks a value and sets it. The third argument is True for the workspace's file. Returns what is wrong, or ""."""


@frozen
class Setting:
    """One setting. `workspace` says what the workspace's file may do with it, "" for nothing."""

    table: str
    name: str
    sort: str
    default: str
    workspace: str
    about: str
    apply: _Apply


def load(user: str, workspace: str) -> Settings:
    """Return the settings of both files (paths) together. Never raises: `messages` says what is wrong, on a line of
    printable text each, and the value that restricts more holds where what a person wants cannot be read."""
    settings = Settings()
    messages: list[str] = []
    for path, strict in ((user, False), (workspace, True)):
        try:
            tables = _tables(Path(path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            messages.append(f"{path} cannot be read: {' '.join(str(error).split())}")
            whose = "the workspace's settings" if strict else "the settings"
            settings.why_off = f"{whose} in {path} cannot be read"
            if not strict:
                settings.enforce = "ask"
            continue
        messages += [f"{path}: {message}" for message in _apply_all(settings, tables, strict=strict)]
    settings.messages = tuple("".join(sign if sign.isprintable() else " " for sign in line) for line in messages)
    return settings


def _tables(path: Path) -> Mapping[str, Any]:
    if str(path) == os.devnull:  # a common way to say that there is no file
        return {}
    if path.exists() and not path.is_file():  # reading a pipe, or a link to a terminal, would block
        raise ValueError("it is no ordinary file")
    with path.open("rb") as file:
        data = file.read(_LARGEST_FILE + 1)
    if len(data) > _LARGEST_FILE:
        raise ValueError(f"it is larger than {_LARGEST_FILE // 1024} kB")
    return tomllib.loads(data.decode("utf-8-sig"))


def _apply_all(settings: Settings, tables: Mapping[str, Any], *, strict: bool) -> Iterator[str]:
    known = {(each.table, each.name): each for each in SETTINGS}
    for table, values in tables.items():
        if table in _OTHER_TABLES:
            continue
        if not any(table == each.table for each in SETTINGS) or not isinstance(values, dict):
            yield f"there is no setting {table!r}"
            continue
        for name, value in cast("dict[str, Any]", values).items():
            setting = known.get((table, name))
            if setting is None:
                yield f"there is no setting {table}.{name}"
            elif strict and not setting.workspace:
                yield f"{table}.{name} can only be set in the user's settings"
            elif wrong := setting.apply(settings, value, strict):
                yield f"{table}.{name} {wrong}"


def _source(source: str) -> _Apply:
    def apply(settings: Settings, value: Any, strict: bool) -> str:
        if not isinstance(value, bool):
            return "is true or false"
        if strict and value and source in settings.off:
            return "can be turned on in the user's settings only"
        without = tuple(each for each in settings.off if each != source)
        settings.off = without if value else (*without, source)
        return ""

    return apply


def _enabled(settings: Settings, value: Any, strict: bool) -> str:
    if not isinstance(value, bool):
        return "is true or false"
    if not value:
        settings.why_off = "it is off in the workspace's settings" if strict else "it is off in the settings"
    elif strict and settings.why_off:
        return "can be turned on in the user's settings only"
    return ""


def _folders(settings: Settings, value: Any, strict: bool) -> str:  # noqa: ARG001
    texts = _texts(value)
    if texts is None:
        return "is a list of folders"
    wrong = [each for each in texts if not Path(os.path.expanduser(each)).is_absolute()]  # noqa: PTH111
    settings.folders = tuple(os.path.normpath(os.path.expanduser(each)) for each in texts if each not in wrong)  # noqa: PTH111
    return f"takes absolute folders, not {wrong[0]!r}" if wrong else ""


def _ignore(settings: Settings, value: Any, strict: bool) -> str:
    texts = _texts(value)
    if texts is None:
        return "is a list of patterns, as in a .gitignore"
    wrong = [each for each in texts if not 0 < len(each) <= _LONGEST_PATTERN or (strict and each.startswith("!"))]
    patterns = (*settings.ignore, *(each for each in texts if each not in wrong))
    settings.ignore = patterns[: len(IGNORED) + _MOST_PATTERNS]
    if not wrong:
        return ""
    return "can add patterns and take none back" if strict else f"cannot be {wrong[0][:40]!r}"


def _personal(settings: Settings, value: Any, strict: bool) -> str:
    texts = _texts(value)
    if texts is None:
        return f"is a list of {', '.join(_PERSONAL)}"
    kinds = {*texts, *(settings.personal if strict else ())}
    settings.personal = tuple(each for each in _PERSONAL if each in kinds)
    wrong = [each for each in texts if each not in _PERSONAL]
    return f"knows {', '.join(_PERSONAL)}, not {wrong[0]!r}" if wrong else ""


def _limit(field: str, most: int) -> _Apply:
    def apply(settings: Settings, value: Any, strict: bool) -> str:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            return f"is a number from 0 to {most:,}"
        now: int = getattr(settings, field)
        if strict and value > now:
            return f"can be lowered from {now:,} only"
        setattr(settings, field, value)
        return ""

    return apply


_ADMITTED = {
    "kind": ("decision", "rule", "gotcha", "fact", "preference", "procedure"),
    "source": ("document", "comment", "commit", "prompt", "command"),
}
"""What a rule may admit. Suggestions of agents are not among the sources: a person reviews them."""


def _admit(settings: Settings, value: Any, strict: bool) -> str:  # noqa: ARG001
    settings.admit = ()  # what cannot be read admits nothing
    if not isinstance(value, list):
        return 'is a list such as [{from = "AGENTS.md"}]'
    rules: list[tuple[str, tuple[str, ...], tuple[str, ...], float]] = []
    for each in cast("list[Any]", value):
        entry: dict[str, Any] = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        pattern: Any = entry.get("from", "")
        kinds, sources = (_one_or_more(entry.get(name), allowed) for name, allowed in _ADMITTED.items())
        known = isinstance(pattern, str) and len(pattern) <= _LONGEST_PATTERN
        least: Any = entry.get("confidence", 0)
        known = known and isinstance(least, (int, float)) and not isinstance(least, bool) and 0 <= least <= 1
        known = known and bool(entry) and not set(entry) - {"from", "confidence", *_ADMITTED}
        if not known or kinds is None or sources is None:
            return 'takes entries such as {from = "AGENTS.md"} or {kind = "procedure", source = "command"}'
        if pattern and not sources:
            sources = ("document",)
        if not (pattern or kinds or sources):
            return "takes entries that say what they admit"
        rules.append((pattern, kinds, sources, float(least)))
    settings.admit = tuple(rules)
    return ""


def _one_or_more(value: Any, allowed: tuple[str, ...]) -> tuple[str, ...] | None:
    """One word or a list of them; () for none given, None for a value that is not allowed."""
    texts = [value] if isinstance(value, str) else [] if value is None else _texts(value)
    if texts is None or any(each not in allowed for each in texts) or (value is not None and not texts):
        return None
    return tuple(texts)


def _encoder(settings: Settings, value: Any, strict: bool) -> str:  # noqa: ARG001
    if not isinstance(value, str) or not 0 < len(value.strip()) <= _LONGEST_PATTERN or "\0" in value:
        return "is `embedded`, `none`, or a model's name or folder"
    settings.encoder = value.strip()
    return ""


def _enforce(settings: Settings, value: Any, strict: bool) -> str:  # noqa: ARG001
    known = value in ("tell", "ask", "deny")
    settings.enforce = str(value) if known else "ask"  # somebody wanted more than the default
    return "" if known else f"is `tell`, `ask` or `deny`, not {str(value)[:40]!r}: until then it is `ask`"


def _colleagues(settings: Settings, value: Any, strict: bool) -> str:  # noqa: ARG001
    settings.colleagues = value == "hooks"
    return "" if value in ("recall", "hooks") else f"is `recall` or `hooks`, not {str(value)[:40]!r}"


def _texts(value: Any) -> list[str] | None:
    if not isinstance(value, list):
        return None
    texts = [text for text in cast("list[Any]", value) if isinstance(text, str)]
    return texts if len(texts) == len(cast("list[Any]", value)) else None


_APPLY: dict[str, _Apply] = {
    "capture.enabled": _enabled,
    "capture.off": _folders,
    "capture.ignore": _ignore,
    "redaction.personal": _personal,
    "agents.enforce": _enforce,
    "agents.colleagues": _colleagues,
    "learning.admit": _admit,
    "recall.encoder": _encoder,
}


def _settings() -> Iterator[Setting]:
    tables = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for table, entries in tables.items():
        for name, entry in entries.items():
            workspace = entry.get("workspace", "")
            limit = _limit(entry["field"], entry["most"]) if "most" in entry else None
            apply = limit or (_source(name) if name in SOURCES else _APPLY[f"{table}.{name}"])
            yield Setting(table, name, entry["values"], entry["default"], workspace, entry["about"], apply)


SETTINGS = tuple(_settings())
"""In the order of the reference page."""
