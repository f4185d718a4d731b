"""Editors: those whose configuration can be edited safely get the language server or the MCP server. A configuration
that is a program (`init.lua`, `init.el`) is never edited: a file of our own lies beside it.
For Emacs, setup prints the line that loads it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from memlsp.faces.setup import programs
from memlsp.faces.setup.clients.client import ClientEdits, ClientKind, SetupClient, place_or_program
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.file_edits import OwnFile, ServerEntry
from memlsp.faces.setup.machine import Extent, UserMachine

_NEOVIM_SIGN, _EMACS_SIGN = "-- memlsp: written by `memlsp init`", ";;; memlsp.el --- written by `memlsp init'"


def _neovim_folder(machine: UserMachine) -> Path:
    if machine.platform == "win32":
        return machine.folder("LOCALAPPDATA", "AppData", "Local") / "nvim"
    return machine.folder("XDG_CONFIG_HOME", ".config") / "nvim"


def _neovim(machine: UserMachine, extent: Extent) -> ClientEdits:
    if extent is Extent.PROJECT:
        return ClientEdits()
    plugin = _neovim_folder(machine) / "plugin" / "memlsp.lua"
    text = _with_command("neovim_plugin.lua", ", ")
    return ClientEdits(servers=(OwnFile(plugin, "language server", text, _NEOVIM_SIGN),))


def _with_command(name: str, between: str) -> str:
    """A program of ours, with the command of the language server for this machine."""
    words = between.join(json.dumps(word, ensure_ascii=False) for word in programs.lsp_command())
    return (files("memlsp.faces.setup") / name).read_text("utf-8").replace(f'"memlsp"{between}"lsp"', words)


def _neovim_unfit(machine: UserMachine) -> str:
    found = machine.version("nvim")
    said = f"{'.'.join(map(str, found))} is too old for memlsp.lua, which needs 0.11: see docs/how-to/neovim.md"
    return said if () < found < (0, 11) else ""


def _helix(machine: UserMachine, extent: Extent) -> ClientEdits:  # noqa: ARG001  (printed only)
    command, *args = programs.lsp_command()
    lines = f"[language-server.memlsp]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args)}"
    where = "has a list of servers for each language: put this into languages.toml, and memlsp into the lists of yours"
    return ClientEdits(notes=(f"{where}:\n\n{lines}\n",))


def _emacs_folder(machine: UserMachine) -> Path:
    home = machine.config if machine.platform == "win32" else machine.home
    modern = machine.folder("XDG_CONFIG_HOME", ".config") / "emacs"
    old = any((home / name).exists() for name in (".emacs.d", ".emacs")) or not modern.is_dir()
    return home / ".emacs.d" if old else modern


def _emacs(machine: UserMachine, extent: Extent) -> ClientEdits:
    if extent is Extent.PROJECT:
        return ClientEdits()
    text = _with_command("memlsp.el", " ")
    edit = OwnFile(_emacs_folder(machine) / "memlsp.el", "language server", text, _EMACS_SIGN)
    line = '(with-eval-after-load \'eglot (load (locate-user-emacs-file "memlsp")))'
    return ClientEdits(servers=(edit,), notes=(f"reads it with this line in your init file:\n\n{line}\n",))


def _sublime_folder(machine: UserMachine) -> Path:
    linux = machine.platform not in {"darwin", "win32"}
    return machine.application / ("sublime-text" if linux else "Sublime Text") / "Packages" / "User"


def _sublime(machine: UserMachine, extent: Extent) -> ClientEdits:
    if extent is Extent.PROJECT:
        return ClientEdits()
    path = _sublime_folder(machine) / "LSP.sublime-settings"
    value: dict[str, JsonValue] = {"enabled": True, "command": [*programs.lsp_command()], "selector": "source"}
    return ClientEdits(servers=(ServerEntry(path, "language server", ("clients", "memlsp"), value),))


def _zed(machine: UserMachine, extent: Extent) -> ClientEdits:
    shared = extent is Extent.PROJECT
    folder = machine.project / ".zed" if shared else _zed_folder(machine)
    value: dict[str, JsonValue] = {**programs.mcp_server(shared=shared), "env": {}}
    return ClientEdits(servers=(ServerEntry.mcp(folder / "settings.json", value, "context_servers"),))


def _zed_folder(machine: UserMachine) -> Path:
    windows = machine.platform == "win32"
    return machine.config / "Zed" if windows else machine.folder("XDG_CONFIG_HOME", ".config") / "zed"


_HELIX_FOUND = place_or_program(lambda machine: machine.config / "helix", "hx", "helix")

NEOVIM = SetupClient(
    "neovim", "Neovim", ClientKind.EDITOR, place_or_program(_neovim_folder, "nvim"), _neovim, _neovim_unfit
)
HELIX = SetupClient("helix", "Helix", ClientKind.EDITOR, _HELIX_FOUND, _helix)
EMACS = SetupClient(
    "emacs",
    "Emacs",
    ClientKind.EDITOR,
    lambda machine, _: any((machine.home / name).exists() for name in (".emacs.d", ".emacs", ".config/emacs")),
    _emacs,
)
SUBLIME = SetupClient("sublime", "Sublime Text", ClientKind.EDITOR, place_or_program(_sublime_folder), _sublime)
ZED = SetupClient("zed", "Zed", ClientKind.EDITOR, place_or_program(_zed_folder), _zed)
