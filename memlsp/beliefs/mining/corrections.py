"""What a person told an agent that holds beyond the moment: corrections, rules, decisions.

Most of a prompt is a task. What is taken says by its words that it lasts (`always`, `never`, `from now on`, `in this
project`, `we decided`), or corrects what was done with what is to be done (`no, use X`), and names something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.mining.findings import MinedStatement, printable
from memlsp.beliefs.mining.passages import plain, sentences
from memlsp.model.belief import BeliefKind

MOST_OF_A_PROMPT = 3
_LONGEST = 6_000  # characters of a prompt: a longer one is pasted

_LASTING = re.compile(
    r"\b(?:always|never|from now on|in (?:this|our) (?:repo(?:sitory)?|project|code ?base|team|company)"
    r"|as a rule|every time|whenever|in future|in the future"
    r"|(?:please )?remember (?:that|to|this)|keep in mind|note that we|our (?:convention|style|policy|rule"
    r"|standard)s?|by convention"
    r"|we (?:always|never|only|don['\u2019]t|do not|prefer|use|avoid|keep|decided|agreed|chose|settled on|moved to"
    r"|switched to|stopped using|no longer))\b",
    re.IGNORECASE,
)
_CORRECTING = re.compile(
    r"^(?:no|nope|nah|wrong|stop|wait|not like that|that['\u2019]?s (?:wrong|not (?:right|what i (?:want|meant"
    r"|asked))))\b[\s,.!:;\u2013\u2014-]+(?P<rest>.+)$",
    re.IGNORECASE,
)
_ACTUALLY = re.compile(
    r"^(?:actually|in fact|rather|instead)[\s,]+(?P<rest>.*\b(?:should|must|shouldn['\u2019]t|needs? to|has to|is"
    r"|are|use|don['\u2019]t|not)\b.+)$",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"^(?:(?:please|and|but|so|ok(?:ay)?|also)[\s,]+)*(?P<rest>(?:don['\u2019]t|do not|never|always|use|prefer|avoid"
    r"|only use|stick (?:to|with)|keep|put|call|name|write|it (?:should|must)"
    r"|the \w+(?: \w+){0,3} (?:should|must|has to|needs to|is|are)|we\b|you (?:must|should)|(?:every|all"
    r"|each) )\b.*)$",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"\bwe (?:have |['\u2019]ve )?(?:decided|agreed|chose|settled on|moved to|switched to)\b|\bdecision (?:is|was)\b",
    re.IGNORECASE,
)
_PREFERS = re.compile(r"\b(?:i|we)(?:['\u2019]d| would)? (?:prefer|like|want|hate|dislike)\b", re.IGNORECASE)
_NAMES = re.compile(
    r"`[^`]+`|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+\(\)"
    r"|(?<!\w)--?[a-z][\w-]+|\b[\w.-]+/[\w./-]+|\b\w+\.\w{1,4}\b"
    r"|\binstead of\b|\brather than\b|\bnot \w+"
)
_FLEETING = re.compile(
    r"\b(?:now|yet|right now|for now|this time|just this|today|tomorrow|at the moment|first step|next step"
    r"|go ahead|continue|carry on|that file|this file|this function|this line|the above|again|try)\b"
    r"|\b(?:don['\u2019]t|do not) (?:worry|think|know|understand|see|get|care|remember|like|want|need|have|believe"
    r"|mind|bother|forget|stop|panic|do (?:that|this|it)|touch (?:that|this|it))\b|\bnever ?mind\b"
    r"|\bi (?:don['\u2019]t|do not|always|never)\b",
    re.IGNORECASE,
)
_FROM_NOW = re.compile(r"\bfrom now on\b", re.IGNORECASE)
_TASK = re.compile(
    r"^(?:can|could|would|will) you\b|^(?:fix|implement|explain|show|tell|find|look|create|build|refactor"
    r"|update|review|debug|help|what|why|how|where|when|who|which|is|are|does|did|do you)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"^(?:that|this|it|those|these|them|one|so|yes|the same)\b(?! (?:should|must))|\b(?:that|this|it|them"
    r"|those)[.!]?$",
    re.IGNORECASE,
)


def from_prompt(prompt: str) -> list[MinedStatement]:
    """What a prompt says that lasts; at most `MOST_OF_A_PROMPT`. Nothing of one that is mostly pasted."""
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
    corrected = _CORRECTING.match(said) or _ACTUALLY.match(said)
    rest = corrected["rest"].strip() if corrected else said
    lasting = bool(_LASTING.search(rest))
    if _FLEETING.search(_FROM_NOW.sub("", rest)) or (_TASK.match(rest) and not lasting) or _POINTING.search(rest):
        return ""
    demand = _DEMAND.match(rest)
    if corrected and demand is None and not lasting:
        return ""
    if not corrected and not (
        lasting and (demand or _DECIDED.search(rest) or _LASTING.match(rest) or _PREFERS.search(rest))
    ):
        return ""
    if not (_NAMES.search(rest) or len(re.findall(r"[^\W\d_]{4,}", rest)) >= 4):
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
    rest = rest[0].upper() + rest[1:]
    return rest if rest.endswith((".", "!", "`", ")")) else f"{rest}."


def _kind(statement: str) -> BeliefKind:
    if _DECIDED.search(statement):
        return BeliefKind.DECISION
    return BeliefKind.PREFERENCE if _PREFERS.search(statement) else BeliefKind.RULE
