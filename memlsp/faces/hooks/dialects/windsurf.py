"""Windsurf's Cascade: an envelope with `agent_action_name`, and what it is about in `tool_info`. It takes no context
from a hook.

A session is a trajectory. The answers of Cascade come whole, in Markdown; commands come without an exit code.
"""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.dialects import AFTER, BEFORE, STOP, UNUSED, Dialect
from memlsp.faces.hooks.dialects.context_json import nothing

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.faces.hooks.fields import Payload

_TOOLS = {"read_code": "Read", "write_code": "Write", "run_command": "Shell"}


def _opened(payload: Payload) -> Payload:
    told = fields.mapping(payload.get("tool_info"))
    if not told:
        return payload
    action = fields.text(payload, fields.EVENT)
    opened: Payload = {name: found for name, found in payload.items() if name != "tool_info"}
    tool = _TOOLS.get(action.partition("_")[2], "")
    if tool:
        opened["tool_name"], opened["tool_input"] = tool, told
        opened["cwd"] = told.get("cwd")
    elif action.endswith("mcp_tool_use"):
        opened["tool_name"] = told.get("mcp_tool_name")
        opened["mcp_server_name"] = told.get("mcp_server_name")
        opened["tool_input"] = told.get("mcp_tool_arguments")
        opened["tool_response"] = told.get("mcp_result")
    else:
        opened["prompt"] = told.get("user_prompt")
        opened["response"] = told.get("response")
    return opened


WINDSURF = Dialect(
    "windsurf",
    worded=nothing,
    opened=_opened,
    moments={
        "prereadcode": BEFORE,
        "postreadcode": AFTER,
        "prewritecode": BEFORE,
        "postwritecode": AFTER,
        "preruncommand": BEFORE,
        "postruncommand": AFTER,
        "premcptooluse": BEFORE,
        "postmcptooluse": AFTER,
        "postcascaderesponse": STOP,
        "postcascaderesponsewithtranscript": UNUSED,
        "postsetupworktree": UNUSED,
    },
    known=frozenset({"tool_info", "model_name", "mcp_server_name"}),
)
