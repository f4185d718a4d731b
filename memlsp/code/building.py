"""From a flattened tree to symbols with facts and fingerprints."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import compress

from attrs import define, field

from memlsp.code.decoding import Decoded
from memlsp.code.facts import MOST, gather, key_text, literal_text
from memlsp.code.fingerprints import digest, digest_bytes, sketch
from memlsp.code.imports import canonical
from memlsp.code.language import Header
from memlsp.code.scopes import Names, resolve
from memlsp.code.tree import Comment, Found, Tree
from memlsp.model.place import Span
from memlsp.model.symbol import Facts, Fingerprint, NamedValue, Parameter, Symbol, SymbolKind

_ORDERED = frozenset({SymbolKind.FIELD, SymbolKind.MEMBER})
_NO_FRAME = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD})
_CODE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_DATA = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.MEMBER, SymbolKind.KEY})
_DEEPEST = 12  # definitions inside definitions; what is deeper is part of what holds it
_NAMESPACE = "namespace"  # a tag: a container whose functions are no methods
_OWN, _LOCAL = "@", "$"


@define(eq=False, slots=True)
class _Definition:
    """A definition between being found and being a symbol."""

    found: Found
    first: int  # index of the first node that belongs to it: its outermost wrapper or first attribute
    root: int  # the outermost wrapper
    after: int
    kind: SymbolKind
    name: str
    name_leaf: int
    simple: str
    enclosing: tuple[str, ...] = ()  # simple names, innermost first
    container: _Definition | None = None  # whose member it is, None for the module and for parts of functions
    part_of_code: bool = False
    ordinal: int = 0
    members: list[_Definition] = field(factory=list["_Definition"])
    symbol: Symbol | None = None
    own: dict[int, str] | None = None  # what `_own_names` found


def symbols_of(path: str, tree: Tree, text: Decoded) -> tuple[Symbol, ...]:
    """All symbols of a tree, the module first, in document order."""
    return _Building(path, tree, text).run()


@define(eq=False, slots=True)
class _Frame:
    """Something that prefixes the names of what stands in it. `types` when it is a type's block and no symbol."""

    after: int
    name: str
    definition: _Definition | None
    types: bool


