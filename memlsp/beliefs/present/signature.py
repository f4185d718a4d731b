"""Holds what a statement says of the declaration of a symbol against the code: how many parameters it takes and which
of them may be left out, who may see it, what sort of definition it is, what it inherits from and what type it returns.

Only a sentence whose subject is the symbol itself counts: "takes no arguments" is often said of a callback.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import affirms, is_aside, is_conditional, is_own_subject
from memlsp.beliefs.claims.quantities import quantities_in
from memlsp.beliefs.claims.symbol_state import simple
from memlsp.beliefs.present.present_code import Finding, PresentCode, code_only
from memlsp.code.vocabulary import named_lines, patterns
from memlsp.model.symbol import Parameter, SymbolKind

_RE = patterns(__name__)
_TYPES = {name: family for family, names in named_lines(__name__, "types") for name in names.split()}
_MEMBERS_ARE_PUBLIC = frozenset({"php", "kotlin", "typescript", "tsx", "javascript", "ruby"})
_HAS_MODIFIERS = frozenset({"java", "php", "kotlin", "typescript", "tsx", "csharp", "ruby", "cpp"})
_VISIBLE = ("public", "private", "protected", "internal")
_SCRIPTS = frozenset({"typescript", "tsx", "javascript"})
_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.TYPE, SymbolKind.INTERFACE, SymbolKind.ENUM})


def signature_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about the declaration."""
    if code.is_code and not code.overloaded:
        yield from _arity(claims, code)
        yield from _return_type(claims, code)
    yield from _left_out(claims, code)
    if code.symbol.name:
        yield from _visibility(claims, code)
        yield from _sort(claims, code)
    if code.symbol.kind in _CLASSES:
        yield from _bases(claims, code)


def _own(claims: Claims, code: PresentCode, at: int, *, negated: bool = False) -> bool:
    """True for what is said of this symbol, of the present and without a condition; `negated` for "takes no ...", in
    which the negation is part of what is said."""
    return (
        is_own_subject(claims, code.subject, at)
        and (negated or not claims.denied_at(at))
        and not is_aside(claims.text, at)
        and not is_conditional(claims.text, at)
    )


# --- parameters


def _parameters(code: PresentCode) -> list[Parameter] | None:
    """Those that a caller gives, None where their number is open."""
    listed = [each for each in code.made_with if each.name not in {"self", "cls", "*", "/"}]
    is_open = any(each.name[:1] in {"*", "&", "{", "[", "."} or (each.type or "").startswith("...") for each in listed)
    return None if is_open else listed


