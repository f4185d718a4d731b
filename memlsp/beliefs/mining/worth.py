"""Whether a sentence says something of a project that is worth to be remembered, and what sort of thing it is.

A sentence has to bind (`must`, `never`, `because`, `otherwise`), to be about something (a name, a path, a command, a
number), and to be understood without the sentences around it. What greets, invites or advertises is left.
"""

from __future__ import annotations

import re

from attrs import frozen

from memlsp.beliefs.lifecycle.admission import kind_of
from memlsp.model.belief import BeliefKind

LEAST, MOST = 25, 400
"""Characters of a statement that is proposed."""

_BINDING = re.compile(
    r"\b(?:must(?: not|n['\u2019]t)?|never|always|do not|don['\u2019]t|shall(?: not)?|may not|can ?not be|is required"
    r"|are required"
    r"|required to|forbidden|not allowed|prohibited|mandatory|under no circumstances|no exceptions?)\b",
    re.IGNORECASE,
)
# In a comment `we don't` tells what happens, and `must therefore` what follows; that binds nobody.
_NARRATED = re.compile(
    r"\b(?:we|they|you|users?|it|which|that|who|and|but|then|there|this)(?:'ll|'d)? (?:(?:just|really|actually"
    r"|also|still|simply|can|will|should) )?"
    r"(?:do not|don['\u2019]t|never|always|can ?not be)\b"
    r"|\b(?:is|are|was|were|be|been|will|would|has|have) (?:always|never)\b|\bmust (?:therefore|have been"
    r"|be an? |thus|already)"
    r"|\btherefore must\b|\bso it must\b|\bthere (?:\*?must\*?)\b|\b(?:always|never) (?:[a-z]+s|[a-z]+ed|true"
    r"|false|the|be|an?)\b",
    re.IGNORECASE,
)
_ADVISING = re.compile(
    r"\b(?:should(?: not|n['\u2019]t)?|avoid|prefer(?:red)?|make sure|ensure|only (?:use|when|if|after|in|for)"
    r"|keep\b|use\b"
    r"|instead of|rather than|not \w+ but)\b",
    re.IGNORECASE,
)
_REASONING = re.compile(
    r"\b(?:because|since (?:it|the|we|this|they|there|otherwise|some|not|a|an|`)|instead of|rather than|in favou?r of"
    r"|(?:we|was|were|have|has) (?:\w+ )?(?:decided|chosen|chose|agreed|opted)|decided to|deliberately|intentionally"
    r"|on purpose|by design|so that|in order (?:to|not to)|to avoid|for (?:performance|compatibility|security"
    r"|historical) reasons?"
    r"|due to|trade-?off)\b",
    re.IGNORECASE,
)
_WARNING = re.compile(
    r"\b(?:otherwise.{0,60}\b(?:would|will|might|could|can|fails?|breaks?|gets?|raises?|crash|hang|leak)|beware"
    r"|careful(?:ly)?|caveat|gotcha|work-?arounds?|works? around|pitfall|watch out|will (?:break|fail|deadlock"
    r"|hang|crash|leak)|breaks? (?:if|when|on|under)|fails? (?:if|when|on|under)|surprising(?:ly)?|fragile"
    r"|race condition"
    r"|deadlocks?|not thread[- ]?safe|undocumented|order matters|keep (?:this|these|it|them)? ?in sync|quirk|footgun"
    r"|counter-?intuitive|subtle)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"`[^`]+`|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+\(\)"
    r"|(?<!\w)--?[a-z][\w-]{2,}"
    r"|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b|\b[\w.-]+/[\w./-]*\w|\b\w+\.(?:py|ts|tsx|js|go|rs|java|md|toml|ya?ml|json"
    r"|rst|c|h|cpp|rb|sh)\b"
    r"|\b[A-Za-z]+(?:\.[a-z_]\w+){1,4}\b|\bv?\d+\.\d+(?:\.\d+)?\b"
)
_IMPERATIVE = re.compile(
    r"^(?:(?:please|all|every|each|any|new|no)\b|(?:use|run|keep|write|add|put|prefer|avoid|follow|place|name"
    r"|import|export|test|call"
    r"|pass|return|raise|throw|catch|handle|check|validate|update|create|define|declare|document|commit|rebase"
    r"|squash|include"
    r"|exclude|limit|leave|store|load|read|set|treat|wrap|mark|make|ensure|do|don['\u2019]t|never|always|only|format"
    r"|lint|build|install"
    r"|regenerate|generate|bump|target|support|favou?r|group|sort|order|start|stop|begin|end|match|mock|assert"
    r"|log|remove|delete"
    r"|register|extend|implement|expose|give|ask|let|stick|respect|maintain|specify|annotate|type|move|split"
    r"|reuse|inject)\b)",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"^(?:if you|you(?:['\u2019]ll| (?:can|may|might|could|will|are|have|need|should be able))|see\b|for (?:more"
    r"|example|instance|details|further)"
    r"|this (?:document|guide|page|section|project|readme|file|repo(?:sitory)?|tutorial|directory|folder)\b"
    r"|thank|we (?:welcome|appreciate|love|encourage|are|['\u2019]re"
    r"|will|hope|also|would|provide|offer)|feel free|please (?:see|read|visit|open|feel|consider|join"
    r"|note that this|submit|report|refer|check|help|file|search)"
    r"|let['\u2019]s|welcome|here (?:is|are)|there (?:is|are)|in this|below|above|as (?:mentioned|described|shown"
    r"|you)|first(?:ly)?,|then,?\b|next,|now,?\b"
    r"|finally,|learn|want to|looking|check out|click|visit|hint|tip\b|i\b|i['\u2019]|contribut|example)",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"^(?:this|that|these|those|it|they|he|she|such|both|either|neither|otherwise|instead|however|therefore"
    r"|thus|hence|also|but|and|or|so"
    r"|which|because|since|then|additionally|furthermore|moreover|similarly|likewise|same|in (?:that|this|these"
    r"|such|either|both) "
    r"(?:case|cases|way|situation)|the (?:former|latter|above|following|same|first|second|other)|for (?:this"
    r"|that|these|those|the same))\b",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"\b(?:awesome|amazing|powerful|blazing|simple way|easy to|easily|modern|lightweight|beautiful|great|happy"
    r"|fun|excited|lovely|elegant"
    r"|you may (?:want|also)|might want|if you (?:want|like|would like|prefer|wish|need|are)|don['\u2019]t (?:worry"
    r"|hesitate|forget|be (?:afraid|shy)|have to|need"
    r"|know|want|panic)|do not (?:hesitate|have to|need|worry)|never mind|as always|copyright|licen[cs]ed?"
    r"|warranty|trademark|sponsor|donat"
    r"|pull requests? (?:is|are) welcome|credits?|really need|would otherwise|questions?|code of conduct|harass"
    r"|mailing list|discord|twitter|newsletter|subscribe)\b",
    re.IGNORECASE,
)
_NO_CODE = re.compile(r"https?://\S+")


@frozen
class Worth:
    """How much a sentence is worth, from 0 (nothing), and what sort of belief it would be."""

    score: float
    kind: BeliefKind


NOTHING = Worth(0.0, BeliefKind.FACT)


def worth_of(text: str, *, instruction: bool = False, anchored: bool = False, marked: bool = False) -> Worth:
    """What `text` is worth as a belief.

    `instruction` for what stands in a list of instructions, where `Use X` is a rule by its place; `anchored` for what
    stands beside the code that it speaks of, so that it need not name it; `marked` for what its author marked
    (`HACK:`).
    """
    if not LEAST <= len(text) <= MOST or text.rstrip("`*_ )").endswith((":", "?", ",", "...", "…")):
        return NOTHING
    words = re.findall(r"[^\W_]+", text)
    if not 5 <= len(words) <= 60 or _EMPTY.match(text) or _SOFT.search(text):
        return NOTHING
    if _DANGLING.match(text) and not anchored:
        return NOTHING
    without = _NO_CODE.sub("", text)
    if anchored:
        without = _NARRATED.sub("", without)
    about = len(set(_CODE.findall(without)))
    binding, advising = bool(_BINDING.search(without)), bool(_ADVISING.search(without))
    reasoning, warning = bool(_REASONING.search(without)), bool(_WARNING.search(without))
    score = 2.0 * binding + (0.5 if anchored else 1.0) * advising + 1.5 * reasoning + 1.5 * warning
    if marked or (instruction and _IMPERATIVE.match(without)):
        score += 1.5
    if not score:
        return NOTHING
    score += min(1.5, 0.75 * about) + (0.5 if anchored else 0.0) + (0.5 if len(words) >= 9 else 0.0)
    if not about and not anchored:
        score -= 1.0
    return Worth(score, _kind(text, binding=binding, reasoning=reasoning, warning=warning, instruction=instruction))


def _kind(text: str, *, binding: bool, reasoning: bool, warning: bool, instruction: bool) -> BeliefKind:
    if re.search(
        r"`(?:[./\w-]*/)?(?:npm|pnpm|yarn|bun|make|just|cargo|go|uv|pytest|python3?|pip|tox|nox|docker|gradlew?"
        r"|mvnw?|npx|poetry|hatch|pre-commit)\s[^`]+`",
        text,
    ):
        return BeliefKind.PROCEDURE
    if warning and not binding:
        return BeliefKind.GOTCHA
    if reasoning and not binding:
        return BeliefKind.DECISION
    return BeliefKind.RULE if binding or instruction else kind_of(text)
