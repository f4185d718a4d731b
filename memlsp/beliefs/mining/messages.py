"""Commit messages that say what was decided and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlsp.beliefs.mining.findings import MinedStatement, printable
from memlsp.beliefs.mining.passages import plain, sentences
from memlsp.beliefs.mining.worth import LEAST, MOST
from memlsp.model.belief import BeliefKind

_ROBOT = re.compile(
    r"^(?:bump|merge|release|version|prepare|update (?:dependencies|deps|changelog|version|lock)|\[?pre-commit"
    r"|chore\(deps|build\(deps|deps[:(]|ci[:(]"
    r"|v?\d+\.\d+|changelog|typos?\b|fix typos?|wip\b|fixup!|squash!|initial commit|Revert \"Revert)",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\b(?:because|instead of|rather than|in favou?r of|switch(?:ed|es|ing)? (?:to|from|over)|migrat(?:e|ed|es"
    r"|ing) (?:to|from)|mov(?:e|ed|ing) away from"
    r"|replac(?:e|ed|es|ing) .{2,60} (?:with|by)|we (?:decided|chose|agreed|want|no longer)|decided to"
    r"|no longer (?:support|need|use)|drop(?:ped|s)? support"
    r"|deliberately|intentionally|on purpose|trade-?off|the reason|work-?around)\b|\brevert\b.*\b(?:since"
    r"|because|as)\b|\bsince (?:it|the|we|this|they|there|otherwise|`)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|due to|as (?:it|the|this|they|we)|to avoid|so that|in order to|otherwise|the reason)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"`[^`]+`|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+\(\)"
    r"|(?<!\w)--[a-z][\w-]+|\b\w+\.(?:py|ts|js|go|rs|java|toml|ya?ml|json|md)\b|\b[A-Za-z]+\.[a-z_]\w+\b"
)
_TRAILER = re.compile(
    r"^(?:[A-Z][A-Za-z-]+-by|Change-Id|Fixes|Closes|Refs?|See|Co-authored-by|Reviewed-on|Cc|BREAKING CHANGE"
    r"|Resolves|PR|Issue|git-svn-id)\b[: #]",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^(?:(?:feat|fix|chore|docs|refactor|perf|style|build|test|revert)(?:\([^)]*\))?!?:|\[[^\]]{1,30}\]"
    r"|[\w./-]{1,30}:(?=\s[a-z]))\s*"
)
_SUFFIX = re.compile(r"\s*\((?:gh-|#|GH-)\d+\)\s*$")
_VAGUE = re.compile(
    r"^(?:this|that|it|these|they|the (?:former|latter|above)|also|so|and|but|then|there|instead|i|he|she"
    r"|otherwise|because|since|here|namely|essentially|basically|note|in other words|specifically|for example"
    r"|e\.g|both|any|in any case|only|at the|the one)\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:I|I'm|I've|my|me|thanks|thank you|sorry|oops|hopefully|maybe|probably|not sure|i think|let's"
    r"|looks like|seems?)\b"
)


_CHOSEN = re.compile(
    r"\b(?:instead of|rather than|in favou?r of|switch\w* (?:to|from|over)|migrat\w+ (?:to|from)|away from"
    r"|drop\w* support)\b",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\bwe (?:have |['\u2019]ve )?(?:decided|chose|agreed|opted|no longer (?:support|use|need))\b|\bdecided to\b",
    re.IGNORECASE,
)
# A bug that was mended, told as it happened.
_HAPPENED = re.compile(
    r"\b(?:was|were|had|did|didn['\u2019]t|used to|failed|crashed|broke|returned|raised|caused"
    r"|would)\b.{0,200}\b(?:because|since|due to)\b"
    r"|\bsince (?:then|this only|20\d\d)\b|^(?:as a (?:result|consequence)|this (?:happens|happened|improves"
    r"|fixes|is (?:fine|ok)))\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:this|these|that|such an?) (?:solution|approach|way|change|commit|patch|pr|method|design|one|option"
    r"|fix)\b",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)
_ACTING = re.compile(
    r"^(?:#\d+ )?(?:use|move|switch|pin|cache|avoid|stop|disable|enable|require|replace|prefer|drop|deprecate"
    r"|remove|store|keep|build|compute|raise|return"
    r"|pass|expose|load|run|rely|depend|adopt|always|only)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:docs?|documentation|docstrings?|typos?|readme|changelog|comments?|spelling|wording|lint(?:ing)?"
    r"|typing|mypy|coverage|no cover|badges?|triage)\b",
    re.IGNORECASE,
)


def from_message(message: str) -> MinedStatement | None:
    """The one decision that a commit's message tells, with its reason; None for most of them."""
    subject, _, body = message.partition("\n")
    subject = _SUFFIX.sub("", subject.strip())
    if _ROBOT.match(subject) or _ASIDE.search(subject) or not subject:
        return None
    title = _PREFIX.sub("", subject).strip(" .")
    title = title[:1].upper() + title[1:]
    mends = re.match(r"^(?:fix|hotfix|bugfix|correct|prevent|handle)", title, re.IGNORECASE) is not None
    best: tuple[float, str, str] | None = None
    if _WHY.search(title):
        best = _weighed(title, title, subject)
    for paragraph in re.split(r"\n\s*\n", body):
        lines = [line for line in paragraph.splitlines() if not _TRAILER.match(line.strip())]
        if (
            not lines
            or len(lines) > 25
            or any(line.startswith(("    ", "\t", ">", "|", "$", "diff ", "@@")) for line in lines)
        ):
            continue
        for told in _told(lines):
            decides = _DECIDES.search(told) or (_ACTING.match(title) and not mends)
            if decides and _WHY.search(told) and not _HAPPENED.search(told):
                alone = (
                    not _VAGUE.match(told)
                    and not _POINTING.search(told)
                    and (_DECIDES.search(told) or _ACTING.match(told))
                )
                whole = told if alone and len(told) >= 60 else f"{title}: {told}"
                weighed = _weighed(whole, told, paragraph.strip())
                if weighed and (best is None or weighed[0] > best[0]):
                    best = weighed
    if best is None:
        return None
    score, statement, quote = best
    kind = BeliefKind.GOTCHA if re.search(r"work-?around", statement, re.IGNORECASE) else BeliefKind.DECISION
    return MinedStatement(
        statement if statement.endswith((".", "!", "`", ")")) else f"{statement}.", kind, quote, score
    )


def _told(lines: Sequence[str]) -> Iterator[str]:
    """The sentences of a paragraph; those of a list item by item."""
    items: list[list[str]] = [[]]
    for line in lines:
        if re.match(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s", line):
            items.append([])
        items[-1].append(re.sub(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+", "", line))
    for item in items:
        yield from sentences(plain(" ".join(" ".join(item).split())))


def _weighed(statement: str, told: str, quote: str) -> tuple[float, str, str] | None:
    statement = printable(statement)
    words = re.findall(r"\w+", statement)
    if not LEAST <= len(statement) <= MOST or not 6 <= len(words) <= 55 or told.rstrip().endswith(("?", ":")):
        return None
    if _PERSONAL.search(statement):
        return None
    if _INSTEAD.search(told) and not _REASON.search(told) and not _ACTING.match(told):
        return None  # what went wrong is told with the same words
    about = len(set(_ABOUT.findall(statement)))
    reason = bool(_REASON.search(statement))
    score = 1.0 + 1.5 * reason + min(1.5, 0.75 * about) + (0.5 if len(words) >= 10 else 0.0)
    if _CHOSEN.search(told) and told == statement and about:
        score += 1.75
    return (score, statement, quote) if score >= 3.5 else None
