"""The files by which registries, marketplaces and editors know memlsp: written by the program, and valid."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from project import shop

from docs.generate.news import NEWS, news
from docs.generate.published_files import SCHEMA, SERVER_NAME, published_files

ROOT = Path(__file__).resolve().parents[2]
NODE_CLIENTS = ROOT / ".tools" / "npm" / "node_modules"
NEOVIM = ROOT / ".tools" / "nvim" / "bin" / "nvim"
PATIENCE = 240
ATTACHED = """
vim.lsp.enable("memlsp")
vim.cmd.edit("client.py")
vim.wait(120000, function() return #vim.lsp.get_clients({ name = "memlsp", bufnr = 0 }) > 0 end, 50)
local client = vim.lsp.get_clients({ name = "memlsp", bufnr = 0 })[1]
io.stdout:write(client and client.server_info.name .. " " .. client.server_info.version or "nothing")
for _, each in ipairs(vim.lsp.get_clients()) do each:stop() end
vim.cmd.quitall({ bang = true })
"""


def missing(what: str) -> None:
    """Skip, except where everything has to be there."""
    message = f"{what}: bash tests/tools/install.sh brings it"
    pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)


@pytest.mark.parametrize("name", sorted(published_files()))
def test_a_published_file_is_as_the_program_would_write_it(name: str) -> None:
    there = (ROOT / name).read_text("utf-8") if (ROOT / name).exists() else ""
    assert there == published_files()[name], "python -m docs.generate.published_files"


@pytest.mark.parametrize("folder", ["plugins/claude-code", "plugins/cursor", ".claude-plugin", ".cursor-plugin"])
def test_no_file_is_left_of_an_earlier_form(folder: str) -> None:
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
    assert there <= published_files().keys()


def test_the_entry_of_the_mcp_registry_keeps_to_its_schema() -> None:
    """The rules of the schema that could be broken here; `make release-dry-run` asks the schema itself."""
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert entry["$schema"] == SCHEMA
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 0 < len(entry["description"]) <= 100
    (package,) = entry["packages"]
    assert package["version"] == entry["version"]
    assert package["packageArguments"] == [{"type": "positional", "value": "mcp"}]


def test_the_readme_says_that_the_package_is_ours() -> None:
    assert f"mcp-name: {SERVER_NAME}" in (ROOT / "README.md").read_text("utf-8")


def test_the_package_of_mason_reads_as_yaml() -> None:
    package = yaml.safe_load((ROOT / "packaging" / "mason" / "package.yaml").read_text("utf-8"))
    assert package["name"] == "memlsp"
    assert package["source"]["id"].startswith("pkg:pypi/memlsp@")
    assert package["bin"] == {"memlsp": "pypi:memlsp"}


@pytest.mark.parametrize("folder", [".cursor-plugin", ".claude-plugin"])
def test_a_marketplace_leads_to_its_plugin(folder: str) -> None:
    offer = json.loads((ROOT / folder / "marketplace.json").read_text("utf-8"))
    for plugin in offer["plugins"]:
        manifest = json.loads((ROOT / plugin["source"] / folder / "plugin.json").read_text("utf-8"))
        assert re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", manifest["name"])
        assert manifest["name"] == plugin["name"]


@pytest.mark.npm
def test_claude_code_itself_finds_no_fault_in_plugin_and_marketplace(tmp_path: Path) -> None:
    claude = NODE_CLIENTS / ".bin" / "claude"
    if not claude.exists():
        missing("no Claude Code in .tools")
    environ = {**os.environ, "HOME": str(tmp_path), "PATH": f"{NODE_CLIENTS / 'node' / 'bin'}:{os.environ['PATH']}"}
    for place in (ROOT / "plugins" / "claude-code", ROOT):
        words = [str(claude), "plugin", "validate", str(place)]
        done = subprocess.run(words, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.neovim
def test_neovim_finds_the_server_in_the_folder_of_a_plugin(tmp_path: Path) -> None:
    if not NEOVIM.exists():
        missing("no Neovim in .tools")
    programs = tmp_path / "bin"
    programs.mkdir()
    launcher = programs / "memlsp"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memlsp "$@"\n', "utf-8")
    launcher.chmod(0o755)
    plugin = tmp_path / "plugin"
    shutil.copytree(ROOT / "lsp", plugin / "lsp")
    (tmp_path / "attach.lua").write_text(ATTACHED, "utf-8")
    home = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CONFIG", "STATE", "DATA", "CACHE")}
    python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environ = {**os.environ, **home, "HOME": str(tmp_path), "PYTHONPATH": python_path}
    environ |= {"PATH": f"{programs}:{os.environ['PATH']}", "MEMLSP_DATA_DIR": str(tmp_path / "memory")}
    words = [
        str(NEOVIM),
        "--headless",
        "-n",
        "--clean",
        "--cmd",
        f"set rtp^={plugin}",
        "-c",
        f"luafile {tmp_path}/attach.lua",
    ]
    folder = shop(tmp_path / "shop").root
    done = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.startswith("memlsp 0."), done.stderr


def test_what_memlsp_upgrade_tells_of_each_release_is_what_the_changes_say_first() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert NEWS.read_text("utf-8") == news(changes), "python -m docs.generate.news"
    assert tomllib.loads(news(changes))["release"][0]["new"]


def test_news_are_the_items_before_the_first_heading_without_links() -> None:
    changes = (
        "# Changes\n\n## 1.1 (2026-01-02)\n\n- One\n  [thing](a.md).\n- `b`\n\n### More\n\n- c\n\n## 1.0 (x)\n\nText.\n"
    )
    assert tomllib.loads(news(changes)) == {
        "release": [{"version": "1.1", "date": "2026-01-02", "new": ["One thing.", "`b`"]}]
    }