class _Building:
    def __init__(self, path: str, tree: Tree, text: Decoded) -> None:
        self.path = path
        self.tree = tree
        self.text = text
        self.names: Names = resolve(tree)
        self.free_at = [node for node, _ in self.names.free]
        self.local_at = sorted(self.names.local)
        local = self.names.local
        self.shown = [_LOCAL if node in local else token for node, token in enumerate(tree.text)]
        self.told = [bool(token and key) for token, key in zip(tree.text, tree.key, strict=True)]
        self.mentions = _mentions(tree)
        self.comment_ends = {comment.end: comment for comment in tree.comments}

    def run(self) -> tuple[Symbol, ...]:
        definitions = self._definitions()
        self._forget_definitions(definitions)
        module = self._module(definitions)
        for definition in reversed(definitions):
            definition.symbol = self._symbol(definition)
        whole = self._symbol(module)
        return (whole, *(definition.symbol for definition in definitions if definition.symbol))

    # Finding.

    def _module(self, definitions: Sequence[_Definition]) -> _Definition:
        found = Found(0, "module", -1, -1)
        module = _Definition(found, 0, 0, len(self.tree.kind), SymbolKind.MODULE, "", -1, "")
        module.members = [each for each in definitions if each.container is None and not each.part_of_code]
        return module

    def _definitions(self) -> list[_Definition]:
        tree, language = self.tree, self.tree.language
        counts: dict[int, set[int]] = {}
        for found in tree.founds:
            counts.setdefault(tree.parent[found.node], set()).add(found.node)
        ranked = sorted((self._outermost(found, counts), found) for found in tree.founds)
        frames: list[_Frame] = []
        seen: dict[str, int] = {}
        out: list[_Definition] = []
        for (first, _, root), found in ranked:
            after = tree.after[root]
            while frames and frames[-1].after <= first:
                frames.pop()
            leaf = self._leaf(found)
            simple = self._name_text(found, leaf)
            if not simple or simple == "_" or len(frames) >= _DEEPEST:
                continue
            if found.kind == "scope":
                frames.append(_Frame(after, simple, None, types=True))
                continue
            owner = language.owner(found.owner) if found.owner else ""
            holder = next((frame.definition for frame in reversed(frames) if frame.definition is not None), None)
            kind = self._kind(found, holder, frames, owned=bool(owner))
            if kind is None:
                if language.objects and found.kind == "constant" and self._holds_object(found.node):
                    frames.append(_Frame(after, simple, None, types=False))
                continue
            prefix = [frame.name for frame in frames]
            if owner:
                prefix.append(owner)
            name = ".".join([*prefix, simple])
            definition = _Definition(found, first, root, after, kind, name, leaf, simple, tuple(reversed(prefix)))
            definition.part_of_code = holder is not None and (holder.part_of_code or not _holds(holder.kind))
            if holder is not None and _holds(holder.kind):
                holder.members.append(definition)
                definition.container = holder
            definition.ordinal = seen.get(name, 0)
            seen[name] = definition.ordinal + 1
            out.append(definition)
            if kind not in _NO_FRAME or (language.objects and kind is SymbolKind.CONSTANT):
                frames.append(_Frame(after, simple, definition, types=False))
        return out

    def _forget_definitions(self, definitions: Sequence[_Definition]) -> None:
        """Naming something is not using it."""
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

    def _outermost(self, found: Found, counts: dict[int, set[int]]) -> tuple[int, int, int]:
        """(first node, order among those that start together, outermost wrapper)."""
        tree, language = self.tree, self.tree.language
        root = found.node
        while tree.parent[root] > 0 or (tree.parent[root] == 0 and tree.kind[0] in language.wrappers):
            parent = tree.parent[root]
            if tree.kind[parent] not in language.wrappers or self._crowded(parent, root, counts):
                break
            root = parent
        before = tree.before(root, language.leading) if language.leading else []
        first = before[0] if before else root
        return first, found.name_start, root

    def _crowded(self, parent: int, child: int, counts: dict[int, set[int]]) -> bool:
        """True when the wrapper holds several definitions, so that it is none's own."""
        if len(counts.get(parent, ())) > 1:
            return True
        kind = self.tree.kind[child]
        return sum(1 for each in self.tree.children(parent) if self.tree.kind[each] == kind) > 1

    def _leaf(self, found: Found) -> int:
        tree = self.tree
        for node in range(found.node, tree.after[found.node]):
            if tree.start[node] == found.name_start and tree.end[node] == found.name_end and tree.is_leaf(node):
                return node
        return -1

    def _name_text(self, found: Found, leaf: int) -> str:
        if leaf >= 0 and self.tree.text[leaf]:
            return key_text(self.tree, leaf).strip('"')
        return self.tree.source[found.name_start : found.name_end].decode("utf-8", "replace").strip("\"'`")

    def _kind(
        self,
        found: Found,
        holder: _Definition | None,
        frames: Sequence[_Frame],
        *,
        owned: bool,
    ) -> SymbolKind | None:
        language = self.tree.language
        kind = SymbolKind.TYPE if found.kind == _NAMESPACE else SymbolKind(found.kind)
        in_type = owned or bool(frames and frames[-1].types)
        if holder is not None and frames[-1].definition is holder:
            in_type = in_type or (holder.kind.is_container and holder.found.kind != _NAMESPACE)
        if kind is SymbolKind.FIELD and not in_type:
            return None
        if kind is SymbolKind.CONSTANT:
            if holder is not None and holder.kind is SymbolKind.ENUM:
                kind = SymbolKind.MEMBER
            elif in_type and language.fields(self.tree, found.node):
                kind = SymbolKind.FIELD
        elif kind is SymbolKind.FUNCTION and in_type:
            kind = SymbolKind.METHOD
        refined = language.refine(self.tree, found.node, kind)
        if refined is SymbolKind.FUNCTION and in_type:
            refined = SymbolKind.METHOD
        if refined in _DATA and self._inside_function(found.node):
            return None  # a constant or field of something local
        return refined

    def _holds_object(self, node: int) -> bool:
        tree = self.tree
        value = tree.language.value(tree, node, -1)
        return value is not None and tree.kind[value] == "object"

    def _inside_function(self, node: int) -> bool:
        opened = self.tree.opened
        at = self.tree.parent[node]
        while at >= 0:
            scope = opened.get(at)
            if scope is not None and scope.kind != "block":
                return scope.kind == "function"
            at = self.tree.parent[at]
        return False

    # Making.

    def _symbol(self, definition: _Definition) -> Symbol:
        tree = self.tree
        container = _holds(definition.kind) and (definition.kind is not SymbolKind.KEY or bool(definition.members))
        ranges = self._own_ranges(definition) if container else [(definition.first, definition.after)]
        header = tree.language.header(tree, definition.found.node, definition.root) if definition.name else Header()
        tokens = self._tokens(definition, ranges)
        members = [member.symbol for member in definition.members if member.symbol is not None] if container else []
        span = self._span(definition)
        fingerprint = Fingerprint(
            text=digest_bytes(self.text.file[span.start_byte : span.end_byte]),
            meaning=self._meaning(definition, header, ranges, members),
            signature=self._signature(definition, header, members),
            shape=digest(each for a, b in ranges for each in tree.shape[a:b] if each),
            sketch=sketch(tokens, (member.fingerprint.sketch for member in members)),
            size=len(tokens) + sum(member.fingerprint.size for member in members),
        )
        facts = self._facts(definition, header, ranges, tokens, members)
        return Symbol(
            self.path,
            definition.name,
            definition.kind,
            span,
            self._name_span(definition),
            fingerprint,
            facts,
            definition.ordinal,
        )

    def _own_ranges(self, definition: _Definition) -> list[tuple[int, int]]:
        out: list[tuple[int, int]] = []
        at = definition.first
        for member in definition.members:
            if member.first > at:
                out.append((at, member.first))
            at = max(at, member.after)
        if at < definition.after:
            out.append((at, definition.after))
        return out

    def _tokens(self, definition: _Definition, ranges: Iterable[tuple[int, int]]) -> list[str]:
        shown, told = self.shown, self.told
        own = self._own_names(definition)
        out: list[str] = []
        for a, b in ranges:
            piece = shown[a:b]
            for node in own:
                if a <= node < b:
                    piece[node - a] = _OWN
            out.extend(compress(piece, told[a:b]))
        return out

    def _own_names(self, definition: _Definition) -> dict[int, str]:
        """Nodes that say the symbol's own name or that of something it stands in, and what stands for them."""
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
                    found[node] = f"{_OWN}{depth}"
        definition.own = found
        return found

    def _is_attribute(self, node: int) -> bool:
        tree = self.tree
        kind = tree.kind[node]
        return kind in _ATTRIBUTES or (tree.kind[tree.parent[node]], tree.field[node]) in tree.language.attributes

    def _of_itself(self, node: int, definition: _Definition) -> bool:
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

    def _meaning(
        self,
        definition: _Definition,
        header: Header,
        ranges: Sequence[tuple[int, int]],
        members: Sequence[Symbol],
    ) -> str:
        parts = [*self._parts(definition, ranges), self._implied(definition)]
        if definition.kind is SymbolKind.FIELD and self.tree.language.value_only:
            parts.append(header.return_type or "")  # a dataclass reads it
        if definition.kind in _DATA and not self.tree.language.value_only and definition.root == definition.found.node:
            parts.extend((*header.modifiers, header.return_type or ""))  # said once for several names
        if not members:
            return digest(parts)
        prefix = len(definition.name) + 1 if definition.name else 0
        keyed = [(m.name[prefix:] if m.name[prefix:] != definition.simple else _OWN, m) for m in members]
        ordered = [f"{name}={m.fingerprint.meaning}" for name, m in keyed if m.kind in _ORDERED]
        others = sorted((name, m.ordinal, m.fingerprint.meaning) for name, m in keyed if m.kind not in _ORDERED)
        return digest([*parts, "", *ordered, "", *(f"{name} {number}={meaning}" for name, number, meaning in others)])

    def _parts(self, definition: _Definition, ranges: Sequence[tuple[int, int]]) -> list[str]:
        """The keys of some ranges, with locals numbered, own names replaced and imports in one order."""
        tree = self.tree
        if definition.kind in _DATA and definition.name and not definition.members:
            ranges = self._data_ranges(definition) or ranges
        numbers: dict[int, int] = {}
        own = self._own_names(definition)
        out: list[str] = []
        imported: list[str] = []
        for a, b in ranges:
            part = tree.key[a:b]
            for at in range(bisect_left(self.local_at, a), bisect_left(self.local_at, b)):
                node = self.local_at[at]
                if part[node - a]:
                    number = numbers.setdefault(self.names.local[node], len(numbers))
                    part[node - a] = f"{tree.field[node]}={_LOCAL}{number}"
            for node, named in self.names.woven.items():
                if a <= node < b and part[node - a]:
                    text = tree.text[node]
                    for name, variable in named:
                        number = numbers.setdefault(variable, len(numbers))
                        text = text.replace("{" + name, f"{{{_LOCAL}{number}")
                    part[node - a] = f"{tree.field[node]}={text}"
            for node, stand_in in own.items():
                if a <= node < b and part[node - a]:
                    part[node - a] = f"{tree.field[node]}={stand_in}"
            for at in range(bisect_left(tree.imports, a), bisect_left(tree.imports, b)):
                node = tree.imports[at]
                stop = min(tree.after[node], b) - a
                part[node - a : stop] = [""] * (stop - (node - a))
                imported.extend(canonical(tree, node))
            out.extend(part)
        start = (
            1 if definition.kind is SymbolKind.MODULE else 0
        )  # how many statements a file has is no meaning of its own
        return [*(part for part in out[start:] if part), *sorted(imported)]

    def _data_ranges(self, definition: _Definition) -> list[tuple[int, int]] | None:
        """What a constant means: its head without its name, and the value that is its own."""
        tree = self.tree
        value = tree.language.value(tree, definition.found.node, definition.name_leaf)
        if value is None or not tree.language.value_only:
            return None
        head: list[tuple[int, int]] = []
        return [*head, (value, tree.after[value])]

    def _signature(self, definition: _Definition, header: Header, members: Sequence[Symbol]) -> str:
        tree, language = self.tree, self.tree.language
        kind = definition.kind
        if kind in _CODE:
            parts = [*sorted(header.modifiers), "("]
            for parameter in header.parameters:
                parts.append(_interface(parameter, named=language.named_parameters))
            parts.append(")" if language.named_parameters else f") {header.return_type or ''}")
            generic = tree.child(definition.found.node, "type_parameters")
            parts.append(tree.render(generic))
            return digest(parts)
        if kind.is_container:
            prefix = [*sorted(header.modifiers), *header.bases, "("]
            prefix.extend(_interface(parameter, named=True) + (parameter.type or "") for parameter in header.parameters)
            for member in members:
                if (
                    member.simple_name in language.constructors
                    or member.simple_name == definition.simple
                    or (kind is SymbolKind.INTERFACE and member.kind in _CODE)
                ):
                    prefix.append(f"{member.simple_name} {member.fingerprint.signature}")
                elif member.kind is SymbolKind.FIELD and language.fields_make(tree, definition.found.node):
                    prefix.append(f"{member.simple_name} {member.fingerprint.meaning}")
            return digest(prefix)
        return digest([*sorted(header.modifiers), header.return_type or ""] if not language.named_parameters else ())

    def _facts(
        self,
        definition: _Definition,
        header: Header,
        ranges: Sequence[tuple[int, int]],
        tokens: Sequence[str],
        members: Sequence[Symbol],
    ) -> Facts:
        tree = self.tree
        told = self._data_ranges(definition) if definition.kind is SymbolKind.KEY and not members else None
        found = gather(tree, told or ranges, tree.interesting)
        defaults = [NamedValue(p.name, p.default) for p in header.parameters if p.default and _is_literal(p.default)]
        values = [each for each in defaults if each not in found.values]
        if definition.kind in _DATA:
            value = tree.language.value(tree, definition.found.node, definition.name_leaf)
            if value is not None:
                text = literal_text(tree, value) or tree.render(tree.inner(value))
                implied = self._implied(definition)
                values = [NamedValue(definition.simple, implied or text)]
                found.values = [each for each in found.values if each.name != definition.simple]
            elif self._implied(definition):
                values = [NamedValue(definition.simple, self._implied(definition))]
        values.extend(found.values)
        prefix = len(definition.name) + 1 if definition.name else 0
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
            members=tuple((member.name[prefix:], member.fingerprint.meaning) for member in members),
            docs=self._docs(definition),
            tokens=tuple(tokens[:MOST]),
        )

    def _implied(self, definition: _Definition) -> str:
        """The value, or part of it, that follows from where a constant stands."""
        if definition.kind not in _DATA:
            return ""
        return self.tree.language.implicit(self.tree, definition.found.node, definition.name_leaf)

    def _uses(self, definition: _Definition) -> tuple[str, ...]:
        own = self._own_names(definition)
        a, b = bisect_left(self.free_at, definition.first), bisect_left(self.free_at, definition.after)
        return tuple(sorted({name for node, name in self.names.free[a:b] if own.get(node) != f"{_OWN}0"}))

    # Placing.

    def _span(self, definition: _Definition) -> Span:
        tree = self.tree
        if not definition.name:
            return self._place(0, len(tree.source), whole=True)
        start = tree.start[definition.first]
        comment = self._comment_above(start)
        while comment is not None:
            start = comment.start
            comment = self._comment_above(start)
        end = tree.end[definition.root]
        while end > start + 1 and tree.source[end - 1] in b" \t\r\n":
            end -= 1
        return self._place(start, end)

    def _comment_above(self, start: int) -> Comment | None:
        """The comment that ends on the line before `start`, or on its line, and has its own line."""
        source = self.tree.source
        end = start
        while end > 0 and source[end - 1] in b" \t\r":
            end -= 1
        if end > 0 and source[end - 1 : end] == b"\n" and self.comment_ends.get(end) is None:
            end -= 1
            while end > 0 and source[end - 1] in b" \t\r":
                end -= 1
        comment = self.comment_ends.get(end)
        if comment is None:
            return None
        line_start = source.rfind(b"\n", 0, comment.start) + 1
        return comment if not source[line_start : comment.start].strip() else None

    def _name_span(self, definition: _Definition) -> Span:
        if definition.found.name_start < 0:
            return Span(0, 0, 0, 0)
        return self._place(definition.found.name_start, definition.found.name_end)

    def _place(self, start: int, end: int, *, whole: bool = False) -> Span:
        tree = self.tree
        line = tree.line(start)
        end_line = tree.line(max(start, end - 1))
        column = self.text.offset(start) - self.text.offset(tree.line_starts[line]) if not whole else 0
        if whole:
            return Span(0, len(self.text.file), 0, end_line)
        if line == 0 and self.text.skipped:
            column += self.text.skipped
        return Span(self.text.offset(start), self.text.offset(end), line, end_line, column)

    def _docs(self, definition: _Definition) -> str:
        tree, language = self.tree, self.tree.language
        if language.docstring is not None:
            for node in tree.docstrings:
                if node >= definition.after:
                    break
                if node > definition.found.node and tree.parent[tree.parent[node]] == definition.found.node:
                    return _fold(key_text(tree, tree.inner(node + 1)))
                if not definition.name and tree.parent[node] == 0:
                    return _fold(key_text(tree, tree.inner(node + 1)))
        texts: list[str] = []
        start = tree.start[definition.first] if definition.name else -1
        comment = self._comment_above(start) if definition.name else None
        while comment is not None:
            raw = tree.source[comment.start : comment.end].decode("utf-8", "replace")
            if language.doc_comment(raw):
                texts.append(raw)
            start = comment.start
            comment = self._comment_above(start)
        return _fold(" ".join(language.read_doc(raw) for raw in reversed(texts)))


_NOWHERE: list[int] = []
_ATTRIBUTES = frozenset({"property_identifier", "field_identifier", "private_property_identifier"})


def _holds(kind: SymbolKind) -> bool:
    return kind.is_container or kind is SymbolKind.KEY


def _mentions(tree: Tree) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    names = {kind for kind in set(tree.kind) if kind.endswith("identifier")}
    for node, (kind, text) in enumerate(zip(tree.kind, tree.text, strict=True)):
        if kind in names and text:
            found.setdefault(text, []).append(node)
    return found


def _interface(parameter: Parameter, *, named: bool) -> str:
    name = parameter.name
    if not named:
        stars = name[: len(name) - len(name.lstrip("*.&"))]
        name = name if name[:1] in "{[" else stars
        return f"{name}: {parameter.type or ''} = {parameter.default or ''}"
    return f"{name} = {parameter.default}" if parameter.default is not None else name


def _is_literal(text: str) -> bool:
    return text[:1] in "'-0123456789." or text in _WORDS or text[1:2] == "'"


_WORDS = frozenset({"True", "False", "None", "true", "false", "null", "nil", "undefined"})


def _fold(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())
