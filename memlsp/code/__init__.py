"""Source text to symbols, fingerprints, symbol changes and one plain sentence. Pure: text in, values out."""

from __future__ import annotations

from memlsp.code.dependencies import dependencies
from memlsp.code.imports import Import
from memlsp.code.names import words
from memlsp.code.outline import Outline, outline
from memlsp.code.recognition import language_of
from memlsp.code.regions import find_region, region, source_of

__all__ = [
    "Import",
    "Outline",
    "dependencies",
    "find_region",
    "language_of",
    "outline",
    "region",
    "source_of",
    "words",
]
