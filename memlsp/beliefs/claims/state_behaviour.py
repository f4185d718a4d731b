"""Holds what a statement says that the code does against one state of it: raising, returning, calling, using, order."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Action, Claims, Mention
from memlsp.beliefs.claims.clause_roles import is_aside, names_another
from memlsp.beliefs.claims.present_code import Finding, PresentCode, code_only, without_comments
from memlsp.beliefs.claims.stems import any_form, is_weak, prose_words, stem, word_set
from memlsp.beliefs.claims.symbol_state import name_stems, names_in, simple
from memlsp.beliefs.vocabulary import patterns, texts
from memlsp.code.syntax.names import words
from memlsp.model.symbol import SymbolKind

_RE = patterns(__name__)
_WORDS = texts(__name__)
_HARMLESS = word_set(_WORDS["harmless"])
_FAILING = word_set(_WORDS["failing"])
_ROOTS = word_set("Exception Error BaseException RuntimeException Throwable RuntimeError StandardError Errno")
_NOTHING = frozenset({"None", "null", "nil", "undefined"})


def behaviour_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about behaviour."""
    for mention in claims.mentions:
        if not mention.parts or is_aside(claims.text, mention.start):
            continue
        if names_another(claims, code.subject, mention.start):
            continue
        lead = claims.text[: mention.start]
        if mention.action is Action.RAISE and mention.denied and _is_exception(mention.parts[-1]):
            yield from _denied_raise(claims, code, mention)
        elif _is_exception(mention.parts[-1]) and not mention.denied:
            if _RE["raising"].search(lead) or _RE["raised"].match(claims.text[mention.end :]):
                yield from _raised(code, mention)
            elif _RE["catching"].search(lead):
                yield from _caught(code, mention)
        elif mention.denied:
            yield from _denied_name(claims, code, mention)
        elif mention.action is Action.EXTEND:
            yield from _extended(claims, code, mention)
        elif mention.action is Action.CALL:
            yield from _called(claims, code, mention)
    yield from _raises_at_all(claims, code)
    yield from _asynchronous(claims, code)
    yield from _returned(claims, code)
    yield from _alternatives(claims, code)
    yield from _ordered(claims, code)
    yield from _sorted(claims, code)
    yield from _requested(claims, code)


# --- exceptions


def _is_exception(name: str) -> bool:
    return name.endswith(("Error", "Exception", "Warning", "Timeout", "Failure")) or _builtin(name) is not None


def _raised(code: PresentCode, mention: Mention) -> Iterator[Finding]:
    said = mention.parts[-1]
    raised = {simple(name) for each in (code.symbol, *code.reached) for name in each.facts.raises}
    own = [simple(name) for name in code.facts.raises if _is_exception(simple(name))]
    if any(_is_kind_of(one, said, code) for one in raised):
        yield Finding(said)
    elif not code.is_code or code.has_name(said) or said in _ROOTS or _may_raise(code, relaxed=bool(own)):
        return
    elif own:
        yield code.differs(said, f"raises {' and '.join(dict.fromkeys(own))}")
    elif not raised and code.is_plain:
        yield code.differs(said, "raises nothing", instead=False)


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
    tokens = code.facts.tokens
    if sum(1 for token in tokens if token in {"raise", "throw"}) > len(code.facts.raises):
        return True  # it raises again what it caught
    for call in code.unresolved:
        name = simple(call)
        own = {word.lower() for word in words(name)}
        if name in code.facts.raises or _is_exception(name) or name in _HARMLESS:
            continue
        if not relaxed or own & _FAILING:
            return True
    return not relaxed and bool(
        {"[", "del", "await"} & set(re.findall(r"\w\[|\bdel\b|\bawait\b|\[", code_only(code.source, code.language)))
    )


