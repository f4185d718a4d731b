"""Our own shell snippets: one command that ended, handed over in the environment.

A shell's session is the shell; the number of the command in it tells identical commands apart.
"""

from __future__ import annotations

from memlsp.faces.hooks.dialects import AFTER, Dialect
from memlsp.faces.hooks.dialects.context_json import nothing

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memlsp.faces.hooks.fields import Payload

_VARIABLES = {
    "command": "MEMLSP_COMMAND",
    "folder": "MEMLSP_FOLDER",
    "shell": "MEMLSP_SHELL",
    "session": "MEMLSP_SHELL_SESSION",
    "number": "MEMLSP_NUMBER",
    "exit": "MEMLSP_EXIT",
    "ms": "MEMLSP_MS",
}


def payload(environ: Mapping[str, str]) -> Payload:
    """The payload that a snippet left in the environment; {} when there is no command."""
    found: Payload = {name: environ[variable] for name, variable in _VARIABLES.items() if environ.get(variable)}
    return found if found.get("command") else {}


def _opened(told: Payload) -> Payload:
    opened: Payload = {
        name: found for name, found in told.items() if name not in _VARIABLES and name != "hook_event_name"
    }
    number, session = told.get("number"), told.get("session")
    opened["hook_event_name"] = "command.ended"
    opened["session_id"] = session
    opened["tool_name"] = "Shell"
    opened["tool_input"] = {"command": told.get("command")}
    opened["tool_response"] = {"exit_code": _whole(told.get("exit"))}
    opened["folder"] = told.get("folder")
    opened["ms"] = _whole(told.get("ms"))
    opened["tool_use_id"] = f"{session}:{number}" if session and number else None
    return opened


def _whole(found: object) -> int | None:
    if isinstance(found, str):
        digits = found.strip().removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 16:
            return -int(digits) if found.strip()[0] == "-" else int(digits)
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


TERMINAL = Dialect(
    "terminal",
    worded=nothing,
    opened=_opened,
    moments={"commandended": AFTER},
    known=frozenset({"command", "exit", "shell", "session", "number"}),
)
