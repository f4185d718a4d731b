"""One state of a symbol, indexed for looking up claims: names, texts, numbers, by role."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.model.symbol import Dependency, Facts, Symbol

if TYPE_CHECKING:
    from memlsp.beliefs.claims.quantities import CodeNumber

_PIECE = re.compile(
    r"""(?P<string>[rbfuRBFU]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`))|(?P<name>[^\W\d]\w*)""",
    re.DOTALL,
)
_DOTTED = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|\?\.)[^\W\d]\w*)+")


@frozen
class Holder:
    """A piece of code that holds values: its name ("" where it has none) and its text."""

    name: str
    text: str

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its name's words, and of the names in its text when it has no name."""
        return name_stems(self.name or " ".join(names_in(self.text)))


@frozen
class SymbolState:
    """One state of a symbol and of its dependencies."""

    names: frozenset[str]  # every name that is not local, single parts
    dotted: frozenset[str]  # dotted names, one separator
    strings: frozenset[str]  # contents of string literals, lower-case
    raises: frozenset[str]  # simple names
    catches: frozenset[str]
    holders: tuple[Holder, ...]
    plain: str  # everything, without white space, for looking up expressions

    def numbers(self) -> Iterator[tuple[Holder, CodeNumber]]:
        """Every number with its holder."""
        from memlsp.beliefs.claims.quantities import code_numbers  # only what changed is searched for numbers

        for holder in self.holders:
            for number in code_numbers(holder.text, holder.name):
                yield holder, number


def symbol_state(symbol: Symbol, depends: Sequence[Dependency] = ()) -> SymbolState:
    """Index a symbol's facts. Linear in their size, and only needed for changed symbols."""
    facts = symbol.facts
    listed = list(_texts(facts))
    used = [dependency.value for dependency in depends]
    everything = [*listed, " ".join(facts.tokens), *used]
    names = {
        name
        for token in facts.tokens
        if (len(token) == 1 or token[-1:] not in {"'", '"', "`"})
        for name in names_in(token)
    }
    for text in (*_named(facts), *used, *(dependency.name for dependency in depends)):
        names.update(names_in(text))
    names.update(name for name, _ in facts.members)
    return SymbolState(
        names=frozenset(names),
        dotted=frozenset(one_separator(d) for text in (*_named(facts), *used) for d in _DOTTED.findall(text)),
        strings=frozenset(content.lower() for text in everything for content in strings_in(text)),
        raises=frozenset(simple(name) for name in facts.raises),
        catches=frozenset(simple(name) for name in facts.catches),
        holders=tuple(_holders(facts, depends)),
        plain="".join("".join(text.split()) + "\n" for text in everything),
    )


def _texts(facts: Facts) -> Iterator[str]:
    yield from (*facts.decorators, *facts.bases, *facts.calls, *facts.conditions, *facts.returns, *facts.loops)
    yield from (*facts.literals, *(value.value for value in facts.values))
    yield from (parameter.default for parameter in facts.parameters if parameter.default)
    yield from (parameter.type for parameter in facts.parameters if parameter.type)
    if facts.return_type:
        yield facts.return_type


def _named(facts: Facts) -> Iterator[str]:
    """The texts in which no name is local."""
    yield from (*facts.decorators, *facts.bases, *facts.calls, *facts.raises, *facts.catches, *facts.modifiers)
    yield from (*facts.uses, *(value.name for value in facts.values), facts.return_type or "")
    for parameter in facts.parameters:
        yield from (parameter.name, parameter.type or "", parameter.default or "")


def _holders(facts: Facts, depends: Sequence[Dependency]) -> Iterator[Holder]:
    yield from (Holder(parameter.name, parameter.default) for parameter in facts.parameters if parameter.default)
    yield from (Holder(value.name, value.value) for value in facts.values)
    for text in (*facts.decorators, *facts.conditions, *facts.loops, *facts.returns):
        yield Holder("", text)
    yield from (Holder(dependency.name, dependency.value) for dependency in depends)
    yield Holder("", " ".join(facts.tokens)) if facts.tokens else Holder("", " ".join(facts.literals))


@lru_cache(maxsize=4096)
def names_in(text: str) -> tuple[str, ...]:
    """The names in a piece of source text, in order, without those in string literals."""
    return tuple(found["name"] for found in _PIECE.finditer(text) if found["name"])


@lru_cache(maxsize=4096)
def strings_in(text: str) -> tuple[str, ...]:
    """The contents of the string literals in a piece of source text."""
    return tuple(
        found["string"].lstrip("rbfuRBFU")[1:-1] for found in _PIECE.finditer(text) if found["string"] is not None
    )


@lru_cache(maxsize=4096)
def name_stems(name: str) -> frozenset[str]:
    """The stems of all words of a name or of several."""
    from memlsp.beliefs.claims.stems import stems_of_name  # as above

    return frozenset(stems_of_name(name))


def has_dotted(name: str, state: SymbolState) -> bool:
    """True when a dotted name of the state is `name`, begins with its parts or ends with them."""
    name = one_separator(name)
    return any(each == name or each.endswith(f".{name}") or each.startswith(f"{name}.") for each in state.dotted)


def label_of(symbol: Symbol) -> str:
    """The symbol as the subject of a sentence."""
    return f"`{symbol.name}`" if symbol.name else symbol.path


TRUE, FALSE = frozenset({"True", "true"}), frozenset({"False", "false"})
NOTHING = frozenset({"None", "null", "nil", "undefined"})


def one_separator(name: str) -> str:
    """A dotted name with `.` in every language."""
    return re.sub(r"::|->|\?\.", ".", name)


def simple(name: str) -> str:
    """The last part of a dotted name, without arguments."""
    return one_separator(name.partition("(")[0]).rpartition(".")[2]


def simple_holder(name: str) -> str:
    """The innermost name of a holder: `timeout` of `get(timeout)` and of `retry.timeout`, `max` of `RETRY['max']`."""
    inner = re.search(r"[(\[]['\"]?([\w.-]+)['\"]?[)\]]$", name)
    return simple(inner[1] if inner else name)


def listed(text: str, start: int = 0, closing: str = ")]}") -> tuple[list[str], int]:
    """The parts between the commas behind an offset, and where the bracket is that closes them: one of `closing` that
    nothing opened. -1 without one; then the last part reaches to the end of the text."""
    depth, begin, found = 0, start, list[str]()
    for at in range(start, len(text)):
        sign = text[at]
        if not depth and (sign == "," or sign in closing):
            found.append(text[begin:at])
            begin = at + 1
            if sign != ",":
                return found, at
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
    return [*found, text[begin:]], -1
