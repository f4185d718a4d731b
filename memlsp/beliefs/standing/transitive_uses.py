"""What a symbol uses at one more remove: inherited values, methods of its parameters' types, results of what it calls,
attributes that constructors give, keys of configuration.

Code as short as `return 0.2` makes half of what a caller does. What the callee calls in its turn is not looked at.

Code rarely names the file and the key in one place: a loader in one module names the file, its callers name the key.
A key counts as used when the symbol, or a function that it calls, has all parts of the key's name as strings or
attributes, and its file, or that of something it uses, names the configuration file.
"""

from __future__ import annotations

import re
import textwrap
import weakref
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from memlsp.beliefs.claims.symbol_state import listed, names_in, strings_in
from memlsp.beliefs.files import Files
from memlsp.beliefs.rewording.rewording import arguments_of
from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.fingerprints import digest
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.regions import source_of
from memlsp.code.vocabulary import patterns
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.symbol import BODY, CODE_KINDS, CONSTANTS, HOME, VALUE_KINDS, Dependency, Symbol, SymbolKind

CONFIGURATION = (".toml", ".json", ".yaml", ".yml")
"""Endings of the files whose keys are followed."""

_RE = patterns(__name__)
_MOST_INHERITED = 40
_MOST_KEYS = 24
_SHOWN = 200  # characters of a printed value
_LONGEST_BODY = 1_200  # characters of a callee's text that is kept; of a longer one only its name tells
_SHORT = 60  # characters of a returned expression that is as good as a constant


class UsesLookup:
    """The workspace around one file: outlines, each looked up once, what the symbols in them use, and their texts."""

    def __init__(self, here: Outline, worktree: Files) -> None:
        self.here = here
        self.seen: dict[str, Outline | None] = {}
        self._worktree = worktree

    def outline(self, path: str) -> Outline | None:
        """The outline of a file."""
        if path not in self.seen:
            self.seen[path] = self._worktree.outline(path)
        return self.seen[path]

    def definition(self, used: Dependency) -> tuple[Outline, Symbol] | None:
        """The symbol that a dependency names, with the outline that has it."""
        outline = self.outline(used.path)
        found = outline.find(used.symbol) if outline is not None else None
        return None if outline is None or found is None else (outline, found)

    def text(self, symbol: Symbol, there: Outline) -> str:
        """The source text of a symbol."""
        return source_of(symbol, self._worktree.read(there.path) or b"")

    def resolved(self, symbol: Symbol, there: Outline) -> tuple[Dependency, ...]:
        """The definitions to which a symbol's names lead in its language."""
        siblings = siblings_of(there, self._worktree)
        return dependencies(symbol, there, self.outline, siblings=siblings, listing=self._listing)

    def meant(self, names: Sequence[str], symbol: Symbol, there: Outline) -> tuple[Dependency, ...]:
        """The definitions that these names have where a symbol stands."""
        facts = evolve(symbol.facts, uses=tuple(names), bases=(), decorators=())
        return self.resolved(evolve(symbol, facts=facts), there)

    def _listing(self, folder: str) -> tuple[str, ...]:
        return _files_in(folder, self.here.path, self._worktree)


def siblings_of(here: Outline, worktree: Files) -> tuple[str, ...]:
    """The other files of the folder, for a language whose files share their names."""
    language = language_named(here.language)
    if language is None or not language.shares_folder:
        return ()
    return tuple(path for path in _files_in(here.path.rpartition("/")[0], here.path, worktree) if path != here.path)


def _files_in(folder: str, like: str, worktree: Files) -> tuple[str, ...]:
    """The files directly in a folder with the ending of another one."""
    start, ending = f"{folder}/" if folder else "", like[like.rfind(".") :]
    paths = worktree.paths()
    found: list[str] = []
    for path in paths[bisect_left(paths, start) :]:
        if not path.startswith(start):
            break
        if path.endswith(ending) and "/" not in path[len(start) :]:
            found.append(path)
    return tuple(found)


def gathered(symbol: Symbol, around: UsesLookup, index: ConfigurationIndex) -> tuple[Dependency, ...]:
    """All that a symbol uses: what its language resolves, and what is found at one more remove."""
    found = around.resolved(symbol, around.here)
    handed = (*_inherited(symbol, found, around), *_called_on_values(symbol, around))
    given = tuple(_attributes_given(symbol, found, around))
    made = (*_results(symbol, (*found, *handed), around), *given, *_declared(symbol, around))
    keys = tuple(_keys_read(symbol, found, around, index))
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
                yield Dependency(name, member.kind, dependency.path, member.name, mark, value[:_SHOWN])


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
                yield Dependency(name, method.kind, method.path, method.name, mark, value[:_SHOWN])
            elif method is not None and method.kind in CODE_KINDS:
                shown = f"{method.name}({', '.join(p.name for p in method.facts.parameters)})"
                name = f"{declared.name}.{method.simple_name}"
                mark = method.fingerprint.signature
                yield Dependency(name, method.kind, method.path, method.name, mark, shown[:_SHOWN])


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
            shown, mark = ", ".join(texts)[:_SHOWN], digest((*texts, *beside))
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
            yield Dependency(symbol.name, symbol.kind, each.path, each.symbol, digest([text]), text[:_SHOWN])


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
                    shown = ", ".join(dict.fromkeys(values))[:_SHOWN]
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


