"""Finds code by its structure: ast-grep patterns and tree-sitter queries. Pure: text in, spans out.

Patterns come from the store, so every cost is bounded: the length of a pattern, the text that it searches, the number
of matches. Queries may not use predicates with regular expressions of Python, which can run for ever; ast-grep has no
such expressions.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tree_sitter

from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.parser import has_grammar, line_starts_of, loaded_grammar
from memlsp.model.belief import Guard, GuardEngine
from memlsp.model.errors import BadValue
from memlsp.model.place import Span

if TYPE_CHECKING:
    from ast_grep_py import Config, Pattern, SgNode

LONGEST_PATTERN = 2_000  # characters
LARGEST_TEXT = 1_000_000  # bytes; larger files are no code that people write
MOST_MATCHES = 50  # reported in one file

_CALL = re.compile(r"^[\w.$:>\[\]*&-]+\(.*\)$", re.DOTALL)
# Languages, surroundings and parts of statements, which `patterns.toml` explains.
_TABLES = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text("utf-8"))
_AST_GREP = frozenset[str](_TABLES["languages"])
_CALL_CONTEXTS: dict[str, str] = _TABLES["calls"]
_SURROUNDINGS: dict[str, list[str]] = _TABLES["surroundings"]
_PARTS: list[dict[str, Any]] = _TABLES["parts"]
_PREDICATE = re.compile(r"#([\w-]+[?!])")
_PREDICATES = frozenset({"eq?", "not-eq?", "any-eq?", "any-not-eq?", "any-of?", "not-any-of?"})
_WORD = re.compile(r"[^\W\d]\w{2,}")
_VARIABLE = re.compile(r"\$+[A-Z_][A-Z_0-9]*|\$\$\$")
_QUERY_STRINGS = re.compile(r'"(?:\\.|[^"\\])*"')


def pattern_languages() -> tuple[str, ...]:
    """The languages that ast-grep patterns can be written in, sorted."""
    return tuple(sorted(_AST_GREP))


def check_guard(guard: Guard) -> None:
    """Raise BadValue with the reason for a guard that cannot be read."""
    if not guard.pattern.strip():
        raise BadValue("the guard has no pattern", "must not python: requests.get($$$)")
    if len(guard.pattern) > LONGEST_PATTERN:
        raise BadValue(f"the guard's pattern is longer than {LONGEST_PATTERN:,} characters", "say it in several guards")
    if "\0" in guard.pattern:
        raise BadValue("the guard's pattern holds a null character")
    if guard.engine is GuardEngine.QUERY:
        _check_query(guard)
    else:
        _check_pattern(guard)


def find_guarded(guard: Guard, source: bytes, within: Span | None = None) -> tuple[Span, ...]:
    """The spans that the guard's pattern matches in a source text, in its order, at most 50. With `within`, only those
    that begin inside it. A text over 1 MB and an unreadable guard give none."""
    if len(source) > LARGEST_TEXT or not all(needle in source for needle in needles(guard)):
        return ()
    try:
        spans = _query_matches(guard, source) if guard.engine is GuardEngine.QUERY else _matches(guard, source)
    except (BadValue, RuntimeError, ValueError, tree_sitter.QueryError):
        return ()  # written by another version, whose grammars were others
    kept: list[Span] = []
    for span in spans:
        if within is None or within.start_byte <= span.start_byte < within.end_byte:
            kept.append(span)
            if len(kept) == MOST_MATCHES:
                break
    return tuple(kept)


@lru_cache(maxsize=256)
def needles(guard: Guard) -> tuple[bytes, ...]:
    """Words that every matching text contains: most files are ruled out without being parsed."""
    if guard.engine is GuardEngine.QUERY:
        return ()
    words = _WORD.findall(_VARIABLE.sub(" ", guard.pattern))
    return tuple(word.encode() for word in sorted(set(words), key=lambda word: (-len(word), word))[:3])


# --- ast-grep


def _check_pattern(guard: Guard) -> None:
    if guard.language not in _AST_GREP:
        raise BadValue(
            f"ast-grep does not read {guard.language}",
            f"patterns can be written in {', '.join(pattern_languages())}; a query in every language with a grammar",
        )
    try:
        _root(guard.language, "x").find_all(_rule(guard))
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).partition("Stack backtrace")[0].splitlines() if line.strip()]
        why = re.sub(r"^\d+:\s*", "", lines[-1]).partition("Please check")[0].strip() if lines else "it cannot be read"
        raise BadValue(f"not a pattern in {guard.language}: {guard.pattern!r}: {why}", _HINT) from None
    if _part_of(guard) is not None:
        return  # the pattern engine found it in what it stands in
    if all(_has_errors(text, guard.language) for text in _readings(guard.pattern)):
        raise BadValue(f"not a pattern in {guard.language}: {guard.pattern!r} does not parse", _HINT)


_HINT = "write code, with $NAME for one thing and $$$ for any number: requests.get($$$)"


def _readings(pattern: str) -> Iterator[str]:
    """The pattern as plain code: `$$$` may stand where a name may not, and may be nothing."""
    yield pattern.replace("$", "\N{MICRO SIGN}")
    yield re.sub(r"\$\$\$[A-Z_0-9]*", "", pattern).replace("$", "\N{MICRO SIGN}")


def _has_errors(text: str, language: str) -> bool:
    shown = [text, *(around.format(text) for around in _SURROUNDINGS.get(language, ()))]
    return all(bool(_root(language, each).find_all({"rule": {"kind": "ERROR"}})) for each in shown)


def _root(language: str, text: str) -> SgNode:
    from ast_grep_py import SgRoot  # late: most beliefs have no guard

    return SgRoot(text, language).root()


def _part_of(guard: Guard) -> dict[str, Any] | None:
    """The part of a statement that the pattern is, with the code that it can stand in; None for other patterns."""
    pattern = guard.pattern.strip()
    parts = (each for each in _PARTS if guard.language in each["languages"])
    return next((each for each in parts if re.match(each["begins"], pattern)), None)


def _rule(guard: Guard) -> Config:
    pattern = guard.pattern.strip()
    part = _part_of(guard)
    if part is not None:
        return {"rule": {"pattern": _within(part["around"], pattern, part["kind"])}}
    context = _CALL_CONTEXTS.get(guard.language)
    if context is None or not _CALL.match(pattern):
        return {"rule": {"pattern": guard.pattern}}
    inside = _within(context, pattern.rstrip(";"), "call_expression")
    return {"rule": {"any": [{"pattern": guard.pattern}, {"pattern": inside}]}}


def _within(around: str, pattern: str, kind: str) -> Pattern:
    return {"context": around.format(pattern), "selector": kind, "strictness": "smart"}


def _matches(guard: Guard, source: bytes) -> Iterator[Span]:
    if guard.language not in _AST_GREP:
        return
    text = _decoded(source)
    found = _root(guard.language, text).find_all(_rule(guard))
    places = _CharacterOffsets(source, text)
    seen: set[tuple[int, int]] = set()
    for node in sorted((node.range() for node in found), key=lambda r: (r.start.index, -r.end.index)):
        ends = (node.start.index, node.end.index)
        if ends not in seen:
            seen.add(ends)
            yield places.span(*ends)


def _decoded(source: bytes) -> str:
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError:
        return source.decode("latin-1")  # so that a character is a byte


class _CharacterOffsets:
    """From offsets in characters, as ast-grep counts them, to spans."""

    def __init__(self, source: bytes, text: str) -> None:
        self._text = text
        self._exact = len(source) == len(text)
        self._lines = line_starts_of(source)

    def span(self, start: int, end: int) -> Span:
        first, last = self._offset(start), self._offset(end)
        line = bisect_right(self._lines, first) - 1
        end_line = bisect_right(self._lines, max(first, last - 1)) - 1
        return Span(first, last, line, end_line, first - self._lines[line])

    def _offset(self, index: int) -> int:
        return index if self._exact else len(self._text[:index].encode())


# --- tree-sitter queries


@lru_cache(maxsize=64)
def _query(language: str, text: str) -> tuple[tree_sitter.Language, tree_sitter.Query]:
    known = language_named(language)
    if known is None or not has_grammar(known):
        raise BadValue(f"there is no grammar for {language!r}", "name a language as in: must not python query: (...)")
    grammar = loaded_grammar(known)
    return grammar, tree_sitter.Query(grammar, text)


def _check_query(guard: Guard) -> None:
    bare = _QUERY_STRINGS.sub('""', guard.pattern)
    refused = sorted({f"#{name}" for name in _PREDICATE.findall(bare)} - {f"#{name}" for name in _PREDICATES})
    if refused:
        raise BadValue(f"a guard's query may not use {', '.join(refused)}", "use #eq?, #any-of? and their negations")
    if "@" not in bare:
        raise BadValue("the query names no place", "name the node to point at: (call) @here")
    try:
        _query(guard.language, guard.pattern)
    except (tree_sitter.QueryError, ValueError, SyntaxError) as error:
        raise BadValue(f"not a query for {guard.language}: {' '.join(str(error).split())}") from None


def _query_matches(guard: Guard, source: bytes) -> Iterator[Span]:
    _check_query(guard)
    grammar, query = _query(guard.language, guard.pattern)
    tree = tree_sitter.Parser(grammar).parse(source)
    cursor = tree_sitter.QueryCursor(query, match_limit=256)
    spans: set[tuple[int, int, int, int, int]] = set()
    for _, captures in cursor.matches(tree.root_node):
        nodes = [node for name in captures for node in captures[name]]
        if not nodes:
            continue
        first = min(nodes, key=lambda node: (node.start_byte, -node.end_byte))
        start, end = first.start_point, first.end_point
        spans.add((first.start_byte, first.end_byte, start.row, end.row, start.column))
    for start_byte, end_byte, line, end_line, column in sorted(spans):
        yield Span(start_byte, end_byte, line, end_line, column)
