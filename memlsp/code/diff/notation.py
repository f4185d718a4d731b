"""Recognises two notations of one thing, which no sentence tells as a change."""

from __future__ import annotations

import re
from collections.abc import Callable

from memlsp.code.diff.quotes import suffix_of
from memlsp.code.diff.signatures import MODULE_OF_HINTS

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]

_MODIFIERS = re.compile(
    r"\b(?:(?:public|protected|private|internal|static|final|abstract|readonly|override|virtual|async|sealed)\s+){2,}"
)
_IDLE = r"@(?:Override|SuppressWarnings|SafeVarargs)\b(?:\s*\([^()]*\))?\s*"


def _rules(*pairs: tuple[str, str]) -> tuple[_Rule, ...]:
    return tuple((re.compile(pattern), text) for pattern, text in pairs)


def _in_order(found: re.Match[str]) -> str:
    return " ".join(sorted(found[0].split())) + " "


_ORDER: _Rule = _MODIFIERS, _in_order
_JS = _rules(
    (r"\b(?:let|var)\b", "const"),
    (r":\s*function\*?\s*(?=\()", ""),
    (r"\bfunction\*?\s*(\([^()]*\))", r"\1 =>"),
    (r"(?<![\w)]) ?\((\w+)\)\s*=>", r" \1 =>"),
    (r"\binterface (\w+(?:<[^{}]*>)?)\s*\{", r"type \1 = {"),
    (r"\s*(?:=>)?\s*\{\s*return ([^;{}]*?)[\s;]*\}", r" => \1"),
    (r"[\s;,]+(?=[}\])])|;|(?<=[({,:=\[]) +", ""),
)
_JVM = _rules((r"\bthis\.(?=\w)|\b(?:[a-z]\w*\.)+(?=[A-Z]\w*[a-z])", ""), (r"(?<=[({;,])\s?final ", ""), (_IDLE, ""))
_C = _rules(
    (r"\bstd::(?=\w)|\bthis->", ""),
    (r"\bNULL\b", "nullptr"),
    (r"\btypedef (.+?) (\w+)$", r"using \2 = \1"),
    (r"\(\s*void\s*\)", "()"),
)
_RULES: dict[str, tuple[_Rule, ...]] = {
    **dict.fromkeys(
        (".py", ".pyi"),
        ((MODULE_OF_HINTS, ""), *_rules((r"\bsuper\(\w+, ?\w+\)", "super()"), (r"\bu(?=\0)|\(object\)(?=:)", ""))),
    ),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts"), (_ORDER, *_JS)),
    **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"), _C),
    **dict.fromkeys((".java", ".kt", ".kts"), (_ORDER, *_JVM)),
    ".cs": (
        _ORDER,
        *_rules(
            (r"\bthis\.(?=\w)", ""),
            (r"\s*(?:=>)?\s*\{\s*return ([^;{}]*?);?\s*\}\s*$|\s*=>\s*([^;{}]*?);?\s*$", r" => \1\2"),
            (r"\bis null\b", "== null"),
            (r"\bis not null\b", "!= null"),
            (r"\bString\b", "string"),
        ),
    ),
    ".go": _rules((r"\binterface\s*\{\s*\}", "any")),
    ".rs": (
        (re.compile(r"derive\(([^()]*)\)"), lambda found: " ".join(sorted(found[1].replace(",", " ").split()))),
        *_rules((r"\b(?:[a-z_]\w*::)+(?=[A-Z])|\bdyn (?=\w)|'_ ?", "")),
    ),
    ".rb": _rules((r"(?<![\w:]):(\w+) ?=> ?", r"\1: ")),
    ".php": (_ORDER, *_rules((r"\barray\(|\[", "("), (r"\]", ")"), (r"(?<![\w\\])\\(?=\w)", ""))),
}
_STRING = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`", re.DOTALL)
_CREATED = re.compile(r"\bnew [\w.]+(?:<[\w., <>]*>)?\s*\(")
_ARGUMENTS = re.compile(r"(\bnew [\w.]+)\s*<[\w., <>?]*>\s*\(")
_PACKAGE = re.compile(r"(?<![\w.)\]])([a-z]\w*)\.(?=[A-Z])")
_IDLE_NAMES = frozenset({"Override", "SuppressWarnings", "SafeVarargs", "allow", "SuppressMessage", "rustfmt::skip"})


def says_nothing(decorator: str) -> bool:
    """True for an annotation that is for the compiler's checks alone: `Override`, `SuppressWarnings`, `allow`."""
    return decorator in _IDLE_NAMES


def is_same(old: str, new: str, path: str) -> bool:
    """True for two notations of the same code in the language of `path`: `typing.overload` and `overload`,
    `f: function()` and `f()`, `{ return x; }` and `=> x`, `new Stub()` and `new()`, `interface{}` and `any`."""
    if old == new:
        return False
    suffix = suffix_of(path)
    strings: dict[str, int] = {}
    if suffix != ".rs":  # there a quote may begin a lifetime
        old, new = (
            _STRING.sub(lambda found: f"\0{strings.setdefault(found[0], len(strings))}\0", t) for t in (old, new)
        )
    if suffix == ".go":
        old, new = _without_packages(old, new)
    elif suffix == ".cs" and "new (" in old + new:
        old, new = (_CREATED.sub("new (", text) for text in (old, new))
    elif suffix == ".java" and ("<>" in old) != ("<>" in new):
        old, new = (_ARGUMENTS.sub(r"\1<>(", text) for text in (old, new))
    return old == new or _plain(old, suffix) == _plain(new, suffix)


def _plain(text: str, suffix: str) -> str:
    text = text.strip(" ;")
    for pattern, replacement in _RULES.get(suffix, ()):
        text = pattern.sub(replacement, text)
    return re.sub(r"\s+", " ", text).strip()


def _without_packages(old: str, new: str) -> tuple[str, str]:
    """Both texts without the packages that one of them alone writes before names: `logrus.New()` and `New()`."""
    before, after = set(_PACKAGE.findall(old)), set(_PACKAGE.findall(new))
    if bool(before - after) == bool(after - before):
        return old, new
    extra = before ^ after
    left, right = (_PACKAGE.sub(lambda found: "" if found[1] in extra else found[0], text) for text in (old, new))
    return left, right
