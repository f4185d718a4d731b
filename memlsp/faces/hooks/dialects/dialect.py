"""An agent's dialect: the meaning of its events, the form of its payloads and of our answers."""

from __future__ import annotations

try:
    # `json` compiles patterns when it is imported, which takes a quarter of a hook's time; this is what it calls
    from _json import encode_basestring_ascii as quoted
except ImportError:  # another implementation of Python
    from json import dumps as quoted

from memlsp.faces.hooks.fields import Payload

START, END, PROMPT, BEFORE, AFTER, FAILED = "start", "end", "prompt", "before", "after", "failed"
STOP, COMPACT, SUBAGENT, FILES = "stop", "compact", "subagent", "files"
SUBAGENT_START = "subagent start"
PLANNED, DONE = "planned", "done"
UNUSED, REPEAT = "unused", "repeat"


def by_event(events: dict[str, str]) -> dict[str, str]:
    """The phase of each event, from the events of each phase: names in lower case without marks, split by spaces."""
    return {event: phase for phase, names in events.items() for event in names.split()}


_COMMON = by_event(
    {
        START: "sessionstart",
        END: "sessionend",
        PROMPT: "userpromptsubmit userpromptsubmitted beforesubmitprompt beforeagent preuserprompt",
        BEFORE: "pretooluse beforetool",
        AFTER: "posttooluse aftertool",
        FAILED: "posttoolusefailure",
        STOP: "stop agentstop afteragent afteragentresponse",
        COMPACT: "precompact",
        SUBAGENT: "subagentstop",
        SUBAGENT_START: "subagentstart",
        FILES: "filechanged",
        PLANNED: "taskcreated",
        DONE: "taskcompleted",
        # another event tells the same better
        REPEAT: "posttoolbatch postcompact userprompttransformed userpromptexpansion",
        UNUSED: "permissionrequest permissiondenied notification stopfailure erroroccurred"
        " instructionsloaded configchange cwdchanged setup teammateidle worktreecreate worktreeremove elicitation"
        " elicitationresult",
    }
)
"""Events of all agents: they copy each other's names, and some read each other's settings."""


class Dialect:
    """One agent's events, payloads and answers; each agent has a subclass.

    `source` is the agent's name in the store, `phases` its own events or those that mean something else with it,
    `known` the payload keys that only it sends. It takes a context in the phases `context_at` except at the events
    `no_context`, as the value of `context_key` ("": as Claude Code takes it). It shows the person the value of
    `message_key`, "" for no such key. With `asks` a hook may make it ask the person, else it can only deny. With
    `silent_success` a command without an exit code went well.
    """

    source = ""
    phases: dict[str, str] = {}  # noqa: RUF012  (a subclass has its own; typing.ClassVar would cost an import)
    known: frozenset[str] = frozenset()
    context_at: frozenset[str] = frozenset()
    no_context: frozenset[str] = frozenset()
    context_key = ""
    message_key = ""
    asks = False
    silent_success = False

    def normalised(self, payload: Payload) -> Payload:
        """The payload with the keys that all agents share."""
        return payload

    def phase(self, event: str) -> str:
        """The phase that an event belongs to; "" for an unknown one."""
        plain = "".join(char for char in event.lower() if char.isalnum())
        return self.phases.get(plain) or _COMMON.get(plain, "")

    def takes_context(self, event: str, phase: str) -> bool:
        """True when a context that is given at this event reaches the model."""
        return phase in self.context_at and event not in self.no_context

    def answer(self, event: str, context: str, message: str = "") -> str:
        """The agent's JSON for a context and a message to the person, in one line of plain ASCII; either may be ""."""
        parts: list[str] = []
        if message and self.message_key:
            parts.append(f'"{self.message_key}":{quoted(message)}')
        if context and self.context_key:
            parts.append(f'"{self.context_key}":{quoted(context)}')
        elif context:
            inner = f'"hookEventName":{quoted(event)},"additionalContext":{quoted(context)}'
            parts.append(f'"hookSpecificOutput":{{{inner}}}')
        return f"{{{','.join(parts)}}}"

    def refusal(self, event: str, decision: str, reason: str) -> str:
        """The agent's JSON that has it `ask` the person about the act at hand, or `deny` it. An agent that cannot ask
        denies."""
        verdict = decision if self.asks else "deny"
        inner = (
            f'"hookEventName":{quoted(event)},"permissionDecision":"{verdict}",'
            f'"permissionDecisionReason":{quoted(reason)}'
        )
        return f'{{"hookSpecificOutput":{{{inner}}}}}'
