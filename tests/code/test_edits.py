"""What the statements of two texts say, and how that reads."""

from __future__ import annotations

import pytest

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.explanation import SourceText, explain_change, explain_from_texts, explain_inside, statement_edits
from memlsp.code.diff.quotes import code_pair, in_own_style
from memlsp.code.diff.repetitions import ReportedChange, without_repetitions
from memlsp.code.diff.sentences import explanation, sentence
from memlsp.code.syntax.outline import outline
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange, SymbolRef
from memlsp.model.symbol import Symbol, SymbolKind


def changes(path: str, old: str, new: str) -> list[SymbolChange]:
    """The changes between two states of a file, explained."""
    before, after = SourceText(path, old.encode()), SourceText(path, new.encode())
    return [
        explain_change(c, before, after) for c in diff([outline(path, old.encode())], [outline(path, new.encode())])
    ]


def symbol(path: str, text: str) -> Symbol:
    """The first symbol of a file."""
    return outline(path, text.encode()).symbols[1]


def told(path: str, old: str, new: str) -> list[str]:
    """The sentences between two states of a file."""
    return [sentence(one.change) for one in without_repetitions(changes(path, old, new))]


PYTHON = "def run(items, limit):\n    total = 0\n{body}    return total\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    seen = items\n", "    seen = items[1:]\n", "has `seen = items[1:]` where it had `seen = items`"),
        ("", "    total += limit\n", "now has `total += limit`"),
        ("    total += limit\n", "", "no longer has `total += limit`"),
        ("    total += limit\n", "    total -= limit\n", "has `total -= limit` where it had `total += limit`"),
        ("    a = items\n    b = limit\n", "    b = limit\n    a = items\n", "moved `b = limit` before `a = items`"),
        ("    total = limit\n", "    with items:\n        total = limit\n", "puts `total = limit` under `with items`"),
        (
            "    with items:\n        total = limit\n",
            "    total = limit\n",
            "has `total = limit` no longer under `with items`",
        ),
    ],
)
def test_what_no_fact_explains_is_told_by_its_statement(old: str, new: str, said: str) -> None:
    assert told("a.py", PYTHON.format(body=old), PYTHON.format(body=new)) == [f"`run` {said}."]


def test_a_local_that_was_renamed_throughout_is_no_edit_beside_another() -> None:
    old = "def run(items):\n    total = 0\n    for item in items:\n        total += item\n    return total\n"
    new = "def run(items):\n    result = 0\n    for each in items:\n        result += each\n    return result + 1\n"
    assert told("a.py", old, new) == ["`run` returns `result + 1` instead of `total`."]


def test_the_same_replacement_in_several_statements_is_told_once() -> None:
    old = "def run(a):\n    x = a.one.size_of_all, 1\n    y = [a.one.size_of_all, 2]\n    return x + y\n"
    assert told("a.py", old, old.replace("one", "two")) == [
        "`run` has `a.two.size_of_all` where it had `a.one.size_of_all`."
    ]


def test_a_function_is_not_told_for_what_the_function_inside_of_it_is_told_for() -> None:
    old = "def outer(a):\n    def inner(b):\n        return b + 1\n    return inner(a)\n"
    assert told("a.py", old, old.replace("b + 1", "b + 2")) == ["`outer.inner` returns `b + 2` instead of `b + 1`."]


def test_callers_follow_the_new_name_of_what_was_renamed() -> None:
    old = "def fetch(u, n):\n    for _ in range(n):\n        if get(u):\n            return 1\n    return 2\n\n\ndef use(u):\n    return fetch(u, 3)\n"  # noqa: E501
    found = without_repetitions(changes("a.py", old, old.replace("fetch", "fetch_all")))
    assert [(one.change.new.name if one.change.new else "", one.follows) for one in found] == [
        ("fetch_all", ()),
        ("use", ("fetch",)),
    ]


