"""Guards: reads them as people write them, and finds the places that break them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.capture.redaction.redaction import redact
from memlsp.code.languages.detection import language_named, language_of
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.patterns import check_guard, find_guarded, pattern_languages
from memlsp.model.belief import Anchor, Breach, Guard, GuardEngine, Scope, ScopeKind
from memlsp.model.errors import BadValue
from memlsp.model.place import Span
from memlsp.model.standing import Reason
from memlsp.model.symbol import Symbol, SymbolKind

MOST_GUARDS = 8  # of one belief
_HOW = "write 'must not requests.get($$$)' or 'must python: with_retry($$$)'; 'must not python query: (...) @here'"
_WRITTEN = re.compile(r"^(?P<must>must\s+not|must)\b(?P<rest>.*)$", re.DOTALL | re.IGNORECASE)
_HEAD = re.compile(r"^\s*+(?P<language>[A-Za-z_+#]++)?(?:\s*+\b(?P<query>query))?\s*+:\s*(?P<pattern>.+)$", re.DOTALL)
_FAMILIES = {"typescript": ("typescript", "tsx"), "javascript": ("javascript",)}
_ALIASES = {"c++": "cpp", "c#": "csharp", "js": "javascript", "ts": "typescript", "py": "python", "sh": "bash"}
_EXCERPT = 80


def read_guard(text: str, *, paths: Sequence[str], scope: Scope | None) -> Guard:
    """Read a guard: `must [not] [LANGUAGE] [query]: PATTERN`, where the part up to the colon is optional. Without a
    language it takes that of `paths`, or of the scope's glob. Raises BadValue, saying what is wrong."""
    written = _WRITTEN.match(text.strip())
    if written is None:
        raise BadValue(f"not a guard: {text!r}", _HOW)
    must, rest = not written["must"].lower().endswith("not"), written["rest"]
    language, query, pattern = "", False, rest.strip()
    head = _HEAD.match(rest)
    if head is not None and (head["query"] or _is_language(head["language"])):
        named = (head["language"] or "").lower()
        query = bool(head["query"]) or named == "query"
        language, pattern = "" if named == "query" else _ALIASES.get(named, named), head["pattern"].strip()
    language = language or _language_for(paths, scope)
    guard = Guard(pattern, must, language, GuardEngine.QUERY if query else GuardEngine.PATTERN)
    if redact(pattern).found:
        raise BadValue(
            "the guard's pattern holds what looks like a secret", "put $NAME in its place: nothing secret is stored"
        )
    check_guard(guard)
    return guard


def read_guards(texts: Sequence[str], anchors: Sequence[Anchor], scope: Scope | None) -> tuple[Guard, ...]:
    """Read the guards of one belief, each once. Raises BadValue."""
    paths = [anchor.path for anchor in anchors]
    guards = tuple(dict.fromkeys(read_guard(text, paths=paths, scope=scope) for text in texts))
    if len(guards) > MOST_GUARDS:
        raise BadValue(f"a belief carries {MOST_GUARDS} guards at the most", "make it several beliefs")
    return guards


def _is_language(name: str | None) -> bool:
    folded = (name or "").lower()
    folded = _ALIASES.get(folded, folded)
    return folded == "query" or folded in pattern_languages() or language_named(folded) is not None


def _language_for(paths: Sequence[str], scope: Scope | None) -> str:
    known = dict.fromkeys(found for path in paths if (found := language_of(path)) is not None)
    if not known and scope is not None and scope.kind is ScopeKind.GLOB:
        ending = scope.pattern.rstrip("*").rpartition(".")[2]
        guess = language_of(f"x.{ending}") if ending and "/" not in ending else None
        known = {guess: None} if guess else {}
    if len(known) == 1:
        return next(iter(known))
    raise BadValue("which language is the guard written in?", "name it: must not python: requests.get($$$)")


def applies_to(guard: Guard, path: str, head: bytes = b"") -> bool:
    """True when a file is in the guard's language."""
    return language_of(path, head) in _FAMILIES.get(guard.language, (guard.language,))


def breaches_in(
    guard: Guard, path: str, source: bytes, symbol: Symbol | None, outline: Callable[[], Outline | None]
) -> tuple[Breach, ...]:
    """The breaches of a guard in one file, or in one `symbol` of it; () for a file in another language. `outline` is
    called only where something is broken: most files need not be parsed for their symbols."""
    if not applies_to(guard, path, source[:256]):
        return ()
    within = symbol.span if symbol is not None and symbol.kind is not SymbolKind.MODULE else None
    spans = find_guarded(guard, source, within)
    if guard.must:
        if spans:
            return ()
        where = (symbol.name, symbol.name_span) if symbol is not None else ("", Span(0, 0, 0, 0))
        return (Breach(guard, path, *where),)
    read = outline() if spans else None
    return tuple(
        Breach(guard, path, read.at(span.start_line).name if read else "", span, _excerpt(source, span))
        for span in spans
    )


def _excerpt(source: bytes, span: Span) -> str:
    text = source[span.start_byte : span.end_byte].decode("utf-8", "replace").strip()
    line = redact(text).text.partition("\n")[0].strip()
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1].rstrip() + "…"


def breach_reason(breach: Breach) -> Reason:
    """The reason for a standing that a breach gives."""
    guard = breach.guard
    pattern = " ".join(guard.pattern.split())
    at = f"{breach.path}:{breach.span.start_line + 1}"
    if guard.must:
        where = f"`{breach.symbol}` in {breach.path}" if breach.symbol else breach.path
        message = f"nothing in {where} matches `{pattern}`, which must be there"
    else:
        message = f"`{breach.excerpt}` at {at} matches `{pattern}`, which must not be there"
    return reason(ReasonCode.GUARD_BROKEN, message, breach.path, breach.symbol or None)
