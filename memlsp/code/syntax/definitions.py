"""Finds the definitions in a tree: their names, kinds and extents, and which holds which.

A container's own part is read once and kept as a `Core`; after a change of a member its meaning and signature follow
from the core and the members, without reading its text again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import define, field, frozen

from memlsp.code.syntax.facts import key_text
from memlsp.code.syntax.fingerprints import digest, digest_bytes
from memlsp.code.syntax.language import Language, Membership
from memlsp.code.syntax.nodes import TaggedDefinition
from memlsp.code.syntax.tree import Tree
from memlsp.model.symbol import CODE_KINDS, VALUE_KINDS, Symbol, SymbolKind

OWN = "@"  # stands for a symbol's own name
_ORDERED = frozenset({SymbolKind.FIELD, SymbolKind.MEMBER})


@frozen(eq=False)
class Core:
    """The part of a container that belongs to none of its members; `sketch` and `size` are those of its own tokens."""

    name: str
    simple: str  # as declared: it may hold dots
    kind: SymbolKind
    parts: bytes  # the keys of its digest, joined
    interface: tuple[str, ...]  # the share of its head in the signature
    fields_make: bool  # its fields make its constructor
    sketch: tuple[int, ...]
    size: int
    uses: tuple[frozenset[str], ...]  # names in its own part, as it and each container around it see them

    def meaning(self, members: Sequence[Symbol]) -> str:
        """The digest of its behaviour, with these members. The order of fields counts, that of functions does not."""
        if not members:
            return digest_bytes(self.parts)
        prefix, simple = len(self.name) + 1 if self.name else 0, self.simple
        keyed = [(m.name[prefix:] if m.name[prefix:] != simple else OWN, m) for m in members]
        ordered = [f"{name}={m.fingerprint.meaning}" for name, m in keyed if m.kind in _ORDERED]
        others = sorted((name, m.ordinal, m.fingerprint.meaning) for name, m in keyed if m.kind not in _ORDERED)
        rest = ("", "", *ordered, "", *(f"{name} {number}={meaning}" for name, number, meaning in others))
        return digest_bytes(self.parts + "\x00".join(rest).encode("utf-8", "surrogatepass"))

    def signature(self, members: Sequence[Symbol], language: Language) -> str:
        """The digest of its interface: its head, its constructors, the functions of an interface type."""
        parts = list(self.interface)
        if self.kind.is_container:
            for member in members:
                name = member.simple_name
                is_method = self.kind is SymbolKind.INTERFACE and member.kind in CODE_KINDS
                if name in language.constructors or name == self.simple or is_method:
                    parts.append(f"{name} {member.fingerprint.signature}")
                elif member.kind is SymbolKind.FIELD and self.fields_make:
                    parts.append(f"{name} {member.fingerprint.meaning}")
        return digest(parts)

    def names(self, given: Iterable[Sequence[frozenset[str]]], level: int = 0) -> frozenset[str]:
        """The names used in it, as it (level 0) or a container around it sees them, from those of its members. A symbol
        does not see its own name."""
        return self.uses[level].union(*(each[level] for each in given))

    def members(self, members: Sequence[Symbol]) -> tuple[tuple[str, str], ...]:
        """Its members as its facts list them: simple name, meaning digest."""
        prefix = len(self.name) + 1 if self.name else 0
        return tuple((member.name[prefix:], member.fingerprint.meaning) for member in members)


NO_FRAME = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD})
DATA = VALUE_KINDS | {SymbolKind.KEY}
_DEEPEST = 12  # definitions inside definitions; what is deeper is part of what holds it
_NAMESPACE = "namespace"  # a tag: a container whose functions are no methods


@define(eq=False, slots=True)
class Definition:
    """A definition between being found and being a symbol."""

    found: TaggedDefinition
    first: int  # index of the first node that belongs to it: its outermost wrapper or first attribute
    root: int  # the outermost wrapper
    after: int
    kind: SymbolKind
    name: str
    name_leaf: int
    simple: str
    enclosing: tuple[str, ...] = ()  # simple names, innermost first
    container: Definition | None = None  # whose member it is, None for the module and for parts of functions
    part_of_code: bool = False
    ordinal: int = 0
    members: list[Definition] = field(factory=list["Definition"])
    symbol: Symbol | None = None
    core: Core | None = None  # of a container
    given: tuple[frozenset[str], ...] = ()  # the names it uses, as each of its containers sees them, the closest first
    own: dict[int, str] | None = None  # what `_own_names` found

    def lie_in(self, holder: Definition) -> None:
        """Become a member of `holder`, or a part of its code."""
        self.part_of_code = holder.part_of_code or not holds(holder.kind)
        if holds(holder.kind):
            holder.members.append(self)
            self.container = holder

    def own_ranges(self) -> list[tuple[int, int]]:
        """The node ranges that belong to none of its members."""
        out: list[tuple[int, int]] = []
        at = self.first
        for member in self.members:
            if member.first > at:
                out.append((at, member.first))
            at = max(at, member.after)
        if at < self.after:
            out.append((at, self.after))
        return out


@define(eq=False, slots=True)
class _Frame:
    """A node that prefixes the names inside it. `types` when it is a type's block and no symbol."""

    after: int
    name: str
    definition: Definition | None
    types: bool
    given: bool = False  # by `Language.membership`: only such members have it in their names


def definitions_of(tree: Tree, seen: Mapping[str, int] | None = None) -> list[Definition]:
    """Every definition of a tree, in document order, containers before their members. `seen` counts the definitions of
    each name that stand before the part of the file that the tree shows."""
    return _DefinitionReader(tree).definitions(dict(seen or {}))


