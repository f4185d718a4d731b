"""Finds the claims of a statement that a change broke.

A claim counts only when the code bore it out when it was verified, and it is broken only when that is gone or something
else has its role now. Everything else about a change of meaning is left to the reader: `changed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlsp.beliefs.claims.case import Case, Loss
from memlsp.beliefs.claims.claims import Amount
from memlsp.beliefs.claims.lost_terms import lost_names, lost_texts, lost_words
from memlsp.beliefs.claims.lost_wordings import lost_wordings
from memlsp.beliefs.claims.quantities import CodeNumber, code_numbers, scale_between
from memlsp.beliefs.claims.refusals import BrokenDenial, broken_denials
from memlsp.beliefs.claims.stems import any_form, is_telling, is_weak, prose_words, stem
from memlsp.beliefs.claims.symbol_state import Holder, listed, name_stems, names_in, simple
from memlsp.beliefs.reasons import ReasonCode, code_of, reason
from memlsp.code.diff.quotes import differing
from memlsp.code.diff.sentences import clauses
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import patterns
from memlsp.model.change import Detail, DetailKind
from memlsp.model.standing import Reason
from memlsp.model.symbol import BODY

_RE = patterns(__name__)
_SMALL = 2  # numbers up to this are in every piece of code; they count with a unit or a name that fits


def broken_claims(case: Case) -> tuple[Reason, ...]:
    """The broken claims as reasons, the clearest first; empty when the change broke none."""
    found: dict[str, Reason] = {}
    for one in _broken(case):
        found.setdefault(one.message, one)
    return tuple(found.values())


def _broken(case: Case) -> Iterator[Reason]:
    for amount in case.claims.amounts:
        # Even one inside a refusal ("without options it tries three times"): the code bore it out, so it was affirmed.
        yield from _broken_amount(case, amount)
    yield from _broken_code(case)
    for losses in (lost_names, lost_texts, lost_words, lost_wordings, wrong_counts, negated_tests):
        for loss in losses(case):
            if case.has_moved(loss.detail or loss.said):
                continue
            yield _told(case, loss.detail, loss.said) if loss.detail else _vanished(case, loss.said, loss.code)
    for refusal in broken_denials(case):
        yield _of_refusal(case, refusal)


# --- numbers


def _broken_amount(case: Case, amount: Amount) -> Iterator[Reason]:
    held = [(number, scale) for _, number in case.before.numbers() if (scale := scale_between(amount.quantity, number))]
    if not held:
        return
    scales, numbers = {scale for _, scale in held}, [number for number, _ in held]
    kept = [holder for holder, number in case.after.numbers() if scale_between(amount.quantity, number) in scales]
    lost = (each for each in _losing(case, amount, scales) if _is_meant_in(case, amount, each, numbers, kept))
    if (detail := next(lost, None)) is not None:
        yield _told(case, detail, amount.quantity.text)
    elif kept:
        yield from _turned(case, amount, scales) if amount.comparison else ()
    elif not (case.has_moved(amount.quantity.text) or all(_is_trivial(amount, each) for each in numbers)):
        yield _vanished(case, amount.quantity.text)


def _losing(case: Case, amount: Amount, scales: set[str]) -> list[Detail]:
    """The details in which an amount is no more, and has not moved to a function that is called now."""
    moved = case.has_moved(amount.quantity.text)
    return [d for d in case.details if _lost_in(amount, d, scales) and not (moved and d.new is None)]


def _is_meant_in(
    case: Case, amount: Amount, detail: Detail, numbers: Sequence[CodeNumber], kept: Sequence[Holder]
) -> bool:
    """True where the detail lost the number that the statement speaks of, and no place that kept one fits better."""
    fit = _fit(amount, Holder(detail.name, detail.old or ""))
    best_kept = max((_fit(amount, holder) for holder in kept), default=-1)
    if kept and (fit < best_kept or fit == 0 or (fit == best_kept and not detail.name)):
        return False
    trivial = fit == 0 and all(_is_trivial(amount, number) for number in numbers)
    telling = bool(detail.name) and all(abs(number.number) == _SMALL for number in numbers)
    return not trivial or telling or _is_exit(case, amount)


def _is_trivial(amount: Amount, number: CodeNumber) -> bool:
    """Small whole numbers occur in every piece of code, unless both sides name the unit."""
    measured = amount.quantity.unit is not None and number.unit is not None
    return not measured and abs(number.number) <= _SMALL and number.number.denominator == 1


def _is_exit(case: Case, amount: Amount) -> bool:
    """True for the code that a program ends with: "ends with code 1" and `os.Exit(1)`."""
    said, tokens = case.claims.text[: amount.quantity.start], case.old.facts.tokens
    if not re.search(r"\b(?:code|status|exits?(?: with)?)\s+$", said, re.IGNORECASE):
        return False
    places = (at for at, token in enumerate(tokens) if token == amount.quantity.text)
    return any("exit" in words(token) for at in places for token in tokens[max(0, at - 3) : at])


def _lost_in(amount: Amount, detail: Detail, scales: set[str]) -> bool:
    """True when the detail had the number, read in one of these scales, and has it no more."""
    had = {scale_between(amount.quantity, number) for number in code_numbers(detail.old or "", detail.name)} & scales
    has = {scale_between(amount.quantity, number) for number in code_numbers(detail.new or "", detail.name)}
    return bool(had) and not had & has


def _fit(amount: Amount, holder: Holder) -> int:
    """The number of words around the amount that are words of the holder's name."""
    return sum(any_form((stem,), amount.near) for stem in holder.stems)