def test_the_entry_of_a_long_table_is_told_instead_of_the_table() -> None:
    names = ", ".join(f'"entry number {i}"' for i in range(20))
    old = f"NAMES = [{names}]\n"
    assert told("a.py", old, old.replace("]", ', "one more"]')) == ["`NAMES` now has `'one more'`."]


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (
            "a.go",
            'package a\n\nfunc F() string { return "x y" }\n',
            ("x y", "z"),
            '`F` returns `"z"` instead of `"x y"`.',
        ),
        ("a.js", "function f() { return 'x y'; }\n", ("x y", "z"), "`f` returns `'z'` instead of `'x y'`."),
        (
            "A.java",
            'class A { String f() { return "x y"; } }\n',
            ("x y", "z"),
            '`A.f` returns `"z"` instead of `"x y"`.',
        ),
        ("a.rs", 'fn f() -> &str { "x y" }\n', ("x y", "z"), '`f` returns `"z"` instead of `"x y"`.'),
    ],
)
def test_code_is_quoted_as_its_language_writes_it(path: str, old: str, new: tuple[str, str], said: str) -> None:
    assert told(path, old, old.replace(*new)) == [said]


def test_lifetimes_and_characters_are_no_strings() -> None:
    assert in_own_style("fn a<'a>(x: &'a str) -> 'b c'", "a.rs") == "fn a<'a>(x: &'a str) -> \"b c\""
    assert in_own_style("'x' + 'two'", "a.c") == "'x' + \"two\""
    assert in_own_style("say('it\\'s \"so\"')", "a.go") == 'say("it\'s \\"so\\"")'
    assert in_own_style("'x'", "a.py") == "'x'"


@pytest.mark.parametrize("where", ["ahead", "behind", "both"])
def test_two_long_texts_are_cut_so_that_the_difference_shows(where: str) -> None:
    same = "some.thing(that, is, equal) and " * 4
    old, new = {
        "ahead": (f"one {same}", f"two {same}"),
        "behind": (f"{same} one", f"{same} two"),
        "both": (f"{same} one {same}", f"{same} two {same}"),
    }[where]
    left, right = code_pair(old, new)
    assert "one" in left
    assert "two" in right
    assert max(len(left), len(right)) <= 42


@pytest.mark.parametrize(
    ("old", "new", "left", "right"),
    [
        ("table.getOrDefault(group, 15)", "table.getOrDefault(group, 0)", "`…(group, 15)`", "`…(group, 0)`"),
        (
            "{a: 1, tries: 4, wait: 30, b: 2}",
            "{a: 1, tries: 2, wait: 30, b: 2}",
            "`…tries: 4, wait: 30…`",
            "`…tries: 2, wait: 30…`",
        ),
        ("is_summer || is_warm(room, hall)", "is_warm(room, hall)", "`is_summer || is_…`", "`is_warm(room, hall)`"),
        (
            "W/${hash}'} if eta == null ret",
            "W/${hash}'} const tag = 4 ret",
            "`…if eta == null ret`",
            "`…const tag = 4 ret`",
        ),
    ],
)
def test_little_room_shows_the_smallest_part_that_differs(old: str, new: str, left: str, right: str) -> None:
    assert code_pair(old, new, 20) == (left, right)


def test_the_fuller_form_tells_every_clause_with_its_values() -> None:
    old = "def run(a, b, c):\n    return a\n"
    body = "".join(f"    {name}(a)\n" for name in ("first", "second", "third", "fourth"))
    new = f"def run(a, b, c, d=1):\n{body}    if d:\n        return b\n    return a\n"
    (change,) = changes("a.py", old, new)
    assert "and 1 more" in sentence(change)
    assert explanation(change) == (
        "gained `d=1`",
        "now calls `first`, `second`, `third` and `fourth`",
        "now returns `b`",
        "now checks `d`",
    )


