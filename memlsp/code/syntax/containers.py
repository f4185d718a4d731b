"""Computes the meaning and signature of a container from its own part and its members.

The own part is read once and kept as a `Core`; after a change of a member the container follows from the core and the
members, without reading its text again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from memlsp.code.syntax.fingerprints import digest, digest_bytes
from memlsp.code.syntax.language import Language
from memlsp.model.symbol import Symbol, SymbolKind

CODE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
OWN = "@"  # stands for a symbol's own name
_ORDERED = frozenset({SymbolKind.FIELD, SymbolKind.MEMBER})


@frozen(eq=False)
class Core:
    """The part of a container that belongs to none of its members.

    `parts` are its digest's keys, joined. `interface` is the share of its head in the signature. With `fields_make`
    its fields make its constructor. `sketch` and `size` are those of its own tokens.
    """

    name: str
    simple: str  # as declared: it may hold dots
    kind: SymbolKind
    parts: bytes
    interface: tuple[str, ...]
    fields_make: bool
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
                if (
                    name in language.constructors
                    or name == self.simple
                    or (self.kind is SymbolKind.INTERFACE and member.kind in CODE)
                ):
                    parts.append(f"{name} {member.fingerprint.signature}")
                elif member.kind is SymbolKind.FIELD and self.fields_make:
                    parts.append(f"{name} {member.fingerprint.meaning}")
        return digest(parts)

    def names(self, given: Iterable[Sequence[frozenset[str]]], level: int = 0) -> frozenset[str]:
        """The names used in it, as it (level 0) or a container around it sees them, from those of its members.

        A symbol does not see its own name.
        """
        return self.uses[level].union(*(each[level] for each in given))

    def members(self, members: Sequence[Symbol]) -> tuple[tuple[str, str], ...]:
        """Its members as its facts list them: simple name, meaning digest."""
        prefix = len(self.name) + 1 if self.name else 0
        return tuple((member.name[prefix:], member.fingerprint.meaning) for member in members)
