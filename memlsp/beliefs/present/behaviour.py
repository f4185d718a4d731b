"""Holds what a statement says that the code raises or must not use against one state of it."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from memlsp.beliefs.claims import clause_roles
from memlsp.beliefs.claims.claims import Claims, Denial, Mention
from memlsp.beliefs.claims.clause_roles import demands, is_aside, is_conditional, names_another
from memlsp.beliefs.claims.stems import stem, stem_set, word_set
from memlsp.beliefs.claims.symbol_state import names_in, simple
from memlsp.beliefs.present.present_code import Finding, PresentCode, code_only
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import named_lines, patterns, texts
from memlsp.model.belief import BeliefKind

_RE = patterns(__name__)
_WORDS = texts(__name__)
_HARMLESS = word_set(_WORDS["harmless"])
_FAILING = word_set(_WORDS["failing"])
_ROOTS = word_set("Exception Error BaseException RuntimeException Throwable RuntimeError StandardError Errno")
_OF_SUBSCRIPTS = word_set("KeyError IndexError")
_ABSTRACT = word_set("NotImplementedError NotImplementedException UnsupportedOperationException")


def behaviour_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about behaviour."""
    for mention in claims.mentions:
        at = mention.start
        if not mention.parts or is_aside(claims.text, at) or names_another(claims, code.subject, at):
            continue
        if mention.denied:
            yield from _denied_name(claims, code, mention)
        elif _is_planned(claims, code, mention):
            yield code.differs(mention.text, f"has no {mention.text}", instead=False)
        elif code.is_code and mention.parts[-1][:1].isupper() and _says_raised(claims, code, mention):
            yield from _raised(claims, code, mention)


# --- what it can do


def abilities_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """Locks, caches, retries and exceptions that a statement rules out in so many words, and the one lock that it
    claims."""
    source = code_only(code.source, code.language)
    for denial in claims.denials:
        at = denial.start
        limited = is_conditional(claims.text, denial.end, sentence=True) or names_another(claims, code.subject, at)
        circumstance = _RE["circumstance"].search(clause_roles.clause_at(claims.text, at))
        of_a_case = bool(denial.subject & _CASES)  # "a certificate error is never retried"
        if not (limited or circumstance or of_a_case or is_aside(claims.text, at)):
            yield from _ruled_out(denial, code, source)
    free, locked = _RE["lock_free"].search(claims.text), _RE["locks"].search(claims.text)
    if free and not claims.denied_at(free.start()) and not is_aside(claims.text, free.start()):
        if present := _ability("lock", source):
            yield code.differs(free[0], f"has `{present}`", instead=False)
    elif locked and code.is_plain and not claims.denied_at(locked.start()):
        beyond = any("lock" in call.lower() for each in code.reached for call in each.facts.calls)
        if _ability("lock", source):
            yield Finding(locked[0])
        elif clause_roles.is_own_subject(claims, code.subject, locked.start()) and not (beyond or _is_lock(code)):
            yield code.differs(locked[0], "takes no lock", instead=False)


def _ruled_out(denial: Denial, code: PresentCode, source: str) -> Iterator[Finding]:
    said = denial.text.strip(" ,.;")
    stems = {stem(word) for word in re.findall(r"\w+", said)} - _NEUTRAL  # of all words: "on 404" is a condition
    if not stems:
        return
    for ability, its in _ABILITIES.items():
        if stems <= its and (present := _ability(ability, source)):
            yield code.differs(said, f"has `{present}`", instead=False)
    if stems <= _RAISING and code.is_code and code.language in _THROWING and not code.facts.catches:
        own = [simple(name) for name in code.facts.raises if _is_exception(simple(name))]
        if own and not {*own} & _ABSTRACT:
            yield code.differs(said, f"raises {' and '.join(dict.fromkeys(own))}", instead=False)


def _is_lock(code: PresentCode) -> bool:
    """True for a lock's own methods, and in the classes that are one."""
    return any(word in name.lower() for name in code.subject for word in ("lock", "mutex", "semaphore", "acquire"))


def _ability(ability: str, source: str) -> str:
    """The piece of the symbol's own code that has an ability, "" for none."""
    found = _RE[ability].search(source)
    return found[0].strip("( ") if found else ""


def _says_raised(claims: Claims, code: PresentCode, mention: Mention) -> bool:
    """True behind "raises" and the like; behind "returns" and "is" for an error, which some languages return."""
    name, before = mention.parts[-1], claims.text[: mention.start]
    if name in {"True", "False", "None"}:
        return False
    found = _RE["raising"].search(before)
    if found is not None and not found[0].lower().startswith("return"):
        return True
    if _is_exception(name):
        return found is not None or _RE["being"].search(before) is not None
    return found is not None and code.language in {"go", "rust"} and name.startswith("Err")


