"""Source text to symbols, fingerprints, symbol changes and one plain sentence. Pure: text in, values out."""

from __future__ import annotations

from memlsp.code.comparing import compare
from memlsp.code.dependencies import dependencies
from memlsp.code.diffing import diff
from memlsp.code.imports import Import
from memlsp.code.matching import Ambiguous, Matching, Pair, match, successors
from memlsp.code.names import words
from memlsp.code.outline import Outline, outline
from memlsp.code.recognition import language_of
from memlsp.code.regions import find_region, region, source_of
from memlsp.code.sentences import clauses, sentence

__all__ = [
    "Ambiguous",
    "Import",
    "Matching",
    "Outline",
    "Pair",
    "clauses",
    "compare",
    "dependencies",
    "diff",
    "find_region",
    "language_of",
    "match",
    "outline",
    "region",
    "sentence",
    "source_of",
    "successors",
    "words",
]
