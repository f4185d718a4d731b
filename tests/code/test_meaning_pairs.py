# ruff: noqa: E501 - a line of the table is a case
"""Pairs of small sources that mean the same, or do not, one trap each."""

from __future__ import annotations

import pytest

from memlsp.code.syntax.outline import outline


def _meaning(path: str, source: str, name: str) -> str:
    symbol = outline(path, source.encode()).find(name)
    assert symbol is not None
    return symbol.fingerprint.meaning


SAME = [
    (
        "a.rs",
        "fn f(a: u8) -> u8 { match a { 1 => a, _ => 2 } }",
        "fn f(a: u8) -> u8 { match a { 1 => { a }, _ => { 2 } } }",
        "f",
    ),
    ("a.ts", "function f(a: (string)[]) { return a; }", "function f(a: string[]) { return a; }", "f"),
    (
        "a.tsx",
        "const A = ({x}) => <div className=\"a\"  id='b'>hi {x}</div>;",
        "const A = ({ x: y }) => (\n <div className='a' id=\"b\">\n  hi {y}\n </div>\n);",
        "A",
    ),
    ("a.py", 'def f(a):\n    return f"it\'s {a}"\n', "def f(b):\n    return f'it\\'s {b}'\n", "f"),
    ("a.py", 'def f(a):\n    return f"""x {a}"""\n', 'def f(b):\n    return f"x {b}"\n', "f"),
    ("a.py", 'X = {"a": 1, "b": 2}\n', "X = {\n    'a': 1,\n    'b': 2,\n}\n", "X"),
    (
        "a.py",
        "def f(a):\n    for (i, j) in a: print(i, j)\n",
        "def f(a):\n    for x, y in a:\n        print(x, y)\n",
        "f",
    ),
    ("a.py", 'class A:\n    """d"""\n    def f(self): pass\n', 'class A():\n    def f(self):\n        """x"""\n', "A"),
    (
        "a.py",
        "async def f(a):\n    async with g(a) as x:\n        await x\n",
        "async def f(b):\n    async with (g(b) as y):\n        await y\n",
        "f",
    ),
    ("a.js", "const f = async (a) => { await a; }", "const f = async b => {\n  await b\n}", "f"),
    (
        "a.js",
        "function f(a) { for (let i=0;i<3;i++) a(i) }",
        "function f(b) {\n  for (let j = 0; j < 3; j++) {\n    b(j);\n  }\n}",
        "f",
    ),
    (
        "a.js",
        "class A { m() { return 1 }; n() { return 2 } }",
        "class A {\n  n() { return 2; }\n\n  m() { return 1; }\n}",
        "A",
    ),
    (
        "a.js",
        'const x = { "a": 1, b: function() { return 1 } }',
        "const x = {a: 1, b: function () { return 1; },}",
        "x",
    ),
    (
        "a.go",
        "package a\nfunc f(a, b int) int { return a+b }",
        "package a\n\nfunc f(x, y int) int {\n\treturn (x + y)\n}\n",
        "f",
    ),
    (
        "a.go",
        'package a\nfunc f(m map[string]int) { k := "a"; g(map[string]int{k: 1}) }',
        'package a\nfunc f(m map[string]int) { z := "a"; g(map[string]int{z: 1}) }',
        "f",
    ),
    ("a.go", "package a\nfunc f() { t := T{a: 1}; g(t) }", "package a\nfunc f() { u := T{a: 1,\n}; g(u) }", "f"),
    (
        "a.rs",
        'fn f(v: &[u8]) { let n = v.len(); println!("{n} {:?}", v[n]); }',
        'fn f(w: &[u8]) { let k = w.len(); println!("{k} {:?}", w[k],); }',
        "f",
    ),
    (
        "a.rs",
        "fn f(x: Option<u8>) { if let Some(a) = x { g(a) } else { h() } }",
        "fn f(y: Option<u8>) { if let Some(b) = y { g(b) } else { h() } }",
        "f",
    ),
    (
        "A.java",
        "class A { int f(List<String> a) { return a.stream().map(x -> x.length()).reduce(0, (p, q) -> p + q); } }",
        "class A { int f(List<String> b) {\n return b.stream()\n  .map((y) -> y.length())\n  .reduce(0, (m, n) -> m + n);\n } }",
        "A.f",
    ),
    (
        "A.java",
        "class A { void f(Object o) { if (o instanceof String s) { g(s); } } }",
        "class A { void f(Object p) { if (p instanceof String t) g(t); } }",
        "A.f",
    ),
    (
        "A.java",
        "class A { void f() { for (int i = 0, n = 3; i < n; i++) { g(i); } } }",
        "class A { void f() { for (int j = 0, k = 3; j < k; j++) g(j); } }",
        "A.f",
    ),
    ("a.json", '{"a": 1, "b": [1,2]}', '{\n "b": [1, 2],\n "a": 1.0\n}', ""),
    ("a.yaml", "a: b\nc: [1, 2]\n", 'c:\n  - 1\n  - 2\na: "b" # x\n', ""),
    ("a.toml", '[a]\nb = 1\nc = "x"\n', "[a]\nc = 'x' # y\nb = 1\n", "a"),
]


