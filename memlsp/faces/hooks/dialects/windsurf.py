"""Windsurf's Cascade: an envelope with `agent_action_name`, and the call in `tool_info`. It takes no context from a
hook. A session is a trajectory. The answers of Cascade come whole, in Markdown; commands come without an exit code."""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, STOP, UNUSED, Dialect, by_event
from memlsp.faces.hooks.fields import Payload

_TOOLS = {"read_code": "Read", "write_code": "Write", "run_command": "Shell"}


class WindsurfDialect(Dialect):
    """Windsurf's hooks, which take no context."""

    source = "windsurf"
    phases = by_event(
        {
            BEFORE: "prereadcode prewritecode preruncommand premcptooluse",
            AFTER: "postreadcode postwritecode postruncommand postmcptooluse",
            STOP: "postcascaderesponse",
            UNUSED: "postcascaderesponsewithtranscript postsetupworktree",
        }
    )
    known = frozenset({"tool_info", "model_name", "mcp_server_name"})

    def normalised(self, payload: Payload) -> Payload:
        """The payload with the common keys, from the envelope's `tool_info`."""
        info = fields.mapping(payload.get("tool_info"))
        if not info:
            return payload
        action = fields.text(payload, fields.EVENT)
        common: Payload = {name: found for name, found in payload.items() if name != "tool_info"}
        tool = _TOOLS.get(action.partition("_")[2], "")
        if tool:
            common["tool_name"], common["tool_input"] = tool, info
            common["cwd"] = info.get("cwd")
        elif action.endswith("mcp_tool_use"):
            common["tool_name"] = info.get("mcp_tool_name")
            common["mcp_server_name"] = info.get("mcp_server_name")
            common["tool_input"] = info.get("mcp_tool_arguments")
            common["tool_response"] = info.get("mcp_result")
        else:
            common["prompt"] = info.get("user_prompt")
            common["response"] = info.get("response")
        return common


DIALECT = WindsurfDialect()
