"""Finds names, texts and words of a statement that the code had and lost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memlsp.beliefs.claims import symbol_state
from memlsp.beliefs.claims.case import Case, Loss
from memlsp.beliefs.claims.claims import Action, Claims, Constant, Mention
from memlsp.beliefs.claims.quantities import is_unit
from memlsp.beliefs.claims.stems import any_form, is_telling, is_weak, stem, word_set
from memlsp.beliefs.claims.symbol_state import TRUE, has_dotted, name_stems, names_in, simple, simple_holder, strings_in
from memlsp.beliefs.reasons import ReasonCode
from memlsp.code.diff.quotes import common_start
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.change import Detail, DetailKind, detail_kinds

_RE = patterns(__name__)
_LONGEST_PHRASE = 4  # words; a longer literal is a message and no value that one would name


# --- names written as code


def lost_names(case: Case) -> Iterator[Loss]:
    """Identifiers of the statement that the code had in the role the statement gives them, and lost."""
    for mention in case.claims.mentions:
        if mention.denied or not mention.parts or mention.parts[-1] in case.subject:
            continue
        last = mention.parts[-1]
        code = _role_lost(case, mention, last) or _name_lost(case, mention, last)
        if code is not None:
            yield Loss(mention.text, _telling(case.details, last), code)


def _role_lost(case: Case, mention: Mention, last: str) -> ReasonCode | None:
    if _is_parameter_lost(case, mention, last):
        return ReasonCode.SIGNATURE_CHANGED
    for action, had, has in (
        (Action.RAISE, case.before.raises, case.after.raises),
        (Action.CATCH, case.before.catches, case.after.catches),
    ):
        if mention.action is action and last in had:
            return None if last in has else ReasonCode.EXCEPTION_CHANGED
    if mention.action is Action.RETURN:
        detail = _telling((d for d in case.details if d.kind is DetailKind.RETURN_TYPE), last)
        if detail is not None and detail.old is not None:
            return ReasonCode.TYPE_CHANGED  # though a parameter may still be of that type
    if mention.action is Action.CALL:
        had, has = ({simple(call) for call in each.facts.calls} for each in (case.old, case.new))
        if last in had - has:
            return ReasonCode.CALL_CHANGED
    return None


def _is_parameter_lost(case: Case, mention: Mention, last: str) -> bool:
    return any(
        (d.kind is DetailKind.PARAMETER_RENAMED and d.old == last and len(mention.parts) == 1)
        or (d.kind is DetailKind.PARAMETER_REMOVED and d.name.lstrip("*") == last)
        for d in case.details
    )


def _name_lost(case: Case, mention: Mention, last: str) -> ReasonCode | None:
    if last in case.before.names and last not in case.after.names:
        return ReasonCode.BODY_CHANGED
    if last not in case.before.names and _in_strings(last, case.before) and not _in_strings(last, case.after):
        return ReasonCode.LITERAL_CHANGED
    lost = has_dotted(mention.text, case.before) and not has_dotted(mention.text, case.after)
    return ReasonCode.BODY_CHANGED if lost and len(mention.parts) > 1 else None


def _in_strings(name: str, state: symbol_state.SymbolState) -> bool:
    """True for code in strings: the key of a struct tag, a column of a query."""
    exact = re.compile(rf"(?<!\w){re.escape(name.lower())}(?!\w)")
    return len(name) > 1 and any(exact.search(text) for text in state.strings)


def _telling(details: Iterable[Detail], name: str) -> Detail | None:
    """The detail that removed the name, else one that is about it."""
    exact = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for detail in details:
        if exact.search(detail.old or "") and not exact.search(detail.new or ""):
            return detail
    return next((d for d in details if exact.search(d.name) and d.kind is not DetailKind.DEPENDENCY), None)


# --- texts and constants


def lost_texts(case: Case) -> Iterator[Loss]:
    """String literals, quoted code and constants (None, true, empty) that the statement names and the code lost."""
    for detail in case.details:
        for content in strings_in(detail.old or ""):
            if content.lower() in {other.lower() for other in strings_in(detail.new or "")}:
                continue
            if _named_text(case, detail, content):
                yield Loss(content, detail)
    for quote in case.claims.quoted:
        wanted = "".join(quote.text.split())
        if quote.denied or len(wanted) < 2:
            continue
        if wanted in case.before.plain and wanted not in case.after.plain:
            yield Loss(quote.text, next((d for d in case.details if wanted in "".join((d.old or "").split())), None))
    for constant in case.claims.constants:
        if not constant.denied:
            yield from _lost_constant(case, constant)
    yield from _lost_switches(case)
    yield from _lost_demands(case)


def _named_text(case: Case, detail: Detail, content: str) -> bool:
    if content and any(quote.text == content and not quote.denied for quote in case.claims.quoted):
        return True
    parts = content.split()
    written = content.isupper() and re.search(rf"(?<!\w){re.escape(content)}(?!\w)", case.claims.text) is not None
    telling = len(parts) > 1 or written or is_telling(content)
    if not content.strip() or len(parts) > _LONGEST_PHRASE or not telling:
        return False
    offset = case.claims.phrase(content)
    if offset is None or case.claims.denied_at(offset):
        return False
    # It is still there, so it only counts as lost in a role that the statement speaks of.
    return content.lower() not in case.after.strings or bool(name_stems(detail.name) & case.claims.stems)


_WRITTEN = {
    "none": symbol_state.NOTHING | {"Option::None", "Optional.empty()"},
    "true": TRUE,
    "false": symbol_state.FALSE,
    "empty": word_set(texts(__name__)["empty"]),
}


def _lost_constant(case: Case, constant: Constant) -> Iterator[Loss]:
    spelt = _WRITTEN[constant.word]
    if constant.action is Action.RETURN:
        had = [text for text in case.old.facts.returns if text in spelt]
        has = [text for text in case.new.facts.returns if text in spelt]
        if had and not has:
            yield Loss(constant.word, _of_kind(case.details, DetailKind.RETURN, had[0]))
            return
    for detail in case.details:
        if detail.old in spelt and detail.new not in spelt and detail.name and _names_holder(detail, constant.near):
            yield Loss(f"{simple(detail.name)} {constant.word}", detail)
            return


def _of_kind(details: Iterable[Detail], kind: DetailKind, old: str) -> Detail | None:
    of_kind = [detail for detail in details if detail.kind is kind]
    return next((detail for detail in of_kind if detail.old == old), of_kind[0] if of_kind else None)


def _names_holder(detail: Detail, stems: frozenset[str]) -> bool:
    """True when the words include every telling word of the name that holds the value."""
    own = [stem(word) for word in words(simple_holder(detail.name)) if not is_weak(word)]
    return bool(own) and all(any_form((one,), stems) for one in own)


def _lost_switches(case: Case) -> Iterator[Loss]:
    """Switches turned off: "verifies certificates", and `verify=True` is False now."""
    off = [constant.near for constant in case.claims.constants if constant.word == "false" and not constant.denied]
    for detail in case.details:
        went_off = detail.old in TRUE and detail.new not in TRUE and bool(detail.name)
        meant = went_off and _names_holder(detail, case.claims.stems)
        if meant and not any(_names_holder(detail, near) for near in off):
            yield Loss(simple_holder(detail.name), detail)


def _lost_demands(case: Case) -> Iterator[Loss]:
    """Demands given up: "timeout is required", and it has a default now; "optional", and it has none any more."""
    for detail in case.details:
        if detail.kind is not DetailKind.DEFAULT or not _names_holder(detail, _all_stems(case.claims)):
            continue
        if detail.old is None and case.claims.demands & {"required", "mandatory", "obligatory"}:
            yield Loss(f"{detail.name} required", detail)
        elif detail.new is None and "optional" in case.claims.demands:
            yield Loss(f"{detail.name} optional", detail)


def _all_stems(claims: Claims) -> frozenset[str]:
    named = {one for mention in claims.mentions for one in name_stems(mention.text)}
    return claims.stems | named


# --- words of the prose

_LOSING = detail_kinds(texts(__name__)["losing"])
_INSIDE = detail_kinds("condition return loop body value literal default type return_type decorator_changed")
_REFUSING_STEMS = word_set("rais throw panic reject refus")
_CATCHING_STEMS = word_set("catch swallow suppress rescu")


def lost_words(case: Case) -> Iterator[Loss]:
    """Removed things that the prose names by their words: "validates the token first", "requires login"."""
    stems = _prose_stems(case)
    for detail in case.details:
        if detail.kind in _LOSING:
            name = detail.name if detail.kind is DetailKind.PARAMETER_REMOVED else detail.old or detail.name
            said = _said_by(detail.kind, name.partition("(")[0], stems, case)
            if said and not _said_elsewhere(said, case):
                yield Loss(" ".join(_as_written(case.claims.text, said)) or simple(name), detail)
        elif detail.kind in _INSIDE:
            yield from _lost_inside(case, detail, stems)
    yield from _lost_altogether(case, stems)


def _prose_stems(case: Case) -> frozenset[str]:
    """The stems of the affirming prose, without the symbol's own name where it is a plain word."""
    own = {name.lower() for name in case.subject}
    return case.claims.stems - {stem(name) for name in own if name in words(case.claims.text)[:2]}


