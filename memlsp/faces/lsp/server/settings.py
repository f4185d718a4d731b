"""What a user can set, read from `initializationOptions` and from the `memlsp` section of the editor's configuration.

A bad value means a message and the default, never a failure: a server that does not start teaches nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from attrs import evolve, field, frozen

from memlsp.model.standing import Standing

LEVELS = ("warning", "information", "hint", "off")

_DEFAULT_LEVELS: dict[str, str] = {
    Standing.CONTRADICTED: "warning",
    Standing.CHANGED: "information",
    Standing.ORPHANED: "information",
    Standing.EXPIRED: "information",
}


def _default_levels() -> dict[str, str]:
    return dict(_DEFAULT_LEVELS)


@frozen
class EditorSettings:
    """Every option with its default. `debounce` and `history_wait` are in milliseconds; `onboarding_commits` is how
    many commits of the git history are read at the most, the newest. `diagnostics_threads` and `diagnostics_conflicts`
    are levels.
    `capture_terminal` lets the editor tell which commands ran in its terminals."""

    hover_enabled: bool = True
    hover_history: bool = True
    hover_work: bool = True
    history_wait: int = 150
    lens_enabled: bool = True
    lens_threads: bool = True
    diagnostics_enabled: bool = True
    diagnostics_levels: Mapping[str, str] = field(factory=_default_levels)
    diagnostics_threads: str = "hint"
    diagnostics_conflicts: str = "warning"
    capture_terminal: bool = False
    debounce: int = 150
    onboarding_enabled: bool = True
    onboarding_commits: int = 2_000


def read_settings(raw: object, base: EditorSettings | None = None) -> tuple[EditorSettings, list[str]]:
    """Settings from what an editor sent, over `base`, with one sentence for each value that could not be used.

    `raw` is the section itself or an object that holds it under `memlsp`; None changes nothing.
    """
    settings = base or EditorSettings()
    problems: list[str] = []
    if raw is None:
        return settings, problems
    section = _section(raw)
    if section is None:
        return settings, ["memlsp: the settings are not an object; defaults are used"]
    for name, value in _flattened(section):
        reader = _READERS.get(name)
        if reader is None:
            continue  # an older server under a newer editor extension is no reason to complain
        attribute, read = reader
        try:
            settings = evolve(settings, **{attribute: read(value, settings)})
        except ValueError as error:
            problems.append(f"memlsp.{name}: {error}; the default is used")
    return settings, problems


@frozen
class Option:
    """One option as the reference lists it: its name below `memlsp`, what it takes, its default, and what it does."""

    name: str
    takes: str
    default: object
    about: str


def options() -> tuple[Option, ...]:
    """Every option that an editor may send."""
    defaults = EditorSettings()
    return tuple(
        Option(name, _ABOUT[name][0], getattr(defaults, attribute), _ABOUT[name][1])
        for name, (attribute, _) in _READERS.items()
    )


def object_of(raw: object) -> Mapping[str, object]:
    """A JSON object that a client sent, empty when it is none."""
    return cast("Mapping[str, object]", raw) if isinstance(raw, Mapping) else {}


def _section(raw: object) -> Mapping[str, object] | None:
    inner = object_of(raw).get("memlsp", raw)
    return cast("Mapping[str, object]", inner) if isinstance(inner, Mapping) else None


def _flattened(section: Mapping[str, object]) -> list[tuple[str, object]]:
    """`{"hover": {"enabled": true}}` and `{"hover.enabled": true}` are the same."""
    flat: list[tuple[str, object]] = []
    for name, value in section.items():
        if name in _READERS or not isinstance(value, Mapping):
            flat.append((name, value))
        else:
            flat.extend((f"{name}.{key}", inner) for key, inner in cast("Mapping[str, object]", value).items())
    return flat


def _flag(value: object, _: EditorSettings) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"expected true or false, got {_shown(value)}")


def _milliseconds(value: object, _: EditorSettings) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 10_000:
        return int(value)
    raise ValueError(f"expected milliseconds between 0 and 10000, got {_shown(value)}")


def _commits(value: object, _: EditorSettings) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1_000_000:
        return value
    raise ValueError(f"expected a number of commits from 1, got {_shown(value)}")


def _levels(value: object, settings: EditorSettings) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"expected an object of standing to level, got {_shown(value)}")  # noqa: TRY004 - one error kind
    levels = dict(settings.diagnostics_levels)
    for standing, level in cast("Mapping[str, object]", value).items():
        if standing not in _DEFAULT_LEVELS:
            raise ValueError(f"no such standing: {_shown(standing)}")
        if level not in LEVELS:
            raise ValueError(f"expected one of {', '.join(LEVELS)}, got {_shown(level)}")
        levels[standing] = str(level)
    return levels


def _level(value: object, _: EditorSettings) -> str:
    if value not in LEVELS:
        raise ValueError(f"expected one of {', '.join(LEVELS)}, got {_shown(value)}")
    return str(value)


def _shown(value: object) -> str:
    return repr(value)[:60]


_READERS: dict[str, tuple[str, Callable[[object, EditorSettings], object]]] = {
    "hover.enabled": ("hover_enabled", _flag),
    "hover.history": ("hover_history", _flag),
    "hover.work": ("hover_work", _flag),
    "hover.historyWait": ("history_wait", _milliseconds),
    "lens.enabled": ("lens_enabled", _flag),
    "lens.threads": ("lens_threads", _flag),
    "diagnostics.enabled": ("diagnostics_enabled", _flag),
    "diagnostics.levels": ("diagnostics_levels", _levels),
    "diagnostics.threads": ("diagnostics_threads", _level),
    "diagnostics.conflicts": ("diagnostics_conflicts", _level),
    "capture.terminal": ("capture_terminal", _flag),
    "debounce": ("debounce", _milliseconds),
    "onboarding.enabled": ("onboarding_enabled", _flag),
    "onboarding.commits": ("onboarding_commits", _commits),
}

_ABOUT: dict[str, tuple[str, str]] = {
    "hover.enabled": ("true or false", "Anything on hover at all."),
    "hover.history": ("true or false", "The commits that changed what a symbol means."),
    "hover.work": ("true or false", "What is left open at a symbol, and the episodes that changed it."),
    "hover.historyWait": ("milliseconds", "How long a hover waits for the history."),
    "lens.enabled": ("true or false", "A line above what carries memory."),
    "lens.threads": ("true or false", "Open threads in these lines."),
    "diagnostics.enabled": ("true or false", "Any diagnostics at all."),
    "diagnostics.levels": (
        "an object of standing to `warning`, `information`, `hint` or `off`",
        "How a belief shows that does not hold.",
    ),
    "diagnostics.threads": ("`warning`, `information`, `hint` or `off`", "How an open thread shows at its place."),
    "diagnostics.conflicts": (
        "`warning`, `information`, `hint` or `off`",
        "How two beliefs show that contradict each other, at both of their places.",
    ),
    "capture.terminal": (
        "true or false",
        "Commands of its terminals (`memlsp/terminalCommand`), if your own file says `terminals = true` too.",
    ),
    "debounce": ("milliseconds", "How long typing must pause before anything is looked at again."),
    "onboarding.enabled": (
        "true or false",
        "Reading the git history in the background, and looking for proposals the first time.",
    ),
    "onboarding.commits": ("a number from 1", "How many commits of it, the newest."),
}
