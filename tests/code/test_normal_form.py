"""Two texts have one normal form where one is a rewriting of the other, and two where they do other things."""

from __future__ import annotations

import pytest

from memlsp.code.rewriting.normal_form import is_same_code

SAME = [
    (
        "javascript",
        "function f({ limit = 5, name }) { return g(limit, name); }",
        "function f({ name, limit = 5 }) { return g(limit, name); }",
    ),
    (
        "python",
        "def f(a):\n    if not a:\n        raise E()\n    return g(a)\n",
        "def f(a):\n    if a:\n        return g(a)\n    raise E()\n",
    ),
    (
        "java",
        "class X { int f(A a) { if (a.ok()) { return 1; } return 2; } }",
        "class X { int f(A a) { return a.ok() ? 1 : 2; } }",
    ),
    (
        "csharp",
        "class X { int F(A a) { var n = a.Size; if (n > 3) { return 1; } else { return 2; } } }",
        "class X { int F(A a) { if (a.Size <= 3) return 2; return 1; } }",
    ),
    ("rust", "fn f(a: &A) -> u8 { if a.ok() { return 1; } 2 }", "fn f(a: &A) -> u8 { if !a.ok() { 2 } else { 1 } }"),
    ("kotlin", "fun f(a: A): Int { if (a.ok) return 1\n return 2 }", "fun f(a: A): Int { return if (a.ok) 1 else 2 }"),
    (
        "go",
        "func f(a A) int {\n\tif a.ok && a.b {\n\t\treturn 1\n\t}\n\treturn 2\n}\n",
        "func f(a A) int {\n\tif !a.ok || !a.b {\n\t\treturn 2\n\t}\n\treturn 1\n}\n",
    ),
    ("php", "<?php function f($a) { if ($a) { return 1; } return 2; }", "<?php function f($a) { return $a ? 1 : 2; }"),
    ("ruby", "def f(a)\n  return 1 unless a\n  2\nend\n", "def f(a)\n  if a\n    2\n  else\n    1\n  end\nend\n"),
    (
        "python",
        "def f(xs):\n    for x in xs:\n        if not x:\n            continue\n        g(x)\n",
        "def f(xs):\n    for x in xs:\n        if x:\n            g(x)\n",
    ),
    (
        "javascript",
        "function f(a, b) { let r; if (a) { r = 1; } else { r = 2; } return g(r); }",
        "function f(a, b) { const r = a ? 1 : 2; return g(r); }",
    ),
    (
        "c",
        "int f(int a) { if (a > 3) { g(a); return 1; } else { return 0; } }",
        "int f(int a) { if (a <= 3) return 0; g(a); return 1; }",
    ),
    ("python", "def f(s):\n    name = s.strip()\n    return save(name)\n", "def f(s):\n    return save(s.strip())\n"),
    (
        "python",
        "def f(a):\n    d = {}\n    for k in a:\n        d[k] = 1\n    return d\n",
        "def f(a):\n    dd = {}\n    for key in a:\n        dd[key] = 1\n    return dd\n",
    ),
    (
        "php",
        "<?php class X { function f($a) { if (!$a) { throw new E(); } return g($a); } }",
        "<?php class X { function f($a) { if ($a) { return g($a); } throw new E(); } }",
    ),
    (
        "java",
        "class X { boolean f(A a) { if (a.n > 3) { return true; } return false; } }",
        "class X { boolean f(A a) { return a.n > 3; } }",
    ),
    (
        "kotlin",
        "fun f(xs: List<X>): Int { var n = 0\n for (x in xs) { n = n + x.v }\n return n }",
        "fun f(xs: List<X>): Int { var n = 0\n for (x in xs) { n += x.v }\n return n }",
    ),
    (
        "kotlin",
        "fun f(d: Door): Boolean { if (!d.isOpen()) return false\n return true }",
        "fun f(d: Door): Boolean { return d.isOpen() }",
    ),
    (
        "go",
        "func f(d Door) bool {\n\treturn d.Open()\n}\n",
        "func f(d Door) bool {\n\tif !d.Open() {\n\t\treturn false\n\t}\n\treturn true\n}\n",
    ),
    ("rust", "fn f(d: &Door) -> bool { if d.open() { true } else { false } }", "fn f(d: &Door) -> bool { d.open() }"),
    ("cpp", "char *f(int n) { char *row = make(n); return row; }", "char *f(int n) { return make(n); }"),
    ("c", "struct row f(int n) { struct row r = make(n); return r; }", "struct row f(int n) { return make(n); }"),
    (
        "csharp",
        "class X { int F(A a) { if (a.Top is int most && a.N > most) { return most; } return a.N; } }",
        "class X { int F(A a) { return a.Top is int top && a.N > top ? top : a.N; } }",
    ),
    ("python", "def f(n):\n    return (n ** 3) + 7\n", "def f(n):\n    return 7 + n ** 3\n"),
    ("javascript", "function f(n) { return 2 * g(n); }", "function f(n) { return g(n) * 2; }"),
    (
        "python",
        "def f(a, b):\n    if not g(a):\n        if not h(b):\n            x()\n        y()\n",
        "def f(a, b):\n    c = not g(a)\n    if c and not h(b):\n        x()\n    if c:\n        y()\n",
    ),
    (
        "java",
        "class X { void f() { if (n < 3 || g()) { n = 0; } } }",
        "class X { void f() { final var few = n < 3; if (few || g()) { n = 0; } } }",
    ),
]
OTHER = [
    (
        "python",
        "def f(d):\n    if d.open():\n        return True\n    return False\n",
        "def f(d):\n    return d.open()\n",
    ),
    ("cpp", "char *f(int n) { char row = make(n); return row; }", "char *f(int n) { return make(n); }"),
    ("cpp", "long f(int n) { int row = make(n); return row; }", "long f(int n) { return make(n); }"),
    ("cpp", "int f() { static int n = make(); return n; }", "int f() { return make(); }"),
    ("cpp", "int f() { g([] { char r = m(); return r; }); return 1; }", "int f() { g([] { return m(); }); return 1; }"),
    ("javascript", "function f(n) { return 2 + n; }", "function f(n) { return n + 2; }"),
    ("python", "def f(n):\n    return 7 - n ** 3\n", "def f(n):\n    return n ** 3 - 7\n"),
    (
        "python",
        "def f(a):\n    c = not g(a)\n    if c:\n        x()\n    if c:\n        y()\n",
        "def f(a):\n    if not g(a):\n        x()\n    if not g(a):\n        y()\n",
    ),
    (
        "csharp",
        "class X { int F(A a) { return a.Top is int top ? top : a.N; } }",
        "class X { int F(A a) { return a.Top is int top ? a.N : top; } }",
    ),
    ("c", "int f(char *s) { return g('%'); }", 'int f(char *s) { return g("%"); }'),
    ("cpp", "char *f() { return '%'; }", 'char *f() { return "%"; }'),
    ("java", "class X { void f() { g('a'); } }", 'class X { void f() { g("a"); } }'),
    ("go", "func f() {\n\tg('a')\n}\n", 'func f() {\n\tg("a")\n}\n'),
    ("rust", "fn f() { g('a') }", 'fn f() { g("a") }'),
    (
        "javascript",
        "function f({ limit = 5, name }) { return g(limit, name); }",
        "function f({ name, limit = 6 }) { return g(limit, name); }",
    ),
    (
        "go",
        "func f() error {\n\tx := 1\n\tif c {\n\t\tx := 2\n\t\tg(x)\n\t}\n\treturn h(x)\n}\n",
        "func f() error {\n\tx := 1\n\tif c {\n\t\tx = 2\n\t\tg(x)\n\t}\n\treturn h(x)\n}\n",
    ),
    (
        "javascript",
        "function f(c) { let x = 1; if (c) { let x = 2; g(x); } return h(x); }",
        "function f(c) { let x = 1; if (c) { x = 2; g(x); } return h(x); }",
    ),
    (
        "rust",
        "fn f() -> u8 { let x = 1; { let x = 2; g(x); } h(x) }",
        "fn f() -> u8 { let x = 1; let x = 2; g(x); h(x) }",
    ),
    ("python", "def f(a):\n    t = g()\n    h()\n    return k(t)\n", "def f(a):\n    h()\n    return k(g())\n"),
    ("python", "def f(a):\n    t = g()\n    return k(h(), t)\n", "def f(a):\n    return k(h(), g())\n"),
    ("python", "def f(a):\n    t = g()\n    return a and t\n", "def f(a):\n    return a and g()\n"),
    (
        "python",
        "def f(xs):\n    t = g()\n    for x in xs:\n        h(t)\n",
        "def f(xs):\n    for x in xs:\n        h(g())\n",
    ),
    ("python", "def f(o):\n    t = o.v\n    o.v = 3\n    return t\n", "def f(o):\n    o.v = 3\n    return o.v\n"),
    ("python", "def f(o):\n    t = o.v\n    o.bump()\n    return t\n", "def f(o):\n    o.bump()\n    return o.v\n"),
    (
        "python",
        "def f(a):\n    t = a + 1\n    a = 3\n    return t + a\n",
        "def f(a):\n    a = 3\n    return a + 1 + a\n",
    ),
    (
        "python",
        "def f(a):\n    if a:\n        x()\n    y()\n",
        "def f(a):\n    if a:\n        x()\n    else:\n        y()\n",
    ),
    (
        "python",
        "def f(a):\n    try:\n        return g(a)\n    except E:\n        return None\n",
        "def f(a):\n    return g(a)\n",
    ),
    (
        "python",
        "def f(xs):\n    for x in xs:\n        if x:\n            return True\n    return False\n",
        "def f(xs):\n    return all(x for x in xs)\n",
    ),
    (
        "python",
        "def f(xs):\n    for x in xs:\n        return True if x else False\n    return False\n",
        "def f(xs):\n    return any(x for x in xs)\n",
    ),
    (
        "python",
        "def f(xs):\n    a = []\n    for x in xs:\n        a.append(x)\n        if x:\n            break\n    return a",
        "def f(xs):\n    return [x for x in xs]\n",
    ),
    ("python", "def f(a):\n    global n\n    n = 3\n    return g(n)\n", "def f(a):\n    return g(3)\n"),
    ("python", "def f(a):\n    return a or b\n", "def f(a):\n    if a:\n        return b\n    return a\n"),
    ("javascript", "function f(a) { if (a) return null; return g(); }", "function f(a) { if (a) return; return g(); }"),
    ("javascript", "function f(a, b) { return a + 1 + ' x'; }", "function f(a, b) { return a + (1 + ' x'); }"),
    ("python", "def f(a, b):\n    return '%d is' % a\n", "def f(a, b):\n    return f'{a} is'\n"),
    ("python", "def f(a, b):\n    return '{0} {0}'.format(a)\n", "def f(a, b):\n    return f'{a} {b}'\n"),
    ("python", "def f(a, b):\n    return f'{a:>3} x'\n", "def f(a, b):\n    return f'{a} x'\n"),
    ("python", "def f(a, b):\n    return f'{a!r} x'\n", "def f(a, b):\n    return f'{a} x'\n"),
    ("python", "def f(a):\n    return a < 3\n", "def f(a):\n    return a <= 3\n"),
    ("python", "def f(a):\n    return not a < 3\n", "def f(a):\n    return a > 3\n"),
    ("python", "async def f(a):\n    return await g(a)\n", "async def f(a):\n    return g(a)\n"),
    (
        "python",
        "async def f(a):\n    async for x in a:\n        g(x)\n",
        "async def f(a):\n    for x in a:\n        g(x)\n",
    ),
    (
        "typescript",
        "async function f(a: A) { for await (const x of a) g(x); }",
        "async function f(a: A) { for (const x of a) g(x); }",
    ),
    ("typescript", "function f(a: A) { for (const x in a) g(x); }", "function f(a: A) { for (const x of a) g(x); }"),
    (
        "java",
        "class X { int f(int a) { switch (a) { case 1: g(); break; case 2: h(); } return 1; } }",
        "class X { int f(int a) { switch (a) { case 1: g(); case 2: h(); break; } return 1; } }",
    ),
    ("c", "int f(int a) { unsigned char t = a + 1; return g(t); }", "int f(int a) { return g(a + 1); }"),
    ("python", "def f(a):\n    with a:\n        return g()\n", "def f(a):\n    return g()\n"),
    (
        "python",
        "def f(a, b):\n    x = b\n    def k():\n        return x\n    x = a\n    return k\n",
        "def f(a, b):\n    x = a\n    def k():\n        return x\n    x = b\n    return k\n",
    ),
    (
        "python",
        "def f(a):\n    return [x for x in a if x if x.y]\n",
        "def f(a):\n    return [x for x in a if x or x.y]\n",
    ),
    (
        "python",
        "def f(a):\n    while a:\n        if b:\n            break\n        c()\n",
        "def f(a):\n    while a:\n        if b:\n            return\n        c()\n",
    ),
    (
        "go",
        "func f(ch chan int) int {\n\tx := <-ch\n\ty := <-ch\n\treturn g(y, x)\n}\n",
        "func f(ch chan int) int {\n\treturn g(<-ch, <-ch)\n}\n",
    ),
    ("rust", "fn f(a: &mut A) { g(&mut a) }", "fn f(a: &mut A) { g(&a) }"),
    ("typescript", "const f = (a) => ({ ...a, x: 1 });", "const f = (a) => ({ x: 1, ...a });"),
    ("typescript", "const f = (a) => a?.b;", "const f = (a) => a.b;"),
    ("typescript", "const f = (a) => a ?? 3;", "const f = (a) => a || 3;"),
    (
        "kotlin",
        "fun f(a: A): Int { if (a.x) { return 1 } else { return 2 } }",
        "fun f(a: A): Int { if (a.x) { return 2 } else { return 1 } }",
    ),
    ("ruby", "def f(a)\n  return 1 unless a\n  2\nend\n", "def f(a)\n  return 1 if a\n  2\nend\n"),
    (
        "python",
        "def f(a):\n    x = a.pop()\n    y = a.pop()\n    return y - x\n",
        "def f(a):\n    return a.pop() - a.pop()\n",
    ),
    ("python", "def f(a, x):\n    x += 1\n    return x\n", "def f(a, x):\n    return x\n"),
    ("python", "def f(a):\n    assert a\n    return g(a)\n", "def f(a):\n    return g(a)\n"),
    ("python", "def f(a):\n    x: int = 3\n    del x\n    return 3\n", "def f(a):\n    return 3\n"),
    (
        "csharp",
        "class X { int F(A a) { using var t = G(a); return H(t); } }",
        "class X { int F(A a) { return H(G(a)); } }",
    ),
    ("cpp", "int f() { std::lock_guard<M> l(m); return g(); }", "int f() { return g(); }"),
    ("cpp", "int f() { auto l = lock(m); return g(l); }", "int f() { return g(lock(m)); }"),
    ("go", "func f() {\n\tdefer a()\n\tb()\n}\n", "func f() {\n\tb()\n\ta()\n}\n"),
    (
        "python",
        "def f(a):\n    if x == 1 and y == 2:\n        return a\n",
        "def f(a):\n    if y == 2 or x == 1:\n        return a\n",
    ),
    (
        "python",
        "def f(n):\n    s = ''\n    s = s + n\n    return g(s, s)\n",
        "def f(n):\n    s = ''\n    s = n + s\n    return g(s, s)\n",
    ),
    ("python", "def f(a, b=1):\n    return a\n", "def f(a, b=2):\n    return a\n"),
    ("python", "def f(a, *, b=1, c=2):\n    return a\n", "def f(a, b=1, c=2):\n    return a\n"),
    (
        "javascript",
        "function f(xs) { return xs.filter((x) => x.ok).map((x, i) => i); }",
        "function f(xs) { const out = []; for (const x of xs) { if (x.ok) out.push(x); } return out; }",
    ),
    (
        "javascript",
        "async function f(xs) { return xs.map(async (x) => g(x)); }",
        "async function f(xs) { return xs.map((x) => g(x)); }",
    ),
    (
        "javascript",
        "async function f(xs) { const out = []; for (const x of xs) out.push(await g(x)); return out; }",
        "async function f(xs) { return xs.map(async (x) => await g(x)); }",
    ),
    ("javascript", "function f() { var t = this.x; return () => t; }", "function f() { return () => this.x; }"),
    ("python", "def f(x):\n    y = x.copy()\n    return [y, y]\n", "def f(x):\n    return [x.copy(), x.copy()]\n"),
    ("python", "@a\n@b\ndef f(x):\n    return x\n", "@b\n@a\ndef f(x):\n    return x\n"),
]


@pytest.mark.parametrize(("language", "before", "after"), SAME)
def test_a_rewriting_has_the_same_normal_form(language: str, before: str, after: str) -> None:
    assert is_same_code(before, after, language)


@pytest.mark.parametrize(("language", "before", "after"), OTHER)
def test_code_that_does_something_else_has_another_normal_form(language: str, before: str, after: str) -> None:
    assert not is_same_code(before, after, language)


def test_code_with_very_many_branches_has_no_normal_form() -> None:
    tests = " and ".join(f"(a{at} or b{at})" for at in range(40))
    text = f"def f():\n    if {tests}:\n        g()\n    h()\n"
    assert not is_same_code(text, text, "python")
