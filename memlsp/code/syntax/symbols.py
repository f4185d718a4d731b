"""Builds symbols with facts and fingerprints from a flattened tree."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from attrs import frozen

from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.definitions import DATA, OWN, Core, Definition, definitions_of, holds, whole
from memlsp.code.syntax.facts import MOST, FactCollector, literal_text
from memlsp.code.syntax.fingerprints import digest, digest_bytes, merged, sketch
from memlsp.code.syntax.language import Header
from memlsp.code.syntax.placement import DefinitionSpans
from memlsp.code.syntax.scopes import ResolvedNames, resolve
from memlsp.code.syntax.tree import Tree, canonical
from memlsp.model.symbol import CODE_KINDS, Facts, Fingerprint, NamedValue, Parameter, Symbol, SymbolKind

_LOCAL = "$"
_ITSELF = f"{OWN}0"


CODE_PART, AROUND = -1, -2


@frozen(eq=False)
class FileSymbols:
    """Symbols in document order and, by the same numbers, the bytes and the holders of their nodes.

    `begins` and `ends` are byte offsets, comments above not included. `holders` has the number of the container whose
    member a symbol is; CODE_PART for parts of functions and for the module, AROUND for a container that is not among
    the symbols. `cores` are those of containers, `given` the names used, as the containers around see them, the
    closest first.
    """

    symbols: tuple[Symbol, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    holders: tuple[int, ...]
    cores: Mapping[int, Core]
    given: tuple[tuple[frozenset[str], ...], ...]


@frozen(eq=False)
class WindowSymbols:
    """The symbols in a part of a file, and the definitions `around` it, the outermost first. It is `whole` when
    everything in the part belongs to a definition."""

    inside: FileSymbols
    whole: bool
    around: tuple[tuple[str, SymbolKind], ...]


def file_symbols(path: str, tree: Tree, text: Decoded) -> FileSymbols:
    """All symbols of a tree, the module first."""
    definitions = definitions_of(tree)
    everything = [whole(tree, definitions), *definitions]
    _SymbolBuilder(path, tree, text, definitions).read(everything)
    return _numbered(tree, everything, everything[0])


def window_symbols(
    path: str, tree: Tree, text: Decoded, window: tuple[int, int], depth: int, seen: Mapping[str, int]
) -> WindowSymbols:
    """The symbols of a tree between two byte offsets. Nothing else of the node around them, `depth` below the root, is
    in the tree. `seen` counts the definitions of each name that stand before."""
    definitions = definitions_of(tree, seen)
    builder = _SymbolBuilder(path, tree, text, definitions)
    start, end = window
    inside = [each for each in definitions if start <= tree.start[each.first] and tree.end[each.root] <= end]
    around = tuple((each.name, each.kind) for each in definitions if each not in inside)
    builder.read(inside)
    return WindowSymbols(_numbered(tree, inside, None), _is_whole(tree, inside, depth), around)


def _is_whole(tree: Tree, definitions: Sequence[Definition], depth: int) -> bool:
    """True when definitions are all that a node has for children."""
    if not definitions:
        return False
    node = definitions[0].first
    at, above = node, tree.parent[node]
    if node != above + 1:
        return False
    for each in definitions:
        if each.first > at:
            return False
        at = max(at, each.after)
    while node > 0:
        node, depth = tree.parent[node], depth - 1
    return depth == -1 and at == tree.after[above]


def _numbered(tree: Tree, definitions: Sequence[Definition], module: Definition | None) -> FileSymbols:
    numbers = {id(each): number for number, each in enumerate(definitions)}
    outside = AROUND if module is None else 0
    holders = (
        CODE_PART if each is module or each.part_of_code else numbers.get(id(each.container), outside)
        for each in definitions
    )
    return FileSymbols(
        tuple(each.symbol for each in definitions if each.symbol is not None),
        tuple(tree.start[each.first] for each in definitions),
        tuple(tree.end[each.root] for each in definitions),
        tuple(holders),
        {number: each.core for number, each in enumerate(definitions) if each.core is not None},
        tuple(each.given for each in definitions),
    )


class _SymbolBuilder:
    def __init__(self, path: str, tree: Tree, text: Decoded, definitions: Sequence[Definition]) -> None:
        self.path = path
        self.tree = tree
        self.text = text
        self.names: ResolvedNames = resolve(tree)
        self.free_at = [node for node, _ in self.names.free]
        self.local_at = sorted(self.names.local)
        local = self.names.local
        self.shown = [_LOCAL if node in local else token for node, token in enumerate(tree.text)]
        self.has_token = [bool(token and key) for token, key in zip(tree.text, tree.key, strict=True)]
        self.mentions = _mentions(tree)
        self.spans = DefinitionSpans(tree, text)
        self._forget_definitions(definitions)

    def read(self, definitions: Sequence[Definition]) -> None:
        """Build the symbols of definitions, members before their containers."""
        for definition in reversed(definitions):
            definition.symbol = self._symbol(definition)

    def _forget_definitions(self, definitions: Sequence[Definition]) -> None:
        """Leave the names that definitions declare out of the free names: naming is not using."""
        tree = self.tree
        heads: set[int] = set()
        for definition in definitions:
            leaf = definition.name_leaf
            heads.add(leaf)
            while leaf > 0 and tree.kind[tree.parent[leaf]] in tree.language.chains and tree.field[leaf]:
                leaf = tree.parent[leaf]
            heads.update(range(leaf, definition.name_leaf))
        self.names.free = [each for each in self.names.free if each[0] not in heads]
        self.free_at = [node for node, _ in self.names.free]

    def _symbol(self, definition: Definition) -> Symbol:
        tree = self.tree
        container = holds(definition.kind) and (definition.kind is not SymbolKind.KEY or bool(definition.members))
        ranges = definition.own_ranges() if container else [(definition.first, definition.after)]
        header = tree.language.header(tree, definition.found.node, definition.root) if definition.name else Header()
        tokens = self._tokens(definition, ranges)
        members = [member.symbol for member in definition.members if member.symbol is not None] if container else []
        span = self.spans.span(definition)
        keys, interface = self._keys(definition, header, ranges), self._interface(definition, header)
        own_sketch = sketch(tokens)
        if container:
            core = Core(
                definition.name,
                definition.simple,
                definition.kind,
                "\x00".join(keys).encode("utf-8", "surrogatepass"),
                tuple(interface),
                tree.language.fields_make(tree, definition.found.node),
                own_sketch,
                len(tokens),
                tuple(self._names(ranges, each) for each in (definition, *self._around(definition))),
            )
            given = [member.given for member in definition.members]
            definition.given = tuple(core.names(given, level) for level in range(1, len(core.uses)))
            definition.core = core
            meaning, signature = core.meaning(members), core.signature(members, tree.language)
            own_sketch = merged((own_sketch, *(member.fingerprint.sketch for member in members)))
        else:
            meaning, signature = digest(keys), digest(interface)
            definition.given = tuple(self._names(ranges, each) for each in self._around(definition))
        fingerprint = Fingerprint(
            text=digest_bytes(self.text.file[span.start_byte : span.end_byte]),
            meaning=meaning,
            signature=signature,
            shape=digest(each for a, b in ranges for each in tree.shape[a:b] if each),
            sketch=own_sketch,
            size=len(tokens) + sum(member.fingerprint.size for member in members),
        )
        facts = self._facts(definition, header, ranges, tokens, members)
        return Symbol(
            self.path,
            definition.name,
            definition.kind,
            span,
            self.spans.name_span(definition),
            fingerprint,
            facts,
            definition.ordinal,
        )

    def _tokens(self, definition: Definition, ranges: Iterable[tuple[int, int]]) -> list[str]:
        shown, has_token = self.shown, self.has_token
        own = self._own_names(definition)
        out: list[str] = []
        for a, b in ranges:
            piece = shown[a:b]
            for node in own:
                if a <= node < b:
                    piece[node - a] = OWN
            out.extend(compress(piece, has_token[a:b]))
        return out

    def _own_names(self, definition: Definition) -> dict[int, str]:
        """Nodes with the symbol's own name or that of a container, each with the text that replaces it."""
        if definition.own is not None:
            return definition.own
        found: dict[int, str] = {}
        local, leaf = self.names.local, definition.name_leaf
        for depth, simple in enumerate((definition.simple, *definition.enclosing)):
            mentions = self.mentions.get(simple, _NOWHERE)
            for at in range(bisect_left(mentions, definition.first), bisect_left(mentions, definition.after)):
                node = mentions[at]
                if node in found or (node in local and node != leaf):
                    continue
                if node == leaf or not self._is_attribute(node) or self._of_itself(node, definition):
                    found[node] = f"{OWN}{depth}"
        if leaf >= 0:
            found.setdefault(leaf, f"{OWN}0")  # the names of keys and sections are no identifiers
        definition.own = found
        return found

    def _is_attribute(self, node: int) -> bool:
        tree = self.tree
        kind = tree.kind[node]
        return kind in _ATTRIBUTES or (tree.kind[tree.parent[node]], tree.field[node]) in tree.language.attributes

    def _of_itself(self, node: int, definition: Definition) -> bool:
        """`self.name`, `this.name`, `Courier.name`: an attribute of its own object or class."""
        tree = self.tree
        parent = tree.parent[node]
        chain = tree.language.chains.get(tree.kind[parent])
        if chain is None:
            return False
        above = tree.child(parent, chain[0])
        if above is None or not tree.is_leaf(above):
            return False
        text = tree.text[above]
        return text in tree.language.selves or text in definition.enclosing or above in self.names.receivers

    def _keys(self, definition: Definition, header: Header, ranges: Sequence[tuple[int, int]]) -> list[str]:
        """The texts whose digest is its meaning, members aside."""
        parts = [*self._parts(definition, ranges), self._implied(definition)]
        standing = self.tree.language.implicit_modifiers(self.tree, definition.found.node)
        if definition.kind in CODE_KINDS and standing:
            parts.append(standing)
        if definition.kind is SymbolKind.FIELD and self.tree.language.value_only:
            parts.append(header.return_type or "")  # a dataclass reads it
        if definition.kind in DATA and not self.tree.language.value_only and definition.root == definition.found.node:
            parts.extend((*header.modifiers, header.return_type or ""))  # one head for several names
        return parts

    def _parts(self, definition: Definition, ranges: Sequence[tuple[int, int]]) -> list[str]:
        """The keys of some ranges, with locals numbered, own names replaced and imports in one order."""
        tree = self.tree
        if definition.kind in DATA and definition.name and not definition.members:
            ranges = self._data_ranges(definition) or ranges
        numbers: dict[int, int] = {}
        own = self._own_names(definition)
        keys: list[str] = []
        imported: list[str] = []
        for first, after in ranges:
            part = tree.key[first:after]
            self._number_locals(part, first, after, numbers)
            for node, stand_in in own.items():
                if first <= node < after and part[node - first]:
                    part[node - first] = f"{tree.field[node]}={stand_in}"
            for at in range(bisect_left(tree.imports, first), bisect_left(tree.imports, after)):
                node = tree.imports[at]
                stop = min(tree.after[node], after) - first
                part[node - first : stop] = [""] * (stop - (node - first))
                imported.extend(canonical(tree, node))
            keys.extend(part)
        # the first key of a module is how many statements it has, which is no meaning of its own
        start = 1 if definition.kind is SymbolKind.MODULE else 0
        return [*(key for key in keys[start:] if key), *sorted(imported)]

    def _number_locals(self, part: list[str], first: int, after: int, numbers: dict[int, int]) -> None:
        """Replace the names of locals in a range of keys by numbers in order of appearance."""
        tree = self.tree
        for at in range(bisect_left(self.local_at, first), bisect_left(self.local_at, after)):
            node = self.local_at[at]
            if part[node - first]:
                number = numbers.setdefault(self.names.local[node], len(numbers))
                part[node - first] = f"{tree.field[node]}={_LOCAL}{number}"
        for node, named in self.names.woven.items():
            if first <= node < after and part[node - first]:
                text = tree.text[node]
                for name, variable in named:
                    number = numbers.setdefault(variable, len(numbers))
                    text = text.replace("{" + name, f"{{{_LOCAL}{number}")
                part[node - first] = f"{tree.field[node]}={text}"

    def _data_ranges(self, definition: Definition) -> list[tuple[int, int]] | None:
        """The value of a constant that means nothing else, None for other definitions."""
        tree = self.tree
        value = tree.language.value(tree, definition.found.node, definition.name_leaf)
        return [(value, tree.after[value])] if value is not None and tree.language.value_only else None

    def _interface(self, definition: Definition, header: Header) -> list[str]:
        """The texts whose digest is its signature, members aside."""
        tree, language = self.tree, self.tree.language
        kind = definition.kind
        if kind in CODE_KINDS:
            parts = [*sorted(header.modifiers), "("]
            parts.extend(_interface(parameter, named=language.named_parameters) for parameter in header.parameters)
            if language.typed_names:
                parts.extend(parameter.type or "" for parameter in header.parameters)
            untyped = language.named_parameters and not language.typed_names
            parts.append(")" if untyped else f") {header.return_type or ''}")
            parts.append(tree.render(tree.child(definition.found.node, "type_parameters")))
            return _anonymous(parts, header.placeholders)
        if kind.is_container:
            parameters = (_interface(each, named=True) + (each.type or "") for each in header.parameters)
            return [*sorted(header.modifiers), *header.bases, "(", *parameters]
        typed = language.typed_names or not language.named_parameters
        return [*sorted(header.modifiers), header.return_type or ""] if typed else []

    def _facts(
        self,
        definition: Definition,
        header: Header,
        ranges: Sequence[tuple[int, int]],
        tokens: Sequence[str],
        members: Sequence[Symbol],
    ) -> Facts:
        tree = self.tree
        value_ranges = self._data_ranges(definition) if definition.kind is SymbolKind.KEY and not members else None
        found = _gather(tree, value_ranges or ranges)
        defaults = [
            NamedValue(p.name.rstrip(":"), p.default) for p in header.parameters if p.default and _is_literal(p.default)
        ]
        values = [each for each in defaults if each not in found.values]
        if definition.kind in DATA:
            value = tree.language.value(tree, definition.found.node, definition.name_leaf)
            implied = self._implied(definition)
            if value is not None:
                text = literal_text(tree, value) or tree.render(tree.inner(value))
                values = [NamedValue(definition.simple, implied or text)]
                found.values = [each for each in found.values if each.name != definition.simple]
            elif implied:
                values = [NamedValue(definition.simple, implied)]
        values.extend(found.values)
        return Facts(
            parameters=header.parameters,
            return_type=header.return_type,
            modifiers=header.modifiers,
            decorators=header.decorators,
            bases=header.bases,
            calls=tuple(found.calls[:MOST]),
            raises=tuple(found.raises[:MOST]),
            catches=tuple(found.catches[:MOST]),
            conditions=tuple(found.conditions[:MOST]),
            returns=tuple(found.returns[:MOST]),
            loops=tuple(found.loops[:MOST]),
            literals=tuple(found.literals),
            values=tuple(values[:MOST]),
            uses=self._uses(definition),
            members=definition.core.members(members) if definition.core else (),
            docs=self.spans.docs(definition),
            tokens=tuple(tokens[:MOST]),
        )

    def _implied(self, definition: Definition) -> str:
        """The value of a constant, or part of it, that follows from its position."""
        if definition.kind not in DATA:
            return ""
        return self.tree.language.implicit_value(self.tree, definition.found.node, definition.name_leaf)

    def _uses(self, definition: Definition) -> tuple[str, ...]:
        if definition.core is not None:
            return tuple(sorted(definition.core.names(member.given for member in definition.members)))
        return tuple(sorted(self._names([(definition.first, definition.after)], definition)))

    def _around(self, definition: Definition) -> list[Definition | None]:
        """The containers that hold a definition as a member, the closest first, None for the module."""
        found: list[Definition | None] = []
        at = definition
        while at.container is not None:
            at = at.container
            found.append(at)
        return found if at.part_of_code or not at.name else [*found, None]

    def _names(self, ranges: Iterable[tuple[int, int]], seen_by: Definition | None) -> frozenset[str]:
        """The free names in some ranges, without the name of the definition that sees them."""
        own = self._own_names(seen_by) if seen_by is not None else {}
        found: set[str] = set()
        for first, after in ranges:
            a, b = bisect_left(self.free_at, first), bisect_left(self.free_at, after)
            found.update(name for node, name in self.names.free[a:b] if own.get(node) != _ITSELF)
        return frozenset(found)


