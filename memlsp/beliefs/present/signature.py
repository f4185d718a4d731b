"""Holds what a statement says of who may see a symbol against its declaration.

Only a sentence whose subject is the symbol itself counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import affirms, is_own_subject
from memlsp.beliefs.present.present_code import Finding, PresentCode
from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)
_MEMBERS_ARE_PUBLIC = frozenset({"php", "kotlin", "typescript", "tsx", "javascript", "ruby"})
_HAS_MODIFIERS = frozenset({"java", "php", "kotlin", "typescript", "tsx", "csharp", "ruby", "cpp"})
_VISIBLE = ("public", "private", "protected", "internal")
_SCRIPTS = frozenset({"typescript", "tsx", "javascript"})


def signature_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about the declaration."""
    if code.symbol.name:
        yield from _visibility(claims, code)


def _own(claims: Claims, code: PresentCode, at: int) -> bool:
    """True for what is said of this symbol, of the present and without a condition."""
    return is_own_subject(claims, code.subject, at) and affirms(claims, at)


def _visibility(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    seen = _seen(code)
    for found in _RE["visibility"].finditer(claims.text):
        said = found["said"].lower()
        told = said in seen or said not in {"exported", "unexported"} or code.language in {"go", *_SCRIPTS}
        if seen and told and _own(claims, code, found.start()):
            yield code.answers(found["said"], said in seen, f"is {seen[0]}")


def _seen(code: PresentCode) -> tuple[str, ...]:
    """The words for who sees the symbol, the fittest first; none where that cannot be told."""
    name, modifiers, language = code.symbol.simple_name, set(code.facts.modifiers), code.language
    if language == "go":
        return ("exported", "public") if name[:1].isupper() else ("unexported", "private", "internal")
    if language == "python":
        return _seen_in_python(name)
    if language in _SCRIPTS and not code.symbol.container:
        if "default" in modifiers:
            return ("a default export", "default export", "exported", "public")
        return ("a named export", "named export", "exported", "public") if "export" in modifiers else ()
    declared = [each for each in _VISIBLE if each in modifiers]
    if len(declared) == 1 and language in _HAS_MODIFIERS:
        return (declared[0], "exported") if declared[0] == "public" else (declared[0],)
    if not declared and language in _MEMBERS_ARE_PUBLIC and code.symbol.container and not name.startswith("#"):
        return ("public",) if language != "ruby" else ("public", "private")
    return ()


def _seen_in_python(name: str) -> tuple[str, ...]:
    if name.startswith("__") and name.endswith("__"):
        return ()
    return ("private", "internal", "protected") if name[0] == "_" else ("public", "exported", "private", "internal")
