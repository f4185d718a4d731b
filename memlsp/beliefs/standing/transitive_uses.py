"""What a symbol uses at one more remove: inherited values, methods of its parameters' types, results of what it calls,
attributes that constructors give, keys of configuration.

Code as short as `return 0.2` makes half of what a caller does. What the callee calls in its turn is not looked at.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from memlsp.beliefs.claims.symbol_state import listed, names_in
from memlsp.beliefs.rewording.rewording import arguments_of
from memlsp.beliefs.standing.configuration_keys import CONFIGURATION, ConfigurationIndex, keys_read
from memlsp.beliefs.standing.uses_lookup import SHOWN, UsesLookup
from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.fingerprints import digest
from memlsp.code.syntax.outline import Outline
from memlsp.code.vocabulary import patterns
from memlsp.model.symbol import BODY, CODE_KINDS, CONSTANTS, HOME, VALUE_KINDS, Dependency, Symbol, SymbolKind

_RE = patterns(__name__)
_MOST_INHERITED = 40
_LONGEST_BODY = 1_200  # characters of a callee's text that is kept; of a longer one only its name tells
_SHORT = 60  # characters of a returned expression that is as good as a constant


def gathered(symbol: Symbol, around: UsesLookup, index: ConfigurationIndex) -> tuple[Dependency, ...]:
    """All that a symbol uses: what its language resolves, and what is found at one more remove."""
    found = around.resolved(symbol, around.here)
    handed = (*_inherited(symbol, found, around), *_called_on_values(symbol, around))
    given = tuple(_attributes_given(symbol, found, around))
    made = (*_results(symbol, (*found, *handed), around), *given, *_declared(symbol, around))
    keys = tuple(keys_read(symbol, found, around, index))
    return (*found, *handed, *keys, *_types_mentioned(symbol, found, around), *made)


def _inherited(symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup) -> Iterator[Dependency]:
    """The values that a class inherits: `Gateway.attempts`, or the result of a one-line default method."""
    bases = {name for base in symbol.facts.bases for name in names_in(base)}
    own = {name for name, _ in symbol.facts.members}
    for dependency in depends:
        outline = around.outline(dependency.path) if dependency.name.rpartition(".")[2] in bases else None
        if outline is None or not dependency.kind.is_container:
            continue
        start = f"{dependency.symbol}."
        inside = [
            each for each in outline.symbols if each.name.startswith(start) and each.container == dependency.symbol
        ]
        for member in inside[:_MOST_INHERITED]:
            value = _value(member)
            if value is not None and member.simple_name not in own:
                name = f"{dependency.name}.{member.simple_name}"
                mark = member.fingerprint.meaning
                yield Dependency(name, member.kind, dependency.path, member.name, mark, value[:SHOWN])


def _value(member: Symbol) -> str | None:
    if member.kind in VALUE_KINDS:
        return next((v.value for v in member.facts.values), None) or " ".join(member.facts.literals) or None
    returned = member.facts.returns
    is_short = member.kind in CODE_KINDS and len(returned) == 1 and len(returned[0]) <= _SHORT
    return returned[0] if is_short and _RE["tells_a_value"].search(returned[0]) else None


def _called_on_values(symbol: Symbol, around: UsesLookup) -> Iterator[Dependency]:
    """The methods called on parameters and locals of known types: `loan.dueDate()` with `Loan loan`."""
    held = _typed_values(symbol, around)
    types = _types_named({name for declared in held.values() for name in names_in(declared)}, symbol, around)
    for local, written in held.items():
        declared = next((types[name] for name in names_in(written) if name in types), None)
        outline = around.outline(declared.path) if declared is not None else None
        if declared is None or outline is None:
            continue
        start = f"{local}."
        named = (*symbol.facts.calls, *symbol.facts.uses)
        for call in dict.fromkeys(each for each in named if each.startswith(start)):
            method = outline.find(f"{declared.symbol}.{call[len(start) :]}")
            if method is not None and method.kind in VALUE_KINDS and (value := _value(method)) is not None:
                mark, name = method.fingerprint.meaning, f"{declared.name}.{method.simple_name}"
                yield Dependency(name, method.kind, method.path, method.name, mark, value[:SHOWN])
            elif method is not None and method.kind in CODE_KINDS:
                shown = f"{method.name}({', '.join(p.name for p in method.facts.parameters)})"
                name = f"{declared.name}.{method.simple_name}"
                mark = method.fingerprint.signature
                yield Dependency(name, method.kind, method.path, method.name, mark, shown[:SHOWN])


def _typed_values(symbol: Symbol, around: UsesLookup) -> dict[str, str]:
    """The parameters and locals on which something is called, with their types as they are written."""
    named = (*symbol.facts.calls, *symbol.facts.uses)
    heads = {each.partition(".")[0] for each in named if "." in each}
    held = {p.name: p.type or "" for p in symbol.facts.parameters if p.name in heads}
    if symbol.kind in CODE_KINDS and heads - set(held) - {used.partition(".")[0] for used in symbol.facts.uses}:
        held = {**_declared_in(around.text(symbol, around.here)), **held}
    return {name: declared for name, declared in held.items() if name in heads}


def _types_named(names: Iterable[str], symbol: Symbol, around: UsesLookup) -> dict[str, Dependency]:
    uses = tuple(sorted(names))
    depends = around.resolved(evolve(symbol, facts=evolve(symbol.facts, uses=uses)), around.here) if uses else ()
    return {each.name.rpartition(".")[2]: each for each in depends if each.kind.is_container}


def _declared_in(source: str) -> dict[str, str]:
    """The locals of a source text with a type at their declaration; a name with two types is left out."""
    found: dict[str, set[str]] = {}
    for name in ("annotated", "made", "typed", "var", "member"):
        for each in _RE[f"declared_{name}"].finditer(source):
            found.setdefault(each["name"], set()).add(each["type"])
    return {name: next(iter(types)) for name, types in found.items() if len(types) == 1}


_TYPE_NAME = re.compile(r"[A-Z]\w*")
_MOST_TYPES = 24


def _types_mentioned(symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup) -> Iterator[Dependency]:
    """The workspace's types that it names, so that their renaming is recognised. They carry no digest."""
    here = around.here
    inside = [each for each in here.symbols if symbol.kind.is_container and each.container == symbol.name]
    texts: list[str] = []
    for facts in (each.facts for each in (symbol, *inside)):
        texts += (*facts.tokens, *(p.type or "" for p in facts.parameters), facts.return_type or "", *facts.bases)
    names = {name for text in texts if text[:1] not in {"'", '"', "`"} for name in _TYPE_NAME.findall(text)}
    names -= {dependency.name for dependency in depends}
    if symbol.kind is SymbolKind.MODULE or here.language is None or here.path.endswith(CONFIGURATION):
        return
    for name, each in _types_named(sorted(names)[:_MOST_TYPES], symbol, around).items():
        yield Dependency(name, each.kind, each.path, each.symbol, "", "")


