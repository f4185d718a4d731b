"""Cursor: events of its own beside the common ones, workspace roots in place of a folder, and JSON inside strings.
`postToolUse` has everything that `afterShellExecution`, `afterFileEdit` and `afterMCPExecution` have; with both set up
an edit comes twice. The prompt takes no context; `sessionStart` and `postToolUse` do."""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, START, STOP, UNUSED, Dialect, by_event, quoted
from memlsp.faces.hooks.fields import Payload

_SHELL = {"beforeShellExecution", "afterShellExecution"}
_EDIT = {"afterFileEdit", "afterTabFileEdit"}
_READ = {"beforeReadFile", "beforeTabFileRead"}


class CursorDialect(Dialect):
    """Cursor's hooks."""

    source = "cursor"
    context_key = "additional_context"
    context_at = frozenset({START, AFTER})
    asks = True
    no_context = frozenset({"afterShellExecution", "afterFileEdit", "afterTabFileEdit", "afterMCPExecution"})
    phases = by_event(
        {
            BEFORE: "beforeshellexecution beforemcpexecution beforereadfile",
            AFTER: "aftershellexecution aftermcpexecution afterfileedit aftertabfileedit",
            STOP: "afteragentresponse",
            UNUSED: "beforetabfileread afteragentthought stop workspaceopen",
        }
    )
    known = frozenset(
        fields.names(
            "cursor_version user_email edits attachments content command url sandbox status loop_count failure_type"
            " agent_message is_background_agent composer_mode final_status mcp_server_name context_usage_percent"
            " context_tokens context_window_size message_count messages_to_compact is_first_compaction subagent_id"
            " subagent_type subagent_model parent_conversation_id is_parallel_worker git_branch task description"
            " modified_files tool_call_count model_id model_params input_tokens output_tokens cache_read_tokens"
            " cache_write_tokens"
        )
    )

    def normalised(self, payload: Payload) -> Payload:
        """The payload with the tool call that Cursor's own events stand for."""
        event = fields.text(payload, fields.EVENT)
        if event in _SHELL:
            call = {"command": payload.get("command"), "cwd": payload.get("cwd")}
            return {**payload, "tool_name": "Shell", "tool_input": call, "tool_response": payload.get("output")}
        if event in _EDIT:
            return {**payload, "tool_name": "Write", "tool_input": {"file_path": payload.get("file_path")}}
        if event in _READ:
            call = {"file_path": payload.get("file_path")}
            return {**payload, "tool_name": "Read", "tool_input": call, "content": None}
        if event in {"beforeMCPExecution", "afterMCPExecution"} and "memlsp" in fields.text(
            payload, ("command", "url")
        ):
            return {**payload, "mcp_server_name": "memlsp"}
        return payload

    def refusal(self, event: str, decision: str, reason: str) -> str:  # noqa: ARG002
        """The flat form of `beforeShellExecution` and `preToolUse`."""
        said = quoted(reason)
        return f'{{"permission":"{decision}","user_message":{said},"agent_message":{said}}}'


DIALECT = CursorDialect()
