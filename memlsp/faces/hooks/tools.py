"""What a tool call did, whatever the agent calls the tool and its arguments: files read or written, a command, a
plan."""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.patches import is_patch, touched

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

    from memlsp.faces.hooks.fields import Payload

EDIT, READ, COMMAND, PLAN, TOOL = "edit", "read", "command", "plan", "tool"

_EDITS = frozenset(
    {
        "applypatch",
        "create",
        "createfile",
        "createnewfile",
        "delete",
        "deletefile",
        "edit",
        "editfile",
        "editfiles",
        "editnotebookfile",
        "insert",
        "inserteditintofile",
        "multiedit",
        "multireplacefilecontent",
        "multireplacestringinfile",
        "notebookedit",
        "patch",
        "replace",
        "replacefilecontent",
        "replaceinfile",
        "replacestringinfile",
        "searchreplace",
        "strreplace",
        "strreplacebasededittool",
        "strreplaceeditor",
        "tabwrite",
        "write",
        "writecode",
        "writefile",
        "writetofile",
    }
)
_READS = frozenset(
    {
        "notebookread",
        "read",
        "readcode",
        "readfile",
        "readfiles",
        "readmanyfiles",
        "view",
        "viewfile",
        "viewimage",
    }
)
_COMMANDS = frozenset(
    {
        "bash",
        "containerexec",
        "exec",
        "execcommand",
        "executecommand",
        "localshell",
        "powershell",
        "runcommand",
        "runinterminal",
        "runshellcommand",
        "runterminalcmd",
        "shell",
        "shellcommand",
        "terminal",
    }
)
_PLANS = frozenset({"todowrite", "updateplan", "writetodos", "managetodolist", "updatetodo", "todoupdate", "plan"})
_LINE = ("command", "cmd", "commandLine", "command_line", "CommandLine", "script")
_PATHS = (
    *fields.PATH,
    "notebook_path",
    "notebookPath",
    "target_file",
    "targetFile",
    "TargetFile",
    "AbsolutePath",
    "absolute_path",
    "absolutePath",
    "filename",
    "fileName",
    "file",
    "uri",
)
_MANY = ("files", "paths", "filePaths", "file_paths", "replacements", "edits", "changes", "include")
_PATCH = ("input", "patch", "patchText", "patch_text", "diff", "command")
_ITEMS = ("todos", "plan", "todoList", "todo_list", "items", "tasks", "steps")
_ITEM = ("content", "step", "description", "title", "subject", "text", "name")
_STATES = {
    "not-started": "pending",
    "notstarted": "pending",
    "todo": "pending",
    "open": "pending",
    "in-progress": "in_progress",
    "inprogress": "in_progress",
    "active": "in_progress",
    "done": "completed",
    "complete": "completed",
    "closed": "completed",
    "canceled": "cancelled",
}
_OURS = frozenset({"recall", "why", "remember", "revise", "catch_up", "handoff", "review", "forget"})
_SHELLS = ("bash", "sh", "zsh", "dash", "fish", "pwsh", "powershell", "cmd", "cmd.exe")


def kind(name: str, call: Any) -> str:
    """EDIT, READ, COMMAND, PLAN or TOOL, by the tool's name and, where that is shared by several, by its arguments."""
    plain = "".join(char for char in name.lower() if char.isalnum())
    arguments = fields.mapping(call)
    if plain in _COMMANDS:
        line = command(arguments)
        return EDIT if is_patch(line) and "apply_patch" in line else COMMAND
    if plain in _PLANS:
        return PLAN
    if plain in _READS or (plain in _EDITS and arguments.get("command") == "view"):
        return READ
    if plain in _EDITS:
        return EDIT
    return TOOL


def is_ours(name: str, payload: Payload, call: Any) -> bool:
    """True for a tool of our own MCP server, by any agent's way to name one, and for a command that is ours."""
    low = name.lower()
    if low.startswith("mcp") and "memlsp" in low:
        return True
    if low.startswith(("memlsp_", "memlsp-", "memlsp.", "memlsp/", "memlsp:")):
        return True
    if low.startswith("mcp:") and low[4:].strip() in _OURS:  # Cursor does not name the server
        return True
    arguments = fields.mapping(call)
    for place in (payload, arguments):
        for key in ("mcp_server_name", "mcpServerName", "server_name", "serverName", "server"):
            if place.get(key) == "memlsp":
                return True
    return kind(name, call) == COMMAND and is_our_command(command(arguments))