# --- the results of what it calls: constants, exceptions, and the declaration with the defaults

_CONSTANTS = frozenset({"true", "false", "True", "False", "None", "null", "nil", "NULL", "undefined"})
_OVERLOADING = frozenset({"java", "csharp", "cpp", "kotlin"})
_PRINTING = frozenset({"echo", "printf"})  # the result of a function of a shell


def _results(symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup) -> Iterator[Dependency]:
    """The constants that the called functions return, `rate()`, and the names of their exceptions, `find() raises`."""
    yield from _of_namesakes(symbol, around.here)
    macros = tuple(call[:-1] for call in symbol.facts.calls if call.endswith("!"))
    for each in (*depends, *(around.meant(macros, symbol, around.here) if macros else ())):
        definition = around.definition(each) if each.kind in CODE_KINDS else None
        if definition is None:
            continue
        outline, callee = definition
        facts = callee.facts
        if each.name in macros or "macro" in facts.modifiers:  # expanded where it is called, so all of it counts
            returned = _constants_in(facts.literals, callee, outline, {}, around)
            raised = ("panic",) if "panic" in facts.uses else ()
            whole = facts.tokens if outline.language in {"c", "cpp"} else ()
            yield from _results_of(each, returned, raised, whole)
            continue
        given = {parameter.name for parameter in facts.parameters}
        held = {value.name: value.value for value in facts.values if value.name not in given}
        prints = outline.language == "bash" and not _PRINTING.isdisjoint(facts.calls)
        returned = _constants_in(facts.literals if prints else facts.returns, callee, outline, held, around)
        yield from _results_of(each, returned, tuple(dict.fromkeys(facts.raises)))
        yield _body(each, callee, outline, around)


def _body(used: Dependency, callee: Symbol, outline: Outline, around: UsesLookup) -> Dependency:
    """A callee's body, followed by the constants that it uses, each on a line."""
    text = textwrap.dedent(around.text(callee, outline))
    constants = [each for each in around.resolved(callee, outline) if each.kind in VALUE_KINDS and each.digest]
    mark = digest((callee.fingerprint.meaning, *(each.digest for each in constants)))
    lines = (f"{each.path}{HOME}{each.name} = {' '.join(each.value.split())}" for each in constants)
    shown = "\n".join((text if len(text) <= _LONGEST_BODY else "", CONSTANTS, *lines))
    return Dependency(f"{used.name}{BODY}", used.kind, used.path, used.symbol, mark, shown)


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
            shown, mark = ", ".join(texts)[:SHOWN], digest((*texts, *beside))
            yield Dependency(f"{callee.name}{ending}", callee.kind, callee.path, callee.symbol, mark, shown)


