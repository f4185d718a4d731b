"""Tool calls under any agent's names for tools and arguments: the files that one reads or writes, its command, its
plan."""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.fields import Json, Payload

EDIT, READ, COMMAND, PLAN, TOOL = "edit", "read", "command", "plan", "tool"

_EDITS = frozenset(
    fields.names(
        "applypatch create createfile createnewfile delete deletefile edit editfile editfiles editnotebookfile insert"
        " inserteditintofile multiedit multireplacefilecontent multireplacestringinfile notebookedit patch replace"
        " replacefilecontent replaceinfile replacestringinfile searchreplace strreplace strreplacebasededittool"
        " strreplaceeditor tabwrite write writecode writefile writetofile"
    )
)
_READS = frozenset(fields.names("notebookread read readcode readfile readfiles readmanyfiles view viewfile viewimage"))
_COMMANDS = frozenset(
    fields.names(
        "bash containerexec exec execcommand executecommand localshell powershell runcommand runinterminal"
        " runshellcommand runterminalcmd shell shellcommand terminal"
    )
)
_PLANS = frozenset(fields.names("todowrite updateplan writetodos managetodolist updatetodo todoupdate plan"))
_LINE = fields.names("command cmd commandLine command_line CommandLine script")
_PATHS = (
    *fields.PATH,
    *fields.names(
        "notebook_path notebookPath target_file targetFile TargetFile AbsolutePath absolute_path absolutePath filename"
        " fileName file uri"
    ),
)
_MANY = fields.names("files paths filePaths file_paths replacements edits changes include")
_PATCH = fields.names("input patch patchText patch_text diff command")
_ITEMS = fields.names("todos plan todoList todo_list items tasks steps")
_ITEM = fields.names("content step description title subject text name")
_STATES = {
    word: state
    for state, words in (
        ("pending", "not-started notstarted todo open"),
        ("in_progress", "in-progress inprogress active"),
        ("completed", "done complete closed"),
        ("cancelled", "canceled"),
    )
    for word in words.split()
}
_OURS = frozenset(fields.names("recall why remember revise catch_up handoff review forget"))
_SERVER_KEYS = fields.names("mcp_server_name mcpServerName server_name serverName server")
_SHELLS = fields.names("bash sh zsh dash fish pwsh powershell cmd cmd.exe")
_PREFIXES = frozenset(fields.names("uvx uv run pipx exec timeout"))
_PATCHED_FILE = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def kind(name: str, call: Json) -> str:
    """EDIT, READ, COMMAND, PLAN or TOOL, by the tool's name and, where that is shared by several, by its arguments."""
    plain = "".join(char for char in name.lower() if char.isalnum())
    arguments = fields.mapping(call)
    if plain in _COMMANDS:
        line = command(arguments)
        return EDIT if _is_patch(line) and "apply_patch" in line else COMMAND
    if plain in _PLANS:
        return PLAN
    if plain in _READS or (plain in _EDITS and arguments.get("command") == "view"):
        return READ
    if plain in _EDITS:
        return EDIT
    return TOOL


def is_ours(name: str, payload: Payload, call: Json) -> bool:
    """True for a tool of our own MCP server under any agent's name for it, and for a memlsp command."""
    low = name.lower()
    if low.startswith("mcp") and "memlsp" in low:
        return True
    if low.startswith(("memlsp_", "memlsp-", "memlsp.", "memlsp/", "memlsp:")):
        return True
    if low.startswith("mcp:") and low[4:].strip() in _OURS:  # Cursor does not name the server
        return True
    arguments = fields.mapping(call)
    for place in (payload, arguments):
        for key in _SERVER_KEYS:
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
        while words and ("=" in words[0] or words[0] in _PREFIXES):
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
    """The command line of a call; a list of words becomes one line, without the shell that runs it."""
    found = fields.value(call, _LINE)
    words = [each for each in fields.items(found) if isinstance(each, str)]
    if words:
        if len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS and words[1].startswith(("-", "/")):
            return words[2]
        return " ".join(words)
    return found if isinstance(found, str) else ""


def paths(call: Json) -> list[str]:
    """The files that a call names, each once, as they are written there."""
    if isinstance(call, str):
        return _patched_files(call) if _is_patch(call) else []
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
    return list(found) or _paths_in_patches(arguments)


_BEFORE_TEXT = fields.names("old_string oldString old_str oldStr old search find")
_AFTER_TEXT = fields.names(
    "new_string newString new_str newStr new replace replacement content contents file_text fileText text new_source"
    " code"
)


