"""The rules for prompts as memlsp 0.1.0 had them, kept to be compared with.

A sentence was taken when its words said that it lasts, or when it corrected the agent, and when it named something.
"""

from __future__ import annotations

import re

from memlsp.beliefs.mining.passages import plain, sentences


def kept(prompt: str) -> list[str]:
    """The statements that were proposed of a prompt."""
    if len(prompt) > 6_000:
        return []
    found: list[str] = []
    fenced = False
    for line in prompt.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced or line.startswith(("    ", "\t", ">", "|", "$ ", "+ ", "@@", "diff ", "Traceback", "  File ")):
            continue
        found += filter(None, map(_statement, sentences(plain(line.strip().lstrip("-*• ")))))
    return found[:3]


def _statement(sentence: str) -> str:
    said = sentence.strip()
    if said.endswith("?") or not 3 <= len(re.findall(r"\w+", said)) <= 45:
        return ""
    corrected = _CORRECTING.match(said) or _ACTUALLY.match(said)
    rest = corrected["rest"].strip() if corrected else said
    lasting, demand = bool(_LASTING.search(rest)), bool(_DEMAND.match(rest))
    of_the_moment = _FLEETING.search(re.sub(r"(?i)\bfrom now on\b", "", rest)) or _POINTING.search(rest)
    if of_the_moment or (_TASK.match(rest) and not lasting):
        return ""
    if corrected and not demand and not lasting:
        return ""
    if not corrected and not (
        lasting and (demand or _DECIDED.search(rest) or _LASTING.match(rest) or _PREFERS.search(rest))
    ):
        return ""
    return rest if _NAMES.search(rest) or len(re.findall(r"[^\W\d_]{4,}", rest)) >= 4 else ""


_LASTING = re.compile(
    r"""(?ix)\b(?:always|never|from\ now\ on|in\ (?:this|our)\ (?:repo(?:sitory)?|project|code\ ?base|team|company)
    |as\ a\ rule|every\ time|whenever|in\ future|in\ the\ future|(?:please\ )?remember\ (?:that|to|this)
    |keep\ in\ mind
    |note\ that\ we|our\ (?:convention|style|policy|rule|standard)s?|by\ convention|we\ (?:always|never|only
    |don['\u2019]t
    |do\ not|prefer|use|avoid|keep|decided|agreed|chose|settled\ on|moved\ to|switched\ to|stopped\ using
    |no\ longer))\b
    """
)
_CORRECTING = re.compile(
    r"""(?ix)^(?:no|nope|nah|wrong|stop|wait|not\ like\ that|that['\u2019]?s\ (?:wrong|not\ (?:right
    |what\ i\ (?:want|meant|asked))))\b[\s,.!:;\u2013\u2014-]+(?P<rest>.+)$"""
)
_ACTUALLY = re.compile(
    r"""(?ix)^(?:actually|in\ fact|rather|instead)[\s,]+(?P<rest>.*\b(?:should|must|shouldn['\u2019]t
    |needs?\ to|has\ to|is
    |are|use|don['\u2019]t|not)\b.+)$"""
)
_DEMAND = re.compile(
    r"""(?ix)^(?:(?:please|and|but|so|ok(?:ay)?|also)[\s,]+)*(?:don['\u2019]t|do\ not|never|always|use|prefer
    |avoid|only\ use
    |stick\ (?:to|with)|keep|put|call|name|write|it\ (?:should|must)|the\ \w+(?:\ \w+){0,3}\ (?:should|must|has\ to
    |needs\ to|is|are)|we\b|you\ (?:must|should)|(?:every|all|each)\ )\b"""
)
_DECIDED = re.compile(
    r"(?i)\bwe (?:have |['\u2019]ve )?(?:decided|agreed|chose|settled on|moved to|switched to)\b"
    r"|\bdecision (?:is|was)\b"
)
_PREFERS = re.compile(r"(?i)\b(?:i|we)(?:['\u2019]d| would)? (?:prefer|like|want|hate|dislike)\b")
_NAMES = re.compile(
    r"""(?x)`[^`]+`|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+\(\)
    |(?<!\w)--?[a-z][\w-]+|\b[\w.-]+/[\w./-]+|\b\w+\.\w{1,4}\b|\binstead\ of\b|\brather\ than\b|\bnot\ \w+"""
)
_FLEETING = re.compile(
    r"""(?ix)\b(?:now|yet|right\ now|for\ now|this\ time|just\ this|today|tomorrow|at\ the\ moment|first\ step
    |next\ step|go\ ahead|continue|carry\ on|that\ file|this\ file|this\ function|this\ line|the\ above|again|try)\b
    |\b(?:don['\u2019]t|do\ not)\ (?:worry|think|know|understand|see|get|care|remember|like|want|need|have
    |believe|mind
    |bother|forget|stop|panic|do\ (?:that|this|it)|touch\ (?:that|this|it))\b|\bnever\ ?mind\b
    |\bi\ (?:don['\u2019]t|do\ not|always|never)\b"""
)
_TASK = re.compile(
    r"""(?ix)^(?:can|could|would|will)\ you\b|^(?:fix|implement|explain|show|tell|find|look|create|build
    |refactor|update
    |review|debug|help|what|why|how|where|when|who|which|is|are|does|did|do\ you)\b"""
)
_POINTING = re.compile(
    r"""(?ix)^(?:that|this|it|those|these|them|one|so|yes|the\ same)\b(?!\ (?:should|must))|\b(?:that|this|it|them
    |those)[.!]?$"""
)