def _declared(symbol: Symbol, around: UsesLookup) -> Iterator[Dependency]:
    """The declaration of a C or C++ function in a header, which has the defaults of its parameters."""
    here = around.here
    if here.language not in {"c", "cpp"} or symbol.kind not in CODE_KINDS:
        return
    name = symbol.container or symbol.name
    for each in around.meant((name,), evolve(symbol, name=""), evolve(here, symbols=(here.module,))):
        definition = around.definition(each) if each.path != here.path else None
        if definition is None:
            continue
        # from its text: the grammar of C takes a function with defaults for a variable
        source = around.text(definition[1], definition[0])
        written = re.search(rf"(?<!\w){re.escape(symbol.simple_name)}\s*\(", source)
        arguments = arguments_of(source, written.end())[0] if written is not None else []
        text = f"{symbol.simple_name}({', '.join(' '.join(argument.split()) for argument in arguments)})"
        if "=" in text:
            yield Dependency(symbol.name, symbol.kind, each.path, each.symbol, digest([text]), text[:SHOWN])


def _constants_in(
    texts: Iterable[str], holder: Symbol, outline: Outline, held: Mapping[str, str], around: UsesLookup
) -> tuple[str, ...]:
    """The literals of expressions in `holder`, with the values of names: those `held`, and constants of the
    workspace."""
    uses, called = set(holder.facts.uses), set(holder.facts.calls)
    found: list[str] = []
    for each in (one for text in texts for one in _RE["literal"].finditer(text)):
        name = each["name"]
        if name is None or name in _CONSTANTS:
            found.append(each[0])
        elif name in held:
            found += _constants_in((held[name],), holder, outline, {}, around)
        elif name in uses and name not in called:
            named = around.meant((name,), holder, outline)
            found += (d.value for d in named if d.kind in VALUE_KINDS and d.value)
    return tuple(dict.fromkeys(found))


# --- what constructors give to the attributes that a method reads

_MAKERS = frozenset({"__init__", "__new__", "constructor", "new", "init", "initialize", "default"})
_MARKS = "_$@"  # around the names of attributes
_WORD = re.compile(r"\w+")


def _attributes_given(symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup) -> Iterator[Dependency]:
    """What the constructors of its own class, or of a base, give to the attributes that a method reads: constants, and
    defaults of their parameters. Attributes among `depends` were resolved already."""
    here = around.here
    holder = here.find(symbol.container) if symbol.kind in CODE_KINDS and symbol.container else None
    if holder is None or not holder.kind.is_container or holder.kind is SymbolKind.MODULE:
        return
    known = {(each.path, each.symbol) for each in depends}
    written = {used.rpartition(".")[2].strip(_MARKS): used for used in symbol.facts.uses}
    texts = (*symbol.facts.tokens, *symbol.facts.uses)
    read = {word.strip(_MARKS) for text in texts for word in _WORD.findall(text)}
    for outline, owner in ((here, holder), *_bases_of(holder, around)):
        for maker in _makers(outline, owner):
            if maker.name == symbol.name or (outline.path, maker.name) in known:
                continue
            given = _assigned(maker, outline, owner, read, around)
            for parameter in maker.facts.parameters:  # one that is an attribute as well, without an assignment
                name = parameter.name.strip(_MARKS)
                if parameter.default is not None and name in written and name not in given:
                    given[name] = _constants_in((parameter.default,), maker, outline, {}, around)
            for name, values in given.items():
                if values:
                    shown = ", ".join(dict.fromkeys(values))[:SHOWN]
                    used = written.get(name, name)
                    yield Dependency(used, SymbolKind.FIELD, outline.path, maker.name, digest(values), shown)


def _bases_of(holder: Symbol, around: UsesLookup) -> list[tuple[Outline, Symbol]]:
    bases = evolve(holder, facts=evolve(holder.facts, uses=(), decorators=()))
    depends = around.resolved(bases, around.here) if holder.facts.bases else ()
    return [found for each in depends if (found := around.definition(each)) is not None]


def _assigned(
    maker: Symbol, outline: Outline, owner: Symbol, read: set[str], around: UsesLookup
) -> dict[str, tuple[str, ...]]:
    """The constants that a constructor assigns to the attributes that are read, by their names."""
    fields = {name.strip(_MARKS) for name, _ in owner.facts.members}
    fields |= {s.simple_name.strip(_MARKS) for s in outline.symbols if s.container == owner.name}
    held = {value.name: value.value for value in maker.facts.values}
    held |= {p.name.strip("$"): p.default for p in maker.facts.parameters if p.default is not None}
    given: dict[str, tuple[str, ...]] = {}
    for found in _RE["given"].finditer(around.text(maker, outline)):
        name = found["name"].strip(_MARKS)
        if name in read and (found["own"] or name in fields):
            values = _constants_in(listed(found["value"])[0][:1], maker, outline, held, around)
            given[name] = (*given.get(name, ()), *values)
    return given


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
            or (each.container == owner.container and _RE["makes"].sub("", each.simple_name) in {"", owner.simple_name})
        )
    ]


def is_maker(name: str) -> bool:
    """True for a name that constructors have."""
    return name in _MAKERS or _RE["makes"].match(name) is not None
