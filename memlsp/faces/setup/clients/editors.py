"""Editors that take the language server or the MCP server from a file that can be written safely, and the others.

A configuration that is a program (`init.lua`, `init.el`) is never edited: what to put there is printed.
"""

from __future__ import annotations

import json
from pathlib import Path

from memlsp.faces.setup import programs
from memlsp.faces.setup.clients.client import Client, Kind, Parts
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, Surroundings
from memlsp.faces.setup.pieces import ServerEntry, Whole

_NEOVIM_SIGN = "-- memlsp: written by `memlsp init`"
_NEOVIM = """\
-- memlsp: written by `memlsp init`, taken out by `memlsp uninstall`. Neovim 0.11 or later.
if vim.lsp.config then
  vim.lsp.config("memlsp", {{
    cmd = {{ {command} }},
    filetypes = {{
      "python", "javascript", "javascriptreact", "typescript", "typescriptreact", "go", "rust", "java", "c", "cpp",
      "cs", "ruby", "php", "kotlin", "sh", "vue", "svelte", "toml", "yaml", "json", "markdown", "dockerfile", "make",
    }},
    root_markers = {{ ".git" }},
  }})
  vim.lsp.enable("memlsp")
end
"""


def _neovim_folder(surroundings: Surroundings) -> Path:
    if surroundings.platform == "win32":
        return surroundings.folder("LOCALAPPDATA", "AppData", "Local") / "nvim"
    return surroundings.folder("XDG_CONFIG_HOME", ".config") / "nvim"


def _neovim(surroundings: Surroundings, extent: Extent) -> Parts:
    if extent is Extent.PROJECT:
        return Parts()
    words = ", ".join(json.dumps(word, ensure_ascii=False) for word in programs.lsp_command())
    text = _NEOVIM.format(command=words)
    plugin = _neovim_folder(surroundings) / "plugin" / "memlsp.lua"
    return Parts(servers=(Whole(plugin, "language server", text, _NEOVIM_SIGN),))


def _helix(surroundings: Surroundings, extent: Extent) -> Parts:  # noqa: ARG001  (printed only)
    command, *args = programs.lsp_command()
    lines = f"[language-server.memlsp]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args)}"
    where = "has a list of servers for each language: put this into languages.toml, and memlsp into the lists of yours"
    return Parts(notes=(f"{where}:\n\n{lines}\n",))


def _emacs(surroundings: Surroundings, extent: Extent) -> Parts:  # noqa: ARG001  (printed only)
    words = " ".join(json.dumps(word, ensure_ascii=False) for word in programs.lsp_command())
    lines = f"(add-to-list 'eglot-server-programs '(text-mode . ({words})))"
    return Parts(notes=(f"has a configuration that is a program; with Eglot, put this into it:\n\n{lines}\n",))


def _sublime_folder(surroundings: Surroundings) -> Path:
    linux = surroundings.platform not in {"darwin", "win32"}
    return surroundings.application / ("sublime-text" if linux else "Sublime Text") / "Packages" / "User"


def _sublime(surroundings: Surroundings, extent: Extent) -> Parts:
    if extent is Extent.PROJECT:
        return Parts()
    path = _sublime_folder(surroundings) / "LSP.sublime-settings"
    value: dict[str, JsonValue] = {"enabled": True, "command": [*programs.lsp_command()], "selector": "source"}
    return Parts(servers=(ServerEntry(path, "language server", ("clients", "memlsp"), value),))


def _zed(surroundings: Surroundings, extent: Extent) -> Parts:
    if extent is Extent.PROJECT:
        path = surroundings.project / ".zed" / "settings.json"
        mcp = programs.portable_mcp_command()
    else:
        path = _zed_folder(surroundings) / "settings.json"
        mcp = programs.mcp_command()
    value: dict[str, JsonValue] = {"command": mcp[0], "args": [*mcp[1:]], "env": {}}
    return Parts(servers=(ServerEntry(path, "MCP server", ("context_servers", "memlsp"), value),))


def _zed_folder(surroundings: Surroundings) -> Path:
    windows = surroundings.platform == "win32"
    return surroundings.config / "Zed" if windows else surroundings.folder("XDG_CONFIG_HOME", ".config") / "zed"


NEOVIM = Client(
    "neovim",
    "Neovim",
    Kind.EDITOR,
    lambda surroundings, _: _neovim_folder(surroundings).is_dir() or surroundings.program("nvim"),
    _neovim,
)
HELIX = Client(
    "helix",
    "Helix",
    Kind.EDITOR,
    lambda surroundings, _: (surroundings.config / "helix").is_dir() or surroundings.program("hx", "helix"),
    _helix,
)
EMACS = Client(
    "emacs",
    "Emacs",
    Kind.EDITOR,
    lambda surroundings, _: any(
        (surroundings.home / name).exists() for name in (".emacs.d", ".emacs", ".config/emacs")
    ),
    _emacs,
)
SUBLIME = Client(
    "sublime",
    "Sublime Text",
    Kind.EDITOR,
    lambda surroundings, _: _sublime_folder(surroundings).is_dir(),
    _sublime,
)
ZED = Client("zed", "Zed", Kind.EDITOR, lambda surroundings, _: _zed_folder(surroundings).is_dir(), _zed)
