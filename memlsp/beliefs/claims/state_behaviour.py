"""Holds what a statement says that the code does against one state of it: raising, returning, calling, using, order."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Action, Claims, Mention
from memlsp.beliefs.claims.clause_roles import clause_bounds, is_aside, is_conditional, names_another
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
_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})


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
        elif not mention.denied and _RE["raising"].search(lead) and mention.parts[-1][:1].isupper():
            yield from _raised(code, mention)
        elif _is_exception(mention.parts[-1]) and not mention.denied:
            if _RE["being"].search(lead) or _RE["raised"].match(claims.text[mention.end :]):
                yield from _raised(code, mention)
            elif _RE["catching"].search(lead):
                yield from _caught(code, mention)
        elif mention.denied:
            yield from _denied_name(claims, code, mention)
        elif mention.action is Action.EXTEND or code.symbol.kind in _CLASSES:
            yield from _extended(claims, code, mention)
        elif mention.action is Action.CALL:
            yield from _called(claims, code, mention)
    yield from _absent(claims, code)
    yield from _raises_at_all(claims, code)
    yield from _asynchronous(claims, code)
    yield from _returned(claims, code)
    yield from _ordered(claims, code)
    yield from _sorted(claims, code)
    yield from _requested(claims, code)


# --- exceptions


_EXCEPTIONS = ("Error", "Exception", "Warning", "Timeout", "Failure", "_error", "_argument")


def _is_exception(name: str) -> bool:
    return name.endswith(_EXCEPTIONS) or _builtin(name) is not None


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
        if not _RE["qualified"].search(claims.text[mention.end : clause_bounds(claims.text, mention.end)[1]]):
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


def _absent(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """Names and texts that the statement says are at work here, and that the code has nowhere in its file."""
    text = claims.text
    for mention in claims.mentions:
        last = mention.parts[-1] if mention.parts else ""
        ticked = text[max(0, mention.start - 1) : mention.start] == "`"
        if mention.denied or mention.value or not ticked or len(last) < 3 or last in code.subject:
            continue
        if is_aside(text, mention.start) or is_conditional(text, mention.start):
            continue
        start, end = clause_bounds(text, mention.start)
        if _RE["possible"].search(text[start:end]) or text[max(0, mention.start - 2) : mention.start] == ":`":
            continue
        leads = not text[start : mention.start].strip(" `") and _RE["working"].match(text[mention.end : end])
        if not (leads or _RE["means"].search(text[start : mention.start])):
            continue
        if _is_here(code, last):
            yield Finding(mention.text)
        elif code.state.names or code.facts.tokens:
            yield code.differs(mention.text, f"has no {mention.text}", instead=False)
    for quote in claims.quoted:
        said = quote.text.strip()
        if quote.denied or len(said) < 3 or is_aside(text, quote.start) or is_conditional(text, quote.start):
            continue
        if not _RE["quoting"].search(text[: quote.start]):
            continue
        if said.lower() in code.around or any(
            said.lower() in each for state in (code.state, *code.beyond) for each in state.strings
        ):
            yield Finding(quote.text)
        elif code.state.strings:
            yield code.differs(quote.text, f"has no “{quote.text}”", instead=False)


def _is_here(code: PresentCode, name: str) -> bool:
    """True when the file, what the symbol uses or what it calls has the name."""
    if re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", code.around) or code.has_name(name):
        return True
    known = (text for each in code.depends for text in (each.name, each.symbol, each.value, each.path))
    return any(name in text for text in known)


def _denied_name(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    """Something written as code that must not be there, and is."""
    said = mention.parts[-1]
    if said in code.subject or mention.value is not None:
        return
    qualified = _RE["qualified"].search(claims.text[mention.end : clause_bounds(claims.text, mention.end)[1]])
    ruled_out = _RE["ruling_out"].search(claims.text[: mention.start])
    if said in {"None", "null", "nil", "undefined", "True", "False", "true", "false"}:
        return
    qualified = qualified or is_conditional(claims.text, mention.start, sentence=True)
    written = re.compile(rf"(?<!\w){re.escape(mention.text)}(?!\w)")
    used = written.search(code_only(code.source, code.language)) is not None
    if ruled_out and not qualified and used and mention.text not in {p.name for p in code.facts.parameters}:
        yield code.differs(said, f"has {mention.text}", instead=False)
    elif not code.has_name(said):
        yield Finding(said)


def _extended(claims: Claims, code: PresentCode, mention: Mention) -> Iterator[Finding]:
    said = mention.parts[-1]
    lead = claims.text[: mention.start]
    if code.symbol.kind not in _CLASSES or said in code.subject or not said[:1].isupper():
        return
    if not (_RE["extending"].search(lead) or _RE["being"].search(lead)):
        return
    bases = [simple(re.split(r"[<\[(]", base)[0]) for base in code.facts.bases]
    known = {name for dependency in code.depends for name in names_in(dependency.value)}
    if said in bases or said in known or code.has_name(said):
        yield Finding(said)
    elif bases and len([d for d in code.depends if simple(d.name) in bases]) == len(bases):
        yield code.differs(said, f"extends {' and '.join(bases)}")
    elif not bases and code.language not in {"go", "rust", "javascript"} and not code.facts.decorators:
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
