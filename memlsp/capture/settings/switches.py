"""Switches that turn capturing off: `MEMLSP_CAPTURE=off` for a process and its children, and those of `memlsp capture`.

The latter are lines in the data folder, each for a folder, a session, a source, or everything.
"""

from __future__ import annotations

import os
import time

from memlsp.capture.private_files import write_private
from memlsp.capture.settings.settings import source_group
from memlsp.store.core.hook_connection import private_folder

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.capture.settings.settings import Settings

_VARIABLE = "MEMLSP_CAPTURE"
_OFF = frozenset({"off", "0", "no", "false"})
_FILE = "capture-off"
_MOST_SESSIONS = 1_000
_LARGEST_FILE = 1 << 20


class OffSwitch:
    """A switch that is off. `kind` is `folder`, `session`, `source` or `all`; `at` is in milliseconds since 1970."""

    def __init__(self, kind: str, name: str, at: int) -> None:
        self.kind = kind
        self.name = name
        self.at = at


def off_switches(data: str) -> list[OffSwitch]:
    """Return the switches that are off, oldest first. If they cannot be read, everything counts as off."""
    try:
        return _read(data)
    except OSError:
        return [OffSwitch("all", "", 0)]


def turn(data: str, kind: str, name: str, now_ms: int, *, off: bool) -> bool:
    """Turn a switch off or on; True when that changed it. Raises OSError, and ValueError for a name with a line break
    or a tab."""
    if "\n" in name or "\t" in name:
        raise ValueError("a name with a line break or a tab")
    handle = _locked(data)
    try:
        before = _read(data)
        switches = [each for each in before if (each.kind, each.name) != (kind, name)]
        if (len(switches) < len(before)) == off:
            return False
        if off:
            # sessions end, and their switches with them; those of folders and sources stay
            spare = [each for each in switches if each.kind == "session"][:-_MOST_SESSIONS]
            switches = [*(each for each in switches if each not in spare), OffSwitch(kind, name, now_ms)]
        text = "".join(f"{each.kind}\t{each.at}\t{each.name}\n" for each in switches)
        write_private(os.path.join(data, _FILE), text.encode("utf-8", "surrogateescape"))
        return True
    finally:
        os.close(handle)


def why_off(settings: Settings, switches: list[OffSwitch], source: str, session: str, folder: str) -> str:
    """Say why nothing of this source, session and (absolute) folder is captured; "" when it is."""
    if os.environ.get(_VARIABLE, "").strip().lower() in _OFF:
        return f"{_VARIABLE} is {os.environ[_VARIABLE].strip()}"
    if settings.why_off:
        return settings.why_off
    group = source_group(source)
    if group in settings.off:
        return f"{group} {'are' if group.endswith('s') else 'is'} off in the settings"
    for each in settings.folders:
        if _within(folder, each):
            return f"{each} is off in the settings"
    return next((why for each in switches if (why := _why_switched_off(each, {source, group}, session, folder))), "")


def _why_switched_off(switch: OffSwitch, sources: set[str], session: str, folder: str) -> str:
    if switch.kind == "all":
        return "all is switched off"
    if switch.kind == "session":
        return "this session is switched off" if session and switch.name == session else ""
    matches = switch.name in sources if switch.kind == "source" else _within(folder, switch.name)
    return f"{switch.name} is switched off" if matches else ""


def _read(data: str) -> list[OffSwitch]:
    try:
        with open(os.path.join(data, _FILE), encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            lines = file.read(_LARGEST_FILE).split("\n")
    except (FileNotFoundError, NotADirectoryError):
        return []
    switches: list[OffSwitch] = []
    for line in lines:
        kind, _, rest = line.partition("\t")
        at, _, name = rest.partition("\t")
        if kind in {"folder", "session", "source", "all"} and at.isdigit():
            switches.append(OffSwitch(kind, name, int(at)))
    return switches


def _locked(data: str) -> int:
    """Return an open file on which this process holds the lock, so that one at a time changes switches. Raises OSError
    when another holds it for two seconds."""
    import errno  # late, both: few processes turn a switch

    from memlsp.store.core.file_handles import try_lock

    private_folder(data)
    handle = os.open(os.path.join(data, f"{_FILE}.lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    for _ in range(200):
        if try_lock(handle):
            return handle
        time.sleep(0.01)
    os.close(handle)
    raise OSError(errno.EAGAIN, "another process turns a switch")


def _within(folder: str, top: str) -> bool:
    if not folder:
        return False
    tops = {top.rstrip(os.sep), os.path.realpath(top).rstrip(os.sep)}
    places = (folder, os.path.realpath(folder))
    return any(place == each or place.startswith(each + os.sep) for place in places for each in tops)
