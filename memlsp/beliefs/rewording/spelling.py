"""Brings two texts to one spelling where a language has two: types of locals, braces, suffixes, `Self`."""

from __future__ import annotations

import re

from memlsp.beliefs.claims.arithmetic import folded
from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)

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
    if language in {"csharp", "kotlin"}:
        before, after = (_RE[f"{language}_body"].sub(_as_block, text) for text in (before, after))
    if language in {"javascript", "typescript", "tsx"}:
        before, after = _as_function(before), _as_function(after)
    if language == "rust":
        return _rust(before, after, owner), _rust(after, before, owner)
    if language in {"typescript", "tsx"}:
        before, after = _RE["ts_local"].sub(r"\1", before), _RE["ts_local"].sub(r"\1", after)
    if language == "java":
        return _java(before, after), _java(after, before)
    if language == "go":
        before, after = (re.sub(r"\binterface\s*\{\s*\}", "any", text) for text in (before, after))
        return _RE["go_var"].sub(r"\1\2 :=", before), _RE["go_var"].sub(r"\1\2 :=", after)
    return before, after


def _as_block(found: re.Match[str]) -> str:
    """A method whose body is one expression, with a block."""
    parts = found.groupdict()
    body = (parts["body"] or parts.get("block") or "").strip()
    gives_nothing = re.search(r"\bvoid\b", parts["head"]) is not None
    return f"{parts['head']} {{ {'' if gives_nothing else 'return '}{body}; }}"


def _as_function(text: str) -> str:
    """An arrow function that has a name as a function; not one with a `this` of what is around it."""
    found = _RE["function"].match(text.strip())
    if found is None or re.search(r"\b(?:this|arguments|super)\b", text):
        return text
    body = found["body"] if found["body"][:1] == "{" else f"{{ return {found['body']}; }}"
    return f"{found['export'] or ''}{found['async'] or ''}function {found['name']}{found['head']} {body}"


def inlined_arguments(text: str) -> str:
    """Rust's `"{}", limit` as `"{limit}"`, where all arguments are plain names."""

    def inline(found: re.Match[str]) -> str:
        names = re.findall(r"\w+", found["given"])
        holes = re.findall(r"(?<!\{)\{(:[^{}]*)?\}(?!\})", found["text"])
        if len(holes) != len(names):
            return found[0]
        left = iter(names)
        filled = re.sub(r"(?<!\{)\{(:[^{}]*)?\}(?!\})", lambda hole: f"{{{next(left)}{hole[1] or ''}}}", found["text"])
        return f'{found["macro"]}"{filled}")'

    return _RE["placed"].sub(inline, text)


def _rust(text: str, other: str, owner: str) -> str:
    bare = set(re.findall(r"\blet\s+(?:mut\s+)?(\w+)\s*=(?!=)", other))
    text = _RE["rust_local"].sub(lambda m: f"let {m['mut'] or ''}{m['name']} =" if m["name"] in bare else m[0], text)
    numbers = set(re.findall(r"(?<![\w.])\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?(?![\w.])", other))
    text = _RE["rust_number"].sub(lambda m: d if (d := m["digits"].rstrip("_")) in numbers else m[0], text)
    text = _RE["rust_derives"].sub(_derives, text)
    return replaced(text, "Self", owner) if owner else text


def _derives(found: re.Match[str]) -> str:
    names = sorted(set(re.findall(r"[\w:]+", " ".join(re.findall(r"\(([^)]*)\)", found[0])))))
    return f"#[derive({', '.join(names)})]\n"


_JAVA_LOCAL = r"(?<=[;{{}}(\s])(?:[\w.]+(?:<[^;=(){{}}]*>)?(?:\[\])*)\s+(?={name}\s*(?:=(?!=)|:(?!:)))"


def _java(text: str, other: str) -> str:
    text = _RE["java_number"].sub(r"\1", re.sub(r"\bjavax?\.(?:[a-z]\w*\.)+(?=[A-Z])", "", text))
    head, opening, body = text.partition("(")
    text = head + opening + re.sub(r"\bfinal\s+(?=[\w<>\[\], .]+\s+\w+\s*[=:,)])", "", body)
    for name in set(re.findall(r"\bvar\s+(\w+)\s*[=:]", f"{other}\n{text}")):
        text = re.sub(_JAVA_LOCAL.format(name=re.escape(name)), "var ", text)
    return text