def test_the_texts_of_the_definitions_alone_tell_as_much() -> None:
    old = "class A {\n  run(a) {\n    this.x = a;\n  }\n}\n"
    new = old.replace("this.x = a", "this.x = a.b")
    (bare,) = [c for c in diff([outline("a.js", old.encode())], [outline("a.js", new.encode())]) if c.details]
    alone = explain_from_texts(
        bare, old.splitlines()[1] + "\n    this.x = a;\n  }", new.splitlines()[1] + "\n    this.x = a.b;\n  }"
    )
    assert (
        sentence(alone)
        == sentence(changes("a.js", old, new)[0])
        == "`A.run` has `this.x = a.b` where it had `this.x = a`."
    )


def test_a_text_too_long_to_align_is_told_by_its_facts() -> None:
    old = "def run():\n" + "".join(f"    a{i} = b.c{i}(d, e, f)\n" for i in range(1500))
    (change,) = changes("a.py", old, old.replace("b.c7(", "b.x7("))
    assert sentence(change) == "`run` calls `b.x7` instead of `b.c7`."


def test_a_source_that_does_not_parse_is_no_obstacle() -> None:
    old, new = "def run(:\n    return 1\n", "def run(:\n    return 2 +\n"
    assert all(isinstance(one, ReportedChange) for one in without_repetitions(changes("a.py", old, new)))
    for change in changes("a.py", old, new):
        if change.old and change.new:
            statement_edits(change.old, change.new, SourceText("a.py", old.encode()), SourceText("a.py", new.encode()))