# `at least 18` is `>= 18`, or `< 18` in front of a refusal; and so on for the others.
_FROM, _UP_TO = frozenset({">=", "<"}), frozenset({"<=", ">"})
_FITTING = {"least": _FROM, "less": _FROM, "most": _UP_TO, "more": _UP_TO}
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def _turned(case: Case, amount: Amount, scales: set[str]) -> Iterator[Reason]:
    """The number stayed, and the comparison with it was turned round."""
    fitting = _FITTING[amount.comparison]
    for detail in case.details:
        before = _operators(detail.old or "", amount, scales)
        after = _operators(detail.new or "", amount, scales)
        if before and after and before <= fitting and not after & fitting:
            yield _told(case, detail, amount.quantity.text)
            return


def _operators(text: str, amount: Amount, scales: set[str]) -> frozenset[str]:
    found: set[str] = set()
    for compared in _RE["compared"].finditer(text):
        for side in ("left", "right"):
            if compared[side] and any(
                scale_between(amount.quantity, number) in scales for number in code_numbers(compared[side])
            ):
                operator = compared["operator"]
                found.add(_MIRRORED[operator] if side == "left" else operator)
    return frozenset(found)


# --- code


def _broken_code(case: Case) -> Iterator[Reason]:
    """Code quoted in the statement, `retries >= LIMIT`, that a detail removed and the symbol no longer has."""
    after = case.new.facts
    standing = _squeezed(" ; ".join((*after.conditions, *after.returns, *after.loops)))
    for found in _RE["code"].finditer(case.claims.text):
        said = _squeezed(found[1])
        if not (_RE["signs"].search(said) and re.search(r"\w", said)) or said.lstrip("-").replace("-", "").isalnum():
            continue
        if any(mention.denied for mention in case.claims.mentions if found.start() <= mention.start < found.end()):
            continue
        whole = re.compile(rf"(?<![\w.]){re.escape(said)}(?![\w=])")
        if whole.search(standing):
            continue
        for detail in case.details:
            if whole.search(_squeezed(detail.old or "")) and not whole.search(_squeezed(detail.new or "")):
                yield _told(case, detail, found[1])
                break


def _squeezed(code: str) -> str:
    return re.sub(r"\s+", "", code.replace('"', "'"))


# --- wording


def _of_refusal(case: Case, refusal: BrokenDenial) -> Reason:
    phrase = phrase_of(refusal.detail, case.new.path) if refusal.detail is not None else f"now has `{refusal.found}`"
    message = f"{case.label} {phrase}; the statement rules that out"
    return reason(ReasonCode.DENIED_NOW_PRESENT, message, case.new.path, case.new.name or None)


def _told(case: Case, detail: Detail, said: str) -> Reason:
    message = f"{case.label} {phrase_of(detail, case.new.path)}; the statement says {_quoted(said)}"
    return reason(code_of(detail), message, detail.path or case.new.path, case.new.name or None)


def _vanished(case: Case, said: str, code: ReasonCode = ReasonCode.BODY_CHANGED) -> Reason:
    message = f"{case.label} no longer has what the statement says: {_quoted(said)}"
    return reason(code, message, case.new.path, case.new.name or None)


def phrase_of(detail: Detail, path: str = "") -> str:
    """The detail as a predicate, with code as the language of `path` writes it: `uses RATE, 0.20 -> 0.25 in
    pricing/rates.py`."""
    plain = detail.old is not None and detail.new is not None and not detail.name.endswith(("()", "() raises", BODY))
    if detail.kind is DetailKind.DEPENDENCY and plain:
        where = f" in {detail.path}" if detail.path else ""
        if detail.old == detail.new:
            return f"uses `{detail.name}`, which changed{where}"
        return f"uses `{detail.name}`, {_plain(detail.old or '')} -> {_plain(detail.new or '')}{where}"
    phrases = clauses((detail,), path)
    return phrases[0] if phrases else "changed"


def _plain(text: str) -> str:
    folded = " ".join(text.split()).replace("`", "'")
    return folded if len(folded) <= 60 else folded[:59] + "\N{HORIZONTAL ELLIPSIS}"


