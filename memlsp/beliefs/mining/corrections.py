"""Mines prompts for statements that outlast the moment: corrections, rules, decisions.

Most of a prompt is a task. A sentence is taken when its words say that it lasts (`always`, `never`, `from now on`, `in
this project`, `we decided`), or when it corrects the agent (`no, use X`), and when it names something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.mining.findings import MinedStatement, printable, with_full_stop
from memlsp.beliefs.mining.passages import plain, sentences
from memlsp.beliefs.vocabulary import patterns
from memlsp.model.belief import BeliefKind

MOST_OF_A_PROMPT = 3
_LONGEST = 6_000  # characters of a prompt: a longer one is pasted

_RE = patterns(__name__)
_PREFERS = re.compile(r"\b(?:i|we)(?:['\u2019]d| would)? (?:prefer|like|want|hate|dislike)\b", re.IGNORECASE)
_FROM_NOW = re.compile(r"\bfrom now on\b", re.IGNORECASE)


def from_prompt(prompt: str) -> list[MinedStatement]:
    """The lasting statements of a prompt, at most `MOST_OF_A_PROMPT`; none of a mostly pasted one."""
    if not prompt.strip() or len(prompt) > _LONGEST:
        return []
    return list(_found(prompt))[:MOST_OF_A_PROMPT]


def _found(prompt: str) -> Iterator[MinedStatement]:
    fenced = False
    for number, line in enumerate(prompt.splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced or line.startswith(("    ", "\t", ">", "|", "$ ", "+ ", "@@", "diff ", "Traceback", "  File ")):
            continue
        for sentence in sentences(plain(line.strip().lstrip("-*• "))):
            statement = _statement(sentence)
            if statement:
                yield MinedStatement(statement, _kind(statement), line.strip(), 3.0, number, number)


def _statement(sentence: str) -> str:
    said = sentence.strip()
    if said.endswith("?") or not 3 <= len(re.findall(r"\w+", said)) <= 45:
        return ""
    corrected = _RE["correcting"].match(said) or _RE["actually"].match(said)
    rest = corrected["rest"].strip() if corrected else said
    lasting = bool(_RE["lasting"].search(rest))
    if (
        _RE["fleeting"].search(_FROM_NOW.sub("", rest))
        or (_RE["task"].match(rest) and not lasting)
        or _RE["pointing"].search(rest)
    ):
        return ""
    demand = _RE["demand"].match(rest)
    if corrected and demand is None and not lasting:
        return ""
    if not corrected and not (
        lasting and (demand or _RE["decided"].search(rest) or _RE["lasting"].match(rest) or _PREFERS.search(rest))
    ):
        return ""
    if not (_RE["names"].search(rest) or len(re.findall(r"[^\W\d_]{4,}", rest)) >= 4):
        return ""
    rest = re.sub(
        r"^(?:(?:please|and|but|so|ok(?:ay)?|also|remember (?:that|to)|keep in mind(?: that)?|note that)[\s,:]+)+",
        "",
        rest,
        flags=re.IGNORECASE,
    )
    rest = printable(rest)
    if len(rest) < 12:
        return ""
    return with_full_stop(rest[0].upper() + rest[1:])


def _kind(statement: str) -> BeliefKind:
    if _RE["decided"].search(statement):
        return BeliefKind.DECISION
    return BeliefKind.PREFERENCE if _PREFERS.search(statement) else BeliefKind.RULE