JS_GET = "module.exports = {{\n  {head} {{\n    return this.header[field.toLowerCase()] || '';\n  }},\n}}\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.js", JS_GET.format(head="get: function(field)"), JS_GET.format(head="get(field)")),
        ("A.cs", "class A { int F(int k) { return G(k); } }\n", "class A { int F(int k) => G(k); }\n"),
        ("A.cs", "class A { object G() => new Stub(); }\n", "class A { object G() => new(); }\n"),
        ("a.rs", "fn f(a: u8) -> Bytes { g(a) }\n", "fn f(a: u8) -> crate::Bytes { g(a) }\n"),
        (
            "A.java",
            "class A { J f() { return new J(tokens); } }\n",
            "class A { J f() { return new J(this.tokens); } }\n",
        ),
        ("a.cpp", "bool f(const std::string& s) { return g(s); }\n", "bool f(const string& s) { return g(s); }\n"),
        ("a.py", "@typing.overload\ndef f(a): ...\n", "@t.overload\ndef f(a): ...\n"),
        (
            "a.py",
            "class A(object):\n    def f(self):\n        return super(A, self).f()\n",
            "class A:\n    def f(self):\n        return super().f()\n",
        ),
        ("a.go", "package a\nfunc F(a ...interface{}) {\n\tg(a)\n}\n", "package a\nfunc F(a ...any) {\n\tg(a)\n}\n"),
        ("a.go", "package a\nfunc T() {\n\tg(New())\n}\n", "package a\nfunc T() {\n\tg(logrus.New())\n}\n"),
        ("a.ts", "interface P { a: number; b?: string }\n", "type P = { a: number; b?: string };\n"),
        ("a.js", "var f = function (a) { var b = a; g(b) }\n", "const f = (a) => { const b = a; g(b) }\n"),
        ("A.java", "class A { void f() { g(new Set<String>()); } }\n", "class A { void f() { g(new Set<>()); } }\n"),
        ("A.java", "class A { void f(B a, C b) { g(a); } }\n", "class A { void f(final B a, final C b) { g(a); } }\n"),
        ("A.java", "class A { void f() { g(1); } }\n", "class A { @Override void f() { g(1); } }\n"),
        (
            "A.cs",
            "class A { static public bool F(object a) { return a == null; } }\n",
            "class A { public static bool F(object a) { return a is null; } }\n",
        ),
        ("A.cs", "class A { void F() { B<C> a = new B<C>(); } }\n", "class A { void F() { var a = new B<C>(); } }\n"),
        ("A.cs", "class A { void F() { G(() => b.C.D()); } }\n", "class A { void F() { G(b.C.D); } }\n"),
        ("a.cpp", "void f() { g(NULL); }\n", "void f() { g(nullptr); }\n"),
        ("a.rs", "#[derive(Debug, Clone)]\nstruct A { b: u8 }\n", "#[derive(Clone, Debug)]\nstruct A { b: u8 }\n"),
        ("a.rs", "#[allow(dead_code)]\nfn f() { g() }\n", "fn f() { g() }\n"),
        ("a.rb", "def f(a)\n  g(:x => 1, :y => a)\nend\n", "def f(a)\n  g(x: 1, y: a)\nend\n"),
        ("a.php", "<?php\nfunction f($a) { g($a, array(1)); }\n", "<?php\nfunction f($a) { g($a, [1]); }\n"),
        (
            "a.php",
            "<?php\nclass A { protected abstract function f($a); }\n",
            "<?php\nclass A { abstract protected function f($a); }\n",
        ),
    ],
)
def test_another_notation_of_the_same_code_is_no_change(path: str, old: str, new: str) -> None:
    alike = ("is written in another way and does the same.", "Only comments and layout changed in ")
    assert all(any(each in said for each in alike) for said in told(path, old, new))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "a.rb",
            "def f(a)\n  raise Gone if a.nil?\n  a.b\nend\n",
            "def f(a)\n  if a.nil?\n    raise Gone\n  end\n  a.b\nend\n",
        ),
        (
            "a.py",
            "def f(a, b):\n    if not (a and b):\n        return None\n    return g(a)\n",
            "def f(a, b):\n    if a and b:\n        return g(a)\n    return None\n",
        ),
        (
            "a.ts",
            "class A {\n  f(a: B) {\n    if (a.c) {\n      return 1;\n    } else {\n      return 2;\n    }\n  }\n}\n",
            "class A {\n  f(a: B) {\n    return a.c ? 1 : 2;\n  }\n}\n",
        ),
        (
            "A.java",
            "class A { int f(B a) { if (a == null) { throw new C(); } return a.d(); } }\n",
            "class A { int f(B a) { if (a != null) { return a.d(); } throw new C(); } }\n",
        ),
        (
            "a.go",
            "package a\nfunc F(b B) int {\n\tc := b.D()\n\treturn c\n}\n",
            "package a\nfunc F(b B) int {\n\treturn b.D()\n}\n",
        ),
    ],
)
def test_a_function_that_was_rewritten_and_does_the_same_is_no_change(path: str, old: str, new: str) -> None:
    assert [said.partition("` ")[2] for said in told(path, old, new)] == [
        "is written in another way and does the same."
    ]


