# ruff: noqa: E501, ISC004 - a line of the table is a case
"""The symbols of a file: names, kinds, places, facts."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.names import words
from memlsp.code.syntax.outline import defined_names, outline
from memlsp.code.syntax.regions import source_of
from memlsp.model.symbol import NamedValue, Parameter, SymbolKind

NAMES: dict[str, tuple[str, list[str]]] = {
    "a.py": (
        "import os\nif os.name:\n    A = 1\nelse:\n    A = 2\nB, C = 1, 2\n"
        "class K:\n    X = 1\n    y: int\n    class In:\n        def f(self): pass\n"
        "    @property\n    def g(self):\n        def inner(): pass\n        z = 1\n        return inner\n"
        "try:\n    def t(): pass\nexcept E:\n    def t(): pass\n",
        ["A", "A#1", "B", "C", "K", "K.X", "K.y", "K.In", "K.In.f", "K.g", "K.g.inner", "t", "t#1"],
    ),
    "a.ts": (
        "export const A = 1, B = () => 2;\nexport default class K<T> { #p = 1; static S = 2; m() {} get v() { return 1 } f = () => 1 }\n"
        "interface I { a: string; m(): void }\ntype T = { x: number };\nenum E { A, B = 2 }\nnamespace N { export function f() {} }\n"
        "function over(a: string): void;\nfunction over(a: number): void;\nconst api = { get() {}, post: () => 1, n: 2 };\n"
        "exports.send = function () {};\nF.prototype.go = function () {};\n",
        ["A", "B", "K", "K.#p", "K.S", "K.m", "K.v", "K.f", "I", "I.a", "I.m", "T", "T.x", "E", "E.A", "E.B", "N", "N.f",
         "over", "over#1", "api", "api.get", "api.post", "send", "F.go"],
    ),
    "a.go": (
        "package a\nconst (\n\tA = iota\n\tB\n)\nvar V, W = 1, 2\ntype C struct {\n\tX int\n}\ntype I interface{ M() }\ntype F func()\n"
        "func (c *C) D() {}\nfunc (c C) E() {}\nfunc (c *G[T]) H() {}\nfunc f() {}\nvar _ = f\n",
        ["A", "B", "V", "W", "C", "C.X", "I", "I.M", "F", "C.D", "C.E", "G.H", "f"],
    ),
    "a.rs": (
        "mod m { pub fn f() {} }\npub const A: u32 = 1;\nstatic S: u32 = 2;\nstruct C<T> { x: T }\nenum E { A, B(u32) }\n"
        "trait T { fn t(&self); fn u(&self) {} }\nimpl<T> C<T> { const K: u32 = 1; fn n() {} }\nimpl T for C<u8> { fn t(&self) {} }\n"
        "macro_rules! mac { () => {} }\ntype Al = u32;\n#[cfg(a)]\nfn g() {}\n#[cfg(not(a))]\nfn g() {}\n",
        ["m", "m.f", "A", "S", "C", "C.x", "E", "E.A", "E.B", "T", "T.t", "T.u", "C.K", "C.n", "C.t", "mac", "Al", "g", "g#1"],
    ),
    "A.java": (
        "class A { static final int K = 1; int f; A() {} void m() {} void m(int a) {} enum E { X, Y; void e() {} }\n"
        "record R(int a) { R { } } interface I { int C = 1; void i(); } @interface An { int v() default 1; } }\n",
        ["A", "A.K", "A.f", "A.A", "A.m", "A.m#1", "A.E", "A.E.X", "A.E.Y", "A.E.e", "A.R", "A.R.R", "A.I", "A.I.C", "A.I.i",
         "A.An", "A.An.v"],
    ),
    "a.json": ('{"a": {"b-c": 1, "l": [{"x": 1}]}, "s": "q"}', ["a", "a.b-c", "a.l", "s"]),
    "a.toml": ('t = 1\n[tool.ruff]\nline-length = 120\n"q" = {u = 1}\n', ["t", "tool.ruff", "tool.ruff.line-length",
                                                                         "tool.ruff.q", "tool.ruff.q.u"]),
    "a.yaml": ("a:\n  b: 1\n  'c': {d: 2}\n", ["a", "a.b", "a.c", "a.c.d"]),
    "a.txt": ("some words\n", []),
}  # fmt: skip


@pytest.mark.parametrize("path", NAMES)
def test_every_definition_has_its_dotted_name(path: str) -> None:
    source, names = NAMES[path]
    found = outline(path, source.encode())
    assert [s.name + (f"#{s.ordinal}" if s.ordinal else "") for s in found.symbols[1:]] == names
    assert not found.has_errors
    assert found.module is found.symbols[0]
    assert found.module.kind is SymbolKind.MODULE


@pytest.mark.parametrize("path", NAMES)
def test_the_name_span_is_the_defining_token(path: str) -> None:
    source = NAMES[path][0].encode()
    lines = source.split(b"\n")
    for symbol in outline(path, source).symbols[1:]:
        span = symbol.name_span
        text = source[span.start_byte : span.end_byte].decode().strip("\"'")
        assert text.split(".")[-1] == symbol.simple_name or text == "default"
        assert lines[span.start_line][span.start_column :].startswith(source[span.start_byte : span.end_byte])


def test_kinds_are_told_apart() -> None:
    found = outline(
        "a.py",
        b"from enum import Enum\nclass E(Enum):\n    X = 1\nclass K:\n    C = 1\n    f: int\n    def m(self): pass\n",
    )
    kinds = {symbol.name: symbol.kind for symbol in found.symbols}
    assert kinds["E"] is SymbolKind.ENUM
    assert kinds["E.X"] is SymbolKind.MEMBER
    assert kinds["K.C"] is SymbolKind.CONSTANT
    assert kinds["K.f"] is SymbolKind.FIELD
    assert kinds["K.m"] is SymbolKind.METHOD


PYTHON = '''\
# about f
@deco(1)
async def f(a, b: int = 0.20, *c, d=None, **e) -> str:
    """Says
    much."""
    if a > 1 and not b:
        raise errors.Bad("no")
    for x in range(3):
        x = requests.get(a, timeout=30, verify=True)
    try:
        table = {"retry": {"max": 3}}
    except (IOError, KeyError):
        return None
    while a:
        yield self.save(x)
'''


def test_facts_say_what_a_function_does() -> None:
    symbol = outline("a.py", PYTHON.encode()).find("f")
    assert symbol is not None
    facts = symbol.facts
    assert facts.parameters == (
        Parameter("a"),
        Parameter("b", "int", "0.2"),
        Parameter("*c"),
        Parameter("d", None, "None"),
        Parameter("**e"),
    )
    assert facts.return_type == "str"
    assert facts.modifiers == ("async",)
    assert facts.decorators == ("deco(1)",)
    assert facts.docs == "Says much."
    assert {"errors.Bad", "range", "requests.get", "self.save"} <= set(facts.calls)
    assert facts.raises == ("errors.Bad",)
    assert facts.catches == ("IOError", "KeyError")
    assert facts.conditions == ("a > 1 and not b", "a")
    assert facts.loops == ("for x in range(3)", "while a")
    assert facts.returns == ("None", "self.save(x)")
    assert {NamedValue("timeout", "30"), NamedValue("verify", "True"), NamedValue("retry.max", "3")} <= set(
        facts.values
    )
    assert NamedValue("b", "0.2") in facts.values
    assert {"'no'", "30", "0.2", "True", "3"} <= set(facts.literals)
    assert "requests.get" in facts.uses
    assert "x" not in facts.uses
    assert symbol.span.start_line == 0


def test_facts_are_read_in_other_languages() -> None:
    go = outline(
        "a.go",
        b'package a\n// Says it.\nfunc (c *C) F(a int) (int, error) {\n\tif a > 1 {\n\t\treturn 0, fmt.Errorf("no %d", a)\n\t}\n\tif errors.Is(err, ErrX) {\n\t\tpanic("x")\n\t}\n\treturn 1, ErrY\n}\n',
    ).find("C.F")
    assert go is not None
    assert go.facts.raises == ("fmt.Errorf('no %d', a)", "'x'", "ErrY")
    assert go.facts.catches == ("ErrX",)
    assert go.facts.docs == "Says it."
    rust = outline(
        "a.rs",
        b'/// Says it.\npub fn f(a: u32) -> Result<u32, E> { if a > 1 { panic!("no"); } match g(a) { Err(E::X) => Err(E::Y), _ => Ok(1) } }\n',
    ).find("f")
    assert rust is not None
    assert rust.facts.raises == ("panic!('no')", "E.Y")
    assert rust.facts.catches == ("E.X",)
    assert rust.facts.modifiers == ("pub",)
    java = outline(
        "A.java",
        b'class A { /** Says it. */ @Over int f(int a) throws IOException { try { return g(a); } catch (X | Y e) { throw new Bad("no"); } } }',
    ).find("A.f")
    assert java is not None
    assert java.facts.raises == ("Bad",)
    assert java.facts.catches == ("X", "Y")
    assert java.facts.docs == "Says it."
    assert java.facts.decorators == ("Over",)
    script = outline(
        "a.js",
        b"/** Says it. */\nfunction f(a, b = 0.20) { try { g(); } catch (e) { if (e instanceof X) throw new Bad('no'); } return a ?? b; }",
    ).find("f")
    assert script is not None
    assert script.facts.raises == ("Bad",)
    assert script.facts.catches == ("X",)
    assert script.facts.parameters == (Parameter("a"), Parameter("b", None, "0.2"))
    assert script.facts.docs == "Says it."
    key = outline("a.toml", b"[tool.ruff]\nline-length = 120\n").find("tool.ruff.line-length")
    assert key is not None
    assert key.facts.values == (NamedValue("line-length", "120"),)


def test_the_symbol_at_a_line_is_the_innermost_with_its_decorators_and_comments() -> None:
    source = b"# top\n\n# about K\n@d\nclass K:\n    # about f\n    @d\n    def f(self):\n        pass\n\nx = 1\n"
    found = outline("a.py", source)
    assert [found.at(line).name for line in range(11)] == ["", "", "K", "K", "K", "K.f", "K.f", "K.f", "K.f", "", "x"]
    assert found.at(999).name == ""


def test_names_are_found_in_full_or_by_their_end() -> None:
    found = outline("a.py", b"class K:\n    def f(self): pass\nclass L:\n    def f(self): pass\n")
    assert [symbol.name for symbol in found.named("K.f")] == ["K.f"]
    assert [symbol.name for symbol in found.named("f")] == ["K.f", "L.f"]
    assert found.find("") is found.module
    assert found.find("f") is None


def test_offsets_are_those_of_the_file_in_any_encoding() -> None:
    for source in (
        b"\xef\xbb\xbfx = 1\ndef f():\n    return 2\n",
        "é = 1\n# ü\ndef f():\n    return 'ä'\n".encode("latin-1"),
        "é = 1\n# ü\ndef f():\n    return 'ä'\n".encode(),
    ):
        symbol = outline("a.py", source).find("f")
        assert symbol is not None
        assert source[symbol.name_span.start_byte : symbol.name_span.end_byte] == b"f"
        assert source_of(symbol, source).rstrip().endswith(("2", "'ä'"))


def test_a_mark_or_an_encoding_is_no_change_of_meaning() -> None:
    text = "def f():\n    return 'ä'\n"
    forms = [
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        text.encode("latin-1"),
        text.replace("\n", "\r\n").encode(),
    ]
    assert len({outline("a.py", each).symbols[1].fingerprint.meaning for each in forms}) == 1


def test_what_can_be_read_of_broken_code_is_there() -> None:
    found = outline("a.py", b"def f():\n    return 1\n\ndef g(:\n    x = (\n\ndef h():\n    return 2\n")
    assert found.has_errors
    assert found.find("f") is not None


@pytest.mark.parametrize(
    ("path", "source", "generated"),
    [
        ("a.py", "# Code generated by protoc. DO NOT EDIT.\nx = 1\n", True),
        ("a.go", "// Code generated by stringer; DO NOT EDIT.\npackage a\n", True),
        ("a.js", "var a=1;" * 2000, True),
        ("node_modules/x/a.js", "x", True),
        ("vendor/x/a.go", "package a\n", True),
        ("a.py", "x = 'generated'\n", False),
        ("lib/a.js", "function f() {\n  return 1;\n}\n", False),
    ],
)
def test_generated_files_are_recognised(path: str, source: str, generated: bool) -> None:
    assert outline(path, source.encode()).generated is generated


def test_languages_are_known_by_name_or_first_line() -> None:
    wanted = {
        "a.py": "python", "a.pyi": "python", "a.js": "javascript", "a.mjs": "javascript", "a.jsx": "javascript", "a.ts": "typescript",
        "a.tsx": "tsx", "a.go": "go", "a.rs": "rust", "A.java": "java", "a.json": "json", "a.toml": "toml", "a.yml": "yaml",
        "a.txt": None, ".py": None, "noext": None,
    }  # fmt: skip
    assert {path: language_of(path) for path in wanted} == wanted
    assert language_of("run", b"#!/usr/bin/env python3\n") == "python"
    assert language_of("run", b"#!/usr/bin/node\n") == "javascript"


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", b"x = " + b"(" * 10_000 + b"1" + b")" * 10_000),
        ("a.py", b"(" * 20_000),
        ("a.js", b"function f(){" * 2000 + b"}" * 2000),
        ("a.json", b"[" * 20_000 + b"]" * 20_000),
        ("a.java", b"class A { int x = " + b"a<" * 3000 + b";}"),
    ],
)
def test_deep_nesting_is_harmless(path: str, source: bytes) -> None:
    assert outline(path, source).module.name == ""


def test_yaml_that_would_crash_the_scanner_is_left_unparsed() -> None:
    # In a process of its own: a crash of the scanner takes the process down.
    program = (
        "from memlsp.code.syntax.outline import outline\n"
        "for source in (b''.join(b' ' * i + b'a:\\n' for i in range(600)), b'- ' * 600 + b'x'):\n"
        "    assert len(outline('a.yaml', source).symbols) == 1\n"
        "assert len(outline('a.yaml', b''.join(b' ' * i + b'a:\\n' for i in range(9))).symbols) > 5\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0


def test_words_of_a_name() -> None:
    assert words("fetchUserById") == ("fetch", "user", "by", "id")
    assert words("HTTPServer") == ("http", "server")
    assert words("max_retry-count.of") == ("max", "retry", "count", "of")
    assert words("sha256Sum") == ("sha", "256", "sum")
    assert words("") == ()


@pytest.mark.parametrize(
    ("path", "generated"),
    [
        ("api/user_pb2.py", True),
        ("api/user.pb.go", True),
        ("zz_generated.deepcopy.go", True),
        ("lib/user.g.dart", True),
        ("Form1.Designer.cs", True),
        ("static/app.bundle.js", True),
        ("static/app.js.map", True),
        ("tests/__snapshots__/a.test.js.snap", True),
        ("schema.generated.ts", True),
        ("pb.py", False),
        ("generated.py", False),
        ("mock.go", False),
        ("minutes.js", False),
    ],
)
def test_generators_are_known_by_the_names_they_give(path: str, generated: bool) -> None:
    assert outline(path, b"x\n").generated is generated


def test_a_line_that_nobody_typed_is_generated_in_every_language() -> None:
    table = b"DATA = [" + b"1, " * 10_000 + b"]\n"
    assert outline("data.py", table).generated
    assert not outline("data.py", table.replace(b", ", b",\n")).generated


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.py", "@overload\ndef f(a: int) -> int: ...\n@t.overload\ndef f(a: str) -> str: ...\ndef f(a):\n    return g(a)\n"),
        ("a.ts", "export function f(a: string): string;\nexport function f(a: number): number;\nexport function f(a: any) { return g(a); }\n"),
    ],
)  # fmt: skip
def test_behind_a_stub_with_other_types_is_the_function(path: str, source: str) -> None:
    found = outline(path, source.encode())
    stub, other, function = found.named("f")
    assert found.behind(stub) is found.behind(other) is found.behind(function) is function


@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.go", "a.rs"])
def test_names_that_are_told_without_an_outline_are_names_of_it(path: str) -> None:
    source, _ = NAMES[path]
    found = {symbol.name for symbol in outline(path, source.encode()).symbols if symbol.name and not symbol.ordinal}
    told = defined_names(path, source.encode())
    assert found <= told if path == "a.py" else len(found & told) > 0.7 * len(found)
    assert defined_names(path, b"") == frozenset()