def _said_by(kind: DetailKind, name: str, stems: frozenset[str], case: Case) -> frozenset[str]:
    """The stems by which the prose names this thing; empty when it does not."""
    parts = [part for part in symbol_state.one_separator(name).split(".") if part]
    if not parts:
        return frozenset()
    last = words(" ".join(parts) if kind is DetailKind.DECORATOR_REMOVED else parts[-1])
    telling, hits = _said_of(last, stems)
    if kind is DetailKind.DECORATOR_REMOVED:
        return hits
    if kind in {DetailKind.RAISE_REMOVED, DetailKind.CATCH_REMOVED}:
        return _exception_said(last, telling, hits, case)
    if kind in {DetailKind.BASE_REMOVED, DetailKind.PARAMETER_REMOVED, DetailKind.MODIFIER_REMOVED}:
        bare = kind is DetailKind.PARAMETER_REMOVED and len(telling) == 1 and not _RE["offers"].search(case.claims.text)
        return hits if telling and not bare and len(hits) == len(set(telling)) else frozenset()
    if telling and hits and _enough(last, telling, hits):
        return hits
    return _package_said(parts, case)


def _said_of(listed: Iterable[str], stems: frozenset[str]) -> tuple[list[str], frozenset[str]]:
    """The words of a name that tell something, and the stems of those that are said."""
    telling = [word for word in listed if not is_weak(word) and not is_unit(word)]
    return telling, frozenset(stem(word) for word in telling if any_form((stem(word),), stems))


