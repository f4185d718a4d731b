"""Show what is captured in a folder, and switch sources of events on and off.

Needs no store: it works in a folder that never had a memory.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from attrs import frozen

from memlsp.capture.redaction.event_filter import Screen
from memlsp.capture.settings.reader import user_file
from memlsp.capture.settings.settings import SOURCES, Settings
from memlsp.capture.settings.switches import OffSwitch, off_switches, turn
from memlsp.capture.workspace.identity import resolve
from memlsp.model.errors import BadValue, StoreUnavailable
from memlsp.store.core.locations import data_folder


@frozen
class Source:
    """A source of events. `why` says why it is off, "" when it is on."""

    name: str
    why: str

    @property
    def on(self) -> bool:
        """True when its events are kept."""
        return not self.why


@frozen
class CaptureStatus:
    """The sources and switches of one folder now, with the file that set each."""

    root: Path
    sources: tuple[Source, ...]
    switches: tuple[OffSwitch, ...]
    files: tuple[Path, ...]  # the settings that exist
    ignore: tuple[str, ...]
    personal: tuple[str, ...]
    caps: tuple[tuple[str, int], ...]
    messages: tuple[str, ...]


def settings_of(start: Path) -> Settings:
    """The settings that hold in a folder. Raises NoWorkspace for a missing folder."""
    return Screen(str(resolve(start).root), str(data_folder())).settings


def capture_status(start: Path, *, session: str = "") -> CaptureStatus:
    """The capture status of the folder `start`, or of one agent's session there. Raises NoWorkspace for a missing
    folder."""
    root, data = resolve(start).root, str(data_folder())
    screen = Screen(str(root), data)
    settings = screen.settings
    folder = str(start.resolve())
    files = (Path(user_file()), root / ".memlsp" / "config.toml")
    return CaptureStatus(
        root,
        tuple(Source(name, screen.why_off(name, session, folder)) for name in SOURCES),
        tuple(off_switches(data)),
        tuple(path for path in files if path.is_file()),
        settings.ignore,
        settings.personal,
        tuple((name, getattr(settings, name)) for name in ("text", "output", "session", "day")),
        settings.messages,
    )


def switch(start: Path, kind: str, name: str = "", *, off: bool) -> bool:
    """Turn capturing off or on for a `folder` (default: the workspace of `start`), a `session`, a `source`, or `all`.

    Returns True when that changed something. Turning on removes a switch, not a setting. Raises NoWorkspace, BadValue
    for an impossible name, StoreUnavailable when it cannot be written.
    """
    if kind == "folder":
        name = os.path.abspath(os.path.expanduser(name)) if name else str(resolve(start).root)  # noqa: PTH100, PTH111
    elif kind == "source" and not name.strip():
        raise BadValue("a source has a name", f"one of {', '.join(SOURCES)}, or an agent's, such as claude-code")
    data = data_folder()
    try:
        return turn(str(data), kind, name, time.time_ns() // 1_000_000, off=off)
    except ValueError as error:
        raise BadValue(f"not a name of a {kind}: {name!r}", str(error)) from error
    except OSError as error:
        raise StoreUnavailable(f"the switch cannot be kept in {data}: {error.strerror}") from error