_NOWHERE: list[int] = []
_ATTRIBUTES = frozenset({"property_identifier", "field_identifier", "private_property_identifier"})


def _mentions(tree: Tree) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    language = tree.language
    names = {kind for kind in set(tree.kind) if kind.endswith("identifier") or kind in language.identifiers}
    for node, (kind, text) in enumerate(zip(tree.kind, tree.text, strict=True)):
        if kind in names and text:
            found.setdefault(text.lstrip(language.sigils), []).append(node)
    return found


def _gather(tree: Tree, ranges: Iterable[tuple[int, int]]) -> FactCollector:
    """The facts of the nodes inside `ranges` (index pairs, half open, in order)."""
    interesting = tree.interesting
    facts = FactCollector()
    rules, kinds, keys = tree.language.rules, tree.kind, tree.key
    for first, after in ranges:
        for at in range(bisect_left(interesting, first), bisect_left(interesting, after)):
            node = interesting[at]
            rule = rules.get(kinds[node])  # a kind can have been replaced since it was noticed
            if rule is not None and keys[node]:
                rule(tree, node, facts)
    return facts


def _anonymous(parts: list[str], names: Sequence[str]) -> list[str]:
    """Texts of an interface with numbers for the names of type parameters."""
    if not names:
        return parts
    name = re.compile(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b")
    return [name.sub(lambda found: f"${names.index(found[0])}", part) for part in parts]


def _interface(parameter: Parameter, *, named: bool) -> str:
    name = parameter.name
    if not named:
        stars = name[: len(name) - len(name.lstrip("*.&"))]
        name = name if name[:1] in "{[" or name[-1:] == ":" else stars
        return f"{name}: {parameter.type or ''} = {parameter.default or ''}"
    return f"{name} = {parameter.default}" if parameter.default is not None else name


def _is_literal(text: str) -> bool:
    return text[:1] in "'-0123456789." or text in _WORDS or text[1:2] == "'"


_WORDS = frozenset({"True", "False", "None", "true", "false", "null", "nil", "undefined"})