def _exception_said(last: tuple[str, ...], telling: list[str], hits: frozenset[str], case: Case) -> frozenset[str]:
    own = [word for word in telling if word not in {"error", "exception", "value", "type", "err"}]
    if not own and len(last) > 1 and case.claims.phrase(" ".join(last).lower()) is not None:
        return frozenset(stem(word) for word in last)  # "a value error", in so many words
    return hits if own and all(stem(word) in hits for word in own) else frozenset()


def _package_said(parts: list[str], case: Case) -> frozenset[str]:
    """`sorted` names the package of `sort.Strings`; the bare word (`every sort of item`) says something else."""
    package = parts[0]
    plain = package.islower() and not is_weak(package) and is_telling(package)
    if len(parts) != 2 or not plain or package in case.after.names:
        return frozenset()
    own = stem(package)
    written = {w.lower() for w in re.findall(r"[^\W\d_]+", case.claims.text) if stem(w) == own}
    inflected = any(word != package and word.endswith(("ed", "ing")) for word in written)
    return frozenset({own}) if inflected and own in case.claims.stems else frozenset()


def _enough(last: tuple[str, ...], telling: list[str], hits: frozenset[str]) -> bool:
    if is_weak(last[0]) and last[0] not in {"is", "has"}:
        return len(telling) > 1 and len(hits) == len(set(telling))
    return stem(telling[0]) in hits or len(hits) * 3 >= len(set(telling)) * 2


def _said_elsewhere(said: frozenset[str], case: Case) -> bool:
    """True when something in the new code has the same words."""
    calls = map(symbol_state.one_separator, case.new.facts.calls)
    heads = {call.partition(".")[0] for call in calls if "." in call}
    fixed = {name for text in (*case.new.facts.tokens, *case.new.facts.uses) for name in names_in(text)}
    names = case.after.names - (heads - fixed)  # what a local is called says nothing of what is done
    return any(all(any_form((one,), name_stems(name)) for one in said) for name in names)