def whole(tree: Tree, definitions: Sequence[Definition]) -> Definition:
    """The file itself as a definition, with the outermost definitions as its members."""
    found = TaggedDefinition(0, "module", -1, -1)
    module = Definition(found, 0, 0, len(tree.kind), SymbolKind.MODULE, "", -1, "")
    module.members = [each for each in definitions if each.container is None and not each.part_of_code]
    return module


def holds(kind: SymbolKind) -> bool:
    """True when the symbols inside are members, with meanings of their own."""
    return kind.is_container or kind is SymbolKind.KEY


def _is_in_type(holder: Definition | None, frames: Sequence[_Frame]) -> bool:
    if frames and frames[-1].types:
        return True
    if holder is None or frames[-1].definition is not holder:
        return False
    return holder.kind.is_container and holder.found.kind != _NAMESPACE


def _holder(frames: Sequence[_Frame]) -> Definition | None:
    """The innermost definition around."""
    return next((frame.definition for frame in reversed(frames) if frame.definition is not None), None)


class _DefinitionReader:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def definitions(self, seen: dict[str, int]) -> list[Definition]:
        tree, language = self.tree, self.tree.language
        frames: list[_Frame] = []
        out: list[Definition] = []
        for (first, _, root), found in self._ranked():
            after = tree.after[root]
            while frames and frames[-1].after <= first:
                frames.pop()
            leaf = self._leaf(found)
            simple = self._name_text(found, leaf)
            around = [frame for frame in frames if not frame.given]
            if not simple or simple == "_" or len(around) >= _DEEPEST:
                continue
            if found.kind == "scope":
                frames.append(_Frame(after, simple, None, types=True))
                continue
            owner = language.owner(found.owner) if found.owner else ""
            if tree.kind[found.node] in language.promoted:
                around.pop()
            holder = _holder(around)
            kind = self._kind(found, holder, around, owned=bool(owner))
            member = language.membership(tree, found.node) if kind is None else None
            if kind is None and member is None:
                if self.tree.language.objects and found.kind == "constant" and self._holds_object(found.node):
                    frames.append(_Frame(after, simple, None, types=False))
                continue
            names = self._path(frames, member) if member else [*(frame.name for frame in around), owner]
            prefix = list(filter(None, names))
            name = ".".join([*prefix, simple])
            kind = kind or (
                SymbolKind.FUNCTION if tree.kind[found.node] == "function_expression" else SymbolKind.METHOD
            )
            definition = Definition(found, first, root, after, kind, name, leaf, simple, tuple(reversed(prefix)))
            if holder is not None:
                definition.lie_in(holder)
            definition.part_of_code |= member is not None
            definition.ordinal = seen.get(name, 0)
            seen[name] = definition.ordinal + 1
            out.append(definition)
            if kind not in NO_FRAME or language.objects:
                framed = f"{owner}.{simple}" if owner and self._is_open(found, kind) else simple
                frames.append(_Frame(after, framed, definition, types=False, given=member is not None))
        return out

    def _path(self, frames: Sequence[_Frame], member: Membership) -> list[str]:
        """The names around a member that its holder gives it; what stands inside of the member is named without it."""
        holder, literal, statement = member
        count = sum(frame.after > self.tree.after[literal] for frame in frames)
        closest = frames[count - 1] if count else None
        names = [frame.name for frame in frames]
        known = closest is not None and closest.definition is not None and closest.definition.found.node == statement
        if not known and (closest is None or closest.name != holder):
            names[count:count] = holder.split(".")
        return names

    def _ranked(self) -> list[tuple[tuple[int, int, int], TaggedDefinition]]:
        """The tagged definitions as they begin, each with `_outermost`."""
        counts: dict[int, set[int]] = {}
        for found in self.tree.tagged:
            counts.setdefault(self.tree.parent[found.node], set()).add(found.node)
        return sorted((self._outermost(found, counts), found) for found in self.tree.tagged)

    def _is_open(self, found: TaggedDefinition, kind: SymbolKind) -> bool:
        """True when names inside are prefixed with the owner too: `class Rack::Handler`."""
        return found.kind == _NAMESPACE or (self.tree.language.open_names and kind.is_container)

    def _outermost(self, found: TaggedDefinition, counts: dict[int, set[int]]) -> tuple[int, int, int]:
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

    def _leaf(self, found: TaggedDefinition) -> int:
        tree = self.tree
        for node in range(found.node, tree.after[found.node]):
            if tree.start[node] == found.name_start and tree.end[node] == found.name_end and tree.is_leaf(node):
                return node
        return -1

    def _name_text(self, found: TaggedDefinition, leaf: int) -> str:
        if leaf >= 0 and self.tree.text[leaf]:
            return key_text(self.tree, leaf).strip('"`').lstrip(self.tree.language.sigils)
        text = self.tree.source[found.name_start : found.name_end].decode("utf-8", "replace").strip("\"'`")
        return " ".join(text.partition("(")[0].split()) if text.startswith("operator ") else text  # a conversion

    def _kind(
        self, found: TaggedDefinition, holder: Definition | None, frames: Sequence[_Frame], *, owned: bool
    ) -> SymbolKind | None:
        language = self.tree.language
        kind = SymbolKind.TYPE if found.kind == _NAMESPACE else SymbolKind(found.kind)
        in_type = owned or _is_in_type(holder, frames)
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
        promoted = self.tree.kind[found.node] in language.promoted
        if refined in DATA and not promoted and self._inside_function(found.node):
            return None  # a constant or field of something local
        return refined

    def _holds_object(self, node: int) -> bool:
        tree = self.tree
        value = tree.language.value(tree, node, -1)
        return value is not None and tree.kind[value] == "object"

    def _inside_function(self, node: int) -> bool:
        scopes = (self.tree.opened.get(at) for at in self.tree.above(node))
        return next((scope.kind == "function" for scope in scopes if scope and scope.kind != "block"), False)