@pytest.mark.parametrize(("path", "first", "second", "name"), SAME)
def test_these_mean_the_same(path: str, first: str, second: str, name: str) -> None:
    assert _meaning(path, first, name) == _meaning(path, second, name)


DIFFERENT = [
    ("a.js", "function f(a) { return [a,,1] }", "function f(a) { return [a,1] }", "f"),
    ("a.js", "function f(a) { a?.b }", "function f(a) { a.b }", "f"),
    ("a.js", "function f(a) { return a == 1 }", "function f(a) { return a === 1 }", "f"),
    ("a.js", "function f(a) { return {a} }", "function f(b) { return {b} }", "f"),
    (
        "a.go",
        "package a\nfunc f() { x := 1; { x := 2; g(x) }; g(x) }",
        "package a\nfunc f() { x := 1; { x = 2; g(x) }; g(x) }",
        "f",
    ),
    ("a.go", "package a\nfunc f() { go g() }", "package a\nfunc f() { g() }", "f"),
    ("a.go", "package a\nfunc f(c chan<- int) {}", "package a\nfunc f(c <-chan int) {}", "f"),
    ("a.rs", "fn f(a: &T) {}", "fn f(a: &mut T) {}", "f"),
    ("a.rs", "fn f(a: T) { g(a)?; }", "fn f(a: T) { g(a); }", "f"),
    ("a.rs", "fn f() -> u8 { g() }", "fn f() -> u8 { g(); }", "f"),
    ("a.rs", "fn f() { let a = 1; let b = 2; g(a) }", "fn f() { let a = 1; let b = 2; g(b) }", "f"),
    ("a.rs", "fn f() { vec![1; 2]; }", "fn f() { vec![1, 2]; }", "f"),
    (
        "a.py",
        "def f(a):\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n",
        "def f(a):\n    x = 1\n    def g():\n        x = 2\n",
        "f",
    ),
    ("a.py", "def f(*, a): pass\n", "def f(a): pass\n", "f"),
    ("a.py", "def f(a, /, b): pass\n", "def f(a, b): pass\n", "f"),
    ("a.py", "def f(a):\n    return {**a}\n", "def f(a):\n    return {*a}\n", "f"),
    ("a.py", "def f(a):\n    return a[1:2:3]\n", "def f(a):\n    return a[1:2]\n", "f"),
    ("A.java", "class A { void f() { g(1L); } }", "class A { void f() { g(1); } }", "A.f"),
    ("A.java", "class A { void f() { g('a'); } }", 'class A { void f() { g("a"); } }', "A.f"),
    ("A.java", "class A { @X void f() {} }", "class A { @X(1) void f() {} }", "A.f"),
    ("a.json", '{"a": [1,2]}', '{"a": [2,1]}', ""),
    ("a.yaml", "a: 1\n", 'a: "1"\n', ""),
    ("a.ts", "let x: A<B> = 1", "let x: A<C> = 1", "x"),
    ("a.ts", "class A { constructor(readonly a: B) {} }", "class A { constructor(a: B) {} }", "A"),
]


@pytest.mark.parametrize(("path", "first", "second", "name"), DIFFERENT)
def test_these_do_not(path: str, first: str, second: str, name: str) -> None:
    assert _meaning(path, first, name) != _meaning(path, second, name)
