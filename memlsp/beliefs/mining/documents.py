"""Mines documents about how a project is worked on: instructions, guides, decision records, README.

Each sort has a limit of its own, and asks more of a sentence the less it is meant as a rule: a line of AGENTS.md is one
by its place, a sentence of a README has to bind and to name something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import PurePosixPath

from memlsp.beliefs.mining.binding_features import GuidePassage, binding_model, guide_kind, guide_passage
from memlsp.beliefs.mining.findings import MinedStatement, printable, with_full_stop
from memlsp.beliefs.mining.passages import Passage, PassageForm, passages, plain, sentences, without_own_block
from memlsp.beliefs.mining.worth import LEAST, MOST, worth_of
from memlsp.code.vocabulary import patterns, word_sets
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
    DocumentSort.INSTRUCTIONS: 120,
    DocumentSort.DECISION: 1,
    DocumentSort.CONTRIBUTING: 40,
    DocumentSort.README: 4,
}
"""Proposals from one document at the most, those worth most first."""

_MOST_COMMANDS = 8  # of one document: a list of scripts is looked up where it stands
_LEAST_OF_README = 4.0  # worth of a sentence
_MOST_SENTENCES, _LONGEST_ITEM = 3, 360  # sentences and characters of an item that is one statement
_SHORTEST, _LONGEST_STATEMENT = 8, 600  # characters
_LONGEST_LEAD = 100  # characters of a lead that is told with its items
_FEW_WORDS = 4  # of an item that is told with its heading
_MOST_PASSAGES = 4_000  # of a document that are read
_RE = patterns(__name__)
_LEAST_TOLD = 20  # characters of a decision beside its title
_FOLDERS = word_sets(__name__)
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
    return DocumentSort.README if _RE["readme"].match(path) else None


def is_document(path: str) -> bool:
    """True for a document in which a repository speaks of itself."""
    if not path.lower().endswith((".md", ".mdc", ".mdx", ".rst", ".cursorrules", ".windsurfrules", ".clinerules")):
        return False
    is_meant = sort_of(path) is not None or any(f"/{each}" in f"/{path}" for each in _FOLDERS["skills"])
    return is_meant and not any(f"/{each}" in f"/{path}" for each in _FOLDERS["samples"])


def from_document(path: str, text: str) -> list[MinedStatement]:
    """The statements of a document, the most worth first; at most `MOST_OF` its sort."""
    sort = sort_of(path)
    if sort is None or len(text) > LONGEST:
        return []
    text = without_own_block(text)
    if sort is DocumentSort.DECISION:
        return list(_decision(text))
    found = list(_of_readme(text) if sort is DocumentSort.README else _of_guide(path, text))
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
    found = _RE["status_section"].search(text) or _RE["status_line"].search(text[:3_000])
    return plain(found["status"]).lower().strip(" .") if found else ""


def candidates(text: str) -> list[GuidePassage]:
    """What may bind in instructions or a guide: headings, table rows, list items (long ones by sentence) and sentences,
    in order."""
    found: list[GuidePassage] = []
    for passage in islice(passages(text), _MOST_PASSAGES):
        parts = list(passage.sentences())
        is_short = len(parts) <= _MOST_SENTENCES and len(passage.text) <= _LONGEST_ITEM
        if is_short and passage.form is not PassageForm.PROSE:
            parts = [(passage.text, passage.first_line, passage.last_line)]
        for number, (part, first, last) in enumerate(parts):
            if len(part) <= _LONGEST_STATEMENT:
                found.append(guide_passage(passage, part, first, last, number))
    return found


def _of_guide(path: str, text: str) -> Iterator[MinedStatement]:
    """What binds in instructions or in a guide for contributors."""
    lines = text.splitlines()
    pattern = pattern_of(path, text)
    for each, likelihood in _binding(candidates(text)):
        command = _RE["command"].match(each.text)
        if command:
            statement = printable(f"{command['what'].strip()}: `{command['command']}`{command['rest']}")
        else:
            statement = _told_alone(each)
        if _SHORTEST <= len(statement) <= _LONGEST_STATEMENT:
            kind = BeliefKind.PROCEDURE if command else guide_kind(each.text)
            quote = "\n".join(lines[each.first_line - 1 : each.last_line]).strip()
            yield MinedStatement(statement, kind, quote, likelihood, each.first_line, each.last_line, pattern)


def _binding(found: Sequence[GuidePassage]) -> list[tuple[GuidePassage, float]]:
    """The candidates that are likely enough to bind, and commands with their purpose; sentences that are told together
    joined."""
    model = binding_model()
    kept: list[tuple[GuidePassage, float]] = []
    # leads of lists that are one sentence: `We take adapters that: are proven; or are small`
    leads = (one.passage.lead for one in found if _RE["goes_on"].search(one.text))
    unfinished = {lead for lead in leads if _RE["clause_begins"].search(lead)}
    for each, likelihood in zip(found, model.likelihoods(found), strict=True):
        before = kept[-1][0] if kept and kept[-1][0].passage is each.passage else None
        is_command = each.passage.item and _RE["command"].match(each.text)
        if each.text.endswith((":", "\uff1a", "?", "\uff1f")) or (likelihood < model.mark and not is_command):
            continue
        if _RE["no_rule"].search(each.text) or each.passage.lead in unfinished:
            continue
        if each.passage.item and _RE["outside"].search(each.passage.source) and not _RE["asks"].search(each.text):
            continue  # further reading
        if before is not None and each.follows(before) and len(before.text) + len(each.text) <= MOST:
            kept[-1] = before.joined(each), max(likelihood, kept[-1][1])
        elif not each.dangles:
            kept.append((each, likelihood))
    return kept


def _told_alone(found: GuidePassage) -> str:
    """The statement of a candidate, after the lead or heading without which it cannot be read alone."""
    before = "" if _RE["demanding"].search(found.text) else _resting_on(found)
    text = _RE["ornament"].sub("", printable(found.text))
    if before:
        text = f"{before}: {text}"
    elif text.partition(" ")[0].isalpha():
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "`", ")", '."', "\u3002")) else f"{text}."


def _resting_on(found: GuidePassage) -> str:
    """The lead or heading that an item rests on, "" for none."""
    passage = found.passage
    if not passage.item or found.number:
        return ""
    lead = passage.lead.rstrip(": ")
    if lead and len(lead) <= _LONGEST_LEAD and (_RE["demanding"].search(lead) or _RE["telling_lead"].match(lead)):
        return lead
    heading = _RE["ornament"].sub("", passage.headings[-1]) if passage.headings else ""
    is_short = not found.label and len(found.text.split()) < _FEW_WORDS
    is_step = passage.form is PassageForm.STEP and _RE["task_heading"].search(heading)
    return heading if is_short or is_step or _RE["demanding"].search(heading) else ""


def _of_readme(text: str) -> Iterator[MinedStatement]:
    lines = text.splitlines()
    for passage in passages(text):
        if passage.form in {PassageForm.ROW, PassageForm.HEADING}:
            continue
        if any(_RE["idle_heading"].search(heading) for heading in passage.headings[1:]):
            continue
        for sentence, first, last in passage.sentences():
            worth = worth_of(sentence)
            if worth.score >= _LEAST_OF_README:
                quote = "\n".join(lines[first - 1 : last]).strip()
                yield MinedStatement(printable(with_full_stop(sentence)), worth.kind, quote, worth.score, first, last)


def _decision(text: str) -> Iterator[MinedStatement]:
    status = status_of(text)
    if any(word in status for word in (*_DEAD, *_UNDECIDED)):
        return
    told = {PassageForm.PROSE, PassageForm.ITEM, PassageForm.STEP}
    blocks = [block for block in passages(text) if block.form in told]
    title = next((heading for block in blocks for heading in block.headings[:1]), "")
    title = _RE["number"].sub("", printable(title)).strip(" .")
    if not title:
        return
    chosen: tuple[str, Passage] | None = None
    for number, block in enumerate(blocks):
        under = any(_RE["under_decision"].match(heading) for heading in block.headings[1:])
        if under or _RE["begins_decision"].match(block.text):
            body = re.sub(r"^decision\s*[:.]\s*", "", block.text, flags=re.IGNORECASE)
            chosen = _first(_completed(body, blocks[number + 1 :])), block
            break
    if chosen is None or len(chosen[0]) < _LEAST_TOLD:
        return
    decision, block = chosen
    decision = _RE["option"].sub("", decision)
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


def pattern_of(path: str, text: str) -> str:
    """The files that instructions apply to: the glob in the front matter of an agent's rule, or their folder."""
    found = _RE["applies"].search(text[:2_000]) if text.startswith("---") else None
    if found is not None:
        return "" if found["glob"] in {"*", "**", "**/*"} else found["glob"]
    folder = PurePosixPath(path).parent.as_posix()
    is_everywhere = folder in {".", "docs"} or "/." in f"/{folder}"
    return "" if is_everywhere else f"{folder}/**"