def test_documentation_that_changed_with_a_rewriting_is_told() -> None:
    old = 'def f(a):\n    """One."""\n    if a:\n        return 1\n    return 2\n'
    new = 'def f(a):\n    """Two."""\n    return 1 if a else 2\n'
    assert told("a.py", old, new) == ["`f` is written in another way and does the same; its documentation changed."]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "a.rb",
            "def f(a)\n  raise Gone if a.nil?\n  a.b\nend\n",
            "def f(a)\n  unless a.nil?\n    raise Gone\n  end\n  a.b\nend\n",
        ),
        (
            "a.py",
            "def f(a, b):\n    if not (a and b):\n        return None\n    return g(a)\n",
            "def f(a, b):\n    if a or b:\n        return g(a)\n    return None\n",
        ),
        (
            "A.java",
            "class A { int f(B a) { if (a == null) { throw new C(); } return a.d(); } }\n",
            "class A { int f(B a) { if (a == null) { return a.d(); } throw new C(); } }\n",
        ),
    ],
)
def test_a_function_that_was_rewritten_and_does_something_else_is_told(path: str, old: str, new: str) -> None:
    assert told(path, old, new)
    assert not any("the same" in said or said.startswith("Only") for said in told(path, old, new))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("m.c", 'void f(void) {\n  put("%");\n}\n'),
        ("m.cpp", 'void f() {\n  put("%");\n}\n'),
        ("M.java", 'class M {\n  void f() { put("%"); }\n}\n'),
        ("m.go", 'package m\n\nfunc f() {\n\tput("%")\n}\n'),
        ("M.cs", 'class M {\n  void F() { Put("%"); }\n}\n'),
        ("m.kt", 'fun f() {\n  put("%")\n}\n'),
        ("m.rs", 'fn f() {\n    put("%");\n}\n'),
        ("m.go", 'package m\n\nconst Sep = "%"\n'),
    ],
)
def test_a_character_in_place_of_a_string_is_no_matter_of_notation(path: str, code: str) -> None:
    [change] = changes(path, code, code.replace('"%"', "'%'"))
    assert change.alters_meaning
    [back] = changes(path, code.replace('"%"', "'%'"), code)
    assert back.alters_meaning


@pytest.mark.parametrize("text", ["', '", "',;'"])
def test_what_a_string_holds_is_no_matter_of_notation(text: str) -> None:
    old = "function f(a) { return a.join(','); }\n"
    assert told("a.js", old, old.replace("','", text)) == [f"`f` returns `a.join({text})` instead of `a.join(',')`."]


