"""What a person set: the one reader of `config.toml`, the user's and the workspace's.

The hook reads settings in every process, so what a file says is worked out once (`capture.parameters`) and kept in the
data folder with the stamps of both files; a process that finds the stamps unchanged imports nothing for it. A file that
cannot be read at all turns capturing off until it can: what it forbids cannot be known.

Besides the files there are switches: `MEMLSP_CAPTURE=off` for a process and what it starts, and the marks that
`memlsp capture off` leaves in the data folder for a folder, a session, a source, or all.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from _blake2 import blake2b

from memlsp.store.core.hook_connection import private_folder

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

SETTINGS_VARIABLE = "MEMLSP_CONFIG"
SWITCH_VARIABLE = "MEMLSP_CAPTURE"
_OFF = frozenset({"off", "0", "no", "false"})
_LAYOUT = 2
_MARKS = "capture-off"
_MOST_MARKS = 1_000
_LARGEST_MARKS = 1 << 20

IGNORED = (
    *(
        ".env*",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
        "*.jks",
        "*.keystore",
        "*.kdbx",
        "id_rsa*",
        "id_ed25519*",
        "id_ecdsa*",
    ),
    *(
        "id_dsa*",
        ".netrc",
        "_netrc",
        ".pgpass",
        ".htpasswd",
        ".git-credentials",
        ".ssh/",
        ".aws/credentials",
        ".gnupg/",
    ),
)
"""Files of which nothing that is read or printed is kept, unless the user's settings say otherwise."""

SOURCES = ("agents", "editor", "files", "git", "terminals")
"""What can be on or off. Every source that is none of the last four is an agent."""


class Settings:
    """What holds for one workspace.

    `off` are the sources that are off, `why_off` why all of them are ("" where they are not); `ignore` patterns as in a
    `.gitignore`, the last that fits decides; `personal` the kinds of personal data that are taken out, as secrets are;
    `text`, `output` characters and `session`, `day` events kept at the most; `handoff_days` until a handoff expires;
    `admit` the rules by which proposals need no person: a path pattern, kinds and sources, each empty for any;
    `encoder` what makes vectors of texts; `messages` what is wrong with the settings, one sentence each.
    """

    __slots__ = (
        "admit",
        "day",
        "encoder",
        "folders",
        "handoff_days",
        "ignore",
        "messages",
        "off",
        "output",
        "personal",
        "session",
        "text",
        "why_off",
    )

    def __init__(self) -> None:
        self.off: tuple[str, ...] = ("terminals",)
        self.why_off = ""
        self.folders: tuple[str, ...] = ()
        self.ignore: tuple[str, ...] = IGNORED
        self.personal: tuple[str, ...] = ()
        self.text = 4_000
        self.output = 2_000
        self.session = 10_000
        self.day = 50_000
        self.handoff_days = 7
        self.admit: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()
        self.encoder = "embedded"
        self.messages: tuple[str, ...] = ()


class Mark:
    """A switch that somebody turned: `kind` is `folder`, `session`, `source` or `all`; `at` milliseconds since 1970."""

    __slots__ = ("at", "kind", "name")

    def __init__(self, kind: str, name: str, at: int) -> None:
        self.kind = kind
        self.name = name
        self.at = at


