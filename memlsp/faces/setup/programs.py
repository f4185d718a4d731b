"""The commands that start our hook and our servers, as they are written into other programs' files."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memlsp.faces.setup.edits.jsonc import JsonValue
from memlsp.model.errors import Refused

ENTRY = Path(__file__).resolve().parents[1] / "hooks" / "entry.py"

# Python ends with status 2 when the script it is given does not exist, and from a hook 2 means "forbid this" to most
# agents. Started so, a hook whose memlsp was uninstalled under it ends with 1, which forbids nothing.
_START = "import sys; del sys.argv[0]; __file__ = sys.argv[0]; exec(open(__file__).read())"

_OURS = re.compile(r"memlsp[\\/]faces[\\/]hooks[\\/]entry\.py|(^|[\\/\"'\s])memlsp(\.exe)?[\"']?\s+hook\b")
_THROW_AWAY = re.compile(r"[\\/](archive-v\d+|environments-v\d+|\.cache[\\/](uv|pipx)|pipx[\\/]\.cache)[\\/]")
_NEEDS_QUOTES = re.compile(r"[^A-Za-z0-9_.:\\/~+=@%-]")

_elsewhere: list[tuple[str, str]] = []


@contextmanager
def installed_at(python: str, entry: str) -> Generator[None]:
    """Make commands as if memlsp were installed there, for documentation that must not depend on the machine."""
    _elsewhere.append((python, entry))
    try:
        yield
    finally:
        _elsewhere.pop()


def hook_command(agent: str, *, shared: bool = False) -> list[str]:
    """The command that an agent starts for each event: this Python without site packages, for speed, on `entry.py`.
    With `shared` it is one for a file that a team shares, which finds memlsp on the PATH."""
    if shared:
        return ["memlsp", "hook", agent]
    entry = _elsewhere[-1][1] if _elsewhere else str(ENTRY)
    return [interpreter(), "-I", "-S", "-c", _START, entry, agent]


def mcp_command(*, shared: bool = False) -> list[str]:
    """The command of the MCP server on stdin and stdout; `-P` keeps modules of the project's folder out."""
    return ["memlsp", "mcp"] if shared else [interpreter(), "-P", "-m", "memlsp", "mcp"]


def mcp_server(*more: str, shared: bool) -> dict[str, JsonValue]:
    """The command of the MCP server as `command` and `args` of an entry, with `more` words."""
    program, *args = mcp_command(shared=shared)
    return {"command": program, "args": [*args, *more]}


def lsp_command() -> list[str]:
    """The command of the language server on stdin and stdout."""
    return [interpreter(), "-P", "-m", "memlsp", "lsp"]


def interpreter() -> str:
    """The real path of this Python: a version manager's shim costs more than the whole hook. Raises Refused in an
    environment that is deleted after this run."""
    if _elsewhere:
        return _elsewhere[-1][0]
    path = sys.executable
    if _THROW_AWAY.search(path):
        raise Refused(
            f"memlsp runs from an environment that will be gone: {path}",
            "install it to stay (pip, pipx install, uv tool install), then run memlsp init from there",
        )
    return path


def shell_line(command: Sequence[str], platform: str = sys.platform) -> str:
    """The command as one string, for agents that hand it to a shell. On Windows one string has to work in cmd and in
    PowerShell, which takes a quoted first word for text: there a path with a space is written by its short name."""
    if platform != "win32":
        return shlex.join(command)
    program, *rest = command
    return " ".join(
        [_short(program), *(f'"{word}"' if not word or _NEEDS_QUOTES.search(word) else word for word in rest)]
    )


def _short(program: str) -> str:
    if not _NEEDS_QUOTES.search(program):
        return program
    if sys.platform == "win32":
        import ctypes  # only there is something to call

        room = ctypes.create_unicode_buffer(512)
        if ctypes.windll.kernel32.GetShortPathNameW(program, room, 512) and not _NEEDS_QUOTES.search(room.value):
            return room.value
    return f'"{program}"'


def starts_our_hook(value: JsonValue) -> bool:
    """True for a hook entry of ours in any agent's form; a group of handlers is ours when all of them are."""
    if isinstance(value, dict):
        handlers = value.get("hooks")
        if isinstance(handlers, list):
            return bool(handlers) and all(starts_our_hook(handler) for handler in handlers)
        words = [value.get("command") or value.get("exec"), *_list(value.get("args"))]
        return words[:2] == ["memlsp", "hook"] or any(starts_our_hook(part) for part in value.values())
    if isinstance(value, list):
        return any(starts_our_hook(part) for part in value)
    return isinstance(value, str) and bool(_OURS.search(value))


def starts_memlsp(value: JsonValue) -> bool:
    """True for a server's entry (`command`, `args`) that starts memlsp, in any form."""
    words: list[str] = []
    if isinstance(value, dict):
        for key in ("command", "path", "args", "arguments"):
            part = value.get(key)
            words.extend(str(word) for word in part) if isinstance(part, list) else words.append(str(part or ""))
    return any(re.fullmatch(r"memlsp(\.exe)?", re.split(r"[\\/]", word)[-1]) for word in words)


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