def test_another_package_is_no_matter_of_notation() -> None:
    old = "package a\nfunc T() {\n\tassert.Equal(New())\n}\n"
    new = old.replace("assert", "require").replace("New", "x.New")
    assert told("a.go", old, new) == [
        "`T` calls `require.Equal` instead of `assert.Equal`, calls `x.New` instead of `New`."
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (  # it returned that before, as its last value
            "a.rs",
            "impl M {\n    fn read(self) -> T {\n        self.ptr.read()\n    }\n}\n",
            "impl M {\n    fn read(self) -> T {\n        unsafe { self.ptr.read() }\n    }\n}\n",
            "`M.read` puts `self.ptr.read()` under `unsafe`.",
        ),
        (  # only its braces came
            "a.js",
            "function f(a) { if (skip(a, b)) return; g(a) }\n",
            "function f(a) { if (skip(a, b)) { debug('skip'); return }; g(a) }\n",
            "`f` now calls `debug`.",
        ),
        (  # only its braces went
            "a.ts",
            "function f(a) { if (a.b) { const self = this; return g(a) } h(1) }\n",
            "function f(a) { if (a.b) { return g(a) } h(1) }\n",
            "`f` no longer has `const self = this`.",
        ),
        (
            "a.rb",
            "def f(a)\n  @a = parse(a)\n\n  super(a)\n  finish!\nend\n",
            "def f(a)\n  super(a)\n\n  @a = parse(a)\n  finish!\nend\n",
            "`f` moved `super(a)` before `@a = parse(a)`.",
        ),
        (
            "a.rb",
            "def f(a)\n  b = g(a)\n  c(binding)\nend\n",
            "def f(a)\n  b = b = g(a)\n  c(binding)\nend\n",
            "`f` has `b = b = g(a)` where it had `b = g(a)`.",
        ),
        (  # a field without a value has none to go from
            "a.ts",
            "interface S { parent: State }\n",
            "interface S { parent?: State }\n",
            "`S.parent` has `parent ?: State` where it had `parent: State`.",
        ),
        (
            "a.kt",
            "class A(t: T) { val name: String }\n",
            "class A(t: T) { val name = t.name }\n",
            "`A.name` is now `t.name`, leaves its value untyped.",
        ),
        (  # the name of a class is in front of the method
            "A.java",
            "class A { void f() { g(Types.createImplementationOfAnnotation(AnotherOne.class)); } }\n",
            "class A { void f() { g(Utils.createImplementationOfAnnotation(AnotherOne.class)); } }\n",
            ("`A.f` calls `Utils.createImplementationOfAnnotation` "
             "instead of `Types.createImplementationOfAnnotation`."),
        ),
        (  # an argument says nothing without its neighbours
            "A.cs",
            "class A { void F() { G(new Late(\"It did not end in the time that it has, as it should.\", ex)); } }\n",
            "class A { void F() { G(new Late(\"It did not end in the time that it has, as it should.\", s, ex)); } }\n",
            "`A.F` has `…that it has, as it should.\", s, ex)` where it had `…that it has, as it should.\", ex)`.",
        ),
        (  # two versions of one exception
            "a.go",
            "package a\nfunc F() error {\n\treturn errors.Errorf(\"expected an int but got %q\", t)\n}\n",
            "package a\nfunc F() error {\n\treturn fmt.Errorf(\"expected an int but got %q\", t)\n}\n",
            ("`F` raises `fmt.Errorf(\"expected an int but got…` instead of `errors.Errorf(\"expected an int but got…` "
             "and 1 more change."),
        ),
        (  # what a condition was put around is still there
            "a.js",
            "function f(n) { set('Size', n) }\n",
            "function f(n) { if (!this.has(n)) { set('Size', n) } }\n",
            "`f` now calls `this.has`, now checks `!this.has(n)`, puts `set('Size', n)` under `if !this.has(n)`.",
        ),
        (
            "a.py",
            "def f(a):\n    if a:\n        raise ValueError(a)\n    return 1\n",
            "def f(a):\n    if not a:\n        log(a)\n    else:\n        raise ValueError(a)\n    return 1\n",
            "`f` now calls `log`, checks `not a` instead of `a`.",
        ),
        (
            "a.py",
            "def f(a):\n    return g(a)\n",
            "def f(a):\n    if a:\n        return g(a)\n    return None\n",
            "`f` now returns `None`, now checks `a`, puts `return g(a)` under `if a`.",
        ),
        ("a.ts", "const X = compute(1, 2)\n", "export const X = compute(1, 2)\n", "`X` is now `export`."),
        (  # the statement was under a condition before, another one
            "a.js",
            "function w() { const s = this.s; if (!s) return false; return s.on; }\n",
            "function w() { if (this.end) return false; const s = this.s; if (!s) return true; return s.on; }\n",
            "`w` now returns `true`, now checks `this.end`.",
        ),
        (
            "a.rs",
            "fn f(n: usize) {\n    let a = n;\n    advance(a);\n}\n",
            "fn f(n: usize) {\n    let a = n;\n    unsafe { advance(a); }\n}\n",
            "`f` puts `advance(a)` under `unsafe`.",
        ),
        (
            "A.java",
            "class A { void f() { if (r != null) { put(r); } } }\n",
            "class A { void f() { if (r != null) { put(r); if (r.open) { close(r); } } } }\n",
            "`A.f` now calls `close`, now checks `r.open`.",
        ),
        (
            "a.js",
            "function o(a) {\n  const i = (b) => {\n    return b;\n  };\n  return i(a);\n}\n",
            "function o(a) {\n  const i = (b) => {\n    const x = 1;\n    return b + x + 2;\n  };\n  return i(a);\n}\n",
            "`o.i` sets `x` to 1, now returns `b + x + 2`, no longer returns `b`.",
        ),
        (  # what differs is told with its neighbours
            "a.ts",
            "export const v = {\n  major: 4,\n  minor: 0,\n  patch: 11 as number,\n} as const;\n",
            "export const v = {\n  major: 4,\n  minor: 0,\n  patch: 12 as number,\n} as const;\n",
            "`v` has `patch: 12 as number` where it had `patch: 11 as number`.",
        ),
        (
            "a.go",
            "package a\nfunc T() {\n\tp, _ = newRouteRegexp(pattern, false, false, false)\n}\n",
            "package a\nfunc T() {\n\tp, _ = newRouteRegexp(pattern, false, false, false, false)\n}\n",
            "`T` has `newRouteRegexp(…false, false, false)` where it had `newRouteRegexp(…false, false)`.",
        ),
        (
            "A.cs",
            "class A { void T() { e.Be(\"Options:\\n\\nErrors:\\nThe field BehaviorAction is required.\"); } }\n",
            "class A { void T() { e.Be(\"Options:\\n\\nErrors:\\nThe field BehaviorGenerator is required.\"); } }\n",
            "`A.T` has `e.Be(…field BehaviorGenerator is…` where it had `e.Be(…field BehaviorAction is…`.",
        ),
        (
            "A.cs",
            "class A { void T() { the_one.A.Should().BeTrue(); the_other_one.and_its_content.Should().BeFalse(); } }\n",
            "class A { void T() { the_one.A.ShouldBeTrue(); the_other_one.and_its_content.ShouldBeFalse(); } }\n",
            "`A.T` calls `the_one.A.ShouldBeTrue` instead of `the_one.A.Should().BeTrue` and 2 more changes.",
        ),
        (  # a receiver is no parameter with a name
            "a.py",
            "class A:\n    def f(self, a):\n        return a\n",
            "class A:\n    @staticmethod\n    def f(b, a):\n        return a\n",
            "`A.f` gained `b`, lost `self`, is now decorated with `staticmethod`.",
        ),
        (
            "a.rs",
            "impl A {\n    fn f(&mut self, a: u8) -> u8 { a }\n}\n",
            "impl A {\n    fn f(&self, a: u8) -> u8 { a }\n}\n",
            "`A.f` takes `&self` instead of `&mut self`.",
        ),
        (  # a character is no string
            "A.java",
            "class A { int f(String s) { return s.indexOf('.'); } }\n",
            "class A { int f(String s) { return s.indexOf(',') + g(\"x\"); } }\n",
            "`A.f` now calls `g`, returns `s.indexOf(',') + g(\"x\")` instead of `s.indexOf('.')`.",
        ),
        (
            "a.c",
            'int f(char *s) { g(s, "%"); return s[0]; }\n',
            'int f(char *s) { g(s, "%"); return s[0] == \'"\'; }\n',
            "`f` returns `s[0] == '\"'` instead of `s[0]`.",
        ),
        (
            "a.c",
            "int f(int a) { return 0; }\n",
            "int f(int a) { return -2; }\n",
            "`f` now returns `-2`, no longer returns `0`, has -2 where it had 0.",
        ),
    ],
)  # fmt: skip
def test_a_sentence_is_true_of_both_sides(path: str, old: str, new: str, said: str) -> None:
    assert told(path, old, new) == [said]


