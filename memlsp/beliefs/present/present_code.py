"""One state of a symbol as a statement is held against it: its own facts, and what is reached through its calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from attrs import define, evolve, field, frozen

from memlsp.beliefs.claims.symbol_state import Holder, SymbolState, label_of, simple, simple_holder, symbol_state
from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.code.vocabulary import patterns
from memlsp.model.standing import Reason
from memlsp.model.symbol import CODE_KINDS, VALUE_KINDS, Dependency, Facts, Parameter, Symbol, SymbolKind

_RE = patterns(__name__)


@frozen
class Finding:
    """What one state of the code says of one claim: it bears it out, or `reason` says what it has instead. The words
    `said` of the statement identify the claim."""

    said: str
    reason: Reason | None = None


@define(eq=False)
class PresentCode:
    """A symbol with what it uses. `reached` are the functions of the workspace that it calls, at two removes;
    `unresolved` its calls that lead to no definition of the workspace."""

    symbol: Symbol
    source: str
    language: str
    depends: Sequence[Dependency] = ()
    reached: Sequence[Symbol] = ()
    unresolved: frozenset[str] = frozenset()
    imports: Sequence[tuple[str, str]] = ()  # of its file: the name here, and the module
    around: str = ""  # the text of its file without comments, lower-case
    overloaded: bool = False  # its file has another definition of the same name
    subject: frozenset[str] = field(factory=frozenset[str])
    made_with: Sequence[Parameter] = ()  # its parameters; of a class those of its constructor

    @property
    def facts(self) -> Facts:
        """The facts of the symbol."""
        return self.symbol.facts

    @property
    def is_code(self) -> bool:
        """True for functions and methods."""
        return self.symbol.kind in CODE_KINDS

    @property
    def is_plain(self) -> bool:
        """True for a function with a body of its own, of one name and without decorators: no interface, no property."""
        body = set(self.facts.tokens) - {"pass", "...", "@", "def", "raise", "NotImplementedError"}
        own = not self.facts.decorators and not self.overloaded
        return self.is_code and own and len(body) > len(self.facts.parameters)

    @cached_property
    def state(self) -> SymbolState:
        """The symbol and what it uses, indexed."""
        return _indexed(self.symbol, tuple(self.depends))

    @cached_property
    def beyond(self) -> tuple[SymbolState, ...]:
        """The functions that it calls, indexed."""
        return tuple(map(_indexed, self.reached))

    def has_name(self, name: str) -> bool:
        """True when the symbol, or one that it calls, has this name or text."""
        exact = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        if exact.search(without_comments(self.source, self.language)) is not None:
            return True
        states = (self.state, *self.beyond)
        lowered = re.compile(exact.pattern, re.IGNORECASE)
        return any(name in each.names or any(map(lowered.search, each.strings)) for each in states)

    @cached_property
    def holders(self) -> tuple[Holder, ...]:
        """The places of its own that hold a number or another literal under a name, the nearest first."""
        counted = {*_counted(self.source)}
        return tuple(dict.fromkeys(each for each in self._holders() if each.name not in counted))

    def _holders(self) -> Iterator[Holder]:
        known = {dependency.name: dependency.value for dependency in self.depends}
        for parameter in self.facts.parameters:
            if parameter.default is not None:
                yield Holder(bare_name(parameter.name), known.get(parameter.default, parameter.default))
        yield from (Holder(bare_name(simple_holder(v.name)), v.value) for v in self.facts.values)
        yield from _written_holders(self.source, self.language)
        yield from self._used_holders()

    def _used_holders(self) -> Iterator[Holder]:
        for dependency in self.depends:
            if dependency.kind in VALUE_KINDS or dependency.kind is SymbolKind.KEY:
                yield Holder(simple(dependency.name), dependency.value)
                for found in _RE["assigned"].finditer(re.sub(_STRING, "''", dependency.value)):
                    yield Holder(found["name"], found["value"])
        taken = {simple_holder(value.name) for value in self.facts.values}
        taken |= {parameter.name for parameter in self.facts.parameters}
        for parameter in (each for one in self.reached for each in one.facts.parameters):
            if parameter.default is not None and parameter.name not in taken:
                yield Holder(parameter.name, parameter.default)

    def answers(self, said: str, agrees: bool, what: str, *, instead: bool = True) -> Finding:
        """What the code says of the words `said`: it bears them out where it `agrees`, and else it `differs`."""
        return Finding(said) if agrees else self.differs(said, what, instead=instead)

    def differs(self, said: str, what: str, *, instead: bool = True) -> Finding:
        """The finding against the words `said`: `what` the code has is a predicate, such as `has rate=0.2`. `instead`
        adds that it is not what was said."""
        message = f"{label_of(self.symbol)} {what}{f', not {said}' if instead else ''}"
        return Finding(said, reason(ReasonCode.CODE_DIFFERS, message, self.symbol.path, self.symbol.name or None))


def merged(container: Symbol, members: Sequence[Symbol]) -> Symbol:
    """A class or file with the facts of its members, for claims about any of them."""
    facts, parts = container.facts, [each.facts for each in members]
    defaults = tuple(p for each in parts for p in each.parameters if p.default is not None)
    joined = {name: tuple(one for each in (facts, *parts) for one in getattr(each, name)) for name in _MERGED}
    return evolve(container, facts=evolve(facts, parameters=(*facts.parameters, *defaults), **joined))


_MERGED = ("decorators", "calls", "raises", "catches", "conditions", "loops", "literals", "values", "uses", "tokens")


def bare_name(name: str) -> str:
    """The name of a parameter without the marks that some languages write at it: `$limit`, `force:`."""
    return name.strip("$&:?")


_HASHED = frozenset({"python", "bash", "ruby", "yaml", "toml", "makefile", "dockerfile", ""})
_PROSE = re.compile(r"(?m)^[ \t]*(?:[rRuU]?\"\"\".*?\"\"\"|[rRuU]?'''.*?''')[ \t]*$|/\*.*?\*/", re.DOTALL)
_STRING = r"(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"
_COMMENT = {True: re.compile(_STRING + r"|(?<![\w$&])#.*"), False: re.compile(_STRING + r"|(?<!:)//.*|^\s*(?:--|;).*")}


_indexed = lru_cache(maxsize=128)(symbol_state)
_counted = lru_cache(maxsize=64)(re.compile(r"(\w+)\W{0,3}(?:[+-]=|\+\+|--)").findall)  # what holds another value soon


@lru_cache(maxsize=64)
def _written_holders(source: str, language: str) -> tuple[Holder, ...]:
    """What the text alone shows to hold a value. Kept, since several statements are made of one piece of code."""
    plain, whole = code_only(source, language), without_comments(source, language)
    set_to = (found for name in ("assigned", "made", "one_number") for found in _RE[name].finditer(plain))
    made = [Holder(found["name"], found["value"]) for found in set_to]
    for found in _RE["compared"].finditer(plain):
        name = f"{simple(found['measured'])}_length" if found["measured"] else simple(found["name"])
        made.append(Holder(name, found["value"]))
    for found in (*_RE["fallback"].finditer(whole), *_RE["option"].finditer(whole)):
        named = found.groupdict()
        made.append(Holder(named["name"] or named["field"], named["value"] or named["text"]))
    return tuple(made)


@lru_cache(maxsize=256)
def without_comments(source: str, language: str) -> str:
    """The source without comments and docstrings; strings stay."""
    kept = _PROSE.sub(" ", source)
    return _COMMENT[language in _HASHED].sub(lambda found: found["string"] or " ", kept)


@lru_cache(maxsize=256)
def code_only(source: str, language: str) -> str:
    """The source without comments, and without the contents of its strings."""
    return re.sub(_STRING, "''", without_comments(source, language))
