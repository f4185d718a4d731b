"""Records what the user does in the editor: saves, and terminal commands if the user turned that on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from memlsp.faces.lsp.server.documents import file_of
from memlsp.faces.lsp.server.settings import EditorSettings, object_of
from memlsp.faces.lsp.server.workspaces import EditorWorkspace, EditorWorkspaces


@frozen
class _TerminalCommand:
    line: str
    folder: Path | None
    exit_code: int | None
    output: str
    milliseconds: int | None
    id: str


@frozen(eq=False)
class EditorEvents:
    """Records events in the background: no request waits for it."""

    _workspaces: EditorWorkspaces
    _settings: Callable[[], EditorSettings]
    _trusted: Callable[[], bool] = lambda: True

    async def saved(self, uri: str) -> None:
        """Record that a document was saved; nothing in an untrusted folder."""
        file = file_of(uri) if self._trusted() else None
        workspace = await self._workspaces.workspace_of_file(file) if file is not None else None
        if file is None or workspace is None or not self._workspaces.may_watch(workspace):
            return

        def note() -> None:
            workspace.memory.events.saved(workspace.relative(file))

        workspace.note(note)

    async def command(self, params: object) -> None:
        """Record a command that ended in a terminal. Needs the setting `capture.terminal`, and `terminals = true` in
        the user's own configuration, since a repository can bring editor settings."""
        if not self._settings().capture_terminal or not self._trusted():
            return
        ran = _read(params)
        if ran is None:
            return
        workspace = await self._workspace_of(ran.folder)
        if workspace is None:
            return

        def note() -> None:
            workspace.memory.events.command(
                ran.line,
                exit_code=ran.exit_code,
                folder=_inside(workspace.root, ran.folder),
                output=ran.output,
                milliseconds=ran.milliseconds,
                key=f"editor-command:{ran.id}" if ran.id else "",
            )

        workspace.note(note)

    async def _workspace_of(self, folder: Path | None) -> EditorWorkspace | None:
        """The workspace that a command ran in; without a folder the editor's only one."""
        if folder is None:
            folders = self._workspaces.folders
            folder = folders[0] if len(folders) == 1 else None
        if folder is None:
            return None
        workspace = await self._workspaces.workspace_of_file(folder / "any")
        return workspace if workspace is not None and self._workspaces.may_watch(workspace) else None


def _read(params: object) -> _TerminalCommand | None:
    """Read the notification; None without a command. A value of the wrong type counts as absent."""
    raw = object_of(params)
    line = raw.get("command")
    if not isinstance(line, str) or not line.strip():
        return None
    folder, code, took = raw.get("cwd"), raw.get("exitCode"), raw.get("durationMs")
    output, known = raw.get("output"), raw.get("id")
    path: Path | None = None
    if isinstance(folder, str) and folder:
        path = file_of(folder) if folder.lower().startswith("file:") else Path(folder)
    return _TerminalCommand(
        line,
        path if path is not None and path.is_absolute() else None,
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        output if isinstance(output, str) else "",
        int(took) if isinstance(took, int | float) and not isinstance(took, bool) else None,
        known if isinstance(known, str) else "",
    )


def _inside(root: Path, folder: Path | None) -> str:
    """The folder relative to the root; "" for the root itself and for folders outside."""
    if folder is None:
        return ""
    try:
        inner = Path(os.path.realpath(folder)).relative_to(root.resolve())
    except (ValueError, OSError):
        return ""
    return "" if inner == Path() else inner.as_posix()
