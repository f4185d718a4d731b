"""Rules about meaning that hold for any code."""

from __future__ import annotations

import keyword
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import examples

from memlsp.code.syntax.outline import outline

_NAMES = st.text(string.ascii_lowercase, min_size=2, max_size=6).filter(
    lambda name: not keyword.iskeyword(name) and name not in _TAKEN
)
_TAKEN = frozenset(
    [
        "as",
        "do",
        "fn",
        "go",
        "if",
        "in",
        "is",
        "for",
        "int",
        "let",
        "var",
        "new",
        "try",
        "use",
        "len",
        "def",
        "mod",
        "ref",
        "pub",
        "map",
        "chan",
        "func",
        "case",
        "else",
        "enum",
        "null",
        "true",
        "this",
        "self",
        "type",
        "loop",
        "move",
        "impl",
        "main",
        "void",
        "long",
        "byte",
        "char",
        "goto",
        "super",
        "false",
        "range",
        "match",
        "break",
        "const",
        "final",
        "yield",
        "async",
        "await",
        "class",
        "float",
        "while",
        "throw",
        "catch",
        "short",
        "trait",
        "where",
        "print",
        "other",
        "items",
        "limit",
        "dyn",
        "box",
        "abs",
        "get",
        "set",
        "static",
        "return",
        "import",
        "export",
        "struct",
        "switch",
        "select",
        "iota",
        "defer",
        "double",
        "public",
        "String",
        "Math",
        "undefined",
        "debugger",
        "delete",
        "typeof",
        "with",
        "of",
        "crate",
        "extern",
        "unsafe",
        "mut",
        "not",
        "and",
        "or",
        "from",
        "lambda",
        "pass",
        "raise",
        "except",
        "del",
        "None",
        "soft",
        "nil",
        "append",
        "bool",
        "string",
        "error",
        "any",
        "copy",
        "cap",
        "real",
        "imag",
        "close",
        "min",
        "max",
        "panic",
        "clear",
        "ok",
        "open",
    ]
)

TEMPLATES = {
    "a.py": """\
def main({0}, {1}=1, *{2}):
    {3} = other({0}, k={1})
    for {4} in items({3}):
        if {4}.limit > {1} and {2}:
            {3} += [{5} for {5} in {4} if {5} != {0}]
    try:
        return lambda {6}: {6} + {3}
    except other as {7}:
        print(f"{{{7}}} {{{0}!r}}")
    with open({0}) as {8}, ({3}):
        global limit
        limit = {8}
    def {9}({0}):
        return {9}({0}) or {1}
    return {9}
""",
    "a.js": """\
function main({0}, {{ k: {1}, ...{2} }}, [{3} = 1]) {{
  const {4} = other({0}, {{ k: {1} }});
  for (const {5} of items({4})) {{
    if ({5}.limit > {1} && {2}) {{ var {6} = {5} + {3}; }}
  }}
  try {{ return ({7}) => {7} + {4}; }} catch ({8}) {{ print(`${{{8}}} ${{{6}}}`); }}
  function {9}({0}) {{ return {9}({0}) || {1}; }}
  return {9};
}}
""",
    "a.go": """\
package a

func main({0} int, {1} ...string) (int, error) {{
	{2}, {3} := other({0})
	for {4}, {5} := range items({2}) {{
		if {5}.limit > {4} && {3} != nil {{
			{2} = {5}.next
		}}
	}}
	if {6}, ok := {2}.(int); ok {{
		return {6}, {3}
	}}
	var {7} = func({8} int) int {{ return {8} + {0} }}
	switch {9} := {2}.(type) {{
	case int:
		return {9}, nil
	}}
	return {7}(len({1})), nil
}}
""",
    "a.rs": """\
fn main({0}: u32, mut {1}: Vec<u32>) -> u32 {{
    let ({2}, {3}) = other({0});
    let {2} = {2} + 1;
    for ({4}, {5}) in {1}.iter().enumerate() {{
        if let Some({6}) = {5}.get({4}) {{
            println!("{{{6}}} {{}}", {2});
        }}
    }}
    match {3} {{
        Thing {{ limit: {7}, .. }} if {7} > 1 => {7},
        {8} @ 1..=3 => {8},
        _ => {{
            let f = |{9}: u32| {9} + {2};
            f({0})
        }}
    }}
}}
""",
    "A.java": """\
class A {{
  int main(int {0}, String... {1}) {{
    var {2} = other({0});
    for (int {3} = 0; {3} < {0}; {3}++) {{ {2} += {3}; }}
    for (String {4} : {1}) {{ if ({4}.limit > {2}) print({4}); }}
    try (Thing {5} = open({0})) {{ {5}.get({2}); }} catch (Other {6}) {{ throw new Other({6}); }}
    Fn f = ({7}) -> {7} + {0};
    Fn g = {8} -> {{ int {9} = {8}; return {9}; }};
    return {2};
  }}
}}
""",
}


def _meaning(path: str, source: str) -> str:
    found = outline(path, source.encode())
    assert not found.has_errors, source
    symbol = found.find("A.main" if path == "A.java" else "main")
    assert symbol is not None
    return symbol.fingerprint.meaning


_PLAIN = tuple(f"v{letter}{letter}" for letter in "abcdefghij")


@pytest.mark.parametrize("path", TEMPLATES)
@settings(max_examples=25, deadline=None)
@given(names=st.lists(_NAMES, min_size=10, max_size=10, unique=True))
def test_renaming_every_local_is_nothing(path: str, names: list[str]) -> None:
    assert _meaning(path, TEMPLATES[path].format(*names)) == _meaning(path, TEMPLATES[path].format(*_PLAIN))


_COMMENTS = {"a.py": "  # note", "a.js": "  // note", "a.go": " // note", "a.rs": "  // note", "A.java": " // note"}


@pytest.mark.parametrize("path", TEMPLATES)
@settings(max_examples=15, deadline=None)
@given(picks=st.lists(st.booleans(), min_size=24, max_size=24), blank=st.lists(st.booleans(), min_size=24, max_size=24))
def test_comments_and_blank_lines_are_nothing(path: str, picks: list[bool], blank: list[bool]) -> None:
    source = TEMPLATES[path].format(*_PLAIN)
    lines: list[str] = []
    for line, pick, gap in zip(source.split("\n"), picks, blank, strict=False):
        lines.append(line + _COMMENTS[path] if pick else line)
        if gap:
            lines.append("")
    assert _meaning(path, "\n".join(lines)) == _meaning(path, source)


@settings(max_examples=examples(80), deadline=None)
@given(
    source=st.binary(max_size=300),
    path=st.sampled_from([*TEMPLATES, "a.ts", "a.tsx", "a.json", "a.toml", "a.yaml", "a.txt"]),
)
def test_any_bytes_have_an_outline(source: bytes, path: str) -> None:
    found = outline(path, source)
    assert found.symbols[0].name == ""
    assert found == outline(path, source)
    for symbol in found.symbols:
        assert 0 <= symbol.span.start_byte <= symbol.span.end_byte <= len(source)


@settings(max_examples=examples(30), deadline=None)
@given(
    path=st.sampled_from(list(TEMPLATES)),
    cut=st.integers(0, 600),
    junk=st.sampled_from(["", "(", "}", '"', "{{{", "def ", "`"]),
)
def test_half_typed_code_has_an_outline(path: str, cut: int, junk: str) -> None:
    source = TEMPLATES[path].format(*_PLAIN)
    text = (source[:cut] + junk).encode()
    assert outline(path, text).module.span.end_byte == len(text)
