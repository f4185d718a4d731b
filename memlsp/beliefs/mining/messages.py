"""Mines commit messages for decisions and their reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlsp.beliefs.mining.findings import MinedStatement, printable, with_full_stop
from memlsp.beliefs.mining.passages import plain, sentences
from memlsp.beliefs.mining.worth import LEAST, MOST
from memlsp.code.vocabulary import patterns
from memlsp.model.belief import BeliefKind

_RE = patterns(__name__)
_MOST_LINES = 25  # of a paragraph that is read
_LEAST_ALONE = 60  # characters of a sentence that is told without the title
_QUOTING = ("    ", "\t", ">", "|", "$", "diff ", "@@")


def from_message(message: str) -> MinedStatement | None:
    """The one decision that a commit message gives, with its reason; None for most messages."""
    subject, _, body = message.partition("\n")
    subject = _RE["suffix"].sub("", subject.strip())
    if _RE["robot"].match(subject) or _RE["aside"].search(subject) or not subject:
        return None
    title = _RE["prefix"].sub("", subject).strip(" .")
    title = title[:1].upper() + title[1:]
    found = [_weighed(title, title, subject)] if _RE["why"].search(title) else []
    for paragraph in re.split(r"\n\s*\n", body):
        found += [_weighed(whole, told, paragraph.strip()) for whole, told in _reasons(title, paragraph)]
    weighed = [each for each in found if each is not None]
    if not weighed:
        return None
    score, statement, quote = max(weighed, key=lambda each: each[0])
    kind = BeliefKind.GOTCHA if re.search(r"work-?around", statement, re.IGNORECASE) else BeliefKind.DECISION
    return MinedStatement(with_full_stop(statement), kind, quote, score)


def _reasons(title: str, paragraph: str) -> Iterator[tuple[str, str]]:
    """The sentences of a paragraph that give a reason, first as statements that can be understood alone."""
    lines = [line for line in paragraph.splitlines() if not _RE["trailer"].match(line.strip())]
    if len(lines) > _MOST_LINES or any(line.startswith(_QUOTING) for line in lines):
        return
    acts = _RE["acting"].match(title) and not _RE["mends"].match(title)
    for sentence in _told(lines):
        if not _RE["why"].search(sentence) or _RE["happened"].search(sentence):
            continue
        decides = _RE["decides"].search(sentence)
        vague = _RE["vague"].match(sentence) or _RE["pointing"].search(sentence)
        alone = not vague and (decides or _RE["acting"].match(sentence)) and len(sentence) >= _LEAST_ALONE
        if decides or acts:
            yield sentence if alone else f"{title}: {sentence}", sentence


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
    if _RE["instead"].search(sentence) and not _RE["reason"].search(sentence) and not _RE["acting"].match(sentence):
        return None  # what went wrong is told with the same words
    about = len(set(_RE["about"].findall(statement)))
    reason = bool(_RE["reason"].search(statement))
    score = 1.0 + 1.5 * reason + min(1.5, 0.75 * about) + (0.5 if len(words) >= 10 else 0.0)
    if _RE["chosen"].search(sentence) and sentence == statement and about:
        score += 1.75
    return (score, statement, quote) if score >= 3.5 else None
