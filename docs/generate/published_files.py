"""The files by which registries, marketplaces and editors know memlsp, each written from what the program says of
itself: `python -m docs.generate.published_files [FOLDER]`. A test compares the repository's files with them."""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from pathlib import Path

from docs.generate.claude_plugin import ABOUT, marketplace, plugin_files
from memlsp.code.languages.detection import language_named
from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.faces.setup.machine import Extent, UserMachine
from memlsp.version import VERSION
from release.home import REPOSITORY

HOME = f"https://github.com/{REPOSITORY}"
SERVER_NAME = f"io.github.{REPOSITORY}"
"""The name in the MCP registry, which the README says too: that is how the registry knows the package for ours."""

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

_LANGUAGE_IDS = {
    "python": "python",
    "javascript": "javascript",
    "typescript": "typescript",
    "tsx": "typescriptreact",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "c": "c",
    "cpp": "cpp",
    "csharp": "csharp",
    "ruby": "ruby",
    "php": "php",
    "kotlin": "kotlin",
    "bash": "shellscript",
    "markdown": "markdown",
}
"""The languages of a JetBrains template, by the names that LSP gives them."""


def server_json() -> str:
    """The entry in the MCP registry."""
    package: JsonValue = {
        "registryType": "pypi",
        "identifier": "memlsp",
        "version": VERSION,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}],
    }
    return _json(
        {
            "$schema": SCHEMA,
            "name": SERVER_NAME,
            "title": "memlsp",
            "description": ABOUT,
            "version": VERSION,
            "websiteUrl": f"{HOME}#readme",
            "repository": {"url": HOME, "source": "github"},
            "packages": [package],
        }
    )


def cursor_plugin() -> dict[str, str]:
    """The plugin for Cursor: what `memlsp init --agent cursor --project` writes, in a plugin's places."""
    client = next(client for client in CLIENTS if client.name == "cursor")
    project = Path("/project")
    texts: dict[str, str] = {}
    for edit in client.edits(UserMachine(Path("/~"), project, {}, "linux"), Extent.PROJECT).all:
        name = edit.path.relative_to(project).as_posix()
        texts[name] = edit.put(texts.get(name, ""))
    manifest: JsonValue = {
        "name": "memlsp",
        "displayName": "memlsp",
        "description": ABOUT,
        "version": VERSION,
        "author": {"name": "memlsp"},
        "homepage": f"{HOME}#readme",
        "repository": HOME,
        "license": "MIT",
        "keywords": ["memory", "decisions", "language-server"],
    }
    return {
        ".cursor-plugin/plugin.json": _json(manifest),
        "hooks/hooks.json": texts[".cursor/hooks.json"],
        "mcp.json": texts[".cursor/mcp.json"],
        "rules/memlsp.mdc": texts[".cursor/rules/memlsp.mdc"],
    }


def cursor_marketplace() -> str:
    """The marketplace file that offers the plugin to Cursor."""
    entry: JsonValue = {"name": "memlsp", "source": "./plugins/cursor", "description": ABOUT}
    return _json({"name": "memlsp", "owner": {"name": "memlsp"}, "plugins": [entry]})


def neovim_config() -> str:
    """`lsp/memlsp.lua`, which Neovim 0.11 finds in a plugin's folder: what `init` writes, without the commands."""
    text = (files("memlsp.faces.setup") / "neovim_plugin.lua").read_text("utf-8")
    found = re.search(
        r"(?s)^(-- what a command lacks.*?)vim\.lsp\.config\(\"memlsp\", (\{.*?^\})\)$", text, re.MULTILINE
    )
    if found is None:
        raise ValueError("neovim_plugin.lua configures nothing")
    head = (
        '-- memlsp for Neovim 0.11 or later: put this repository on the runtimepath, then vim.lsp.enable("memlsp").\n'
    )
    return f"{head}{found[1]}return {found[2]}\n"


def mason_package() -> str:
    """The package for Neovim's Mason."""
    return f"""---
name: memlsp
description: {ABOUT}
homepage: {HOME}
licenses:
  - MIT
languages: []
categories:
  - LSP

source:
  id: pkg:pypi/memlsp@{VERSION}

bin:
  memlsp: pypi:memlsp
"""


def jetbrains_template() -> str:
    """The template for LSP4IJ, the language client of JetBrains' editors."""
    mappings: list[JsonValue] = []
    for name, lsp_id in _LANGUAGE_IDS.items():
        language = language_named(name)
        suffixes = language.suffixes if language is not None else ()
        mappings.append({"fileType": {"patterns": [f"*{suffix}" for suffix in suffixes]}, "languageId": lsp_id})
    return _json(
        {"id": "memlsp", "name": "memlsp", "programArgs": {"default": "memlsp lsp"}, "fileTypeMappings": mappings}
    )


def published_files() -> dict[str, str]:
    """All files, by their path in the repository."""
    return {
        "server.json": server_json(),
        "lsp/memlsp.lua": neovim_config(),
        "packaging/mason/package.yaml": mason_package(),
        "packaging/jetbrains/memlsp/template.json": jetbrains_template(),
        ".claude-plugin/marketplace.json": marketplace(),
        ".cursor-plugin/marketplace.json": cursor_marketplace(),
        **{f"plugins/claude-code/{name}": text for name, text in plugin_files().items()},
        **{f"plugins/cursor/{name}": text for name, text in cursor_plugin().items()},
    }


def _json(value: JsonValue) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all files into a checkout."""
    top = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    for name, text in published_files().items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