# --- keys of configuration


def _keys_read(
    symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup, index: ConfigurationIndex
) -> Iterator[Dependency]:
    """The configuration keys that the symbol, or a function that it calls, reads."""
    here = around.here
    if not index.paths or here.language is None or here.path.endswith(CONFIGURATION) or symbol.kind.is_container:
        return
    known = {(dependency.path, dependency.symbol) for dependency in depends}
    found: dict[tuple[str, str], Dependency] = {}
    for reader, outline, uses in _readers(symbol, depends, around):
        words = _words_of(reader)
        for path in _named_files(outline, uses, around, index):
            configuration = around.outline(path)
            for key in _keys_among(configuration, words) if configuration is not None else ():
                if (path, key.name) not in known:
                    value = next((v.value for v in key.facts.values), "")
                    mark = key.fingerprint.meaning
                    found[path, key.name] = Dependency(key.name, key.kind, path, key.name, mark, value[:_SHOWN])
    yield from list(found.values())[:_MOST_KEYS]


def _readers(
    symbol: Symbol, depends: Sequence[Dependency], around: UsesLookup
) -> Iterator[tuple[Symbol, Outline, Sequence[Dependency]]]:
    yield symbol, around.here, depends
    for dependency in depends:
        definition = around.definition(dependency) if dependency.kind in CODE_KINDS else None
        if definition is not None and definition[1].facts.literals:
            outline, callee = definition
            yield callee, outline, around.resolved(callee, outline)


def _words_of(symbol: Symbol) -> frozenset[str]:
    texts = [text for literal in symbol.facts.literals for text in strings_in(literal)]
    words = {part for text in texts for part in (text, *text.split("."))}
    words.update(part for used in symbol.facts.uses for part in used.split(".")[1:])
    return frozenset(words)


def _named_files(
    here: Outline, depends: Sequence[Dependency], around: UsesLookup, index: ConfigurationIndex
) -> list[str]:
    """The configuration files that this file, or a file of its dependencies, names."""
    found: dict[str, None] = {}
    for path in dict.fromkeys((here.path, *(dependency.path for dependency in depends))):
        outline = here if path == here.path else around.outline(path)
        if outline is not None and not path.endswith(CONFIGURATION):
            found.update(dict.fromkeys(index.named_by(outline)))
    return list(found)


def _keys_among(configuration: Outline, words: frozenset[str]) -> list[Symbol]:
    keys = [
        key
        for key in configuration.symbols[1:]
        if key.kind is SymbolKind.KEY and (key.name in words or words.issuperset(key.name.split(".")))
    ]
    # Of a table and a key in it, the key is meant.
    return [key for key in keys if not any(other.name.startswith(f"{key.name}.") for other in keys)]


class ConfigurationIndex:
    """The configuration files of a workspace by name, and the sources that name them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(p for p in paths if p.endswith(CONFIGURATION) and not _is_lock(p))
        self._by_name: dict[str, list[str]] = {}
        for path in self.paths:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self._named: weakref.WeakValueDictionary[int, Outline] = weakref.WeakValueDictionary()
        self._answers: dict[int, tuple[str, ...]] = {}

    def named_by(self, outline: Outline) -> tuple[str, ...]:
        """The configuration files whose names occur in the strings of this file."""
        key = id(outline)
        if self._named.get(key) is not outline:
            self._answers[key] = self._search(outline)
            self._named[key] = outline
            if len(self._answers) > 2 * len(self._named) + 64:
                self._answers = {k: v for k, v in self._answers.items() if k in self._named}
        return self._answers[key]

    def _search(self, outline: Outline) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for symbol in outline.symbols:
            for literal in symbol.facts.literals:
                if any(ending in literal for ending in CONFIGURATION):
                    for text in strings_in(literal):
                        found.update(dict.fromkeys(self._meant(text)))
        return tuple(found)

    def _meant(self, text: str) -> list[str]:
        """The only file of that name, or those whose path ends in the text."""
        same = self._by_name.get(text.rpartition("/")[2], [])
        if len(same) <= 1:
            return same
        ending = text.lstrip("./")
        return [path for path in same if path == ending or path.endswith(f"/{ending}")] if "/" in text else []


def _is_lock(path: str) -> bool:
    name = path.rpartition("/")[2]
    return "lock" in name or name in {"package.json", "tsconfig.json"}
