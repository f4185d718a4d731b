"""Finds rules of different documents that cannot both be followed, and rules that are said twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations

from attrs import frozen

from memlsp.beliefs.claims.stems import prose_words, stem
from memlsp.beliefs.contradiction.exclusion import exclusion
from memlsp.beliefs.contradiction.facts import facts_of
from memlsp.beliefs.lifecycle.belief_file import read_file
from memlsp.beliefs.mining.documents import DocumentSort, from_document, sort_of
from memlsp.beliefs.mining.findings import normalized
from memlsp.memory.check.belief_check import is_belief
from memlsp.model.check import SHOWN, CheckRule, StatementFinding
from memlsp.model.errors import BadValue
from memlsp.model.one_line import plain

_MOST = 400  # rules that are compared
_LEAST_STEMS = 4
_ALIKE = 0.8  # share of the stems of both that two wordings of one rule have in common


@frozen
class _Rule:
    """A rule with its place; `pattern` is the path glob that it applies to, "" for all files."""

    document: str
    line: int
    said: str
    text: str
    pattern: str
    normalized: str
    stems: frozenset[str]


def pair_findings(documents: Sequence[tuple[str, str]], *, repeated: bool) -> Iterator[StatementFinding]:
    """The conflicts between the rules of documents (path and text), and with `repeated` those that are said twice. Each
    is told at the document that comes later, with the place of the other."""
    rules = [rule for path, text in documents for rule in _rules(path, text)][:_MOST]
    for one, other in combinations(rules, 2):
        if one.document == other.document or _are_apart(one.pattern, other.pattern):
            continue
        special = one.pattern != other.pattern
        facts = exclusion(facts_of(one.text), facts_of(other.text), special=special, same_place=not special)
        if facts is not None:
            message = f"says “{plain(one.text, 80)}”, and both cannot be followed"
            yield _finding(CheckRule.RULE_CONFLICT, one, other, message)
        elif repeated and (one.normalized == other.normalized or (not special and _are_alike(one, other))):
            yield _finding(CheckRule.RULE_REPEATED, one, other, "says the same")


def _finding(rule: CheckRule, one: _Rule, other: _Rule, message: str) -> StatementFinding:
    place, shown = (other.document, other.line, 0, len(other.said)), plain(other.said, SHOWN)
    return StatementFinding(rule, *place, shown, f"{one.document}:{one.line} {message}", "", one.document, one.line)


def _rules(path: str, text: str) -> Iterator[_Rule]:
    lines = text.split("\n")
    if is_belief(path):
        with suppress(BadValue):
            file = read_file(text)
            said = file.text.partition("\n")[0]
            if not file.retired and said in lines:
                yield _rule(path, lines.index(said) + 1, said, said, file.pattern)
    elif sort_of(path) in {DocumentSort.INSTRUCTIONS, DocumentSort.CONTRIBUTING}:
        for each in from_document(path, text):
            if each.first_line is not None:
                yield _rule(path, each.first_line, lines[each.first_line - 1], each.text, each.pattern)


def _rule(document: str, line: int, said: str, text: str, pattern: str) -> _Rule:
    stems = frozenset(stem(word) for word in prose_words(text))
    return _Rule(document, line, said, text, pattern, normalized(text), stems)


def _are_apart(one: str, other: str) -> bool:
    """True for two path globs that cover no file in common, as far as their folders tell."""
    if not one or not other or one == other:
        return False
    first, second = (pattern.partition("*")[0] for pattern in (one, other))
    ends = one.rpartition(".")[2], other.rpartition(".")[2]
    differ = all(end.isalnum() for end in ends) and ends[0] != ends[1]
    return differ or not (first.startswith(second) or second.startswith(first))


def _are_alike(one: _Rule, other: _Rule) -> bool:
    common = one.stems & other.stems
    return len(common) >= _LEAST_STEMS and len(common) / len(one.stems | other.stems) >= _ALIKE
