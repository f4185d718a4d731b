"""How the program itself was installed, and so how a later one takes its place. Nothing here reaches the network."""

from __future__ import annotations

import json
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from memlsp.faces.setup.programs import shell_line

_TOOLS = (("uv-receipt.toml", "uv tool upgrade memlsp"), ("pipx_metadata.json", "pipx upgrade memlsp"))
"""The files by which uv and pipx know an environment of theirs, and the command of each."""


def upgrade_advice(prefix: Path | None = None, python: str = sys.executable) -> str:
    """What a person does to get a later memlsp, in a line. `prefix` is the environment, this process's by default."""
    prefix = prefix or Path(sys.prefix)
    installer, source, editable = _installed_by()
    if "globalStorage" in prefix.parts:
        return "the VS Code extension brings its own memlsp: update the extension"
    if "Cellar" in prefix.parts:
        return "brew upgrade memlsp"
    if source and editable:
        return f"git pull in {source}"
    of_tool = next((command for name, command in _TOOLS if (prefix / name).is_file()), "")
    pip = ["uv", "pip", "install", "--python", python] if installer == "uv" else [python, "-m", "pip", "install"]
    if source:
        if of_tool.startswith("uv"):
            of_tool += " --reinstall"  # else it keeps what it built of the folder
        return f"git pull in {source}, then {of_tool or shell_line([*pip, source])}"
    return of_tool or shell_line([*pip, "--upgrade", "memlsp"])


def _installed_by() -> tuple[str, str, bool]:
    """The program that installed memlsp, the folder that it was installed from, "" for an index, and whether it runs
    from that folder."""
    try:
        found = distribution("memlsp")
    except PackageNotFoundError:
        return "", "", False
    direct: dict[str, Any] = json.loads(found.read_text("direct_url.json") or "{}")  # PEP 610
    url = urlsplit(str(direct.get("url", "")))
    source = str(Path(unquote(url.path))) if url.scheme == "file" and "dir_info" in direct else ""
    return (found.read_text("INSTALLER") or "").strip(), source, bool(source and direct["dir_info"].get("editable"))