def test_a_method_of_python_is_read_alone_with_its_body() -> None:
    old = "def f(self):\n        return self.a\n"
    (change,) = changes("a.py", f"class A:\n    {old}", f"class A:\n    {old.replace('self.a', 'g(self.b)')}")
    edits = explain_from_texts(change, old, old.replace("    return", "    total = 1\n        return"))
    assert "total = 1" in [detail.new for detail in edits.details]


@pytest.mark.parametrize("decorator", ["", "@retry\n    "])
def test_of_a_class_the_one_member_that_changed_is_told(decorator: str) -> None:
    old = f"class T:\n    {decorator}def one(self):\n        tick(10)\n\n    def two(self):\n        return 2\n"
    new = old.replace("tick(10)", "tick(hours(10))")
    change = compare(symbol("a.py", old), symbol("a.py", new))
    assert sentence(explain_inside(change, old, new)) == "`T.one` now calls `hours`."
    both = new.replace("return 2", "return 3")
    change = compare(symbol("a.py", old), symbol("a.py", both))
    assert sentence(explain_inside(change, old, both)) == "`T.one` now calls `hours`; `two` changed too."


def test_a_member_that_is_defined_outside_of_its_class_is_read_alone() -> None:
    old = "int A::f(void* user) {\n    R* r = (R*)user;\n    return r->x();\n}\n"
    new = old.replace("(R*)user", "static_cast<R*>(user)")
    change = compare(symbol("a.cpp", old), symbol("a.cpp", new))
    assert "static_cast" in sentence(explain_from_texts(change, old, new))