def _arity(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    for found in _RE["arity"].finditer(claims.text):
        listed, none = _parameters(code), found["none"] is not None
        if listed is None or not _own(claims, code, found.start(), negated=none):
            continue
        amounts = () if none else quantities_in(found["number"])
        if len(amounts) != (0 if none else 1):
            continue
        number = int(amounts[0].number) if amounts else 0
        needed = [each for each in listed if each.default is None]
        agrees = number in {len(listed), len(needed)}
        if agrees or (found["sort"] is None and not (none and not needed)):
            yield code.answers(found["said"], agrees, f"takes {len(listed)} parameter{'' if len(listed) == 1 else 's'}")


def _left_out(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """A parameter that may or must be given, or that has a default."""
    given = {each.name.lstrip("$&").rstrip(":?"): each for each in code.made_with}
    for found in _RE["left_out"].finditer(claims.text):
        parameter = given.get(found["name"])
        if parameter is None or not affirms(claims, found.start()) or _is_filled_in(found["name"], code):
            continue
        free = parameter.default is not None
        said = found["said"] or found["none"] or found["default"]
        if said.lower() in {"required", "mandatory", "no default"}:
            if free and parameter.default not in {"...", "None"}:
                yield code.differs(said, f"has {found['name']}={parameter.default}", instead=False)
            elif not free:
                yield Finding(said)
        elif free:
            yield Finding(said)
        elif code.language in {"python", "ruby", "php"} and not _RE["nullable"].search(parameter.type or ""):
            yield code.differs(said, f"has no default for {found['name']}", instead=False)


def _is_filled_in(name: str, code: PresentCode) -> bool:
    """True where the code gives the parameter another value itself."""
    source = code_only(code.source, code.language)
    return re.search(rf"(?<![\w.])\$?{re.escape(name)}\s*(?:\|\|=|\?\?=|=(?!=)|\?\?|\|\||\bor\b)", source) is not None


# --- who sees it, and what it is


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


def _sort(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """A property, a method, a dataclass..."""
    found = _RE["sort"].search(claims.text)
    if found is not None and code.language == "python" and _own(claims, code, found.start()):
        if code.symbol.kind is SymbolKind.METHOD:
            yield from _sort_of_method(found["said"], code)
        elif code.symbol.kind is SymbolKind.CLASS:
            yield from _sort_of_class(found["said"], code)


def _sort_of_method(word: str, code: PresentCode) -> Iterator[Finding]:
    said = word.lower().replace(" ", "")
    decorators = {simple(each) for each in code.facts.decorators}
    if said in {"property", "method"}:
        is_property = any("property" in each for each in decorators)
        agrees = is_property == (said == "property")
        if agrees or said == "method" or not decorators:
            yield code.answers(word, agrees, "is a property" if is_property else "is a method")
    elif said in {"classmethod", "staticmethod"}:
        (other,) = {"classmethod", "staticmethod"} - {said}
        if not decorators or decorators & {said, other}:
            has = f"is a {other}" if other in decorators else "is a method of objects"
            yield code.answers(word, said in decorators, has)


def _sort_of_class(word: str, code: PresentCode) -> Iterator[Finding]:
    kinds = [each for each in code.facts.decorators if re.match(r"(?:dataclasses\.)?dataclass\b", each)]
    if word.lower() == "frozen":
        if kinds and "frozen" not in kinds[0]:
            yield code.differs(word, "is not frozen", instead=False)
    elif word.lower() == "dataclass" and (kinds or not (code.facts.decorators or code.facts.bases)):
        yield code.answers(word, bool(kinds), "is a plain class", instead=False)


def _bases(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    for mention in claims.mentions:
        found = _RE["inherits"].search(claims.text[: mention.start])
        if found is None or mention.denied or not mention.parts or not _own(claims, code, found.start()):
            continue
        said, bases = mention.parts[-1], [simple(re.sub(r"[\[<].*", "", each)) for each in code.facts.bases]
        if said in bases:
            yield Finding(mention.text)
        elif len(bases) == 1:
            straight = found["straight"] or claims.text[mention.end :].lstrip("` ").startswith("direct")
            if straight or not (_comes_from(bases[0], said, code) or code.has_name(said)):
                yield code.differs(mention.text, f"inherits from {bases[0]}")


def _comes_from(base: str, said: str, code: PresentCode) -> bool:
    """True where a base may be a sort of what is said."""
    own, other = getattr(builtins, base, None), getattr(builtins, said, None)
    if isinstance(own, type) and isinstance(other, type):
        return issubclass(own, other)
    return any(simple(each.name) == base and re.search(rf"\b{re.escape(said)}\b", each.value) for each in code.depends)


# --- what it returns


def _return_type(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    found = list(_RE["returned_type"].finditer(claims.text))
    declared = code.facts.return_type
    if len(found) != 1 or declared is None or not _own(claims, code, found[0].start()):
        return
    outer = re.sub(r"^(?:readonly|const|final|&|'\w+ )\s*|[\[<(].*|\?$", "", declared.strip("'\"")).strip()
    if code.language == "go" or "|" in declared or not outer:
        return
    word = found[0]["type"]
    said, has = _TYPES.get(word.lower()), _TYPES.get(simple(outer).lower())
    if declared.endswith("[]"):
        has = "list"
    if said is not None and has is not None:
        inside = any(_TYPES.get(part.lower()) == said for part in re.findall(r"\w+", declared))
        if said == has or not (inside or word.lower() in declared.lower()):
            yield code.answers(word, said == has, f"returns {declared}")
