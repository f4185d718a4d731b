"""Mines commit messages for decisions and their reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlsp.beliefs.mining.findings import MinedStatement, printable, with_full_stop
from memlsp.beliefs.mining.passages import plain, sentences
from memlsp.beliefs.mining.worth import LEAST, MOST
from memlsp.beliefs.vocabulary import patterns
from memlsp.model.belief import BeliefKind

_RE = patterns(__name__)
_SUFFIX = re.compile(r"(?<!\s)\s*\((?:gh-|#|GH-)\d+\)\s*$")


_INSTEAD = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)


def from_message(message: str) -> MinedStatement | None:
    """The one decision that a commit message gives, with its reason; None for most messages."""
    subject, _, body = message.partition("\n")
    subject = _SUFFIX.sub("", subject.strip())
    if _RE["robot"].match(subject) or _RE["aside"].search(subject) or not subject:
        return None
    title = _RE["prefix"].sub("", subject).strip(" .")
    title = title[:1].upper() + title[1:]
    mends = re.match(r"^(?:fix|hotfix|bugfix|correct|prevent|handle)", title, re.IGNORECASE) is not None
    best: tuple[float, str, str] | None = None
    if _RE["why"].search(title):
        best = _weighed(title, title, subject)
    for paragraph in re.split(r"\n\s*\n", body):
        lines = [line for line in paragraph.splitlines() if not _RE["trailer"].match(line.strip())]
        if (
            not lines
            or len(lines) > 25
            or any(line.startswith(("    ", "\t", ">", "|", "$", "diff ", "@@")) for line in lines)
        ):
            continue
        for sentence in _told(lines):
            decides = _RE["decides"].search(sentence) or (_RE["acting"].match(title) and not mends)
            if decides and _RE["why"].search(sentence) and not _RE["happened"].search(sentence):
                alone = (
                    not _RE["vague"].match(sentence)
                    and not _RE["pointing"].search(sentence)
                    and (_RE["decides"].search(sentence) or _RE["acting"].match(sentence))
                )
                whole = sentence if alone and len(sentence) >= 60 else f"{title}: {sentence}"
                weighed = _weighed(whole, sentence, paragraph.strip())
                if weighed and (best is None or weighed[0] > best[0]):
                    best = weighed
    if best is None:
        return None
    score, statement, quote = best
    kind = BeliefKind.GOTCHA if re.search(r"work-?around", statement, re.IGNORECASE) else BeliefKind.DECISION
    return MinedStatement(with_full_stop(statement), kind, quote, score)


def _told(lines: Sequence[str]) -> Iterator[str]:
    """The sentences of a paragraph; those of a list item by item."""
    items: list[list[str]] = [[]]
    for line in lines:
        if re.match(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s", line):
            items.append([])
        items[-1].append(re.sub(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+", "", line))
    for item in items:
        yield from sentences(plain(" ".join(" ".join(item).split())))


def _weighed(statement: str, sentence: str, quote: str) -> tuple[float, str, str] | None:
    statement = printable(statement)
    words = re.findall(r"\w+", statement)
    if not LEAST <= len(statement) <= MOST or not 6 <= len(words) <= 55 or sentence.rstrip().endswith(("?", ":")):
        return None
    if _RE["personal"].search(statement):
        return None
    if _INSTEAD.search(sentence) and not _RE["reason"].search(sentence) and not _RE["acting"].match(sentence):
        return None  # what went wrong is told with the same words
    about = len(set(_RE["about"].findall(statement)))
    reason = bool(_RE["reason"].search(statement))
    score = 1.0 + 1.5 * reason + min(1.5, 0.75 * about) + (0.5 if len(words) >= 10 else 0.0)
    if _RE["chosen"].search(sentence) and sentence == statement and about:
        score += 1.75
    return (score, statement, quote) if score >= 3.5 else None