def test_of_a_class_of_classes_the_members_that_came_are_told() -> None:
    old = "class T:\n    class U:\n        def one(self):\n            tick(10)\n"
    new = f"{old}\n        def two(self):\n            return 2\n\n        def three(self):\n            return 3\n"
    change = compare(symbol("a.py", old), symbol("a.py", new))
    assert sentence(explain_inside(change, old, new)) == "`T` gained `U.two` and `U.three`."


def test_a_class_whose_members_are_only_written_otherwise_did_not_change() -> None:
    old = "interface S { a: { x: number; y: number; }; }"
    new = old.replace("; ", "\n")
    change = compare(symbol("a.ts", old), symbol("a.ts", new))
    assert explain_inside(explain_from_texts(change, old, new), old, new).kinds == {ChangeKind.COSMETIC}


@pytest.mark.parametrize(
    ("path", "old", "said"),
    [
        (
            "a.php",
            "class T { function one() { return tick(10); } }",
            "`T.one` returns `tick(11)` instead of `tick(10)`.",
        ),
        (
            "a.go",
            "func one() int {\n\tx := tick(10)\n\treturn x\n}",
            "`one` has `x := tick(11)` where it had `x := tick(10)`.",
        ),
    ],
)
def test_a_definition_is_read_alone_in_each_language(path: str, old: str, said: str) -> None:
    before = f"<?php\n{old}" if path == "a.php" else f"package a\n{old}"
    new = old.replace("10", "11")
    change = compare(symbol(path, before), symbol(path, before.replace("10", "11")))
    assert sentence(explain_inside(explain_from_texts(change, old, new), old, new)) == said


def test_facts_of_what_does_not_parse_alone_are_told_where_they_say_something() -> None:
    ref = SymbolRef("a.php", "A.parse", SymbolKind.FIELD)
    facts = [
        Detail(DetailKind.VALUE, "parse", "null", "protected static @"),
        Detail(DetailKind.DECORATOR_ADDED, "Override", None, "Override"),
        Detail(DetailKind.TYPE, "", "array($a)", "[$a]"),
    ]
    change = SymbolChange(frozenset({ChangeKind.LITERAL}), ref, ref, tuple(facts))
    assert sentence(explain_from_texts(change, "(", "(")) == "`A.parse` went from `null` to nothing."
    alike = SymbolChange(frozenset({ChangeKind.SIGNATURE}), ref, ref, tuple(facts[1:]))
    assert explain_from_texts(alike, "(", "(").kinds == {ChangeKind.COSMETIC}


def test_as_many_clauses_as_fit_are_told_with_fewer_names() -> None:
    ref = SymbolRef("a.php", "FleepHookHandlerTest.testConstructorSetsExpectedDefaults", SymbolKind.METHOD)
    calls = [f"$this.handler.anotherLongName{number}" for number in range(4)]
    details = [Detail(DetailKind.CALL_ADDED, name, None, name) for name in calls]
    change = SymbolChange(
        frozenset({ChangeKind.BEHAVIOUR}), ref, ref, (*details, Detail(DetailKind.RETURN, "", None, "1"))
    )
    assert sentence(change) == (
        "`FleepHookHandlerTest.testConstructorSetsExpectedDefaults` "
        "now calls `$this.handler.anotherLongName0` and 3 more, now returns `1`."
    )
