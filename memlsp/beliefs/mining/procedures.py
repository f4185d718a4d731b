"""Mines sessions for a command that failed and another that then succeeded at the same task.

A test that fails and passes after an edit teaches nothing about commands. So the two commands have to differ, run the
same program or task, and have no edit between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from attrs import frozen

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.mining.findings import MinedStatement, printable
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.belief import BeliefKind

_RE = patterns(__name__)

_LONGEST = 300  # characters of a command
_ALIKE = 0.5
_FURTHEST = 6  # commands between the two
_LOOKING = word_set(texts(__name__)["looking"])
_WRAPPERS = word_set(texts(__name__)["wrappers"])


@frozen
class Tried:
    """One command of a session. `text` is its line, `output` its output; `edited` is set when files were edited after
    the command before it."""

    text: str
    ok: bool | None
    output: str = ""
    edited: bool = False


def from_commands(tried: Sequence[Tried]) -> MinedStatement | None:
    """The lesson of the last of these commands (oldest first), when it worked and one like it had failed."""
    if not tried or tried[-1].ok is not True:
        return None
    worked = tried[-1]
    if worked.edited or not _teaches(worked.text):
        return None
    for before in reversed(tried[-1 - _FURTHEST : -1]):
        if before.ok is False and _teaches(before.text) and _same_task(before.text, worked.text):
            return _procedure(before, worked)
        if before.edited:
            return None  # the edit may have mended it
    return None


def _procedure(failed: Tried, worked: Tried) -> MinedStatement:
    why = _complaint(failed.output)
    text = f"Run `{_inline(worked.text)}`; `{_inline(failed.text)}` fails here" + (f" with: {why}" if why else "")
    quote = "\n".join((f"$ {printable(failed.text)}", *([why] if why else []), f"$ {printable(worked.text)}"))
    return MinedStatement(text if text.endswith(".") else f"{text}.", BeliefKind.PROCEDURE, quote, 3.0)


def _teaches(command: str) -> bool:
    first = command.strip().split()[:1]
    return (
        bool(first)
        and len(command) <= _LONGEST
        and "\n" not in command.strip()
        and first[0] not in _LOOKING
        and "[redacted:" not in command
    )


def _same_task(failed: str, worked: str) -> bool:
    one, other = " ".join(failed.split()), " ".join(worked.split())
    if one == other:
        return False
    pieces = [piece.strip() for piece in _RE["piece"].split(other)]
    if one in pieces:
        return True  # `npm ci && npm test` where `npm test` failed
    shared = _programs(one) & _programs(other)
    return bool(shared) and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _programs(command: str) -> set[str]:
    """The words of a command that are no options, assignments or wrappers."""
    words = [word for piece in _RE["piece"].split(command) for word in piece.split()]
    named = [word for word in words if not word.startswith("-") and "=" not in word]
    return {word.rpartition("/")[2] for word in named if word not in _WRAPPERS and len(word) > 1}


def _complaint(output: str) -> str:
    """The line with the error, the last one in doubt."""
    lines = [printable(line) for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if _RE["error"].search(line) and len(line) <= 200]
    chosen = telling[-1] if telling else lines[-1] if lines else ""
    return chosen[:160].rstrip(" .")


def _inline(command: str) -> str:
    return printable(command).replace("`", "'")
