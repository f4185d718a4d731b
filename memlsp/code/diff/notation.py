"""Recognises two notations of one thing, which no sentence tells as a change."""

from __future__ import annotations

import re

from memlsp.code.diff.quotes import suffix_of
from memlsp.code.diff.signatures import MODULE_OF_HINTS

_PATHS = re.compile(r"\b(?:[a-z_]\w*::)+(?=[A-Z])")
_PACKAGES = re.compile(r"\bthis\.(?=\w)|\b(?:[a-z]\w*\.)+(?=[A-Z]\w*[a-z])")
_THIS = re.compile(r"\bthis\.(?=\w)")
_QUALIFIERS = {
    **dict.fromkeys((".py", ".pyi"), MODULE_OF_HINTS),
    ".rs": _PATHS,
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"), re.compile(r"\bstd::(?=\w)|\bthis->")),
    **dict.fromkeys((".java", ".kt", ".kts"), _PACKAGES),
    ".cs": _THIS,
}
_FUNCTION = re.compile(r":\s*(?=(?:async )?function\b)|\bfunction\*?\s*(?=\()")
_BODY = re.compile(r"\s*(?:=>)?\s*\{\s*return ([^;{}]*?);?\s*\}\s*$|\s*=>\s*([^;{}]*?);?\s*$")
_CREATED = re.compile(r"\bnew [\w.]+(?:<[\w., <>]*>)?\s*\(")


def is_same(old: str, new: str, path: str) -> bool:
    """True for two notations of the same code in the language of `path`: `typing.overload` and `overload`,
    `f: function()` and `f()`, `{ return x; }` and `=> x`, `new Stub()` and `new()`."""
    suffix = suffix_of(path)
    return old != new and _plain(old, suffix, old, new) == _plain(new, suffix, old, new)


def _plain(text: str, suffix: str, old: str, new: str) -> str:
    if suffix in _QUALIFIERS:
        text = _QUALIFIERS[suffix].sub("", text)
    if suffix in (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"):
        text = _FUNCTION.sub("", text)
    elif suffix == ".cs":
        text = _BODY.sub(lambda found: f" => {found[1] or found[2]}", text)
        if "new (" in old or "new (" in new:
            text = _CREATED.sub("new (", text)
    return text.strip(" ;")
