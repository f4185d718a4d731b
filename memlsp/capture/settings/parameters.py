"""Every setting: its place in `config.toml`, what it may be, its default, and who may set it.

The user's file may set all of them. The workspace's file comes with the repository, so whoever writes to the repository
writes it: it can only make things stricter, and can neither turn a terminal on nor choose what is run or admitted.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from memlsp.capture.settings.settings import IGNORED, SOURCES, Settings

PERSONAL = ("email", "phone", "card")
_LARGEST_FILE = 256 * 1024
_LONGEST_PATTERN = 200
_MOST_PATTERNS = 200
_ELSEWHERE = frozenset({"workspace"})  # tables that are read by others: the workspace's identity


@frozen
class Parameter:
    """One setting. `workspace` says what the workspace's file may do with it, "" when nothing."""

    table: str
    name: str
    sort: str
    default: str
    workspace: str
    about: str
    apply: Callable[[Settings, Any, bool], str]  # settings, value, is it the workspace's; what is wrong, or ""


def settled(user: str, workspace: str) -> Settings:
    """What both files say together. Never raises; what is wrong is in `messages`."""
    settings = Settings()
    messages: list[str] = []
    for path, strict in ((user, False), (workspace, True)):
        whose = "the workspace's settings" if strict else "the settings"
        try:
            tables = _read(Path(path))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            told = " ".join(str(error).split())
            messages.append(f"{path} cannot be read: {told}")
            settings.why_off = f"{whose} in {path} cannot be read"
            continue
        messages += [f"{path}: {message}" for message in _apply(settings, tables, strict=strict)]
    settings.messages = tuple(messages)
    return settings


def _read(path: Path) -> Mapping[str, Any]:
    if str(path) == os.devnull:  # how people say that there is none
        return {}
    if path.exists() and not path.is_file():  # a pipe, or a link to a terminal, would block whoever asks
        raise ValueError("it is no ordinary file")
    with path.open("rb") as file:
        data = file.read(_LARGEST_FILE + 1)
    if len(data) > _LARGEST_FILE:
        raise ValueError(f"it is larger than {_LARGEST_FILE // 1024} kB")
    return tomllib.loads(data.decode("utf-8-sig"))


def _apply(settings: Settings, tables: Mapping[str, Any], *, strict: bool) -> Iterator[str]:
    known = {(each.table, each.name): each for each in PARAMETERS}
    for table, values in tables.items():
        if table in _ELSEWHERE:
            continue
        if not any(table == each.table for each in PARAMETERS) or not isinstance(values, dict):
            yield f"there is no setting {table!r}"
            continue
        for name, value in cast("dict[str, Any]", values).items():
            parameter = known.get((table, name))
            if parameter is None:
                yield f"there is no setting {table}.{name}"
            elif strict and not parameter.workspace:
                yield f"{table}.{name} can only be set in the user's settings"
            elif wrong := parameter.apply(settings, value, strict):
                yield f"{table}.{name} {wrong}"


def _source(source: str) -> Callable[[Settings, Any, bool], str]:
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
    settings.ignore = (*settings.ignore, *(each for each in texts if each not in wrong))[
        : len(IGNORED) + _MOST_PATTERNS
    ]
    if not wrong:
        return ""
    return "can add patterns and take none back" if strict else f"cannot be {wrong[0][:40]!r}"


def _personal(settings: Settings, value: Any, strict: bool) -> str:
    texts = _texts(value)
    if texts is None:
        return f"is a list of {', '.join(PERSONAL)}"
    known = {each for each in texts if each in PERSONAL} | (set(settings.personal) if strict else set[str]())
    settings.personal = tuple(each for each in PERSONAL if each in known)
    wrong = [each for each in texts if each not in PERSONAL]
    return f"knows {', '.join(PERSONAL)}, not {wrong[0]!r}" if wrong else ""


def _cap(field: str, most: int) -> Callable[[Settings, Any, bool], str]:
    def apply(settings: Settings, value: Any, strict: bool) -> str:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            return f"is a number from 0 to {most:,}"
        now: int = getattr(settings, field)
        if strict and value > now:
            return f"can be lowered from {now:,} only"
        setattr(settings, field, value)
        return ""

    return apply


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


_ADMITTED = {
    "kind": ("decision", "rule", "gotcha", "fact", "preference", "procedure"),
    "source": ("document", "comment", "commit", "prompt", "command"),
}
"""What a rule may be about. What agents suggest is not among the sources: a person looks at that."""


def _one_or_more(value: Any, allowed: tuple[str, ...]) -> tuple[str, ...] | None:
    """One word or a list of them; () for none given, None for what is not allowed."""
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
    each: list[Any] = cast("list[Any]", value)
    return [text for text in each if isinstance(text, str)] if all(isinstance(text, str) for text in each) else None


_ABOUT = {
    "agents": "What agents report through their hooks: prompts, commands, edits, plans.",
    "editor": "Saves, and what they changed.",
    "files": "Files that change on disk.",
    "git": "Commits, checkouts, merges, rebases, resets and stashes.",
    "terminals": "Commands of terminals: a shell with `memlsp shell-integration`, or an editor that tells them.",
}
_STRICTER = "may turn it off"
PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "capture", "enabled", "true or false", "true", _STRICTER, "Whether anything is captured at all.", _enabled
    ),
    *(
        Parameter(
            "capture",
            source,
            "true or false",
            "false" if source == "terminals" else "true",
            "" if source == "terminals" else _STRICTER,
            _ABOUT[source],
            _source(source),
        )
        for source in SOURCES
    ),
    Parameter(
        "capture", "off", "folders", "[]", "", "Absolute folders (`~` for home) in which nothing is captured.", _folders
    ),
    Parameter(
        "capture",
        "ignore",
        "patterns",
        "[]",
        "may add",
        "Files of which nothing that is read or printed is kept, as in a `.gitignore`, added to those below; "
        "`!` takes one back.",
        _ignore,
    ),
    Parameter(
        "redaction",
        "personal",
        "`email`, `phone`, `card`",
        "[]",
        "may add",
        "Personal data that is taken out like secrets. Off, because code is full of addresses that are no secret.",
        _personal,
    ),
    Parameter(
        "caps", "text", "characters", "4000", "may lower", "Of a prompt, message or command.", _cap("text", 20_000)
    ),
    Parameter(
        "caps", "output", "characters", "2000", "may lower", "Of what a command printed.", _cap("output", 20_000)
    ),
    Parameter("caps", "session", "events", "10000", "may lower", "Of one session.", _cap("session", 1_000_000)),
    Parameter("caps", "day", "events", "50000", "may lower", "Of one day.", _cap("day", 1_000_000)),
    Parameter("handoffs", "days", "days", "7", "may lower", "Until a handoff expires.", _cap("handoff_days", 365)),
    Parameter(
        "learning",
        "admit",
        "entries",
        "[]",
        "",
        'Proposals that need no person: `[{from = "AGENTS.md"}]` those of a file, with patterns as in a `.gitignore`; '
        "`kind` and `source` (document, comment, commit, prompt, command) narrow it or stand alone.",
        _admit,
    ),
    Parameter(
        "recall",
        "encoder",
        "`embedded`, `none`, a model",
        '"embedded"',
        "",
        "What makes vectors of texts, so that recall finds what was said in other words: the encoder that comes with "
        "memlsp, none, or a model of sentence-transformers on this machine by its name or folder (the extra "
        "`semantic`). `MEMLSP_ENCODER` goes before it.",
        _encoder,
    ),
)