def _as_written(text: str, stems: frozenset[str]) -> list[str]:
    """The statement's own words for these stems."""
    found = re.findall(r"([^\W\d_]+)(\d*)", text)  # `http2` is one word
    return list(dict.fromkeys(f"{word}{number}" for word, number in found if any_form((stem(word),), stems)))[:4]


def _lost_inside(case: Case, detail: Detail, stems: frozenset[str]) -> Iterator[Loss]:
    """Names removed from an expression: `order.date` from a sort key, `Status.PAID` from a condition."""
    # In a role that the statement names (`amount is a number`) it does not matter that the name occurs elsewhere.
    in_role = bool(detail.name) and _names_holder(detail, _all_stems(case.claims))
    for name in _names_gone(case, detail):
        if name in case.subject or (not in_role and name in case.after.names):
            continue
        if (status := _status_said(name, detail, case)) is not None:
            yield Loss(status, detail)
            continue
        shared = _shared_words(name, detail)
        telling, hits = _said_of(filter(is_telling, words(name)[shared:]), stems)
        whole = bool(telling) and len(hits) == len({stem(word) for word in telling})
        if whole and (in_role or not _said_elsewhere(hits, case)):
            yield Loss(" ".join(_as_written(case.claims.text, hits)) or name, detail)


def _shared_words(name: str, detail: Detail) -> int:
    """The number of words that a name and its replacement begin with: `Status` in `StatusGone` and `StatusNotFound`."""
    own = words(name)
    others = [words(other) for other in names_in(detail.new or "") if other not in names_in(detail.old or "")]
    if len(names_in(detail.old or "")) != len(names_in(detail.new or "")):
        return 0
    return max((common_start(own[:-1], other[:-1]) for other in others), default=0)


def _status_said(name: str, detail: Detail, case: Case) -> str | None:
    """The number by which the statement names an HTTP status that the code names by its phrase: 410 for `StatusGone`,
    404 for `HTTP_404_NOT_FOUND`."""
    if "status" not in (detail.old or "").lower():
        return None
    number = STATUSES.get("".join(word for word in words(name) if word not in _STATUS_WORDS and not word.isdigit()))
    said = (a.quantity for a in case.claims.amounts if a.quantity.unit is None and not a.denied)
    return next((each.text for each in said if each.number == number), None)


STATUSES = {
    phrase.replace(" ", ""): int(number)
    for number, phrase in re.findall(r"(\d{3}) ([a-z ]+)", texts(__name__)["phrases"])
}
"""The number of each HTTP status by its phrase without spaces."""
_STATUS_WORDS = frozenset({"status", "http", "code", "sc"})


def _names_gone(case: Case, detail: Detail) -> Iterator[str]:
    """The names that the new side of a detail lacks; local ones only where there is no new side."""
    parameters = {p.name for p in case.old.facts.parameters}
    kept = set(names_in(detail.new or ""))
    for name in dict.fromkeys(names_in(detail.old or "")):
        local = name in parameters or name not in case.before.names
        if name not in kept and (not local or detail.new is None):
            yield name
    # Code in strings, as in `hasRole('ADMIN')` of an annotation; messages have spaces and are no code.
    kept |= {name for text in strings_in(detail.new or "") for name in re.findall(r"[^\W\d]\w+", text)}
    for text in strings_in(detail.old or ""):
        if " " not in text and detail.kind is DetailKind.DECORATOR_CHANGED:
            yield from (name for name in re.findall(r"[^\W\d]\w+", text) if name not in kept)


def _lost_altogether(case: Case, stems: frozenset[str]) -> Iterator[Loss]:
    """All refusals gone: "rejects negative amounts", and nothing is raised any more."""
    for had, has, said, kind in (
        (case.old.facts.raises, case.new.facts.raises, _REFUSING_STEMS, DetailKind.RAISE_REMOVED),
        (case.old.facts.catches, case.new.facts.catches, _CATCHING_STEMS, DetailKind.CATCH_REMOVED),
    ):
        named = said & stems
        if had and not has and named:
            detail = next((d for d in case.details if d.kind is kind), None)
            yield Loss(" ".join(_as_written(case.claims.text, named)), detail, ReasonCode.EXCEPTION_CHANGED)
