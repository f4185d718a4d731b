"""Store past agent sessions, read from transcripts, as observations at their original times."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from memlsp.capture.redaction.redaction import redact
from memlsp.capture.transcripts import TranscriptEntry
from memlsp.memory.context import Context
from memlsp.memory.ingest.intake import EventIntake
from memlsp.model.event import PAST_EDIT
from memlsp.store.tables.event_repository import EventQuery
from memlsp.store.tables.journal import TEXT, shortened

_KEPT = frozenset({"prompt", "command", "edit", "read"})
_COPIED = ("key", "at", "source", "session", "ok", "exit", "ms", "tool")
_MOST_EVENTS = 10_000
_SAME_TIME = 15_000  # milliseconds between the times of a transcript and of a hook for one event


class PastSessions:
    """Stores the observations of transcripts, except those that a hook reported already."""

    def __init__(self, context: Context, intake: EventIntake) -> None:
        self._intake = intake
        self._journal = context.store.journal
        self._root = context.worktree.root
        self._worktree = context.worktree
        self._personal = context.screen().settings.personal
        self._reported: dict[tuple[str, str], dict[tuple[str, ...], list[int]]] = {}

    def observation(self, record: Mapping[str, Any], entry: TranscriptEntry) -> dict[str, Any] | None:
        """The record to store, redacted and shortened; None for a record to skip.

        The output of commands and the plans of the past are outdated, an old edit must not be linked to the present
        diff, and a record without a time would appear to be from today.
        """
        kind = record.get("kind")
        if kind not in _KEPT or not (entry.payload.get("timestamp") or entry.payload.get("at")):
            return None
        text = redact(str(record.get("text") or ""), self._personal)
        short, cut = shortened(text.text, TEXT)
        observed = {name: record[name] for name in _COPIED if name in record}
        paths = [path for each in record.get("paths") or () if (path := self._located(str(each), entry.folder))]
        observed |= {"kind": "tool" if kind == "edit" else kind, "text": short, "paths": paths, "cut": cut}
        if kind == "edit":
            observed["extra"] = {PAST_EDIT[0]: kind}
        observed |= {"found": list(text.found), "folder": _inside(entry.folder, entry.folder, self._root)}
        return observed

    def _located(self, path: str, folder: str) -> str:
        """A path of a transcript, relative to the root; "" for one outside of it. Where the session's folder is not on
        this machine, the file here that the path ends with: whole below that folder, or with a folder of its own."""
        found = _inside(path, folder, self._root)
        if found or not is_gone(folder):
            return found
        written, base = (os.path.normpath(each.replace("\\", "/")) for each in (path, folder))
        parts = written.removeprefix(f"{base}/").split("/")
        least = len(parts) if written.startswith(f"{base}/") else 0
        ends = ("/".join(parts[first:]) for first in range(len(parts)) if len(parts) - first in {least, *range(2, 99)})
        return next((end for end in ends if end in self._files), "")

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(self._worktree.paths())

    def keep(self, observations: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
        """Store observations, each once; returns how many are new and how many existed. Raises StoreError."""
        new = [each for each in observations if not self._is_reported(each)]
        done = self._intake.take(new)
        return done.stored, done.repeated + len(observations) - len(new)

    def _is_reported(self, record: Mapping[str, Any]) -> bool:
        """True when a hook reported the same thing at nearly the same time. Not every agent gives its hooks the ids of
        its transcripts."""
        source, session = str(record.get("source", "")), str(record.get("session", ""))
        known = self._reported.get((source, session))
        if known is None:
            known = self._reported[source, session] = {}
            for event in self._journal.events(EventQuery(source=source, session=session), limit=_MOST_EVENTS):
                content = _content(event.kind.value, event.text, event.paths)
                known.setdefault(content, []).append(round(event.at.timestamp() * 1000))
        content = _content(str(record["kind"]), str(record.get("text", "")), record.get("paths") or ())
        at = int(record.get("at") or 0)
        return any(abs(at - each) <= _SAME_TIME for each in known.get(content, ()))


def is_gone(folder: str) -> bool:
    """True for a session's folder that is not on this machine, so that it is no other project's either."""
    return not (os.path.isabs(folder) and os.path.isdir(folder))  # noqa: PTH112, PTH117 - never raises


def _content(kind: str, text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The content by which observations are compared; a transcript's `tool` record equals a hook's edit."""
    return ("tool" if kind == "edit" else kind, "" if kind != "prompt" and paths else text, *paths)


def _inside(path: str, folder: str, root: Path) -> str:
    """A path relative to the root with posix separators; "" for one outside the root."""
    whole = os.path.normpath(os.path.join(folder, path))  # noqa: PTH118 - not resolved: it may be gone
    with suppress(ValueError):
        found = Path(whole).relative_to(root).as_posix()
        return "" if found == "." else found
    return ""
