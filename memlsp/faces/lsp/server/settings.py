"""The settings of an editor, read from `initializationOptions` and from the `memlsp` section of its configuration. A
bad value leads to a message and the default, never to a failure. `ClientOptions` are those that a client announces."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from attrs import evolve, field, frozen

OPEN, PEEK, SETTLE = "memlsp.openBelief", "memlsp.peek", "memlsp.settle"
CONFIRM, REPLACE, RETIRE = "memlsp.belief.confirm", "memlsp.belief.supersede", "memlsp.belief.retire"

_COMMAND = re.compile(r"memlsp\.[A-Za-z.]{1,60}\Z")

LEVELS = ("warning", "information", "hint", "off")

_DEFAULT_LEVELS = {"contradicted": "warning", **dict.fromkeys(("changed", "orphaned", "expired"), "information")}


@frozen
class _ValueType:
    """A type of values: the words for it in the reference, and a function that makes a value out of the raw and the
    present one."""

    takes: str
    read: Callable[[object, Any], object]


def _flag(value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"expected true or false, got {_shown(value)}")


def _milliseconds(value: object, _: object) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 10_000:
        return int(value)
    raise ValueError(f"expected milliseconds between 0 and 10000, got {_shown(value)}")


def _commits(value: object, _: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1_000_000:
        return value
    raise ValueError(f"expected a number of commits from 1, got {_shown(value)}")


def _level(value: object, _: object = None) -> str:
    if value in LEVELS:
        return str(value)
    raise ValueError(f"expected one of {', '.join(LEVELS)}, got {_shown(value)}")


def _levels(value: object, present: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected an object of standing to level, got {_shown(value)}")  # noqa: TRY004 - one error kind
    levels = dict(present)
    for standing, level in cast("Mapping[str, object]", value).items():
        if standing not in _DEFAULT_LEVELS:
            raise ValueError(f"no such standing: {_shown(standing)}")
        levels[standing] = _level(level)
    return levels


def _shown(value: object) -> str:
    return repr(value)[:60]


_TYPES = {
    "flag": _ValueType("true or false", _flag),
    "milliseconds": _ValueType("milliseconds", _milliseconds),
    "commits": _ValueType("a number from 1", _commits),
    "level": _ValueType("`warning`, `information`, `hint` or `off`", _level),
    "levels": _ValueType("an object of standing to `warning`, `information`, `hint` or `off`", _levels),
}


@frozen
class EditorSettings:
    """Every option with its default; `settings.toml` describes them."""

    hover_enabled: bool = True
    hover_history: bool = True
    hover_work: bool = True
    history_wait: int = 100
    lens_enabled: bool = True
    lens_holding: bool = False
    lens_threads: bool = True
    diagnostics_enabled: bool = True
    diagnostics_levels: Mapping[str, str] = field(factory=_DEFAULT_LEVELS.copy)
    diagnostics_threads: str = "hint"
    diagnostics_conflicts: str = "warning"
    capture_terminal: bool = False
    debounce: int = 150
    onboarding_enabled: bool = True
    onboarding_commits: int = 2_000


_OPTIONS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("settings.toml").read_text("utf-8"))


def read_settings(raw: object, base: EditorSettings | None = None) -> tuple[EditorSettings, list[str]]:
    """Read what an editor sent, over `base`; with a sentence for each value that cannot be used. `raw` is the section
    itself or an object that holds it under `memlsp`; None changes nothing."""
    settings = base or EditorSettings()
    if raw is None:
        return settings, []
    section = object_of(raw).get("memlsp", raw)
    if not isinstance(section, Mapping):
        return settings, ["memlsp: the settings are not an object; defaults are used"]
    problems: list[str] = []
    for name, value in _flattened(cast("Mapping[str, object]", section)):
        if name not in _OPTIONS:
            continue  # a newer editor extension may send more
        attribute, kind = _OPTIONS[name]["attribute"], _TYPES[_OPTIONS[name]["type"]]
        try:
            settings = evolve(settings, **{attribute: kind.read(value, getattr(settings, attribute))})
        except ValueError as error:
            problems.append(f"memlsp.{name}: {error}; the default is used")
    return settings, problems


@frozen
class Option:
    """One option as the reference lists it; the name goes below `memlsp`."""

    name: str
    takes: str
    default: object
    about: str


def options() -> tuple[Option, ...]:
    """Every option that an editor may send."""
    defaults = EditorSettings()
    return tuple(
        Option(name, _TYPES[each["type"]].takes, getattr(defaults, each["attribute"]), each["about"])
        for name, each in _OPTIONS.items()
    )


def object_of(raw: object) -> Mapping[str, object]:
    """A JSON object that a client sent; empty when it is none."""
    return cast("Mapping[str, object]", raw) if isinstance(raw, Mapping) else {}


def _flattened(section: Mapping[str, object]) -> list[tuple[str, object]]:
    """`{"hover": {"enabled": true}}` and `{"hover.enabled": true}` are the same."""
    flat: list[tuple[str, object]] = []
    for name, value in section.items():
        if name in _OPTIONS or not isinstance(value, Mapping):
            flat.append((name, value))
        else:
            flat += [(f"{name}.{key}", each) for key, each in object_of(cast("object", value)).items()]
    return flat


@frozen
class ClientOptions:
    """`tell_changes`: it takes `memlsp/changed`. `trusted`: the user trusts the open folders; the default.
    `commands`: its own commands that a hover may link to and a lens may run. `asks`: it asks for what a command lacks;
    without that, actions that need a text are not offered."""

    tell_changes: bool = False
    trusted: bool = True
    commands: frozenset[str] = frozenset()
    asks: bool = False

    @classmethod
    def of(cls, options: object) -> ClientOptions:
        """Read `initializationOptions`. A value of the wrong type counts as absent; for `trusted` it means no."""
        said = object_of(object_of(options).get("memlsp"))
        names = said.get("commands")
        commands = cast("Sequence[object]", names) if isinstance(names, list | tuple) else ()
        return cls(
            said.get("tellChanges") is True,
            said.get("trusted", True) is True,
            frozenset(each for each in commands if isinstance(each, str) and _COMMAND.match(each)),
            said.get("asks") is True or REPLACE in commands,
        )
