"""Finds rules of different documents that cannot both be followed, and rules that are said twice."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations

from attrs import frozen

from memlsp.beliefs.claims.stems import stem
from memlsp.beliefs.contradiction.contradiction import contradiction_between
from memlsp.beliefs.lifecycle.belief_file import read_file
from memlsp.beliefs.mining.documents import DocumentSort, candidates, pattern_of, sort_of
from memlsp.beliefs.mining.passages import PassageForm, without_own_block
from memlsp.memory.check.belief_check import is_belief
from memlsp.model.check import SHOWN, CheckRule, DocumentLine, StatementFinding
from memlsp.model.errors import BadValue
from memlsp.model.one_line import plain

_MOST = 800  # rules that are compared
_LEAST_WORDS = 3
_ALIKE = 0.75  # share of the words of both that two wordings of one rule have in common
_NOT = re.compile(r"n['\u2019]t\b")
_IDLE = frozenset({"a", "an", "the", "and", "do", "must", "should", "please", "it", "to", "is", "are", "be", "of"})


@frozen
class _Rule:
    """A rule with its place; `pattern` is the path glob that it applies to, "" for all files."""

    document: str
    line: int
    said: str
    text: str
    pattern: str
    words: frozenset[str]


def pair_findings(
    documents: Sequence[tuple[str, str]],
    known: Mapping[str, frozenset[str]],
    *,
    repeated: bool,
    within: Container[str] | None = None,
) -> Iterator[StatementFinding]:
    """The conflicts between the rules of documents (path and text), and with `repeated` those that are said twice. Each
    is told at the document that comes later, if that is in `within`, with the place of the other. `known` has lines by
    document: a pair of two of them is not told."""
    rules = [rule for path, text in documents for rule in _rules(path, text)][:_MOST]
    for one, other in combinations(rules, 2):
        if within is not None and other.document not in within:
            continue
        if one.document == other.document or _are_apart(one.pattern, other.pattern):
            continue
        if all(each.said in known.get(each.document, ()) for each in (one, other)):
            continue
        special = one.pattern != other.pattern
        if contradiction_between(one.text, other.text, special=special, same_place=not special) is not None:
            message = f"says “{plain(one.text, 80)}”, and both cannot be followed"
            yield _finding(CheckRule.RULE_CONFLICT, one, other, message)
        elif repeated and (one.words == other.words or (not special and _are_alike(one.words, other.words))):
            yield _finding(CheckRule.RULE_REPEATED, one, other, "says the same")


def repeated_statements(
    statements: Sequence[tuple[str, str]], documents: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, DocumentLine]]:
    """The statements (id, text) that a rule of a document (path, text) says too, each with the first such line."""
    rules = [rule for path, text in documents for rule in _rules(path, text)][:_MOST]
    for id, text in statements:
        words = _rule("", 0, "", text, "").words
        for rule in rules:
            if words == rule.words or _are_alike(words, rule.words):
                yield id, DocumentLine(rule.document, rule.line, plain(rule.said, SHOWN))
                break


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
        pattern = pattern_of(path, text)
        for each in candidates(without_own_block(text)):
            if each.passage.form is not PassageForm.HEADING:
                yield _rule(path, each.first_line, lines[each.first_line - 1], each.text, pattern)


def _rule(document: str, line: int, said: str, text: str, pattern: str) -> _Rule:
    plainly = _NOT.sub(" not", text.lower().replace("-", ""))
    words = frozenset(stem(word) for word in re.findall(r"\w+", plainly) if word not in _IDLE)
    return _Rule(document, line, said, text, pattern, words)


def _are_apart(one: str, other: str) -> bool:
    """True for two path globs that cover no file in common, as far as their folders tell."""
    if not one or not other or one == other:
        return False
    first, second = (pattern.partition("*")[0] for pattern in (one, other))
    ends = one.rpartition(".")[2], other.rpartition(".")[2]
    differ = all(end.isalnum() for end in ends) and ends[0] != ends[1]
    return differ or not (first.startswith(second) or second.startswith(first))


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    common = one & other
    return len(common) >= _LEAST_WORDS and len(common) / len(one | other) >= _ALIKE