def _is_planned(claims: Claims, code: PresentCode, mention: Mention) -> bool:
    """True for a name that a plan or a rule wants in this function, whose file does not have it."""
    if not code.is_code or mention.value is not None or not demands(claims.text, BeliefKind.FACT, mention.text):
        return False
    is_name = re.search(r"[a-z][A-Z]|[_:.-]", mention.text.strip("_.-")) is not None  # and no word of prose
    return is_name and mention.text.lower() not in code.around and not code.has_name(mention.text)


# --- exceptions


_THROWING = frozenset({"python", "javascript", "typescript", "tsx", "java", "php", "ruby", "kotlin", "csharp"})
_NEUTRAL = stem_set(_WORDS["neutral"])
_CASES = stem_set("error exception failure timeout status code response answer")
_RAISING = stem_set("raise throw panic fail error exception")
_ABILITIES = {ability: stem_set(listed) for ability, listed in named_lines(__name__, "abilities")}
_EXCEPTIONS = ("Error", "Exception", "Warning", "Timeout", "Failure")


def _is_exception(name: str) -> bool:
    return name.endswith(_EXCEPTIONS) or _builtin(name) is not None


def _raised(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    said = mention.parts[-1]
    raised = {simple(name) for each in (code.symbol, *code.reached) for name in each.facts.raises}
    own = [simple(name) for name in code.facts.raises if _is_exception(simple(name))]
    others = code.differs(said, f"raises {' and '.join(dict.fromkeys(own))}")
    bare = [one for one in raised if one not in _ROOTS]  # a bare `Error` is none of its sorts
    if not bare and own and said not in _ROOTS and _is_made_here(said, code) and not code.has_name(said):
        yield others
    elif any(_is_kind_of(one, said, code) for one in raised):
        yield Finding(said)
    elif _is_left_open(said, raised, own, code):
        return
    elif own:
        yield others
    elif not raised and code.is_plain and not _of_another(claims, code, mention):
        yield code.differs(said, "raises nothing", instead=False)


def _is_left_open(said: str, raised: set[str], own: list[str], code: PresentCode) -> bool:
    """True where the code may raise it in a way that cannot be seen."""
    relaxed = bool(own) and said not in _OF_SUBSCRIPTS
    return code.has_name(said) or said in _ROOTS or bool(raised & _ABSTRACT) or _may_raise(code, relaxed=relaxed)


def _is_made_here(said: str, code: PresentCode) -> bool:
    """True where every exception is made at its `raise` or `throw`, and no call is known to raise one of its own."""
    return _is_exception(said) and len(code.facts.raises) == _throws(code) and not _may_raise(code, relaxed=True)


def _throws(code: PresentCode) -> int:
    """The number of its `raise` and `throw`."""
    return sum(token in {"raise", "throw"} for token in code.facts.tokens)


def _of_another(claims: Claims, code: PresentCode, mention: Mention) -> bool:
    """True where the sentence has a condition before the exception, or names another function: "if False, seek() will
    raise"."""
    called = re.findall(r"(\w+)\(", claims.text)
    return is_conditional(claims.text, mention.start, sentence=True) or bool({*called} - code.subject)


def _is_kind_of(name: str, said: str, code: PresentCode) -> bool:
    """True when the exception `name` is one of the sort `said`, as far as can be told; also the other way round."""
    if name == said or said in _ROOTS or name in {"", *_ROOTS}:
        return True
    other = _builtin(said)
    bases = {part for d in code.depends if simple(d.name) == name for part in names_in(d.value)}
    if said in bases:
        return True
    above = [one for one in map(_builtin, (name, *bases)) if one is not None]
    return other is not None and any(issubclass(one, other) or issubclass(other, one) for one in above)


def _builtin(name: str) -> type[BaseException] | None:
    """The exception of Python's own with this name."""
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def _may_raise(code: PresentCode, *, relaxed: bool) -> bool:
    """True when a call may raise what is not written here. `relaxed`, where it raises something itself, minds only
    calls that are known to fail."""
    if _throws(code) > len(code.facts.raises):
        return True  # it raises again what it caught
    for call in code.unresolved:
        name = simple(call)
        if name in code.facts.raises or _is_exception(name) or name in _HARMLESS:
            continue
        if not relaxed or {word.lower() for word in words(name)} & _FAILING:
            return True
    return not relaxed and re.search(r"\bdel\b|\bawait\b|\[", code_only(code.source, code.language)) is not None


# --- what is ruled out


def _denied_name(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    """Something in backticks that the code must never use or call, and does."""
    ruling = _RE["ruling_out"].search(claims.text[: mention.start])
    if ruling is None or mention.value is not None or mention.parts[-1] in code.subject:
        return
    rest = claims.text[mention.end : clause_roles.clause_bounds(claims.text, mention.end)[1]]
    qualified = _RE["qualified"].search(rest) or is_conditional(claims.text, mention.start, sentence=True)
    written = rf"(?<!\w){re.escape(mention.text)}(?!\w)"
    if re.search(written, code_only(code.source, code.language)) is None:
        yield Finding(mention.text)
    elif not qualified and all(mention.text != parameter.name for parameter in code.facts.parameters):
        yield code.differs(mention.text, f"has {mention.text}", instead=False)
