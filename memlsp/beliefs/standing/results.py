"""What a symbol takes from one call away: constants that a callee returns, exceptions that it raises, and what the
constructor of its own class, or of a base, gives to the attributes that it reads.

Code as short as `return 0.2` makes half of what a caller does. What the callee calls in its turn is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from memlsp.beliefs.rewording.rewording import arguments_of
from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.fingerprints import digest
from memlsp.code.syntax.outline import Outline
from memlsp.model.symbol import CODE_KINDS, VALUE_KINDS, Dependency, Symbol, SymbolKind

OutlineLookup = Callable[[str], Outline | None]
UsesLookup = Callable[[Symbol, Outline], tuple[Dependency, ...]]

_SHOWN = 200  # characters of a printed value
_LITERAL = re.compile(
    r"""(?P<text>[rbfu]?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`))|(?P<name>[^\W\d][\w.:]*)"""
    r"""|-?(?:\d[\w.]*|\.\d\w*)""",
    re.IGNORECASE,
)
_CONSTANTS = frozenset({"true", "false", "True", "False", "None", "null", "nil", "NULL", "undefined"})
_OVERLOADING = frozenset({"java", "csharp", "cpp", "kotlin"})
_PRINTING = frozenset({"echo", "printf"})  # the result of a function of a shell


def results(
    symbol: Symbol, here: Outline, depends: Sequence[Dependency], look: OutlineLookup, resolve: UsesLookup
) -> Iterator[Dependency]:
    """The constants that the called functions return, `rate()`, and the names of their exceptions, `find() raises`."""
    yield from _of_namesakes(symbol, here)
    macros = tuple(call[:-1] for call in symbol.facts.calls if call.endswith("!"))
    called = evolve(symbol, facts=evolve(symbol.facts, uses=macros, bases=(), decorators=()))
    for each in (*depends, *(resolve(called, here) if macros else ())):
        outline = look(each.path) if each.kind in CODE_KINDS else None
        callee = outline.find(each.symbol) if outline is not None else None
        if outline is None or callee is None:
            continue
        facts = callee.facts
        if each.name in macros or "macro" in facts.modifiers:  # expanded where it is called, so all of it counts
            returned = _constants_in(facts.literals, callee, outline, {}, resolve)
            raised = ("panic",) if "panic" in facts.uses else ()
            whole = facts.tokens if outline.language in {"c", "cpp"} else ()
            yield from _results_of(each, returned, raised, whole)
            continue
        given = {parameter.name for parameter in facts.parameters}
        held = {value.name: value.value for value in facts.values if value.name not in given}
        prints = outline.language == "bash" and not _PRINTING.isdisjoint(facts.calls)
        returned = _constants_in(facts.literals if prints else facts.returns, callee, outline, held, resolve)
        yield from _results_of(each, returned, tuple(dict.fromkeys(facts.raises)))


def _of_namesakes(symbol: Symbol, here: Outline) -> Iterator[Dependency]:
    """What the other overloads raise: a statement about `success` is about all of that name."""
    if here.language in _OVERLOADING and symbol.kind in CODE_KINDS and not symbol.ordinal:
        raised = dict.fromkeys(text for each in here.named(symbol.name)[1:] for text in each.facts.raises)
        named = Dependency(symbol.simple_name, symbol.kind, here.path, symbol.name, "", "")
        yield from _results_of(named, (), tuple(raised))


def _results_of(
    callee: Dependency, returned: tuple[str, ...], raised: tuple[str, ...], whole: tuple[str, ...] = ()
) -> Iterator[Dependency]:
    """`whole` has what counts beside the constants, and is not told."""
    for ending, texts, beside in (("()", returned, whole), ("() raises", raised, ())):
        if texts or beside:
            shown, mark = ", ".join(texts)[:_SHOWN], digest((*texts, *beside))
            yield Dependency(f"{callee.name}{ending}", callee.kind, callee.path, callee.symbol, mark, shown)


def declared(
    symbol: Symbol, here: Outline, look: OutlineLookup, resolve: UsesLookup, source: Callable[[Symbol, Outline], str]
) -> Iterator[Dependency]:
    """The declaration of a C or C++ function in a header, which has the defaults of its parameters."""
    if here.language not in {"c", "cpp"} or symbol.kind not in CODE_KINDS:
        return
    name = symbol.name if symbol.container == "" else symbol.container
    around = evolve(symbol, name="", facts=evolve(symbol.facts, uses=(name,), bases=(), decorators=()))
    for each in resolve(around, evolve(here, symbols=(here.module,))):
        there = look(each.path)
        found = there.find(each.symbol) if there is not None and each.path != here.path else None
        if there is None or found is None:
            continue
        # from its text: the grammar of C takes a function with defaults for a variable
        written = re.search(rf"(?<!\w){re.escape(symbol.simple_name)}\s*\(", source(found, there))
        arguments = arguments_of(source(found, there), written.end())[0] if written is not None else []
        text = f"{symbol.simple_name}({', '.join(' '.join(argument.split()) for argument in arguments)})"
        if "=" in text:
            yield Dependency(symbol.name, symbol.kind, each.path, each.symbol, digest([text]), text[:_SHOWN])


def _constants_in(
    texts: Iterable[str], around: Symbol, outline: Outline, held: Mapping[str, str], resolve: UsesLookup
) -> tuple[str, ...]:
    """The literals of expressions in `around`, with the values of names: those `held`, and constants of the
    workspace."""
    uses, called = set(around.facts.uses), set(around.facts.calls)
    found: list[str] = []
    for each in (one for text in texts for one in _LITERAL.finditer(text)):
        name = each["name"]
        if name is None or name in _CONSTANTS:
            found.append(each[0])
        elif name in held:
            found += _constants_in((held[name],), around, outline, {}, resolve)
        elif name in uses and name not in called:
            named = evolve(around, facts=evolve(around.facts, uses=(name,), bases=(), decorators=()))
            found += (d.value for d in resolve(named, outline) if d.kind in VALUE_KINDS and d.value)
    return tuple(dict.fromkeys(found))


_MAKERS = frozenset({"__init__", "__new__", "constructor", "new", "init", "initialize", "default"})
_MAKES = re.compile(r"(?:New|new|Make|make)(?=[A-Z]|$)")
_GIVEN = re.compile(
    r"(?P<own>\b(?:self|this)(?:\.|->)|\$this->|@)?(?P<name>(?<![\w.$@>])\w+|(?<=[.>@])\w+)\s*"
    r"(?:=(?![=>~])|:(?![:=])|[({])\s*(?=(?P<value>[^,;\n]+))"
)
_MARKS = "_$@"  # around the names of attributes
_WORD = re.compile(r"\w+")


def attributes_given(
    symbol: Symbol,
    here: Outline,
    look: OutlineLookup,
    resolve: UsesLookup,
    source: Callable[[Symbol, Outline], str],
    known: frozenset[tuple[str, str]],
) -> Iterator[Dependency]:
    """What constructors give to the attributes that a method reads: constants, and defaults of their parameters.
    `known` has the (path, symbol) of attributes that were resolved already."""
    holder = here.find(symbol.container) if symbol.kind in CODE_KINDS and symbol.container else None
    if holder is None or not holder.kind.is_container or holder.kind is SymbolKind.MODULE:
        return
    read = {word.strip(_MARKS) for text in (*symbol.facts.tokens, *symbol.facts.uses) for word in _WORD.findall(text)}
    written = {used.rpartition(".")[2].strip(_MARKS): used for used in symbol.facts.uses}
    bases = evolve(holder, facts=evolve(holder.facts, uses=(), decorators=()))
    above = [
        (there, base)
        for each in (resolve(bases, here) if holder.facts.bases else ())
        if (there := look(each.path)) is not None and (base := there.find(each.symbol)) is not None
    ]
    for outline, owner in ((here, holder), *above):
        fields = {name.strip(_MARKS) for name, _ in owner.facts.members}
        fields |= {s.simple_name.strip(_MARKS) for s in outline.symbols if s.container == owner.name}
        for maker in _makers(outline, owner):
            if maker.name == symbol.name or (outline.path, maker.name) in known:
                continue
            held = {value.name: value.value for value in maker.facts.values}
            held |= {p.name.strip("$"): p.default for p in maker.facts.parameters if p.default is not None}
            given: dict[str, tuple[str, ...]] = {}
            for found in _GIVEN.finditer(source(maker, outline)):
                name = found["name"].strip(_MARKS)
                if name in read and (found["own"] or name in fields):
                    values = _constants_in((_closed(found["value"]),), maker, outline, held, resolve)
                    given[name] = (*given.get(name, ()), *values)
            for parameter in maker.facts.parameters:  # one that is an attribute as well, without an assignment
                name = parameter.name.strip(_MARKS)
                if parameter.default is not None and name in written and name not in given:
                    given[name] = _constants_in((parameter.default,), maker, outline, {}, resolve)
            for name, values in given.items():
                if values:
                    shown = ", ".join(dict.fromkeys(values))[:_SHOWN]
                    used = written.get(name, name)
                    yield Dependency(used, SymbolKind.FIELD, outline.path, maker.name, digest(values), shown)


def _closed(text: str) -> str:
    """The text before the bracket that closes what was opened before it."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return text[:at]
    return text


def _makers(outline: Outline, owner: Symbol) -> list[Symbol]:
    """The constructors of a class, and the functions named after it that make one, as in Go."""
    language = language_named(outline.language)
    names = {owner.simple_name, *_MAKERS, *(language.constructors if language is not None else ())}
    return [
        each
        for each in outline.symbols
        if each.kind in CODE_KINDS
        and (
            (each.container == owner.name and each.simple_name in names)
            or (each.container == owner.container and _MAKES.sub("", each.simple_name) in {"", owner.simple_name})
        )
    ]


def is_maker(name: str) -> bool:
    """True for a name that constructors have."""
    return name in _MAKERS or _MAKES.match(name) is not None
