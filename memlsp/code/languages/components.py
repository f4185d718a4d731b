"""Describes Vue and Svelte components, whose script blocks are read as JavaScript or TypeScript.

The parser sees the script alone: comments of the same length cover markup and styles, so every offset stays, and
their text still counts for the file as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from memlsp.code.languages.javascript import JAVASCRIPT
from memlsp.code.languages.typescript import TYPESCRIPT
from memlsp.code.syntax.language import Language

# An end tag inside of a string ends the block for a browser too, so looking for it is right and not only simple.
_BLOCK = re.compile(rb"<script\b([^>]*)>(.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TYPED = re.compile(rb"<script\b[^>]*\blang\s*=\s*[\"']?(?:ts|tsx|typescript)\b", re.IGNORECASE)
_OTHER = re.compile(rb"""\b(?:lang|type)\s*=\s*["']?+(?!ts\b|tsx\b|typescript\b|js\b|jsx\b|module\b|javascript\b"""
                    rb"""|text/javascript\b|application/javascript\b)""")  # fmt: skip
_COMMENTED = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLANK = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))


def _blocks(source: bytes) -> Iterator[tuple[int, int]]:
    """The byte ranges of the scripts that can be read, without their tags."""
    plain = _COMMENTED.sub(lambda found: found[0].translate(_BLANK), source)
    for found in _BLOCK.finditer(plain):
        if not _OTHER.search(found[1]):
            yield found.start(2), found.end(2)


def _shown(source: bytes) -> bytes:
    out = bytearray()
    at = 0
    for start, end in _blocks(source):
        out += _covered(source[at:start]) + source[start:end]
        at = end
    return bytes(out + _covered(source[at:]))


def _covered(markup: bytes) -> bytes:
    """A comment of the same length in place of a text; the line ends around it stay."""
    blank = bytearray(markup.translate(_BLANK))
    end = len(markup.rstrip())
    start = len(markup) - len(markup.lstrip())
    if end - start >= 4:
        blank[start : start + 2], blank[end - 2 : end] = b"/*", b"*/"
    return bytes(blank)


def _is_typed(source: bytes) -> bool:
    return _TYPED.search(source) is not None


def _covered_text(text: str) -> str:
    return " ".join(re.sub(r"<!--.*?(?:-->|\Z)", " ", text, flags=re.DOTALL).split())


def _component(name: str, suffix: str, script: Language, *, typed: bool) -> Language:
    return attrs.evolve(
        script,
        name=f"{name}-typescript" if typed else name,
        suffixes=(suffix,),
        filenames=(),
        interpreters=(),
        as_parsed=_shown,
        covered_text=_covered_text,
        recognizes=_is_typed if typed else None,
    )


VUE = _component("vue", ".vue", JAVASCRIPT, typed=False)
VUE_TYPED = _component("vue", ".vue", TYPESCRIPT, typed=True)
SVELTE = _component("svelte", ".svelte", JAVASCRIPT, typed=False)
SVELTE_TYPED = _component("svelte", ".svelte", TYPESCRIPT, typed=True)
