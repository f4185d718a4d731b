"""The nodes of a source text together with its language."""

from __future__ import annotations

from attrs import define, field

from memlsp.code.syntax.language import Language
from memlsp.code.syntax.nodes import Nodes


@define(eq=False, slots=True)
class Tree(Nodes):
    """The nodes of a source text, with the description of the language that it is written in."""

    language: Language = field(kw_only=True)

    @classmethod
    def of(cls, language: Language, source: bytes) -> Tree:
        """A tree without nodes, to be filled from `source`."""
        return cls(language, source, language=language)
