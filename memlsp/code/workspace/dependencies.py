"""Resolves the names that a symbol uses to definitions in the workspace.

It resolves as the language would, as far as that is cheap: in the file, on the symbol's own object and its bases, and
one file away through imports. An unresolved name gives nothing, because a wrong guess is worse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from attrs import define, evolve, field, frozen

from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.definitions import DATA
from memlsp.code.syntax.fingerprints import digest
from memlsp.code.syntax.language import Import, Language
from memlsp.code.syntax.outline import Outline
from memlsp.code.workspace.configuration import ALIASING, Lookup, aliased, configured, key_values
from memlsp.code.workspace.paths import folder
from memlsp.model.symbol import CODE_KINDS, Dependency, Symbol, SymbolKind

Listing = Callable[[str], Sequence[str]]

LOOKUPS = 60  # files looked up for one symbol
FOLDER = 24  # files of a folder that are looked through for a type
DEPTH = 3  # constants made of constants
SHOWN = 200  # characters of a printed value

_PART = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|([^.\[\]"]+)')
_NAME = re.compile(r"[^\W\d]\w*")
_HEAD = re.compile(r"[^\W\d][\w.:$]*")
_BY_NAMESPACE = frozenset({"php", "rust"})  # a type, or a macro, of any file beside
_UNSEEN = frozenset({"php", "python", "javascript", "typescript", "tsx", "go"})  # a class's names need a receiver there


@frozen
class _Target:
    """A resolved symbol, and the unresolved rest of the name (`rate` of `CONFIG["rate"]`)."""

    outline: Outline
    symbol: Symbol
    rest: tuple[str, ...] = ()


def dependencies(
    symbol: Symbol, here: Outline, lookup: Lookup, *, siblings: Sequence[str] = (), listing: Listing = lambda _: ()
) -> tuple[Dependency, ...]:
    """The definitions of the workspace that `symbol` uses outside of itself, sorted by the name at the use.

    `lookup` gives the outline of a path relative to the root, or None. `siblings` has the paths of the same folder, for
    languages whose files share names (Go), `listing` gives those of another folder. Only declarations count: the
    signature of a called function, the value of a constant, the meaning of a base or decorator.
    """
    return _NameResolver(symbol, here, lookup, tuple(siblings), listing).run()


@define(eq=False)
class _NameResolver:
    symbol: Symbol
    here: Outline
    lookup: Lookup
    siblings: tuple[str, ...]
    listing: Listing
    known: dict[str, Outline | None] = field(factory=dict[str, Outline | None])

    def run(self) -> tuple[Dependency, ...]:
        symbol = self.symbol
        heads = {_head(base) for base in symbol.facts.bases}
        decorators = {_head(each) for each in symbol.facts.decorators}
        found: dict[str, Dependency] = {}
        for name in sorted({*symbol.facts.uses, *heads, *decorators} - {""}):
            target = self.resolve(name, self.here, symbol)
            if target is None or self._inside(target):
                continue
            whole = name in heads or name in decorators
            dependency = self._dependency(name, target, whole=whole)
            if dependency is not None:
                found[dependency.name] = dependency
        for each in configured(symbol, self.here.path, [d.value for d in found.values()], self._outline):
            found.setdefault(each.name, each)
        return tuple(found[name] for name in sorted(found))

    def _inside(self, target: _Target) -> bool:
        if target.outline.path != self.here.path:
            return False
        name, own = target.symbol.name, self.symbol.name
        return not own or name == own or name.startswith(own + ".")

    def _outline(self, path: str) -> Outline | None:
        if path == self.here.path:
            return self.here
        if path not in self.known:
            if len(self.known) >= LOOKUPS:
                return None
            self.known[path] = self.lookup(path)
        return self.known[path]

    # --- the value of a dependency

    def _dependency(self, name: str, target: _Target, *, whole: bool) -> Dependency | None:
        symbol = target.symbol
        if symbol.kind in DATA:
            made, shown = self._value(target, DEPTH)
            if target.rest and made != digest([shown]):  # what is called on a value is none of its names
                name = _without(name, len(target.rest))
        elif _is_namespace(symbol):
            return None
        elif whole or symbol.kind is SymbolKind.TYPE:
            made, shown = symbol.fingerprint.meaning, _signature(symbol)
        elif symbol.kind is SymbolKind.MODULE:
            return None
        elif target.rest and symbol.kind not in CODE_KINDS:
            attribute = self._attribute(target)
            if attribute is not None:
                where, text = attribute
                return Dependency(name, SymbolKind.FIELD, target.outline.path, where, digest([text]), _cut(text))
            made, shown = symbol.fingerprint.signature, _signature(symbol)
        else:
            made, shown = symbol.fingerprint.signature, _signature(self._maker(target) or symbol)
        return Dependency(name, symbol.kind, target.outline.path, symbol.name, made, _cut(shown))

    def _maker(self, target: _Target) -> Symbol | None:
        """The constructor of a class without bases, under the name of the class."""
        language = language_named(target.outline.language)
        if language is None or target.symbol.facts.bases or not target.symbol.kind.is_container:
            return None
        names = (f"{target.symbol.name}.{name}" for name in (*language.constructors, target.symbol.simple_name))
        made = next((found for name in names if (found := target.outline.find(name)) is not None), None)
        if made is None or made.kind not in CODE_KINDS:
            return None
        own = tuple(each for each in made.facts.parameters if each.name not in language.selves)
        return evolve(made, name=target.symbol.name, facts=evolve(made.facts, parameters=own, return_type=None))

    def _attribute(self, target: _Target) -> tuple[str, str] | None:
        """The constructor that assigns a literal to an attribute of its object, and the literal."""
        if not target.rest:
            return None
        wanted = target.rest[0]
        for name in ("__init__", "constructor", target.symbol.simple_name, "new"):
            made = target.outline.find(f"{target.symbol.name}.{name}")
            if made is None:
                continue
            for each in made.facts.values:
                if each.name.partition(".")[2] == wanted:
                    return made.name, each.value
        return None

    def _value(self, target: _Target, depth: int) -> tuple[str, str]:
        """(digest, printed value) of a constant, through the constants in its value."""
        symbol = target.symbol
        facts = symbol.facts
        own = facts.values[0].value if facts.values and facts.values[0].name == symbol.simple_name else ""
        if target.rest:
            part = self._entry(target)
            if part is not None:
                return digest([part]), part
        parts = [symbol.fingerprint.meaning]
        shown = own
        if depth:
            for name in facts.uses:
                inner = self.resolve(name, target.outline, symbol)
                if inner is None or inner.symbol.kind not in DATA or inner.symbol == symbol:
                    continue
                made, value = self._value(inner, depth - 1)
                parts.append(f"{name} {made}")
                if own.replace("::", ".") == name:
                    shown = value
        return (digest(parts) if len(parts) > 1 else parts[0]), shown

    def _entry(self, target: _Target) -> str | None:
        """The literal under a key of a constant table, or of the configuration file it was read from."""
        wanted = ".".join(target.rest)
        for each in target.symbol.facts.values:
            if each.name == wanted and each.name != target.symbol.simple_name:
                return each.value
        return key_values(target.symbol, target.outline.path, target.rest, self._outline)

    # --- resolving a name

    def resolve(self, name: str, outline: Outline, around: Symbol, depth: int = 3) -> _Target | None:
        """The target of a dotted name used inside `around`."""
        parts = tuple(key or part for key, part in _PART.findall(name))
        language = language_named(outline.language)
        if not parts or language is None:
            return None
        head, rest = parts[0], parts[1:]
        if head in language.selves:
            own = self._own(rest, outline, around, depth) if rest else None
            if own is not None or head not in language.bare_paths:
                return own
        local = self._local(parts, outline, around, language)
        if local is not None:
            target = (self._typed(local, rest, depth) if rest else None) or self._member(local, rest, depth)
            if not (target.rest and depth and _is_namespace(target.symbol)):
                return target
            return self.resolve(".".join(target.rest), outline, around, depth - 1)  # of this namespace, elsewhere
        return (
            self._imported(parts, outline, language, depth)
            or self._neighbouring(parts, outline, language, depth)
            or self._inherited(parts, outline, around, language, depth)
        )

    def _neighbouring(self, parts: tuple[str, ...], outline: Outline, language: Language, depth: int) -> _Target | None:
        """A name of a file whose names need no import here."""
        near = self._neighbours(parts[0], outline, language)
        for path in (*near, *(self._in_folder(outline) if language.name in _BY_NAMESPACE else ())):
            other = self._outline(path)
            found = other.find(parts[0]) if other is not None else None
            if other is not None and found is not None:
                return self._member(_Target(other, found), parts[1:], depth)
        return None

    def _in_folder(self, outline: Outline) -> Sequence[str]:
        """The other files of a small folder: a type may stand in one that has another name."""
        beside = [path for path in self.listing(folder(outline.path)) if path != outline.path]
        return beside if len(beside) <= FOLDER else ()

    def _inherited(
        self, parts: tuple[str, ...], outline: Outline, around: Symbol, language: Language, depth: int
    ) -> _Target | None:
        """A member of the own object that needs no receiver, or one of any name."""
        if outline.language == "java" or language.inherits:
            return self._own(parts, outline, around, depth)  # inherited names need no receiver
        if parts[1:] and around.kind is SymbolKind.METHOD and outline.language == "go":
            return self._own(parts[1:], outline, around, depth)  # a receiver goes by any name
        return None

    def _local(self, parts: tuple[str, ...], outline: Outline, around: Symbol, language: Language) -> _Target | None:
        prefix = around.name
        while prefix:
            found = outline.find(f"{prefix}.{parts[0]}")
            holder = outline.find(prefix)
            hidden = holder is not None and holder.kind.is_container and language.name in _UNSEEN
            if found is not None and not hidden:
                return _Target(outline, found)
            prefix = prefix.rpartition(".")[0]
        found = _visible(outline, parts[0], language)
        if found is not None and (found.name, found.ordinal) != (around.name, around.ordinal):
            return _Target(outline, found)
        return None

    def _own(self, rest: tuple[str, ...], outline: Outline, around: Symbol, depth: int) -> _Target | None:
        """A member of the object or class that `around` belongs to."""
        language = language_named(outline.language)
        prefix = around.name if around.kind.is_container else around.container
        while prefix:
            holder = outline.find(prefix)
            if holder is None or holder.kind.is_container:
                if holder is not None:
                    target = self._member(_Target(outline, holder), rest, depth)
                    if target.symbol.name != holder.name or self._attribute(target) is not None:
                        return target
                    if language is not None and rest == (language.maker,):
                        return target
                elif depth and language is not None and language.open_names:  # defined outside of its class
                    above = self.resolve(prefix.rpartition(".")[2], outline, outline.module, depth - 1)
                    if above is not None and not above.rest and above.symbol.kind.is_container:
                        target = self._member(above, rest, depth)
                        return target if target.symbol != above.symbol else None
                return self._shared(f"{prefix}.{rest[0]}", rest[1:], outline)
            prefix = holder.container
        return None

    def _shared(self, name: str, rest: tuple[str, ...], outline: Outline) -> _Target | None:
        """A method of a type with methods in several files of one package."""
        language = language_named(outline.language)
        if language is None:
            return None
        for other in (outline, *(self._outline(path) for path in self._neighbours(name, outline, language))):
            found = other.find(name) if other is not None else None
            if other is not None and found is not None:
                return _Target(other, found, rest)
        return None

    def _member(self, target: _Target, rest: tuple[str, ...], depth: int) -> _Target:
        """The member that `rest` leads to, as far as members are known."""
        if not rest:
            return target
        outline, symbol = target.outline, target.symbol
        found = outline.find(f"{symbol.name}.{rest[0]}")
        if found is not None:
            typed = self._typed(_Target(outline, found), rest[1:], depth) if len(rest) > 1 else None
            return typed or self._member(_Target(outline, found), rest[1:], depth)
        held = self._held(target, rest, depth) if len(rest) > 1 and outline.language == "typescript" else None
        return held or self._of_base(target, rest, depth) or _Target(outline, symbol, rest)

    def _held(self, target: _Target, rest: tuple[str, ...], depth: int) -> _Target | None:
        """A member of a parameter of the constructor, which is a field."""
        made = target.outline.find(f"{target.symbol.name}.constructor")
        declared = {p.name: p.type for p in made.facts.parameters}.get(rest[0]) if made else None
        return self._method_of(declared, _Target(target.outline, made), rest[1:], depth) if made and declared else None

    def _of_base(self, target: _Target, rest: tuple[str, ...], depth: int) -> _Target | None:
        outline, symbol = target.outline, target.symbol
        for base in symbol.facts.bases if symbol.kind.is_container and depth else ():
            above = self.resolve(_head(base), outline, symbol, depth - 1)
            if above is None or above.rest or not above.symbol.kind.is_container or above.symbol == symbol:
                continue
            inherited = self._member(above, rest, depth - 1)
            if inherited.symbol != above.symbol or self._attribute(inherited) is not None:
                return inherited
        return None

    def _typed(self, target: _Target, rest: tuple[str, ...], depth: int) -> _Target | None:
        """A member of the declared type of a field: `self.source.fetch` with `source: Source`."""
        declared = target.symbol.facts.return_type
        if target.symbol.kind is not SymbolKind.FIELD or not declared or not depth:
            return None
        return self._method_of(declared, target, rest, depth)

    def _method_of(self, declared: str, target: _Target, rest: tuple[str, ...], depth: int) -> _Target | None:
        for name in _NAME.findall(declared) if depth else ():
            holder = self.resolve(name, target.outline, target.symbol, depth - 1)
            if holder is None or holder.rest or not holder.symbol.kind.is_container:
                continue
            method = self._member(holder, rest, depth - 1)
            has_value = method.symbol.kind is SymbolKind.FIELD and bool(method.symbol.facts.literals)
            if (method.symbol.kind in CODE_KINDS or has_value) and not method.rest:
                return method
            shared = self._shared(f"{holder.symbol.name}.{rest[0]}", rest[1:], holder.outline)
            if shared is not None and shared.symbol.kind in CODE_KINDS and not shared.rest:
                return shared
        return None

    def _imported(self, parts: tuple[str, ...], outline: Outline, language: Language, depth: int) -> _Target | None:
        declared: _Target | None = None  # by a header, while the value stands elsewhere
        for target in self._import_targets(parts, outline, language, depth) if depth else ():
            symbol = target.symbol
            if symbol.kind not in DATA or "extern" not in symbol.facts.modifiers or symbol.facts.values:
                return target
            declared = declared or target
        for path, inner in (
            language.locate(outline.path, "", "::".join(parts)) if depth and parts[0] in language.bare_paths else ()
        ):
            other = self._outline(path)
            target = self._exported(other, inner, (), depth, None) if other is not None else None
            if target is not None:
                return target
        return declared

    def _import_targets(
        self, parts: tuple[str, ...], outline: Outline, language: Language, depth: int
    ) -> Iterator[_Target]:
        """The targets of a name through each import of a file."""
        for each in outline.imports:
            width = len(each.local.split(".")) if each.local else 0
            if ".".join(parts[:width]) != each.local or not (each.local or each.name == "*"):
                continue
            rest = parts if each.name == "*" else parts[width:]
            for path, inner in self._places(each, parts, outline, language):
                other = self._outline(path)
                target = self._exported(other, inner, rest, depth, each.name) if other is not None else None
                # the members of a type may be imported, and the name be none of them
                if target is not None and not (inner and each.name == "*" and target.rest == rest):
                    yield target

    def _places(
        self, each: Import, parts: tuple[str, ...], outline: Outline, language: Language
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The files that an import may mean, and the names in them that it stands for."""
        wanted = each.name
        whole = each.name == "*" and parts[0][:1].isupper() and not each.module.startswith("static ")
        if each.name == "*" and (language.file_per_type or (whole and language.name == "java")):
            wanted = parts[0]
        named = each.name != "*" or language.name != "java" or wanted == "*"
        modules = aliased(outline.path, each.module, self._outline) if language.name in ALIASING else ()
        for module in (*modules, each.module):
            for path, inner in language.locate(outline.path, module, wanted):
                yield path, inner if named else ()
        if language.shares_folder and each.name is None:
            for place, inner in language.locate(outline.path, each.module, wanted):
                yield from ((path, inner) for path in self.listing(folder(place)) if path != place)

    def _exported(
        self, outline: Outline, inner: tuple[str, ...], rest: tuple[str, ...], depth: int, name: str | None
    ) -> _Target | None:
        """A name as another file exports it, through one more import where the file re-exports it."""
        parts = (*inner, *rest)
        if name == "default" or (not parts and name is None):
            for symbol in outline.symbols[1:]:
                offered = "default" in symbol.facts.modifiers or symbol.name in ("default", "exports")
                if offered and not symbol.container:
                    return self._member(_Target(outline, symbol), rest, depth)
            parts = rest
        if not parts:
            return None
        language = language_named(outline.language)
        found = _visible(outline, parts[0], language)
        if found is not None:
            target = self._member(_Target(outline, found), parts[1:], depth)
            if not (target.rest and _is_namespace(target.symbol)):
                return target
            found = _visible(outline, target.rest[0], language)
            return self._member(_Target(outline, found), target.rest[1:], depth) if found is not None else None
        return self._imported(parts, outline, language, depth - 1) if language is not None else None

    def _neighbours(self, name: str, outline: Outline, language: Language) -> Iterator[str]:
        """The files whose names need no import here."""
        if language.shares_folder and outline.path == self.here.path:
            yield from (path for path in self.siblings if path != outline.path and path.endswith(language.suffixes))
        yield from language.neighbours(outline.path, name)


def _without(name: str, count: int) -> str:
    """A dotted name without its last parts."""
    ends = [found.end() for found in _PART.finditer(name)]
    return name[: ends[-count - 1]] if len(ends) > count else name


def _visible(outline: Outline, name: str, language: Language | None) -> Symbol | None:
    """The symbol of that name at the top of a file, or in an open scope."""
    return outline.find(name) or (outline.seen(name) if language is not None and language.open_names else None)


def _is_namespace(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.TYPE and "namespace" in symbol.facts.modifiers


def _head(text: str) -> str:
    """The dotted name that a base or decorator starts with."""
    found = _HEAD.match(text)
    return found[0].replace("::", ".").rstrip(".:") if found else ""


def _signature(symbol: Symbol) -> str:
    facts = symbol.facts
    if symbol.kind not in CODE_KINDS:
        return f"{symbol.simple_name}({', '.join(facts.bases)})" if facts.bases else symbol.simple_name
    listed: list[str] = []
    for each in facts.parameters:
        text = each.name + (f": {each.type}" if each.type else "")
        listed.append(text + (f" = {each.default}" if each.default is not None else ""))
    result = f" -> {facts.return_type}" if facts.return_type else ""
    return f"{symbol.simple_name}({', '.join(listed)}){result}"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
