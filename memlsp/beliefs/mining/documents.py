"""Mines documents about how a project is worked on: instructions, guides, decision records, README.

Each sort has a limit of its own, and asks more of a sentence the less it is meant as a rule: a line of AGENTS.md is one
by its place, a sentence of a README has to bind and to name something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

from memlsp.beliefs.mining.findings import MinedStatement, printable
from memlsp.beliefs.mining.passages import Passage, passages, plain, sentences
from memlsp.beliefs.mining.worth import LEAST, MOST, worth_of
from memlsp.beliefs.vocabulary import patterns
from memlsp.model.belief import BeliefKind

LONGEST = 400_000
"""Characters of a document that is read."""


class DocumentSort(StrEnum):
    """The purpose of a document."""

    INSTRUCTIONS = "instructions"  # for agents: AGENTS.md, CLAUDE.md, rules of editors
    DECISION = "decision"  # one architecture decision record
    CONTRIBUTING = "contributing"
    README = "readme"


MOST_OF = {
    DocumentSort.INSTRUCTIONS: 40,
    DocumentSort.DECISION: 1,
    DocumentSort.CONTRIBUTING: 12,
    DocumentSort.README: 4,
}
"""Proposals from one document at the most, those worth most first."""

_MOST_COMMANDS = 8  # of one document: a list of scripts is looked up where it stands
_LEAST_WORTH = {DocumentSort.INSTRUCTIONS: 2.0, DocumentSort.CONTRIBUTING: 2.75, DocumentSort.README: 4.0}
_RE = patterns(__name__)
_README = re.compile(r"^(?:\.github/|docs/)?readme(?:\.\w{2,5})?$", re.IGNORECASE)
_STATUS_SECTION = re.compile(r"^#+\s*status\s*\n+\s*(?P<status>[^\n]+)", re.IGNORECASE | re.MULTILINE)
_NUMBER = re.compile(r"^(?:ADR[-\s]?)?\d{1,5}\s*[-.:\u2013\u2014)]?\s*", re.IGNORECASE)
_STRESSED = re.compile(r"\b(?:must|never|always|not)\b", re.IGNORECASE)
_OPTION = re.compile(r"^chosen option:\s*|\boption \d+\s*[:.-]\s*", re.IGNORECASE)
_LEAST_TOLD = 20  # characters of a decision beside its title
_DEAD = ("superseded", "supersed", "deprecated", "rejected", "obsolete", "withdrawn", "replaced", "amended by")
_UNDECIDED = ("proposed", "draft", "pending", "in review", "under discussion", "wip", "open")


def sort_of(path: str) -> DocumentSort | None:
    """The sort of a document (path relative to the root, posix); None for other files."""
    if _RE["instructions"].search(path) and not _RE["played"].search(path):
        return DocumentSort.INSTRUCTIONS
    if _RE["elsewhere"].search(path):
        return None
    if _RE["decision"].search(path) and PurePosixPath(path).stem.lower() not in {"readme", "index", "template"}:
        return DocumentSort.DECISION
    if _RE["contributing"].search(path):
        return DocumentSort.CONTRIBUTING
    return DocumentSort.README if _README.match(path) else None


def from_document(path: str, text: str) -> list[MinedStatement]:
    """The statements of a document, the most worth first; at most `MOST_OF` its sort."""
    sort = sort_of(path)
    if sort is None or len(text) > LONGEST:
        return []
    if sort is DocumentSort.DECISION:
        return list(_decision(text))
    found = list(_of_passages(path, text, sort))
    commands = [each for each in found if each.kind is BeliefKind.PROCEDURE][_MOST_COMMANDS:]
    found = [each for each in found if each not in commands]
    found.sort(key=lambda each: (-each.worth, each.first_line or 0))
    return found[: MOST_OF[sort]]


def dead_status(path: str, text: str) -> str:
    """The status of a decision record that is no longer in force (`superseded by 0012`), else ""."""
    if sort_of(path) is not DocumentSort.DECISION:
        return ""
    status = status_of(text)
    return status if any(word in status for word in _DEAD) else ""


def status_of(text: str) -> str:
    """The status that a decision record gives itself, in lower case; "" for none."""
    found = _STATUS_SECTION.search(text) or _RE["status_line"].search(text[:3_000])
    return plain(found["status"]).lower().strip(" .") if found else ""


def _of_passages(path: str, text: str, sort: DocumentSort) -> Iterator[MinedStatement]:
    lines = text.splitlines()
    pattern = _pattern_of(path, text)
    instruction = sort is DocumentSort.INSTRUCTIONS
    for passage in passages(text):
        if not instruction and any(_RE["idle_heading"].search(heading) for heading in passage.headings[1:]):
            continue
        quote = "\n".join(lines[passage.first_line - 1 : passage.last_line]).strip()
        place = (passage.first_line, passage.last_line, pattern)
        command = _RE["command"].match(passage.text) if instruction or sort is DocumentSort.CONTRIBUTING else None
        if command:
            statement = printable(f"{command['what'].strip()}: `{command['command']}`{command['rest']}")
            yield MinedStatement(statement, BeliefKind.PROCEDURE, quote, 3.0, *place)
            continue
        for statement in _statements(passage):
            worth = worth_of(statement, instruction=instruction)
            if worth.score >= _LEAST_WORTH[sort]:
                yield MinedStatement(printable(statement), worth.kind, quote, worth.score, *place)


def _statements(passage: Passage) -> Iterator[str]:
    """The sentences of a passage; one that rests on what introduces its list is told with it."""
    parts = sentences(passage.text)
    if passage.item and len(parts) <= 3 and len(passage.text) <= 260:
        parts = [passage.text]
    heading = passage.headings[-1] if passage.headings else ""
    lead = passage.lead.rstrip(": ")
    if passage.item and lead and len(lead) <= 100 and (_RE["demanding"].match(lead) or _STRESSED.search(lead)):
        parts[:1] = [f"{lead}: {part}" for part in parts[:1]]
    elif passage.item and _RE["demanding"].match(heading):
        parts[:1] = [part if _RE["demanding"].match(part) else f"{heading}: {part}" for part in parts[:1]]
    yield from (part if part.endswith((".", "!", "?", ":", "`", ")")) else f"{part}." for part in parts)


def _decision(text: str) -> Iterator[MinedStatement]:
    status = status_of(text)
    if any(word in status for word in (*_DEAD, *_UNDECIDED)):
        return
    blocks = list(passages(text))
    title = next((heading for block in blocks for heading in block.headings[:1]), "")
    title = _NUMBER.sub("", printable(title)).strip(" .")
    if not title:
        return
    chosen: tuple[str, Passage] | None = None
    for number, block in enumerate(blocks):
        bold = re.match(
            r"^(?:decision|chosen option|we (?:will|have decided|decided))\b\s*[:.]?\s*", block.text, re.IGNORECASE
        )
        under = any(
            re.match(
                r"^(?:(?:the )?decision(?: outcome| made)?|resolution|outcome|conclusion)\W*$", heading, re.IGNORECASE
            )
            for heading in block.headings[1:]
        )
        if under or bold:
            body = re.sub(r"^decision\s*[:.]\s*", "", block.text, flags=re.IGNORECASE)
            chosen = _first(_completed(body, blocks[number + 1 :])), block
            break
    if chosen is None or len(chosen[0]) < _LEAST_TOLD:
        return
    decision, block = chosen
    decision = _OPTION.sub("", decision)
    statement = printable(f"{title}: {decision}" if adds_to(title, decision) else decision)
    if LEAST <= len(statement) <= MOST + 200:
        quote = "\n".join(text.splitlines()[block.first_line - 1 : block.last_line]).strip()
        yield MinedStatement(statement, BeliefKind.DECISION, quote, 5.0, block.first_line, block.last_line)


def _completed(body: str, after: Sequence[Passage]) -> str:
    """A decision followed by the first of the reasons listed below it."""
    if not re.search(r"(?:\bbecause|:)\W*$", body) or not after or not after[0].item:
        return body
    reason = after[0].text.rstrip(" .;,")
    return f"{body.rstrip(': ')}{':' if body.rstrip().endswith(':') else ''} {reason}."


def adds_to(title: str, text: str) -> bool:
    """True when a title has words that `text` has not."""
    words = {word.lower() for word in re.findall(r"\w{3,}", title)}
    return not words <= {word.lower() for word in re.findall(r"\w{3,}", text)}


def _first(text: str) -> str:
    """The first sentence or two, about 300 characters at most."""
    kept = ""
    for sentence in sentences(text):
        if kept and len(kept) + len(sentence) > 300:
            break
        kept = f"{kept} {sentence}".strip()
        if len(kept) >= 120:
            break
    return kept[:MOST]


def _pattern_of(path: str, text: str) -> str:
    """The files that instructions apply to: their folder, or the glob in the front matter of an editor's rule."""
    if path.endswith(".mdc") and text.startswith("---"):
        front = text.split("---", 2)[1] if text.count("---") >= 2 else ""
        globs = re.search(r"^globs:\s*[\"'\[]?([^\n\"'\],]+)", front, re.MULTILINE)
        return globs[1].strip() if globs and globs[1].strip() not in {"*", "**", "**/*"} else ""
    folder = PurePosixPath(path).parent.as_posix()
    return (
        "" if folder in {".", ".github", "docs", ".claude", ".cursor/rules"} or "/." in f"/{folder}" else f"{folder}/**"
    )
