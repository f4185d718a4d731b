"""The forms in which agents take a context, as JSON in one line of plain ASCII."""

from __future__ import annotations

try:
    # `json` compiles patterns when it is imported, which takes a quarter of a hook's time; this is what it calls
    from _json import encode_basestring_ascii as quoted
except ImportError:  # another implementation of Python
    from json import dumps as quoted


def specific(event: str, moment: str, context: str) -> str:
    """As Claude Code takes it, and those that copied it: under the name of the event."""
    del moment
    return f'{{"hookSpecificOutput":{{"hookEventName":{quoted(event)},"additionalContext":{quoted(context)}}}}}'


def camel(event: str, moment: str, context: str) -> str:
    """At the top, in camel case."""
    del event, moment
    return f'{{"additionalContext":{quoted(context)}}}'


def snake(event: str, moment: str, context: str) -> str:
    """At the top, in snake case."""
    del event, moment
    return f'{{"additional_context":{quoted(context)}}}'


def bare(event: str, moment: str, context: str) -> str:
    """For our own plugin."""
    del event, moment
    return f'{{"context":{quoted(context)}}}'


def nothing(event: str, moment: str, context: str) -> str:
    """For those that take nothing."""
    del event, moment, context
    return ""
