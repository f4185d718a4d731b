"""Our own shell snippets: one command that ended, handed over in the environment. A shell's session is the shell; the
number of the command in it tells identical commands apart."""

from __future__ import annotations

from memlsp.faces.hooks.dialects.dialect import AFTER, Dialect, by_event
from memlsp.faces.hooks.fields import Payload

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Mapping

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


def _whole(found: object) -> int | None:
    if isinstance(found, str):
        digits = found.strip().removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 16:
            return -int(digits) if found.strip()[0] == "-" else int(digits)
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


class TerminalDialect(Dialect):
    """Our shell snippets' commands; a shell takes no context."""

    source = "terminal"
    phases = by_event({AFTER: "commandended"})
    known = frozenset({"command", "exit", "shell", "session", "number"})

    def normalised(self, payload: Payload) -> Payload:
        """The command as a call of the tool `Shell`."""
        common: Payload = {
            name: found for name, found in payload.items() if name not in _VARIABLES and name != "hook_event_name"
        }
        number, session = payload.get("number"), payload.get("session")
        common["hook_event_name"] = "command.ended"
        common["session_id"] = session
        common["tool_name"] = "Shell"
        common["tool_input"] = {"command": payload.get("command")}
        common["tool_response"] = {"exit_code": _whole(payload.get("exit"))}
        common["folder"] = payload.get("folder")
        common["ms"] = _whole(payload.get("ms"))
        common["tool_use_id"] = f"{session}:{number}" if session and number else None
        return common


DIALECT = TerminalDialect()
