"""Brings two texts to one spelling where a language has two: types of locals, braces, suffixes, `Self`."""

from __future__ import annotations

import re

from memlsp.beliefs.claims.arithmetic import folded

IN_CLASSES = frozenset({"java", "csharp", "javascript", "typescript", "tsx"})  # their methods do not parse alone


def lacks_name(text: str, name: str) -> bool:
    """True when no such name stands alone in the text."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is None


def replaced(text: str, name: str, former: str) -> str:
    """The text with `name` replaced by `former`."""
    return re.sub(rf"(?<![\w$]){re.escape(name)}(?![\w$])", lambda _: former, text)


def same_spelling(before: str, after: str, language: str, owner: str) -> tuple[str, str]:
    """Both texts in one spelling; `owner` is the type that they belong to."""
    before, after = folded(before), folded(after)
    if language in IN_CLASSES:
        before, after = _ARROW.sub(r"\1 \2", before), _ARROW.sub(r"\1 \2", after)
    if language == "rust":
        return _rust(before, after, owner), _rust(after, before, owner)
    if language in {"typescript", "tsx"}:
        before, after = _TS_LOCAL.sub(r"\1", before), _TS_LOCAL.sub(r"\1", after)
    if language == "java":
        return _java(before, after), _java(after, before)
    if language == "go":
        return _GO_VAR.sub(r"\1\2 :=", before), _GO_VAR.sub(r"\1\2 :=", after)
    return before, after


_ARROW = re.compile(r"(=>|->)\s*\{\s*return\b\s*([^;{}]+?)\s*;?\s*\}")
_TS_LOCAL = re.compile(r"(\b(?:const|let|var)\s+\w+)\s*!?:\s*(?:[^;={}]|=>|\{[^{}]*\})+?(?=\s*(?:=(?![=>])|;))")
_GO_VAR = re.compile(r"(?m)(^[ \t]+)var[ \t]+(\w+)[ \t]*=(?!=)")

_RUST_LOCAL = re.compile(r"\blet\s+(?P<mut>mut\s+)?(?P<name>\w+)\s*:\s*[^=;{}]+?\s*=(?!=)")
_RUST_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)_?(?:[iu](?:8|16|32|64|128|size)|f32|f64)\b"
)
_RUST_RETURN = re.compile(r"\breturn\s+([^;{}]*);(\s*\}\s*)$")
_RUST_ARM = re.compile(r"=>\s*\{\s*return\b\s*([^;{}]*);?\s*\}\s*,?")
_RUST_DERIVES = re.compile(r"(?:#\[derive\([^)]*\)\]\s*)+")


def _rust(text: str, other: str, owner: str) -> str:
    bare = set(re.findall(r"\blet\s+(?:mut\s+)?(\w+)\s*=(?!=)", other))
    text = _RUST_LOCAL.sub(lambda m: f"let {m['mut'] or ''}{m['name']} =" if m["name"] in bare else m[0], text)
    numbers = set(re.findall(r"(?<![\w.])\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?(?![\w.])", other))
    text = _RUST_NUMBER.sub(lambda m: m["digits"].rstrip("_") if m["digits"].rstrip("_") in numbers else m[0], text)
    text = _RUST_ARM.sub(r"=> return \1,", text)
    text = _RUST_RETURN.sub(r"\1\2", text.rstrip())
    text = _RUST_DERIVES.sub(_derives, text)
    return replaced(text, "Self", owner) if owner else text


def _derives(found: re.Match[str]) -> str:
    names = sorted(set(re.findall(r"[\w:]+", " ".join(re.findall(r"\(([^)]*)\)", found[0])))))
    return f"#[derive({', '.join(names)})]\n"


_JAVA_NUMBER = re.compile(r"(?<![\w.])(\d[\d_]*\.\d+)[dD]\b")
_JAVA_LOCAL = r"(?<=[;{{}}(\s])(?:[\w.]+(?:<[^;=(){{}}]*>)?(?:\[\])*)\s+(?={name}\s*(?:=(?!=)|:(?!:)))"


def _java(text: str, other: str) -> str:
    text = _JAVA_NUMBER.sub(r"\1", re.sub(r"\bjavax?\.(?:[a-z]\w*\.)+(?=[A-Z])", "", text))
    head, opening, body = text.partition("(")
    text = head + opening + re.sub(r"\bfinal\s+(?=[\w<>\[\], .]+\s+\w+\s*[=:,)])", "", body)
    for name in set(re.findall(r"\bvar\s+(\w+)\s*[=:]", f"{other}\n{text}")):
        text = re.sub(_JAVA_LOCAL.format(name=re.escape(name)), "var ", text)
    return text
