"""The outcome of a tool call: its text, whether it went well, and the exit code, from each agent's form of a result."""

from __future__ import annotations

from memlsp.faces.hooks import fields
from memlsp.faces.hooks.fields import Json, Payload

Outcome = tuple[str, bool | None, int | None]
"""Text, whether it went well, exit code; None where the agent does not say."""

_EXIT = fields.names("exit_code exitCode exit returncode returnCode code")
_TEXT = fields.names(
    "output textResultForLlm text_result_for_llm text llmContent content aggregated_output stdout_and_stderr result"
    " returnDisplay message error"
)
_NESTED = ("metadata", "result", "output")
_PHRASES = ("exit code: ", "exit code ", "exited with code ", "exit status ")
_NEAR = 240  # characters at either end of a text in which the agent, not the program, gives the exit code
_FAILED = frozenset(fields.names("failure failed error rejected denied timeout"))


def outcome(result: Json, error: Json = None) -> Outcome:
    """The outcome of a call, from the agent's `result` and `error` in any form."""
    result = fields.structure(result)
    text, number = _text(result), _code(result)
    if error is not None and error is not False:
        wrong = _text(fields.structure(error))
        text = f"{text}\n{wrong}" if text and wrong and wrong not in text else text or wrong
        number = number if number is not None else _exit_code_in(wrong)
        return text, False, number
    verdict = _verdict(fields.mapping(result))
    number = _exit_code_in(text) if number is None else number
    if verdict is False or number is None:
        return text, verdict, number
    return text, number == 0, number


def answered(result: Json) -> str:
    """The questions of an agent's question tool with their answers, as Claude Code writes them: `"Q?"="A"`; "" for the
    result of another form."""
    found = fields.mapping(fields.mapping(fields.structure(result)).get("answers"))
    return ", ".join(f'"{asked}"="{answer}"' for asked, answer in found.items() if isinstance(answer, str))


def _verdict(result: Payload) -> bool | None:
    """Whether a result says that the call went well, besides an exit code; None when it does not say."""
    for name in ("success", "ok"):
        found = result.get(name)
        if isinstance(found, bool):
            return found
    for name in ("is_error", "isError", "interrupted"):
        if result.get(name) is True:
            return False
    if result.get("error"):
        return False
    kind = fields.text(result, ("resultType", "result_type", "status")).lower()
    return None if not kind else kind not in _FAILED


def _code(result: Json) -> int | None:
    found = fields.mapping(result)
    for name in _EXIT:
        number = found.get(name)
        if isinstance(number, int) and not isinstance(number, bool) and -(1 << 31) <= number < 1 << 32:
            return number
    for name in _NESTED:
        number = _code(found.get(name)) if name in found else None
        if number is not None:
            return number
    return None


def _text(result: Json, depth: int = 0) -> str:
    if isinstance(result, str):
        return result
    if depth > 4:
        return ""
    parts = [_text(each, depth + 1) for each in fields.items(result)[:200]]
    if parts:
        return "\n".join(part for part in parts if part)
    found = fields.mapping(result)
    streams = [each for name in ("stdout", "stderr") if isinstance(each := found.get(name), str) and each]
    if streams:
        return "\n".join(streams)
    return next((text for name in _TEXT if name in found and (text := _text(found[name], depth + 1))), "")


def _exit_code_in(text: str) -> int | None:
    """The exit code in an agent's sentence at the beginning or the end of a text; None without one."""
    for place in (text[:_NEAR], text[-_NEAR:]):
        low = place.lower()
        for words in _PHRASES:
            start = low.rfind(words)
            if start < 0:
                continue
            rest = low[start + len(words) : start + len(words) + 12].lstrip("`'\"")
            digits = rest[1:] if rest[:1] == "-" else rest
            end = 0
            while end < len(digits) and digits[end] in "0123456789":
                end += 1
            if end:
                return -int(digits[:end]) if rest[:1] == "-" else int(digits[:end])
    return None