def read(root: str, data: str) -> Settings:
    """The settings of the workspace at `root` (absolute); what was worked out is kept in the folder `data`.

    Never raises for what is in a file or on the disk: what is wrong is in `messages`, and the default holds.
    """
    paths = (user_file(), os.path.join(root, ".memlsp", "config.toml"))
    stamps = [_stamp(path) for path in paths]
    if not any(stamps):
        return Settings()
    name = blake2b("\0".join(paths).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    place = os.path.join(data, "settings", name)
    kept = _kept(place, stamps)
    if kept is None:
        from memlsp.capture.settings.parameters import settled  # late: needed once for a change of the settings

        settings = settled(*paths)
        _keep(place, stamps, settings)
        return settings
    settings = Settings()
    for field, value in kept.items():
        setattr(settings, field, value)
    return settings


def user_file() -> str:
    """Where the user's settings are: `$MEMLSP_CONFIG`, else `memlsp/config.toml` in the platform's folder for them."""
    chosen = os.environ.get(SETTINGS_VARIABLE, "").strip()
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "") or os.path.expanduser("~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "").strip() or os.path.expanduser("~/.config")
    return os.path.join(base, "memlsp", "config.toml")


# -- switches -------------------------------------------------------------------------------------------------------


def marks(data: str) -> list[Mark]:
    """The switches that are turned off, oldest first. Where they cannot be read all is off: what is cannot be known."""
    try:
        return _marks(data)
    except OSError:
        return [Mark("all", "", 0)]


def _marks(data: str) -> list[Mark]:
    try:
        with open(os.path.join(data, _MARKS), encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            lines = file.read(_LARGEST_MARKS).split("\n")
    except (FileNotFoundError, NotADirectoryError):
        return []
    found: list[Mark] = []
    for line in lines:
        kind, _, rest = line.partition("\t")
        at, _, name = rest.partition("\t")
        if kind in {"folder", "session", "source", "all"} and at.isdigit():
            found.append(Mark(kind, name, int(at)))
    return found


def mark(data: str, kind: str, name: str, now_ms: int, *, off: bool) -> bool:
    """Turn a switch; True when it was not so before. Raises OSError, and ValueError for a name with a line break."""
    if "\n" in name or "\t" in name:
        raise ValueError("a name with a line break or a tab")
    handle = _locked(data)
    try:
        return _mark(data, kind, name, now_ms, off=off)
    finally:
        os.close(handle)


def _locked(data: str) -> int:
    """An open file that nobody else has the lock on: switches are read, changed and written by one at a time. Raises
    OSError when somebody has it for two seconds."""
    import errno  # late, both: few processes turn a switch

    from memlsp.store.core.file_handles import try_lock

    private_folder(data)
    handle = os.open(os.path.join(data, f"{_MARKS}.lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    for _ in range(200):
        if try_lock(handle):
            return handle
        time.sleep(0.01)
    os.close(handle)
    raise OSError(errno.EAGAIN, "another process turns a switch")


def _mark(data: str, kind: str, name: str, now_ms: int, *, off: bool) -> bool:
    before = _marks(data)
    kept = [each for each in before if (each.kind, each.name) != (kind, name)]
    if (len(kept) < len(before)) == off:
        return False
    if off:
        # sessions end, and their switches with them; what was said of a folder or a source stays
        spare = [each for each in kept if each.kind == "session"][:-_MOST_MARKS]
        kept = [*(each for each in kept if each not in spare), Mark(kind, name, now_ms)]
    text = "".join(f"{each.kind}\t{each.at}\t{each.name}\n" for each in kept)
    _write(os.path.join(data, _MARKS), text.encode("utf-8", "surrogateescape"))
    return True


def why_off(settings: Settings, marked: list[Mark], source: str, session: str, folder: str) -> str:
    """Why nothing of this source, session and (absolute) folder is kept, in words; "" when it is."""
    if os.environ.get(SWITCH_VARIABLE, "").strip().lower() in _OFF:
        return f"{SWITCH_VARIABLE} is {os.environ[SWITCH_VARIABLE].strip()}"
    if settings.why_off:
        return settings.why_off
    group = source_group(source)
    if group in settings.off:
        return f"{group} are off in the settings" if group.endswith("s") else f"{group} is off in the settings"
    for each in settings.folders:
        if _within(folder, each):
            return f"{each} is off in the settings"
    for each in marked:
        if each.kind == "all":
            return "all is switched off"
        if each.kind == "folder" and _within(folder, each.name):
            return f"{each.name} is switched off"
        if each.kind == "session" and session and each.name == session:
            return "this session is switched off"
        if each.kind == "source" and each.name in {source, group}:
            return f"{each.name} is switched off"
    return ""


def source_group(source: str) -> str:
    """Of `SOURCES`, the one that a source of events belongs to."""
    if source in {"terminal", "terminals"}:
        return "terminals"
    return source if source in SOURCES else "agents"


def _within(folder: str, top: str) -> bool:
    if not folder:
        return False
    tops = {top.rstrip(os.sep), os.path.realpath(top).rstrip(os.sep)}
    places = (folder, os.path.realpath(folder))
    return any(place == each or place.startswith(each + os.sep) for place in places for each in tops)


# -- what was worked out ----------------------------------------------------------------------------------------------


def _stamp(path: str) -> str:
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return ""
    return f"{seen.st_mtime_ns}:{seen.st_size}:{seen.st_ino}"


def _kept(place: str, stamps: list[str]) -> dict[str, Any] | None:
    try:
        with open(place, "rb") as file:
            data = file.read(1 << 20)
        if blake2b(data[16:], digest_size=16).digest() != data[:16]:
            return None
        kept: Any = marshal.loads(data[16:])  # noqa: S302  written by this user's processes, readable by no other
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if type(kept) is not dict or kept.pop("layout", None) != _LAYOUT or kept.pop("stamps", None) != stamps:  # pyright: ignore[reportUnknownMemberType]
        return None
    return kept if set(kept) == set(Settings.__slots__) else None  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _keep(place: str, stamps: list[str], settings: Settings) -> None:
    table: dict[str, object] = {field: getattr(settings, field) for field in Settings.__slots__}
    body = marshal.dumps({**table, "layout": _LAYOUT, "stamps": stamps})
    try:
        _write(place, blake2b(body, digest_size=16).digest() + body)
    except OSError:
        return  # read anew by the next process


def _write(place: str, data: bytes) -> None:
    private_folder(os.path.dirname(place))
    beside = f"{place}.{os.getpid()}"
    # without O_BINARY Windows writes two bytes for the end of a line, and nothing that was kept is found again
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    handle = os.open(beside, flags, 0o600)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
    os.replace(beside, place)
