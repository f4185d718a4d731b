"""Drops events whose source is switched off, and content of ignored files, before redaction.

A screen is made once for a process and a workspace. This module imports nothing slow.
"""

from __future__ import annotations

from memlsp.capture.settings.reader import read
from memlsp.capture.settings.switches import off_switches, why_off
from memlsp.capture.workspace.globs import matches

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.capture.settings.settings import Settings

    Record = dict[str, object]

_BREAKS = str.maketrans(dict.fromkeys("\"'`=,;:|&<>(){}[]$@", " "))
_RUNS = frozenset({"command", "tool"})
_MOST_WORDS = 2_000
_LONGEST_LEFT = 200
WITHHELD = "ignored-file"
"""Listed among the redacted kinds of a record from which the content of an ignored file was removed."""


class Screen:
    """The current settings and switches of a workspace. `root` is absolute, `data` the data folder."""

    def __init__(self, root: str, data: str) -> None:
        self._root = root
        self._switches = off_switches(data)
        self.settings: Settings = read(root, data)

    def why_off(self, source: str, session: str = "", folder: str = "") -> str:
        """Say why nothing of this source, session and (absolute) folder is captured; "" when it is."""
        return why_off(self.settings, self._switches, source, session, folder or self._root)

    def ignores(self, path: str) -> bool:
        """Return True for a file whose content is never stored; `path` is absolute or relative to the root."""
        return matches(self.settings.ignore, path.removeprefix(self._root))

    def sift(self, record: Record) -> str:
        """Remove the content of ignored files from a record, in place. Returns `ignored` when nothing worth storing is
        left, else ""."""
        paths = record.get("paths")
        listed = [str(path) for path in paths] if isinstance(paths, (list, tuple)) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        left = [path for path in listed if not self.ignores(path)]
        if len(left) < len(listed):
            record["paths"] = left
            if not left and record.get("kind") != "files":
                return "ignored"
            self._withhold(record)
        elif record.get("kind") in _RUNS and self._names_ignored(record):
            self._withhold(record)
        return ""

    def _names_ignored(self, record: Record) -> bool:
        text = record.get("text")
        if not isinstance(text, str):
            return False
        words = dict.fromkeys(text[:20_000].translate(_BREAKS).split()[:_MOST_WORDS])
        return any(("." in word or "_" in word or "/" in word) and self.ignores(word) for word in words)

    def _withhold(self, record: Record) -> None:
        """Remove output, and all but the first line of a command, which may write the file's content."""
        text = record.get("text")
        if isinstance(text, str) and record.get("kind") in _RUNS:
            record["text"] = text.partition("\n")[0][:_LONGEST_LEFT]
        elif isinstance(text, str) and record.get("kind") in {"read", "edit"}:
            record["text"] = ""
        for name in ("output", "extra"):
            record.pop(name, None)
        found = record.get("found")
        record["found"] = [*(found if isinstance(found, list) else ()), WITHHELD]  # pyright: ignore[reportUnknownArgumentType]
