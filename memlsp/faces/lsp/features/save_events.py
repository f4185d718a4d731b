"""What the editor does, as it reaches the memory: saves, and commands of its terminals where the user says so."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from attrs import frozen

from memlsp.faces.lsp.server.documents import file_of
from memlsp.faces.lsp.server.settings import Settings
from memlsp.faces.lsp.server.workspaces import Desk, Desks

TERMINAL_COMMAND = "memlsp/terminalCommand"
"""A notification of the editor extension: {command, cwd?, exitCode?, output?, durationMs?, id?}."""


@frozen
class _Ran:
    """A command of a terminal as the editor tells it."""

    line: str
    folder: Path | None
    exit_code: int | None
    output: str
    milliseconds: int | None
    id: str


class Capturing:
    """Hands on what happens. Nobody waits for it: it is written beside everything else."""

    def __init__(
        self, desks: Desks, settings: Callable[[], Settings], trusted: Callable[[], bool] = lambda: True
    ) -> None:
        self._desks = desks
        self._settings = settings
        self._trusted = trusted

    async def saved(self, uri: str) -> None:
        """A document was written by the editor. In a folder that the user does not trust nothing is captured."""
        file = file_of(uri) if self._trusted() else None
        desk = await self._desks.desk_for(file) if file is not None else None
        if file is None or desk is None or not self._desks.may_watch(desk):
            return

        def note() -> None:
            desk.memory.events.saved(desk.relative(file))

        desk.note(note)

    async def command(self, params: object) -> None:
        """A command ended in a terminal of the editor. Not kept unless the setting `capture.terminal` is on, and
        the user's own file says `terminals = true`: an editor takes settings from a repository too."""
        if not self._settings().capture_terminal or not self._trusted():
            return
        ran = _read(params)
        if ran is None:
            return
        desk = await self._desk_of(ran.folder)
        if desk is None:
            return

        def note() -> None:
            desk.memory.events.command(
                ran.line,
                exit_code=ran.exit_code,
                folder=_inside(desk.root, ran.folder),
                output=ran.output,
                milliseconds=ran.milliseconds,
                key=f"editor-command:{ran.id}" if ran.id else "",
            )

        desk.note(note)

    async def _desk_of(self, folder: Path | None) -> Desk | None:
        """The workspace that a command ran in; without a folder the only one of the editor."""
        if folder is None:
            folders = self._desks.folders
            folder = folders[0] if len(folders) == 1 else None
        if folder is None:
            return None
        desk = await self._desks.desk_for(folder / "any")
        return desk if desk is not None and self._desks.may_watch(desk) else None


def _read(params: object) -> _Ran | None:
    """The notification's content; None for one without a command. What has the wrong type is as if it were absent."""
    raw = _plain(params)
    line = raw.get("command")
    if not isinstance(line, str) or not line.strip():
        return None
    folder, code, took = raw.get("cwd"), raw.get("exitCode"), raw.get("durationMs")
    output, known = raw.get("output"), raw.get("id")
    path: Path | None = None
    if isinstance(folder, str) and folder:
        path = file_of(folder) if folder.lower().startswith("file:") else Path(folder)
    return _Ran(
        line,
        path if path is not None and path.is_absolute() else None,
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        output if isinstance(output, str) else "",
        int(took) if isinstance(took, int | float) and not isinstance(took, bool) else None,
        known if isinstance(known, str) else "",
    )


def _plain(params: object) -> Mapping[str, object]:
    """What pygls makes of the parameters of a message that it does not know, as a mapping."""
    if isinstance(params, Mapping):
        return cast("Mapping[str, object]", params)
    fields = getattr(params, "_fields", None)  # a named tuple
    if fields is not None:
        return {str(name): getattr(params, name) for name in fields}
    try:
        found: object = json.loads(json.dumps(params, default=vars))
    except (TypeError, ValueError):
        return {}
    return cast("Mapping[str, object]", found) if isinstance(found, Mapping) else {}


def _inside(root: Path, folder: Path | None) -> str:
    """The folder relative to the root, "" for the root itself and for what lies outside."""
    if folder is None:
        return ""
    try:
        inner = Path(os.path.realpath(folder)).relative_to(root.resolve())
    except (ValueError, OSError):
        return ""
    return "" if inner == Path() else inner.as_posix()
