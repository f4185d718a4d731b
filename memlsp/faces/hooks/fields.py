"""The fields of a payload under every name that an agent has used for them, in camel and in snake case. One renamed key
has cost another program half of its input. So each field has an order of names, and unknown keys are kept as they
are."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from typing import Any

    Json = Any
    """JSON of any form: checked before it is used."""

    Payload = dict[str, Any]
else:
    Json, Payload = object, dict  # for annotations, which nothing evaluates


def names(line: str) -> tuple[str, ...]:
    """The names in a line, split by spaces: a long list of names in few lines."""
    return tuple(line.split())


SESSION = names("session_id sessionId conversation_id conversationId sessionID trajectory_id generation_id")
EVENT = names("hook_event_name hookEventName agent_action_name hookName event_name eventName")
TOOL = names("tool_name toolName tool")
INPUT = names("tool_input toolInput toolArgs tool_args args arguments input")
OUTPUT = names("tool_response toolResponse tool_output toolOutput tool_result toolResult result_json output result")
PROMPT = names("prompt user_prompt userPrompt initial_prompt initialPrompt")
PATH = names("file_path filePath path")
FOLDER = names("workspace_roots workspaceRoots cwd workspacePaths workspace_paths folder directory")
SAID = names("last_assistant_message lastAssistantMessage prompt_response promptResponse response text summary")
CALL = names("tool_use_id toolUseId tool_call_id toolCallId call_id callID")
TURN = names("prompt_id promptId turn_id turnId generation_id generationId execution_id executionId")
ERROR = names("error error_message errorMessage failure_reason")
TOOK = names("duration_ms durationMs duration ms")
WHEN = names("timestamp time at")
SOURCE = names("source trigger reason stop_reason stopReason")

ORDINARY = frozenset(
    SESSION + EVENT + TOOL + INPUT + OUTPUT + PROMPT + PATH + FOLDER + SAID + CALL + TURN + ERROR + TOOK + WHEN + SOURCE
) | frozenset(
    names(
        "transcript_path transcriptPath agent_transcript_path permission_mode permissionMode model stop_hook_active"
        " stopHookActive agent_id agent_type agentId agentType is_interrupt isInterrupt"
    )
)
"""Keys that every agent may send, and that are therefore not kept as extra."""

# compared with `in`: after isinstance a type checker takes every JSON value for unknown
_OBJECTS = (dict,)
_LISTS = (list,)


def mapping(found: Json) -> Payload:
    """`found` when it is a JSON object; {} for anything else."""
    return found if type(found) in _OBJECTS else {}


def items(found: Json) -> list[Json]:
    """`found` when it is a list; [] for anything else."""
    return found if type(found) in _LISTS else []


def value(payload: Payload, names: tuple[str, ...]) -> Json:
    """The value of the first of `names` that is neither missing nor empty; None without one."""
    for name in names:
        found = payload.get(name)
        if found is not None and found != "":
            return found
    return None


def text(payload: Payload, names: tuple[str, ...]) -> str:
    """The text under the first of `names` that has one; "" without one. A whole number, such as an id, is text too."""
    for name in names:
        found = payload.get(name)
        if isinstance(found, str) and found:
            return found
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    return ""


def number(payload: Payload, names: tuple[str, ...]) -> int | None:
    """The number under the first of `names` that has one, without its fraction; None without one."""
    for name in names:
        found = payload.get(name)
        if isinstance(found, (int, float)) and not isinstance(found, bool) and -1e15 < found < 1e15:
            return int(found)
    return None


def structure(found: Json) -> Json:
    """The value of JSON that came as a string, as some agents send a tool's input; anything else as it is."""
    if isinstance(found, str) and found.lstrip()[:1] in {"{", "["}:
        from memlsp.faces.hooks.payload import Unreadable, parsed

        try:
            return parsed(f'{{"":{found}}}'.encode("utf-8", "surrogatepass"))[""]
        except (Unreadable, UnicodeError, KeyError):
            return found
    return found


def folder(payload: Payload) -> str:
    """The folder that an event belongs to: the first workspace folder, else the working folder."""
    found = value(payload, FOLDER)
    first = next((each for each in items(found) if isinstance(each, str) and each), found)
    return plain_path(first) if isinstance(first, str) else ""


def plain_path(found: str) -> str:
    """A path, also where a program wrote a `file:` address."""
    if not found.startswith("file:"):
        return found
    found = found.removeprefix("file:")
    found = found[found.find("/", 2) :] if found.startswith("//") else found
    if "%" in found:
        from urllib.parse import unquote  # late: few programs write addresses

        found = unquote(found)
    return found[1:] if found[2:3] == ":" else found


def time_of(payload: Payload) -> int | None:
    """The payload's own time in milliseconds since 1970; None without one."""
    found = value(payload, WHEN)
    if isinstance(found, str):
        return _from_iso(found)
    if isinstance(found, (int, float)) and not isinstance(found, bool) and 1e9 <= found < 1e14:
        return int(found if found > 1e11 else found * 1000)
    return None


def _from_iso(found: str) -> int | None:
    """Milliseconds of an ISO 8601 time, in UTC where it names no zone; None for any other text, and before 1970."""
    try:
        read = __import__("_datetime").datetime.fromisoformat  # in a twentieth of the time that `datetime` takes
    except ImportError:  # another implementation of Python
        read = __import__("datetime").datetime.fromisoformat
    epoch = read("1970-01-01T00:00:00+00:00")
    try:
        moment = read(found)
    except ValueError:
        return None
    since = (moment if moment.tzinfo else moment.replace(tzinfo=epoch.tzinfo)) - epoch
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000 if since.days >= 0 else None