def _quoted(said: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{said}\N{RIGHT DOUBLE QUOTATION MARK}"


# --- a test turned into its opposite: one negation came or went and nothing else changed
# (one that comes with swapped branches means the same as before, so any other difference rules this out)

_TESTS = frozenset({DetailKind.CONDITION, DetailKind.RETURN, DetailKind.LOOP, DetailKind.BODY})
_PAIRS = (("==", "!="), ("===", "!=="), ("<", ">="), (">", "<="), ("is", "isnot"), ("in", "notin"))
_OPPOSITES = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_NOT = frozenset({"not", "!"})


def negated_tests(case: Case) -> Iterator[Loss]:
    """The turned test, where the statement speaks of what it tests."""
    if not _is_all(case.old.facts.tokens, case.new.facts.tokens):
        return
    said = {stem(word) for word in prose_words(case.claims.text)}
    said |= {stem(_RE["without"].sub("", word)) for word in prose_words(case.claims.text)}
    said |= {stem(word) for m in case.claims.mentions for part in m.parts for word in words(part)}
    for detail in case.details:
        if detail.kind in _TESTS and detail.old and detail.new:
            spoken = _spoken_of(detail, frozenset(said))
            if spoken:
                yield Loss(_as_said(case.claims.text, spoken), detail)
                return


def _spoken_of(detail: Detail, said: frozenset[str]) -> set[str]:
    named = (word for name in names_in(detail.old or "") for word in words(name))
    return {stem(word) for word in named if is_telling(word) and not is_weak(word) and any_form((stem(word),), said)}


def _as_said(text: str, stems: set[str]) -> str:
    found = (w for w in re.findall(r"[^\W\d_]+", text) if {stem(w), stem(_RE["without"].sub("", w.lower()))} & stems)
    return next(found, next(iter(sorted(stems))))


def _is_all(before: Sequence[str], after: Sequence[str]) -> bool:
    """True when the tokens differ in one negation and nothing else."""
    gone, came = differing(_joined(before), _joined(after))
    if len(gone) == len(came) == 1:
        return _OPPOSITES.get(gone[0]) == came[0]
    return (not gone and len(came) == 1 and came[0] in _NOT) or (not came and len(gone) == 1 and gone[0] in _NOT)


def _joined(tokens: Sequence[str]) -> list[str]:
    """The tokens with `is not` and `not in` as one."""
    out: list[str] = []
    for token in tokens:
        if out and (out[-1], token) in {("is", "not"), ("not", "in")}:
            out[-1] += token
        else:
            out.append(token)
    return out


# --- entries of lists, tuples, sets and tables, for statements such as "three zones"

_VALUED = frozenset({DetailKind.VALUE, DetailKind.DEPENDENCY, DetailKind.BODY, DetailKind.LITERAL, DetailKind.DEFAULT})
_CUT = 155  # a printed value that is longer may lack its end
_LEAST = 2  # one entry is no list that somebody counts
_OPENING, _CLOSING = "([{", ")]}"


def wrong_counts(case: Case) -> Iterator[Loss]:
    """Numbers of the statement that matched a collection's size before the change and no longer do."""
    amounts = [a for a in case.claims.amounts if a.quantity.unit is None and not a.denied and not a.comparison]
    for name, had, has, detail in _counts(case) if amounts else ():
        for amount in amounts if has is not None and had != has else ():
            meant = name in case.subject or any_form(name_stems(name), amount.near)
            if amount.quantity.number == had and meant:
                yield Loss(amount.quantity.text, detail)


def _counts(case: Case) -> Iterator[tuple[str, int | None, int | None, Detail]]:
    for detail in case.details:
        if detail.kind not in _VALUED or not detail.old or not detail.new:
            continue
        if max(len(detail.old), len(detail.new)) < _CUT:
            yield simple(detail.name), entries(detail.old), entries(detail.new), detail
        elif detail.kind is DetailKind.VALUE and detail.name in case.subject:
            yield detail.name, len(case.old.facts.literals), len(case.new.facts.literals), detail


def entries(text: str) -> int | None:
    """The number of entries of the collection that a text writes out; None when it writes none."""
    text = _RE["quoted"].sub("''", text).strip().rstrip(";").rstrip()
    found = _last_group(text)
    if found is None:
        return None
    before, inside = found
    parts = [part.strip() for part in listed(inside)[0]]
    if parts and not parts[-1]:
        parts.pop()
    made = bool(_RE["maker"].search(before))
    if text[len(before)] == "(" and before and not made:
        return None
    if len(parts) == 1 and made and parts[0][:1] in _OPENING:
        return entries(parts[0])
    return len(parts) if len(parts) >= _LEAST else None


def _last_group(text: str) -> tuple[str, str] | None:
    """The text before the bracket group that ends it, and the content of that group."""
    if not text or text[-1] not in _CLOSING:
        return None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] in _CLOSING:
            depth += 1
        elif text[at] in _OPENING:
            depth -= 1
            if not depth:
                return text[:at].rstrip() if text[at] != "(" else text[:at], text[at + 1 : -1]
    return None
