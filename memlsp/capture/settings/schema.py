"""Every setting: its place in `config.toml`, allowed values, default, and who may set it.

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

from memlsp.capture.settings.settings import IGNORED, Settings

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
    """Return the settings of both files (paths) together. Never raises: `messages` says what is wrong."""
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
            continue
        messages += [f"{path}: {message}" for message in _apply_all(settings, tables, strict=strict)]
    settings.messages = tuple(messages)
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
    if not isinstance(value, list):
        return 'is a list such as [{from = "AGENTS.md"}]'
    rules: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
    for each in cast("list[Any]", value):
        entry: dict[str, Any] = cast("dict[str, Any]", each) if isinstance(each, dict) else {}
        pattern: Any = entry.get("from", "")
        kinds, sources = (_one_or_more(entry.get(name), allowed) for name, allowed in _ADMITTED.items())
        known = isinstance(pattern, str) and len(pattern) <= _LONGEST_PATTERN
        if not entry or not known or kinds is None or sources is None or set(entry) - {"from", *_ADMITTED}:
            return 'takes entries such as {from = "AGENTS.md"} or {kind = "procedure", source = "command"}'
        if pattern and not sources:
            sources = ("document",)
        if not (pattern or kinds or sources):
            return "takes entries that say what they admit"
        rules.append((pattern, kinds, sources))
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


def _texts(value: Any) -> list[str] | None:
    if not isinstance(value, list):
        return None
    texts = [text for text in cast("list[Any]", value) if isinstance(text, str)]
    return texts if len(texts) == len(cast("list[Any]", value)) else None


_ON_OFF = "true or false"
_STRICTER, _ADDS, _LOWERS = "may turn it off", "may add", "may lower"
_SOURCES = {
    "agents": "What agents report through their hooks: prompts, commands, edits, plans.",
    "editor": "Saves, and what they changed.",
    "files": "Files that change on disk.",
    "git": "Commits, checkouts, merges, rebases, resets and stashes.",
}
_LIMITS = (
    ("caps", "text", "characters", "4000", 20_000, "Of a prompt, message or command."),
    ("caps", "output", "characters", "2000", 20_000, "Of what a command printed."),
    ("caps", "session", "events", "10000", 1_000_000, "Of one session."),
    ("caps", "day", "events", "50000", 1_000_000, "Of one day."),
    ("handoffs", "days", "days", "7", 365, "Until a handoff expires."),
)
_TERMINALS = "Commands of terminals: a shell with `memlsp shell-integration`, or an editor that tells them."
_OFF = "Absolute folders (`~` for home) in which nothing is captured."
_IGNORE = """Files of which nothing that is read or printed is kept, as in a `.gitignore`, added to those below; \
`!` takes one back."""
_PERSONAL_DATA = """Personal data that is taken out like secrets. Off, because code is full of addresses that are no \
secret."""
_ADMIT = """Proposals that need no person: `[{from = "AGENTS.md"}]` those of a file, with patterns as in a \
`.gitignore`; `kind` and `source` (document, comment, commit, prompt, command) narrow it or stand alone."""
_ENCODER = """What makes vectors of texts, so that recall finds what was said in other words: the encoder that comes \
with memlsp, none, or a model of sentence-transformers on this machine by its name or folder (the extra `semantic`). \
`MEMLSP_ENCODER` goes before it."""

SETTINGS: tuple[Setting, ...] = (
    Setting("capture", "enabled", _ON_OFF, "true", _STRICTER, "Whether anything is captured at all.", _enabled),
    *(Setting("capture", name, _ON_OFF, "true", _STRICTER, text, _source(name)) for name, text in _SOURCES.items()),
    Setting("capture", "terminals", _ON_OFF, "false", "", _TERMINALS, _source("terminals")),
    Setting("capture", "off", "folders", "[]", "", _OFF, _folders),
    Setting("capture", "ignore", "patterns", "[]", _ADDS, _IGNORE, _ignore),
    Setting("redaction", "personal", "`email`, `phone`, `card`", "[]", _ADDS, _PERSONAL_DATA, _personal),
    *(
        Setting(table, name, unit, default, _LOWERS, text, _limit("handoff_days" if name == "days" else name, most))
        for table, name, unit, default, most, text in _LIMITS
    ),
    Setting("learning", "admit", "entries", "[]", "", _ADMIT, _admit),
    Setting("recall", "encoder", "`embedded`, `none`, a model", '"embedded"', "", _ENCODER, _encoder),
)
"""In the order of the reference page."""
