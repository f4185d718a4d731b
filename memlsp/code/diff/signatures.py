"""Compares two signatures: parameters, types, modifiers, decorators and bases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from attrs import evolve

from memlsp.code.diff.similarity import family
from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import Parameter, Symbol

MODULE_OF_HINTS = re.compile(r"\b(?:_?typing|_?te?|typing_extensions|collections\.abc|_?cabc)\.")
"""The modules of Python's type hints, as they are imported."""
_CAPITAL_HINTS = re.compile(r"\b(List|Dict|Set|FrozenSet|Tuple|Type)\b")


# the parts of `a, b = [1, 2], c: {d}`
_PART = re.compile(r"(?:[^,{}()\[\]]|[{(\[](?:[^{}()\[\]]|[{(\[][^{}()\[\]]*[})\]])*[})\]])+")


def unpacked(old: Symbol, new: Symbol) -> tuple[Symbol, Symbol]:
    """Both with what they take out of an object, `{a, b = 2}`, as parameters, unless that itself is declared apart."""
    held = [[p for p in each.facts.parameters if p.name[:1] == "{"] for each in (old, new)]
    declared = [[(p.default, "{" if (p.type or "")[:1] == "{" else p.type) for p in side] for side in held]
    if not held[0] or declared[0] != declared[1]:
        return old, new
    before, after = (
        evolve(each, facts=evolve(each.facts, parameters=tuple(_taken_out(each.facts.parameters))))
        for each in (old, new)
    )
    return before, after


def _taken_out(parameters: Sequence[Parameter]) -> Iterator[Parameter]:
    for each in parameters:
        if each.name[:1] != "{":
            yield each
        for part in _PART.findall(each.name[1:-1]) if each.name[:1] == "{" else ():
            head, _, default = part.strip().partition(" = ")
            name = head.partition(":")[0]
            typed = re.search(rf"[{{;,] ?{re.escape(name)} ?\??: ([^;,}}]+)", each.type or "")
            yield Parameter(name, typed[1] if typed else None, default or None)


def signature_details(old: Symbol, new: Symbol, *, same_meaning: bool, renames: dict[str, str]) -> Iterator[Detail]:
    """The differing parameters, types, modifiers, decorators and bases. Adds renamed parameters to `renames`."""
    before, after = old.facts, new.facts
    if before.parameters != after.parameters:
        yield from _parameter_details(before.parameters, after.parameters, new, same_meaning, renames)
    if not _ignores_hints(new) and before.return_type != after.return_type:
        kind = DetailKind.RETURN_TYPE if family(new.kind) == "callable" else DetailKind.TYPE
        yield Detail(kind, "", before.return_type, after.return_type)
    yield from _listed(before.modifiers, after.modifiers, DetailKind.MODIFIER_ADDED, DetailKind.MODIFIER_REMOVED)
    yield from _decorator_details(before.decorators, after.decorators)
    yield from _listed(before.bases, after.bases, DetailKind.BASE_ADDED, DetailKind.BASE_REMOVED)


def _parameter_details(
    old: Sequence[Parameter], new: Sequence[Parameter], symbol: Symbol, same_meaning: bool, renames: dict[str, str]
) -> list[Detail]:
    renamed = _renamed_parameters(old, new, same_meaning)
    renames.update({left.name: right.name for left, right in renamed})
    details = [Detail(DetailKind.PARAMETER_RENAMED, right.name, left.name, right.name) for left, right in renamed]
    gained, lost = (
        _unknown(new, old, [right for _, right in renamed]),
        _unknown(old, new, [left for left, _ in renamed]),
    )
    details += [Detail(DetailKind.PARAMETER_ADDED, p.name, None, _declared(p, symbol)) for p in gained]
    details += [Detail(DetailKind.PARAMETER_REMOVED, p.name, _declared(p, symbol), None) for p in lost]
    before, after = {p.name: p for p in old}, {p.name: p for p in new}
    kept = [(before[name], after[name]) for name in after if name in before]
    for left, right in (*kept, *renamed):
        details += _changed_details(left, right, symbol)
    if _are_reordered([renames.get(p.name, p.name) for p in old], [p.name for p in new]):
        orders = (", ".join(p.name for p in side) for side in (old, new))
        details.append(Detail(DetailKind.PARAMETERS_REORDERED, "", *orders))
    return details


def _unknown(side: Sequence[Parameter], other: Sequence[Parameter], renamed: Sequence[Parameter]) -> list[Parameter]:
    """The parameters of a side that the other side does not have, under another name neither."""
    names = {p.name for p in other}
    return [p for p in side if p.name not in names and all(p is not each for each in renamed)]


def _changed_details(left: Parameter, right: Parameter, symbol: Symbol) -> Iterator[Detail]:
    if _plain_default(left.default) != _plain_default(right.default):
        yield Detail(DetailKind.DEFAULT, right.name, left.default, right.default)
    if not _ignores_hints(symbol) and left.type != right.type:
        yield Detail(DetailKind.TYPE, right.name, left.type, right.type)


def _plain_default(text: str | None) -> str | None:
    """A default without the names of a lambda's own parameters."""
    head = _LAMBDA.match(text or "")
    for number, name in enumerate(re.findall(r"\w+", head[1]) if head else ()):
        text = re.sub(rf"(?<![\w.]){name}\b", f"·{number}", text or "")
    return text


_LAMBDA = re.compile(r"lambda ([\w, ]+):")


