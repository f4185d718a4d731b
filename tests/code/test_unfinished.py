"""What a source says is not done: remarks and stubs, and what only looks like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.code.syntax.unfinished import LooseEnd, signs_of, unfinished
from memlsp.model.thread import ThreadKind

BODY = "    return 1\n"


def ends(path: str, source: str) -> list[LooseEnd]:
    found = unfinished(path, source.encode())
    assert found is not None
    return list(found.ends)


def remarks(path: str, source: str) -> list[str]:
    return [end.text for end in ends(path, source) if end.kind is ThreadKind.TODO]


def stubs(path: str, source: str) -> list[str]:
    return [end.symbol for end in ends(path, source) if end.kind is ThreadKind.STUB]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("# TODO: retry", "TODO: retry"),
        ("# TODO retry", "TODO: retry"),
        ("#TODO - retry", "TODO: retry"),
        ("# todo: retry", "TODO: retry"),
        ("# FIXME(#12) leaks", "FIXME: leaks"),
        ("# XXX this is odd", "XXX: this is odd"),
        ("# HACK: works around it", "HACK: works around it"),
        ("x = 1  # FIXME", "FIXME"),
        ("# - TODO: in a list", "TODO: in a list"),
        ("# see below. TODO: and this", "TODO: and this"),
    ],
)
def test_a_remark_is_read_however_it_is_written(line: str, text: str) -> None:
    assert remarks("a.py", f"{line}\n") == [text]


@pytest.mark.parametrize(
    "line",
    [
        "# the TODO list is in the wiki",
        "# format XXX-XXX-XXXX",
        "# XXXX",
        "x = 'TODO: no comment'",
        "TODO = 1",
        "# mastodon: todos are listed",
        "# a hackathon",
        "url = 'http://x/TODO:1'",
    ],
)
def test_a_mention_is_no_remark(line: str) -> None:
    assert remarks("a.py", f"{line}\n") == []


@pytest.mark.parametrize(
    ("path", "source", "line"),
    [
        ("a.go", "package a\n\n// TODO(bob): x\nfunc F() int { return 1 }\n", 3),
        ("a.rs", "/// TODO: x\nfn f() -> i32 { 1 }\n", 1),
        ("a.ts", "/**\n * @todo: x\n */\nexport function f() { return 1 }\n", 2),
        ("A.java", "class A {\n  /* FIXME: x */\n  int f() { return 1; }\n}\n", 2),
        ("a.rb", "class A\n  # TODO: x\n  def f; 1; end\nend\n", 2),
        ("a.php", "<?php\n// TODO: x\nfunction f() { return 1; }\n", 2),
        ("a.c", "/* XXX: x */\nint f(void) { return 1; }\n", 1),
        ("a.kt", "// TODO: x\nfun f() = 1\n", 1),
        ("a.cs", "class A {\n  // TODO: x\n  int F() { return 1; }\n}\n", 2),
        ("a.sh", "f() { :; } # TODO: x\n", 1),
        ("a.yaml", "a: 1 # TODO: x\n", 1),
        ("a.py", 'def f():\n    """Do it.\n\n    TODO: x\n    """\n    return 1\n', 4),
    ],
)
def test_remarks_are_read_in_every_language_at_their_line(path: str, source: str, line: int) -> None:
    (end,) = ends(path, source)
    assert (end.kind, end.mark, end.line) == (ThreadKind.TODO, "x", line)


def test_a_remark_knows_its_symbol_and_its_owner() -> None:
    (end,) = ends("a.py", "class A:\n    def f(self):\n        # TODO(anna): x\n        return 1\n")
    assert (end.symbol, end.owner) == ("A.f", "anna")


def test_a_remark_behind_code_belongs_to_that_code() -> None:
    assert [end.symbol for end in ends("a.py", "A = 1\nB = 2  # TODO: x\n")] == ["B"]


def test_a_remark_without_words_is_known_by_the_code_behind_it() -> None:
    first, second = ends("a.py", "# TODO\na = 1\n# TODO\nb = 2\n")
    assert first.mark != second.mark


@pytest.mark.parametrize(
    ("path", "source", "symbol"),
    [
        ("a.py", "def f():\n    raise NotImplementedError\n", "f"),
        ("a.py", 'def f():\n    """Do it."""\n    raise NotImplementedError("soon")\n', "f"),
        ("a.py", "def f(x):\n    if x:\n        raise NotImplementedError('not implemented yet')\n    return x\n", "f"),
        ("a.py", "class A:\n    def f(self):\n        pass\n", "A.f"),
        ("a.py", "def f(): ...\n", "f"),
        ("a.rs", "fn f(x: i32) -> i32 { if x > 0 { todo!() } else { 1 } }\n", "f"),
        ("a.rs", "fn f() { unimplemented!() }\n", "f"),
        ("a.go", 'package a\nfunc F() int { panic("not implemented") }\n', "F"),
        ("a.go", 'package a\nfunc F() int { panic("TODO") }\n', "F"),
        ("a.ts", 'export function f() { throw new Error("not implemented") }\n', "f"),
        ("a.js", "const f = () => { throw new Error('Method not implemented.') }\n", "f"),
        ("A.java", "class A { int f() { throw new UnsupportedOperationException(); } }\n", "A.f"),
        ("A.java", 'class A { int f() { throw new UnsupportedOperationException("Not supported yet."); } }\n', "A.f"),
        ("a.kt", 'fun f(): Int = TODO("x")\n', "f"),
        ("a.cs", "class A { int F() => throw new NotImplementedException(); }\n", "A.F"),
        ("a.rb", "class A\n  def f\n    raise NotImplementedError\n  end\nend\n", "A.f"),
        ("a.php", "<?php\nfunction f() { throw new \\Exception('Not implemented'); }\n", "f"),
    ],
)
def test_a_stub_is_found(path: str, source: str, symbol: str) -> None:
    assert stubs(path, source) == [symbol]
    assert signs_of(source.encode())


@pytest.mark.parametrize(
    ("path", "source"),
    [
        pytest.param("a.py", "class E(Exception):\n    pass\n", id="an exception class"),
        pytest.param("a.pyi", "def f() -> int: ...\n", id="a type stub file"),
        pytest.param("a.py", "class P(Protocol):\n    def f(self) -> int: ...\n", id="a protocol"),
        pytest.param("a.py", "class A(ABC):\n    @abstractmethod\n    def f(self): ...\n", id="an abstract method"),
        pytest.param("a.py", "@overload\ndef f(x: int) -> int: ...\n", id="an overload"),
        pytest.param("a.py", "class A(B):\n    def f(self):\n        pass\n", id="an override that does nothing"),
        pytest.param("a.py", "@app.command()\ndef f():\n    pass\n", id="a decorated function"),
        pytest.param("a.py", 'def on_close(self):\n    """Called at the end."""\n    pass\n', id="a hook"),
        pytest.param("a.py", "def f():\n    try:\n        g()\n    except E:\n        pass\n", id="a swallowed error"),
        pytest.param(
            "a.py", "class BaseStore:\n    def f(self):\n        raise NotImplementedError\n", id="a base class"
        ),
        pytest.param(
            "base.py", "class A:\n    def f(self):\n        raise NotImplementedError\n", id="a file of bases"
        ),
        pytest.param(
            "a.py",
            'class A:\n    """The base of all shapes."""\n    def f(self):\n        raise NotImplementedError\n',
            id="a base by its words",
        ),
        pytest.param(
            "a.py",
            "class A:\n    def f(self):\n        raise NotImplementedError\nclass C(A):\n    def f(self): return 1\n",
            id="a class with heirs",
        ),
        pytest.param(
            "a.py",
            "def f():\n    raise NotImplementedError('subclasses must implement this')\n",
            id="an interface by its words",
        ),
        pytest.param("tests/test_a.py", "def f():\n    raise NotImplementedError\n", id="a test's"),
        pytest.param(
            "A.java", "class A { @Deprecated int f() { throw new UnsupportedOperationException(); } }\n", id="refused"
        ),
        pytest.param("a.ts", "function f() { throw new Error('bad input') }\n", id="another error"),
        pytest.param("a.go", 'package a\nfunc F() { panic("unreachable") }\n', id="another panic"),
        pytest.param("a.js", "function f() {}\n", id="an empty body"),
    ],
)
def test_what_is_meant_to_be_so_is_no_stub(path: str, source: str) -> None:
    assert stubs(path, source) == []


def test_generated_files_and_unknown_languages_say_nothing() -> None:
    assert unfinished("a.py", b"# Code generated by x. DO NOT EDIT.\n# TODO: y\n") is None
    assert unfinished("node_modules/a.js", b"// TODO: y\n") is None
    assert unfinished("notes.unknown", b"TODO: y\n") is None


@given(st.binary(max_size=400), st.sampled_from(["a.py", "a.rs", "a.ts", "a.kt", "a.rb"]))
def test_any_bytes_give_ends_inside_the_file(source: bytes, path: str) -> None:
    found = unfinished(path, source)
    for end in found.ends if found else ():
        assert 1 <= end.line <= source.count(b"\n") + 1


@given(st.text(alphabet="ab \n#", max_size=80))
def test_code_before_a_remark_changes_its_line_and_nothing_else(before: str) -> None:
    tail = "\n# TODO: keep the order of the keys\n"
    found = [end for end in ends("a.py", f"# {before.replace(chr(10), ' ')}\n{tail}") if "keep the order" in end.text]
    assert [(end.mark, end.symbol) for end in found] == [("keep the order of the keys", "")]


@given(st.text(alphabet="TODOpas.: \n#fimXe!", max_size=60), st.sampled_from(["a.py", "a.rs", "a.rb"]))
def test_a_text_that_is_passed_over_says_nothing(source: str, path: str) -> None:
    found = unfinished(path, source.encode())
    if found is not None and found.ends:
        assert signs_of(source.encode())