def is_our_command(line: str) -> bool:
    """True when a command line starts nothing but memlsp: `memlsp recall x`, `cd src && python -m memlsp hook ...`."""
    ours = False
    for mark in ("&&", "||", ";", "|", "&"):
        line = line.replace(mark, "\n")
    for part in line.split("\n"):
        words = part.split()
        while words and ("=" in words[0] or words[0] in {"uvx", "uv", "run", "pipx", "exec", "timeout"}):
            words = words[1:]
        if not words or words[0] in {"cd", "echo"}:
            continue
        program = words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
        if program.startswith("python") or program == "py":
            program = words[2] if words[1:2] == ["-m"] and len(words) > 2 else ""
        if program != "memlsp":
            return False
        ours = True
    return ours


def command(call: Payload) -> str:
    """The command line of a call; a list of words, as some agents give it, in one line without the shell before it."""
    found = fields.value(call, _LINE)
    words = [each for each in fields.items(found) if isinstance(each, str)]
    if words:
        if len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS and words[1].startswith(("-", "/")):
            return words[2]
        return " ".join(words)
    return found if isinstance(found, str) else ""


def paths(call: Any) -> list[str]:
    """The files that a call names, each once, as they are written there."""
    if isinstance(call, str):
        return touched(call) if is_patch(call) else []
    arguments = fields.mapping(call)
    found: dict[str, None] = {}
    for key in _PATHS:
        _add(found, arguments.get(key))
    for key in _MANY:
        for each in fields.items(arguments.get(key))[:500]:
            for name in _PATHS:
                _add(found, fields.mapping(each).get(name))
            if key != "edits":
                _add(found, each)
    if not found:
        for key in _PATCH:
            patch = arguments.get(key)
            if isinstance(patch, str) and (is_patch(patch) or key in {"patch", "diff"}):
                for path in touched(patch):
                    found[path] = None
    return list(found)


def plan(call: Any) -> list[list[str]]:
    """The things to do that a call lists, each with its status: pending, in_progress, completed, cancelled."""
    listed = fields.structure(fields.value(fields.mapping(call), _ITEMS) or call)
    if isinstance(listed, str):
        return [item for line in listed.splitlines() if (item := _marked(line))]
    items: list[list[str]] = []
    for each in fields.items(listed):
        said = each if isinstance(each, str) else fields.text(fields.mapping(each), _ITEM)
        if said.strip():
            status = state(fields.text(fields.mapping(each), ("status", "state")))
            items.append((_marked(said) if isinstance(each, str) else []) or [said, status])
    return items


def state(said: str) -> str:
    """A status in our words; one that we do not know as it is."""
    low = said.lower().replace(" ", "-")
    return _STATES.get(low, low.replace("-", "_")) or "pending"


def words(call: Any) -> str:
    """Arguments of a call that are no content, in one line for people: `pattern: retry; path: src`."""
    if isinstance(call, str):
        return call
    parts: list[str] = []
    for name, found in fields.mapping(call).items():
        said = ", ".join(each for each in fields.items(found) if isinstance(each, str)) or found
        if isinstance(said, (str, int, float)) and not isinstance(said, bool) and said != "":
            parts.append(f"{name}: {said}")
    return "; ".join(parts)


def _add(found: dict[str, None], path: Any) -> None:
    if isinstance(path, str) and path.strip() and "\n" not in path and len(path) < 4096:
        found[fields.plain_path(path.strip())] = None


def _marked(line: str) -> list[str]:
    """`- [x] text`, as some agents write their list."""
    bare = line.strip()
    if bare[:2] in {"- ", "* "}:
        bare = bare[2:].lstrip()
    if bare[:1] == "[" and bare[2:3] == "]" and bare[3:].strip():
        mark = bare[1].lower()
        return [bare[3:].strip(), "completed" if mark == "x" else "in_progress" if mark in "-~>" else "pending"]
    return []