def _denied_raise(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    said = mention.parts[-1]
    if said in {simple(name) for name in code.facts.raises}:
        if not _RE["qualified"].search(claims.text[mention.end :]):
            yield code.differs(said, f"raises {said}", instead=False)
    elif code.is_code:
        yield Finding(said)


def _raises_at_all(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """A function that "never raises"."""
    if not code.is_code or not code.facts.raises:
        return
    for denial in claims.denials:
        rest = set(prose_words(denial.text)) - word_set(
            "raise raises throw throws panic panics error errors exception exceptions itself anything"
        )
        named = any(denial.start <= mention.start < denial.end for mention in claims.mentions)
        if stem(denial.predicate) in {"rais", "throw"} and not rest and not named:
            caught = {simple(name) for name in code.facts.catches}
            raised = [name for name in map(simple, code.facts.raises) if name and name not in caught]
            if raised and not caught & _ROOTS and not is_aside(claims.text, denial.start):
                what = f"raises {' and '.join(dict.fromkeys(raised))}"
                yield code.differs(denial.text, what, instead=False)


def _caught(code: PresentCode, mention: Mention) -> Iterator[Finding]:
    said = mention.parts[-1]
    catches = {simple(name) for each in (code.symbol, *code.reached) for name in each.facts.catches}
    if any(_is_kind_of(one, said, code) for one in catches):
        yield Finding(said)
        return
    if not code.is_code or code.has_name(said) or code.facts.decorators or said in _ROOTS:
        return
    if re.search(r"\b(?:except\s*:|catch\s*\{|catch\s*\(|rescue\s*$|with)\b", code.source, re.MULTILINE):
        return
    if any(not _is_exception(one) for one in catches):
        return  # a name for several
    if catches:
        yield code.differs(said, f"catches {' and '.join(sorted(catches))}")
    elif not {
        call for call in code.unresolved if simple(call) not in _HARMLESS and call.startswith(("self.", "this."))
    }:
        yield code.differs(said, "catches nothing", instead=False)


# --- calls, names, bases


def _called(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    """A call that the statement names right behind its verb."""
    said = mention.parts[-1]
    if not code.is_code or said in code.subject or is_aside(claims.text, mention.start):
        return
    if code.has_name(said):
        yield Finding(said)
        return
    lead = claims.text[max(0, mention.start - 16) : mention.start]
    if not _RE["calling"].search(lead) or _RE["dispatch"].search(code.source):
        return
    hidden = {call for call in code.unresolved if call.startswith(("self.", "this.")) and simple(call) not in _HARMLESS}
    if not hidden and code.facts.calls:
        yield code.differs(said, f"does not call {said}", instead=False)


def _denied_name(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    """Something written as code that must not be there, and is."""
    said = mention.parts[-1]
    if said in code.subject or mention.value is not None:
        return
    qualified = _RE["qualified"].search(claims.text[mention.end :])
    called = [
        call for call in code.facts.calls if call == mention.text or (len(mention.parts) == 1 and simple(call) == said)
    ]
    ruled_out = _RE["ruling_out"].search(claims.text[: mention.start])
    if called and ruled_out and not qualified and mention.action in {Action.CALL, Action.ANY}:
        yield code.differs(said, f"calls {called[0]}", instead=False)
    elif not code.has_name(said):
        yield Finding(said)


def _extended(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    said = mention.parts[-1]
    if code.symbol.kind not in {SymbolKind.CLASS, SymbolKind.INTERFACE} or said in code.subject:
        return
    if not _RE["extending"].search(claims.text[max(0, mention.start - 24) : mention.start]):
        return
    bases = [simple(re.split(r"[<\[(]", base)[0]) for base in code.facts.bases]
    known = {name for dependency in code.depends for name in names_in(dependency.value)}
    if said in bases or said in known or code.has_name(said):
        yield Finding(said)
    elif bases and len([d for d in code.depends if simple(d.name) in bases]) == len(bases):
        yield code.differs(said, f"extends {' and '.join(bases)}")
    elif not bases and code.language in {"python", "typescript", "java"} and not code.facts.decorators:
        yield code.differs(said, "extends nothing", instead=False)


# --- async, results


def _asynchronous(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    said = _RE["async_said"].search(claims.text)
    if said is None or not code.is_code or is_aside(claims.text, said.start()) or code.language not in _ASYNC:
        return
    wants = said["async"] is not None
    wants = wants is not claims.denied_at(said.start())
    promised = re.search(r"Promise|Future|Task|Awaitable|Coroutine|Deferred", code.facts.return_type or "")
    has = "async" in code.facts.modifiers
    if wants is (has or bool(promised)) or (wants and _RE["promising"].search(code.source)):
        yield Finding(said[0])
    elif wants and not has:
        yield code.differs(said[0], "is not async", instead=False)
    elif has:
        yield code.differs(said[0], "is async", instead=False)


_ASYNC = frozenset({"python", "javascript", "typescript", "tsx", "rust", "csharp"})
_TYPES = {
    kind: re.compile(pattern)
    for line in _WORDS["types"].strip().splitlines()
    for kind, _, pattern in [line.partition(": ")]
}
_APART = [frozenset(line.split()) for line in _WORDS["types_apart"].strip().splitlines()]


def _returned(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The sort of result that it "returns"."""
    said = _RE["returning"].search(claims.text)
    if said is None or not code.is_code or is_aside(claims.text, said.start()) or claims.denied_at(said.start("type")):
        return
    if names_another(claims, code.subject, said.start()):
        return
    word = said["type"].lower()
    kind = next((kind for kind, words_ in _RESULTS.items() if word in words_), "")
    has = _sorts(code)
    if not kind or not has or kind in has:
        if kind in has:
            yield Finding(said["type"])
        return
    if len(has) == 1 and any({kind, *has} <= group for group in _APART):
        shown = code.facts.return_type or next((text for text in code.facts.returns if len(text) < 40), "")
        what = "is a generator" if has == {"generator"} else f"returns {shown}" if shown else f"returns a {min(has)}"
        yield code.differs(said["type"], what)


_RESULTS = {
    kind: word_set(names) for line in _WORDS["results"].strip().splitlines() for kind, _, names in [line.partition(":")]
}


def _sorts(code: PresentCode) -> set[str]:
    """The sorts of its results; empty where they cannot be told."""
    if "yield" in code.facts.tokens:
        return {"generator"}
    declared = code.facts.return_type
    if declared:
        if re.search(r"[|?]|Optional|Union|Option|Result|Any|unknown|Promise|Future", declared):
            return set()
        declared = declared.strip("'\" *&")
        head = re.split(r"[<\[(]", declared)[0].strip()
        return {kind for kind, pattern in _TYPES.items() if pattern.fullmatch(head) or pattern.fullmatch(declared)}
    found: set[str] = set()
    for text in code.facts.returns:
        kind = next((kind for kind, pattern in _TYPES.items() if pattern.fullmatch(text)), None)
        if kind is None:
            return set()
        found.add(kind)
    return found


# --- one tool, format or way in place of another


def _families() -> tuple[tuple[tuple[frozenset[str], frozenset[str]], ...], ...]:
    """For each family its alternatives: the words that say one, and those by which code has it."""
    found: list[tuple[tuple[frozenset[str], frozenset[str]], ...]] = []
    for line in _WORDS["alternatives"].strip().splitlines():
        family: list[tuple[frozenset[str], frozenset[str]]] = []
        for part in line.partition(":")[2].split("|"):
            listed = part.split()
            said = frozenset(re.sub("[_-]", " ", word.lstrip("?")) for word in listed if word[0] != "=")
            has = frozenset(word.lstrip("=").lower() for word in listed if word[0] != "?")
            family.append((said, has))
        found.append(tuple(family))
    return tuple(found)


_FAMILIES = _families()
_AMBIGUOUS = word_set(_WORDS["ambiguous"])


def _alternatives(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    text = claims.text.lower().replace("_", " ").replace("-", " ")
    removed = _removed(claims)
    for family in _FAMILIES:
        said = [(at, word, has) for names, has in family if (found := _first(text, names)) for at, word in [found]]
        affirmed = [
            (at, word, has)
            for at, word, has in said
            if not claims.denied_at(at) and not is_aside(claims.text, at) and word not in removed
        ]
        if len(affirmed) != 1 or names_another(claims, code.subject, affirmed[0][0]):
            continue
        at, word, has = affirmed[0]
        if has & code.all_words or any(_has(code, one) for one in has):
            yield Finding(claims.text[at : at + len(word)])
            continue
        others = [
            one
            for _, evidence in family
            if evidence != has
            for one in sorted(evidence)
            if one in code.own_words or ("." in one and _has(code, one))
        ]
        if others:
            yield code.differs(claims.text[at : at + len(word)], f"has {others[0]}")


def _has(code: PresentCode, word: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", code.around) is not None


def _first(text: str, names: frozenset[str]) -> tuple[int, str] | None:
    for name in sorted(names, key=len, reverse=True):
        found = re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", text)
        if found and (name not in _AMBIGUOUS or _RE["using"].search(text[: found.start()])):
            return found.start(), name
    return None


def _removed(claims: Claims) -> dict[str, str]:
    """The names that a plan wants gone, in lower case."""
    found = [each["name"] or each["name_b"] for each in _RE["removal"].finditer(claims.text)]
    return {name.lower(): name for name in found}


def removals_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """What a decision, rule or plan wants gone and the code still has, or wants and the code has not yet. A description
    that says "removes" speaks of what the code does."""
    known = {word for family in _FAMILIES for _, has in family for word in has}
    known |= {name.lower() for each in code.imports for name in each}
    known -= {parameter.name.lower() for parameter in code.facts.parameters}
    for name, written in _removed(claims).items():
        given = {parameter.name.lower() for parameter in code.facts.parameters}
        if name not in given and (
            name in known or name in {module.lower() for each in code.imports for module in each}
        ):
            if _has(code, name):
                yield code.differs(written, f"still has {written}", instead=False)
            else:
                yield Finding(written)
    for mention in claims.mentions:
        last = mention.parts[-1] if mention.parts else ""
        if mention.denied or mention.value or last in code.subject or is_aside(claims.text, mention.start):
            continue
        if not _RE["wanting"].search(claims.text[max(0, mention.start - 30) : mention.start]):
            continue
        if _has(code, last.lower()) or code.has_name(last):
            yield Finding(mention.text)
        else:
            yield code.differs(mention.text, f"has no {mention.text}", instead=False)


# --- order


def _ordered(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """One call "before" or "after" another."""
    said = _RE["order"].search(claims.text)
    if said is None or not code.is_code or is_aside(claims.text, said.start()) or claims.denied_at(said.start("joint")):
        return
    first, second = said["first"], said["second"]
    if said["joint"].lower() in {"after", "once"}:
        first, second = second, first
    early, late = _matching(first, code), _matching(second, code)
    calls = [simple(call) for call in code.facts.calls]
    if not early or not late or early & late or _RE["deferred"].search(code.source):
        return
    places = [[at for at, call in enumerate(calls) if call in group] for group in (early, late)]
    if min(places[0]) > max(places[1]):
        inner = next(call for call in calls if call in early)
        outer = next(call for call in calls if call in late)
        if not re.search(rf"\b{re.escape(outer)}\s*\([^;\n]*\b{re.escape(inner)}\s*\(", code.source):
            yield code.differs(said["joint"], f"calls {outer} before {inner}", instead=False)
    elif max(places[0]) < min(places[1]):
        yield Finding(said["joint"])


def _matching(phrase: str, code: PresentCode) -> set[str]:
    """The calls that a phrase names by all their telling words."""
    stems = frozenset(stem(word) for word in re.findall(r"[^\W\d_]+", phrase)) | name_stems(" ".join(names_in(phrase)))
    found: set[str] = set()
    for call in code.facts.calls:
        telling = [word for word in words(simple(call)) if not is_weak(word)]
        if telling and all(any_form((stem(word),), stems) for word in telling):
            found.add(simple(call))
    return found


def _sorted(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The direction of the one sort that it has, where nothing is compared by a function."""
    falls = _RE["newest"].search(claims.text)
    said = falls or _RE["oldest"].search(claims.text)
    text = without_comments(code.source, code.language)
    if said is None or is_aside(claims.text, said.start()) or claims.denied_at(said.start()):
        return
    if len(_RE["sorting"].findall(text)) != 1 or _RE["compares"].search(text):
        return
    down = _RE["falling"].search(text) is not None
    if down is (falls is not None):
        yield Finding(said[0])
    else:
        yield code.differs(said[0], "sorts descending" if down else "sorts ascending")


def _requested(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The method of HTTP."""
    said = _RE["method_said"].search(claims.text)
    if said is None or is_aside(claims.text, said.start()) or claims.denied_at(said.start()):
        return
    found = _RE["method_held"].finditer(without_comments(code.source, code.language))
    has = {(each["method"] or each["text"] or each["go"]).upper() for each in found}
    if said["method"] in has:
        yield Finding(said["method"])
    elif has and not code.has_name(said["method"]):
        yield code.differs(said["method"], f"has {' and '.join(sorted(has))}")
