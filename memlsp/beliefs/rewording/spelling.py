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
    if language in _BODIES:
        before, after = (_BODIES[language].sub(_as_block, text) for text in (before, after))
    if language in {"javascript", "typescript", "tsx"}:
        before, after = _as_function(before), _as_function(after)
    if language == "rust":
        return _rust(before, after, owner), _rust(after, before, owner)
    if language in {"typescript", "tsx"}:
        before, after = _TS_LOCAL.sub(r"\1", before), _TS_LOCAL.sub(r"\1", after)
    if language == "java":
        return _java(before, after), _java(after, before)
    if language == "go":
        before, after = (re.sub(r"\binterface\s*\{\s*\}", "any", text) for text in (before, after))
        return _GO_VAR.sub(r"\1\2 :=", before), _GO_VAR.sub(r"\1\2 :=", after)
    return before, after


# A method whose body is one expression, and what stands before it.
_BODIES = {
    "csharp": re.compile(r"^(?P<head>[^{};=]*\))\s*=>\s*(?P<body>[^;{}]+?)\s*;\s*$"),
    "kotlin": re.compile(
        r"^(?P<head>[^{}=]*\))(?:\s*:\s*[\w<>?., ]+?)?\s*"
        r"(?:=\s*(?P<body>[^{}]+?)|\{\s*return\b(?P<block>[^{}]+?)\})\s*$"
    ),
}


def _as_block(found: re.Match[str]) -> str:
    parts = found.groupdict()
    body = (parts["body"] or parts.get("block") or "").strip()
    gives_nothing = re.search(r"\bvoid\b", parts["head"]) is not None
    return f"{parts['head']} {{ {'' if gives_nothing else 'return '}{body}; }}"


_FUNCTION = re.compile(
    r"^(?P<export>export\s+(?:default\s+)?)?(?:const|let|var)\s+(?P<name>[\w$]+)\s*=\s*(?P<async>async\s+)?"
    r"(?P<head>\([^()]*\)(?:\s*:\s*[^={}]+?)?)\s*=>\s*(?P<body>.*?);?\s*$",
    re.DOTALL,
)


def _as_function(text: str) -> str:
    """An arrow function that has a name as a function; not one with a `this` of what is around it."""
    found = _FUNCTION.match(text.strip())
    if found is None or re.search(r"\b(?:this|arguments|super)\b", text):
        return text
    body = found["body"] if found["body"][:1] == "{" else f"{{ return {found['body']}; }}"
    return f"{found['export'] or ''}{found['async'] or ''}function {found['name']}{found['head']} {body}"


_PLACED = re.compile(
    r"\b(?P<macro>(?:format|print|println|eprint|eprintln|panic|write|writeln|bail|anyhow)!\s*\((?:\s*\w+\s*,(?=\s*\"))?\s*)"
    r"\"(?P<text>(?:\\.|[^\"\\])*)\"(?P<given>(?:\s*,\s*[a-z_]\w*)+)\s*,?\s*\)"
)


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

    return _PLACED.sub(inline, text)


_TS_LOCAL = re.compile(r"(\b(?:const|let|var)\s+\w+)\s*!?:\s*(?:[^;={}]|=>|\{[^{}]*\})+?(?=\s*(?:=(?![=>])|;))")
_GO_VAR = re.compile(r"(?m)(^[ \t]+)var[ \t]+(\w+)[ \t]*=(?!=)")

_RUST_LOCAL = re.compile(r"\blet\s+(?P<mut>mut\s+)?(?P<name>\w+)\s*:\s*[^=;{}]+?\s*=(?!=)")
_RUST_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)_?(?:[iu](?:8|16|32|64|128|size)|f32|f64)\b"
)
_RUST_DERIVES = re.compile(r"(?:#\[derive\([^)]*\)\]\s*)+")


def _rust(text: str, other: str, owner: str) -> str:
    bare = set(re.findall(r"\blet\s+(?:mut\s+)?(\w+)\s*=(?!=)", other))
    text = _RUST_LOCAL.sub(lambda m: f"let {m['mut'] or ''}{m['name']} =" if m["name"] in bare else m[0], text)
    numbers = set(re.findall(r"(?<![\w.])\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?(?![\w.])", other))
    text = _RUST_NUMBER.sub(lambda m: m["digits"].rstrip("_") if m["digits"].rstrip("_") in numbers else m[0], text)
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
