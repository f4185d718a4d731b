from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.lifecycle.guards import breaches_in, read_guard
from memlsp.code.syntax.outline import outline
from memlsp.code.syntax.patterns import find_guarded
from memlsp.model.belief import Breach, Guard, GuardEngine, Scope, ScopeKind
from memlsp.model.errors import BadValue

CALLS = {
    "python": ("a.py", "# é ü\neval(x)\ndef f():\n    return eval(\n        y)\n"),
    "javascript": ("a.js", "const é = 1; eval(x);\nfunction f() { return eval(y) }\n"),
    "typescript": ("a.ts", "const a: number = 1; eval(x);\nfunction f(): any { return eval(y) }\n"),
    "go": ("a.go", "package p\nfunc a() {\n\teval(x)\n\tz := eval(y)\n}\n"),
    "rust": ("a.rs", "fn a() { eval(x); let z = eval(y); }\n"),
    "java": ("A.java", "class A { void f() { eval(x); int z = eval(y); } }\n"),
    "c": ("a.c", "int f(void) { eval(x); if (eval(y)) return 1; return 0; }\n"),
    "cpp": ("a.cpp", "int f() { eval(x); return eval(y); }\n"),
}


def guard(text: str, path: str = "a.py") -> Guard:
    return read_guard(text, paths=[path], scope=None)


def breaches(written: str, path: str, source: str, symbol: str = "") -> tuple[Breach, ...]:
    read = outline(path, source.encode())
    return breaches_in(guard(written, path), path, source.encode(), read.find(symbol) if symbol else None, lambda: read)


@pytest.mark.parametrize("language", CALLS)
def test_a_call_is_found_in_every_position_of_every_language(language: str) -> None:
    _, source = CALLS[language]
    found = find_guarded(Guard("eval($$$)", must=False, language=language), source.encode())
    texts = [source.encode()[span.start_byte : span.end_byte].decode() for span in found]
    assert [text.replace("\n", "").replace(" ", "") for text in texts] == ["eval(x)", "eval(y)"]
    for span in found:
        line = source.encode().split(b"\n")[span.start_line]
        assert line[span.start_column :].startswith(b"eval(")


def test_a_breach_names_the_place_and_the_symbol_around_it() -> None:
    first, second = breaches("must not eval($$$)", "a.py", CALLS["python"][1])
    assert (first.symbol, first.span.start_line, first.excerpt) == ("", 1, "eval(x)")
    assert (second.symbol, second.span.start_line, second.span.end_line) == ("f", 3, 4)


def test_a_guard_of_a_symbol_sees_nothing_outside_of_it() -> None:
    (only,) = breaches("must not eval($$$)", "a.py", CALLS["python"][1], "f")
    assert only.span.start_line == 3
    assert breaches("must eval(x)", "a.py", CALLS["python"][1], "f")[0].symbol == "f"
    assert breaches("must eval(x)", "a.py", CALLS["python"][1]) == ()


def test_the_language_is_read_from_the_place_the_glob_or_the_guard() -> None:
    assert guard("must not eval($$$)", "a.go").language == "go"
    by_glob = read_guard("must not f($$$)", paths=[], scope=Scope(ScopeKind.GLOB, "src/**/*.rs"))
    assert by_glob.language == "rust"
    said = read_guard("must not ts: foo()", paths=["a.py"], scope=None)
    assert (said.language, said.pattern) == ("typescript", "foo()")
    with pytest.raises(BadValue, match="which language"):
        read_guard("must not f($$$)", paths=[], scope=Scope(ScopeKind.WORKSPACE))


def test_a_colon_in_a_pattern_is_no_language() -> None:
    read = guard("must not x: int = $Y")
    assert (read.language, read.pattern) == ("python", "x: int = $Y")


def test_a_query_points_at_its_first_capture() -> None:
    written = 'must not query: (call function: (identifier) @f (#eq? @f "eval")) @here'
    found = breaches(written, "a.py", CALLS["python"][1])
    assert [breach.excerpt for breach in found] == ["eval(x)", "eval("]
    assert found[0].guard.engine is GuardEngine.QUERY


def test_a_guard_reads_as_it_was_written() -> None:
    for text in ("must not python: eval($$$)", "must go query: (call_expression) @c"):
        assert str(guard(text)) == text


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("eval($$$)", "not a guard"),
        ("must not", "not a guard|no pattern|not a pattern"),
        ("must not eval(", "does not parse"),
        ("must not foo bar", "not a pattern"),
        ("must not toml: a = 1", "does not read toml"),
        ("must not query: (call", "names no place"),
        ("must not query: (nonsense) @x", "not a query"),
        ('must not query: ((call) @c (#match? @c "(a+)+$"))', "may not use #match"),
        ("must not f('" + "x" * 2001 + "')", "longer than"),
        ("must not connect(password='hunter2-Xk29fLq81mZ')", "looks like a secret"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_is_wrong(written: str, told: str) -> None:
    with pytest.raises(BadValue, match=told):
        guard(written)


def test_a_text_that_is_no_utf_8_still_has_its_places() -> None:
    source = b"x = '\xff\xfe'; eval(1)\n"
    (span,) = find_guarded(Guard("eval($$$)", must=False, language="python"), source)
    assert source[span.start_byte : span.end_byte] == b"eval(1)"


@given(st.binary(max_size=400))
def test_no_text_makes_a_guard_raise(source: bytes) -> None:
    for language in ("python", "go", "typescript"):
        find_guarded(Guard("$A", must=False, language=language), source)
    find_guarded(Guard("(call) @c", must=False, language="python", engine=GuardEngine.QUERY), source)


@pytest.mark.parametrize(
    ("written", "path", "source", "told"),
    [
        (
            "must not @app.route($$$)",
            "a.py",
            "@app.route('/')\ndef a(): pass\n@b\ndef c(): pass\n",
            ["@app.route('/')"],
        ),
        ("must not except: $$$", "a.py", "try:\n  f()\nexcept:\n  pass\ntry:\n  f()\nexcept E:\n  pass\n", ["except:"]),
        (
            "must not @Deprecated",
            "A.java",
            "class A { @Deprecated void f() {} @Override void g() {} }",
            ["@Deprecated"],
        ),
        (
            "must not catch ($E) { }",
            "a.ts",
            "try { f() } catch (e) { }\ntry { f() } catch (e) { g() }",
            ["catch (e) { }"],
        ),
    ],
)
def test_parts_of_statements_can_be_patterns(written: str, path: str, source: str, told: list[str]) -> None:
    assert [breach.excerpt for breach in breaches(written, path, source)] == told