def texts(call: Json) -> tuple[str, str]:
    """The text that an edit takes out and the text that it writes; "" where the call does not say."""
    if isinstance(call, str):
        return _patch_texts(call)
    arguments = fields.mapping(call)
    parts = [arguments, *(fields.mapping(each) for key in _MANY for each in fields.items(arguments.get(key))[:500])]
    old = [fields.text(part, _BEFORE_TEXT) for part in parts]
    new = [fields.text(part, _AFTER_TEXT) for part in parts]
    for key in _PATCH:
        patch = arguments.get(key)
        if isinstance(patch, str) and (_is_patch(patch) or key in {"patch", "diff"}):
            before, after = _patch_texts(patch)
            old.append(before)
            new.append(after)
    return "\n".join(filter(None, old)), "\n".join(filter(None, new))


def _patch_texts(patch: str) -> tuple[str, str]:
    lines = patch.splitlines()
    old = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
    new = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
    return "\n".join(old), "\n".join(new)


def plan(call: Json) -> list[list[str]]:
    """The items of a call's plan, each with its status: pending, in_progress, completed, cancelled."""
    listed = fields.structure(fields.value(fields.mapping(call), _ITEMS) or call)
    if isinstance(listed, str):
        return [item for line in listed.splitlines() if (item := _checkbox(line))]
    items: list[list[str]] = []
    for each in fields.items(listed):
        said = each if isinstance(each, str) else fields.text(fields.mapping(each), _ITEM)
        if said.strip():
            status = state(fields.text(fields.mapping(each), ("status", "state")))
            items.append((_checkbox(said) if isinstance(each, str) else []) or [said, status])
    return items


def state(said: str) -> str:
    """A status in our words; an unknown one as it is."""
    low = said.lower().replace(" ", "-")
    return _STATES.get(low, low.replace("-", "_")) or "pending"


def words(call: Json) -> str:
    """The plain arguments of a call, in one line for people: `pattern: retry; path: src`."""
    if isinstance(call, str):
        return call
    parts: list[str] = []
    for name, found in fields.mapping(call).items():
        said = ", ".join(each for each in fields.items(found) if isinstance(each, str)) or found
        if isinstance(said, (str, int, float)) and not isinstance(said, bool) and said != "":
            parts.append(f"{name}: {said}")
    return "; ".join(parts)


def _add(found: dict[str, None], path: Json) -> None:
    if isinstance(path, str) and path.strip() and "\n" not in path and len(path) < 4096:
        found[fields.plain_path(path.strip())] = None


def _checkbox(line: str) -> list[str]:
    """The text and status of `- [x] text`, as some agents write their list; [] for any other line."""
    bare = line.strip()
    if bare[:2] in {"- ", "* "}:
        bare = bare[2:].lstrip()
    if bare[:1] == "[" and bare[2:3] == "]" and bare[3:].strip():
        mark = bare[1].lower()
        return [bare[3:].strip(), "completed" if mark == "x" else "in_progress" if mark in "-~>" else "pending"]
    return []


def _paths_in_patches(arguments: Payload) -> list[str]:
    patches = {key: text for key in _PATCH if isinstance(text := arguments.get(key), str)}
    found = [_patched_files(text) for key, text in patches.items() if _is_patch(text) or key in {"patch", "diff"}]
    return list(dict.fromkeys(path for paths in found for path in paths))


def _is_patch(text: str) -> bool:
    """True for the input of `apply_patch`, also inside a command line."""
    return "*** Begin Patch" in text


def _patched_files(text: str) -> list[str]:
    """The paths that an `apply_patch` patch or a unified diff changes, adds, deletes or moves to, each once."""
    found: dict[str, None] = {}
    old = ""
    for line in text.splitlines():
        if line.startswith("*** "):
            for mark in _PATCHED_FILE:
                if line.startswith(mark) and line[len(mark) :].strip():
                    found[line[len(mark) :].strip()] = None
        elif line.startswith("--- "):
            old = _diff_path(line)
        elif line.startswith("+++ ") and old:
            found.update({path: None for path in (old, _diff_path(line)) if path != "/dev/null"})
            old = ""
    return list(found)


def _diff_path(line: str) -> str:
    """The path in a header line of a unified diff, without git's `a/` or `b/` and the time behind it."""
    path = line[4:].split("\t", 1)[0].strip().strip('"')
    return path[2:] if path[:2] in {"a/", "b/"} else path