def _renamed_parameters(
    old: Sequence[Parameter], new: Sequence[Parameter], same_meaning: bool
) -> list[tuple[Parameter, Parameter]]:
    """The former and the present parameter of each rename."""
    here, there = {p.name for p in old}, {p.name for p in new}
    lost = [(index, p) for index, p in enumerate(old) if p.name not in there]
    gained = [(index, p) for index, p in enumerate(new) if p.name not in here]
    pairs: list[tuple[Parameter, Parameter]] = []
    alone = len(lost) == len(gained) == 1
    for index, parameter in lost:
        partner = next((each for each in gained if _is_renamed(index, parameter, *each, same_meaning, alone)), None)
        last_of_both = len(gained) == len(lost) - len(pairs) == 1
        if partner is None and last_of_both and len(old) == len(new) and same_meaning:
            partner = gained[0]
        if partner is not None:
            gained.remove(partner)
            pairs.append((parameter, partner[1]))
    return pairs


def _are_reordered(old: Sequence[str], new: Sequence[str]) -> bool:
    """True when the names that both lists hold stand in another order."""
    kept = [name for name in old if name in new]
    stay = [name for name in new if name in kept]
    return kept != stay and Counter(kept) == Counter(stay)


def _is_renamed(index: int, old: Parameter, there: int, new: Parameter, same_meaning: bool, alone: bool) -> bool:
    """True at the same place, unless declarations contradict it (types may differ `alone`), or one is a receiver."""
    if (old.name in _RECEIVERS) != (new.name in _RECEIVERS):
        return False
    if same_meaning:
        return index == there
    if not alone and old.type is not None and new.type is not None and old.type != new.type:
        return False
    return index == there and old.default == new.default and _stars(old.name) == _stars(new.name)


def _stars(name: str) -> int:
    return len(name) - len(name.lstrip("*."))


def _declared(parameter: Parameter, symbol: Symbol) -> str:
    """A parameter in print, without hints that the language ignores."""
    text = parameter.name
    if parameter.type and not _ignores_hints(symbol):
        text += f": {parameter.type}"
        return f"{text} = {parameter.default}" if parameter.default is not None else text
    if text.endswith(":"):  # Ruby's `tries: 3`
        return text if parameter.default is None else f"{text} {parameter.default}"
    return f"{text}={parameter.default}" if parameter.default is not None else text


def _listed(old: Sequence[str], new: Sequence[str], gain: DetailKind, loss: DetailKind) -> list[Detail]:
    gained, lost = Counter(new) - Counter(old), Counter(old) - Counter(new)
    return [Detail(gain, text, None, text) for text in gained] + [Detail(loss, text, text, None) for text in lost]


def _decorator_details(old: Sequence[str], new: Sequence[str]) -> list[Detail]:
    lost = list((Counter(old) - Counter(new)).elements())
    gained = list((Counter(new) - Counter(old)).elements())
    details: list[Detail] = []
    for text in list(gained):
        name = _head(text)
        before = next((other for other in lost if _head(other) == name or _is_respelled(other, text)), None)
        if before is not None:
            lost.remove(before)
            gained.remove(text)
        if before is not None and not _is_respelled(before, text):
            details.append(Detail(DetailKind.DECORATOR_CHANGED, name, before, text))
    details += [Detail(DetailKind.DECORATOR_ADDED, _head(text), None, text) for text in gained]
    return details + [Detail(DetailKind.DECORATOR_REMOVED, _head(text), text, None) for text in lost]


_RECEIVERS = frozenset({"self", "cls"})


def _is_respelled(old: str, new: str) -> bool:
    """True for `typing.overload`, `t.overload` and `overload`, which is imported in another way."""
    plain = MODULE_OF_HINTS.sub("", old) == MODULE_OF_HINTS.sub("", new)
    return plain or old.endswith(f".{new}") or new.endswith(f".{old}")


def _head(decorator: str) -> str:
    return re.split(r"[(\[{ =]", decorator, maxsplit=1)[0]


# --- hints, which Python ignores at run time


def _ignores_hints(symbol: Symbol) -> bool:
    return symbol.path.endswith((".py", ".pyi", ".pyw"))


def hint_details(old: Symbol, new: Symbol) -> list[Detail]:
    """Python's type hints: one that came, went or is spelled otherwise is a HINT, another type is a TYPE."""
    if not _ignores_hints(new):
        return []
    before = {parameter.name: parameter.type for parameter in old.facts.parameters}
    details = [
        _hint(DetailKind.TYPE, parameter.name, before[parameter.name], parameter.type)
        for parameter in new.facts.parameters
        if parameter.name in before and before[parameter.name] != parameter.type
    ]
    left, right = old.facts.return_type, new.facts.return_type
    if left != right:
        kind = DetailKind.RETURN_TYPE if family(new.kind) == "callable" else DetailKind.TYPE
        details.append(_hint(kind, "" if kind is DetailKind.TYPE else "return", left, right))
    return details


def _hint(kind: DetailKind, name: str, old: str | None, new: str | None) -> Detail:
    if old is None or new is None or _plain_hint(old) == _plain_hint(new):
        return Detail(DetailKind.HINT, name, old, new)
    return Detail(kind, "" if kind is DetailKind.RETURN_TYPE else name, old, new)


def _plain_hint(hint: str) -> str:
    """One spelling for `Optional[X]` and `X | None`, `List` and `list`, `"X"` and `X`."""
    text = re.sub(r"[\s\"']", "", hint)
    text = MODULE_OF_HINTS.sub("", text)
    text = _CAPITAL_HINTS.sub(lambda found: found[1].lower(), text)
    found = re.fullmatch(r"Optional\[(.*)\]", text)
    if found:
        text = f"{found[1]}|None"
    found = re.fullmatch(r"Union\[([^\[\]]*)\]", text)
    if found:
        text = found[1].replace(",", "|")
    return "|".join(sorted(text.split("|"))) if "[" not in text.partition("|")[2] else text
