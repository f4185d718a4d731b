from __future__ import annotations

import pytest

from memlsp.code.diff.comparison import compare
from memlsp.code.diff.sentences import sentence
from memlsp.code.syntax.outline import outline
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange
from memlsp.model.symbol import Dependency, Symbol, SymbolKind

D = DetailKind


def only(text: str, name: str = "", path: str = "m.py") -> Symbol:
    """The symbol of that name, or the first behind the module."""
    found = outline(path, text.encode())
    symbol = found.find(name) if name else found.symbols[1]
    assert symbol is not None
    return symbol


def compared(old: str, new: str, name: str = "", path: str = "m.py") -> SymbolChange:
    return compare(only(old, name, path), only(new, name, path))


def details(change: SymbolChange) -> set[tuple[DetailKind, str, str | None, str | None]]:
    return {(d.kind, d.name, d.old, d.new) for d in change.details}


FETCH = """
def fetch(url, tries=3):
    \"\"\"Get it.\"\"\"
    for attempt in range(tries):
        try:
            return requests.get(url, timeout=30)
        except IOError:
            log.warning("again")
    raise Unreachable(url)
"""


@pytest.mark.parametrize(
    "new",
    [
        FETCH.replace('log.warning("again")', "log.warning('again')  # why"),
        FETCH.replace("attempt", "_n"),
        FETCH.replace("timeout=30)", "timeout=30,\n            )"),
        FETCH.replace("return requests.get(url, timeout=30)", "return (requests.get(url, timeout=30))"),
        FETCH.replace("\n    raise", "\n\n\n    raise"),
    ],
    ids=["comment and quotes", "local name", "trailing comma", "parentheses", "blank lines"],
)
def test_what_means_the_same_is_cosmetic(new: str) -> None:
    change = compared(FETCH, new)
    assert change.kinds == {ChangeKind.COSMETIC}
    assert change.details == ()
    assert change.similarity == 1.0
    assert not change.alters_meaning


def test_the_same_text_has_no_kinds() -> None:
    assert compared(FETCH, FETCH).kinds == frozenset()


def test_documentation_alone_is_docs() -> None:
    change = compared(FETCH, FETCH.replace("Get it.", "Get it again."))
    assert change.kinds == {ChangeKind.DOCS}
    assert details(change) == {(D.DOCS, "", "Get it.", "Get it again.")}


def test_hints_that_come_or_go_in_python_are_hints() -> None:
    change = compared(FETCH, FETCH.replace("(url, tries=3)", "(url: str, tries: int = 3) -> Response"))
    assert {d.kind for d in change.details} == {D.HINT}
    assert change.kinds == {ChangeKind.COSMETIC}


def test_another_hint_in_python_is_a_type_and_another_spelling_is_not() -> None:
    old = "def f(a: int, b: Optional[str]): return a\n"
    change = compared(old, "def f(a: float, b: str | None): return a\n")
    assert details(change) == {(D.TYPE, "a", "int", "float"), (D.HINT, "b", "Optional[str]", "str | None")}
    assert change.kinds == {ChangeKind.SIGNATURE}


def test_a_parameter_with_a_default_is_gained() -> None:
    change = compared(FETCH, FETCH.replace("tries=3", "tries=3, pause=0.5"))
    assert details(change) == {(D.PARAMETER_ADDED, "pause", None, "pause=0.5")}
    assert change.kinds == {ChangeKind.SIGNATURE}


def test_a_renamed_parameter_is_not_told_again_in_the_body() -> None:
    change = compared(FETCH, FETCH.replace("url", "address"))
    assert details(change) == {(D.PARAMETER_RENAMED, "address", "url", "address")}


def test_the_only_parameter_that_went_became_the_only_one_that_came_whatever_its_type() -> None:
    java = "class Store {{ void done({}) {{ log.add({}); }} }}"
    old, new = java.format("Task task, int n", "task"), java.format("String taskId, int n", "taskId")
    change = compared(old, new, "Store.done", path="Store.java")
    assert (D.PARAMETER_RENAMED, "taskId", "task", "taskId") in details(change)
    assert (D.TYPE, "taskId", "Task", "String") in details(change)


def test_the_name_of_a_parameter_of_a_default_is_no_change() -> None:
    old = "def f(a, key=lambda each: each.name):\n    return key(a)\n"
    assert details(compared(old, old.replace("each", "one"), "f")) == set()
    assert details(compared(old, old.replace(".name", ".size"), "f")) != set()


def test_a_changed_default_is_a_literal_of_that_name() -> None:
    change = compared(FETCH, FETCH.replace("tries=3", "tries=5"))
    assert details(change) == {(D.DEFAULT, "tries", "3", "5")}
    assert change.kinds == {ChangeKind.LITERAL}


def test_a_named_literal_is_paired_by_its_name() -> None:
    change = compared(FETCH, FETCH.replace("timeout=30", "timeout=60"))
    (detail,) = [d for d in change.details if d.kind is D.LITERAL]
    assert (detail.name.endswith("timeout"), detail.old, detail.new) == (True, "30", "60")
    assert ChangeKind.LITERAL in change.kinds


def test_calls_exceptions_and_catches_are_named() -> None:
    new = (
        FETCH.replace("requests.get", "httpx.get").replace("IOError", "httpx.HTTPError").replace("Unreachable", "Gone")
    )
    found = details(compared(FETCH, new))
    assert (D.CALL_ADDED, "httpx.get", None, "httpx.get") in found
    assert (D.CALL_REMOVED, "requests.get", "requests.get", None) in found
    assert (D.CATCH_ADDED, "httpx.HTTPError", None, "httpx.HTTPError") in found
    assert (D.CATCH_REMOVED, "IOError", "IOError", None) in found
    assert {(d.kind, d.name) for d in compared(FETCH, new).details} >= {
        (D.RAISE_ADDED, "Gone"),
        (D.RAISE_REMOVED, "Unreachable"),
    }


def test_a_call_that_is_made_elsewhere_still_is_not_lost() -> None:
    old = "def f(x):\n    save(x)\n    if x:\n        save(x)\n    return x\n"
    change = compared(old, "def f(x):\n    save(x)\n    return x\n")
    assert D.CALL_REMOVED not in {d.kind for d in change.details}
    assert change.alters_meaning


def test_conditions_are_paired_with_what_became_of_them() -> None:
    old = "def f(n, m):\n    if n > 5 and m:\n        return n\n    return m\n"
    change = compared(old, old.replace("n > 5 and m", "n >= 5 and m"))
    assert details(change) == {(D.CONDITION, "", "n > 5 and m", "n >= 5 and m")}
    assert change.kinds == {ChangeKind.BEHAVIOUR}


def test_a_local_rename_beside_a_real_change_is_not_told() -> None:
    old = "def f(n):\n    limit = n * 2\n    if limit > 9:\n        return limit\n    return n\n"
    new = "def f(n):\n    bound = n * 2\n    if bound > 9:\n        return bound\n    return -n\n"
    change = compared(old, new)
    assert details(change) == {(D.RETURN, "", "n", "-n")}


def test_a_difference_without_a_name_is_a_body_detail() -> None:
    change = compared("def f(a, b):\n    c = a + b\n    g(c)\n", "def f(a, b):\n    c = a - b\n    g(c)\n")
    (detail,) = change.details
    assert detail.kind is D.BODY
    assert change.kinds == {ChangeKind.BEHAVIOUR}


def test_a_constant_has_its_old_and_new_value() -> None:
    change = compared("RATE = 0.20\n", "RATE = 0.25\n")
    assert details(change) == {(D.VALUE, "RATE", "0.20", "0.25")} or details(change) == {
        (D.VALUE, "RATE", "0.2", "0.25")
    }
    assert change.kinds == {ChangeKind.LITERAL}


def test_a_decorator_that_is_imported_in_another_way_is_the_same() -> None:
    assert compared("@typing.overload\ndef f(x): ...\n", "@overload\ndef f(x): ...\n", "f").details == ()


def test_decorators_with_other_arguments_are_changed_ones() -> None:
    old = "@retry(times=3)\n@cached\ndef f(): return 1\n"
    found = {d.kind for d in compared(old, "@retry(times=5)\n@logged\ndef f(): return 1\n").details}
    assert {D.DECORATOR_CHANGED, D.DECORATOR_ADDED, D.DECORATOR_REMOVED} <= found


def test_bases_and_members_of_a_class_are_told() -> None:
    def method(name: str, value: str) -> str:
        return f"    def {name}(self): return {value}\n"

    old = "class A(Base):\n" + method("a", "one(self)") + method("b", "two(self)") + method("c", "3")
    new = "class A(Other):\n" + method("a", "one(self)") + method("bb", "two(self)") + method("d", "four()")
    assert {(d.kind, d.name) for d in compared(old, new).details} == {
        (D.BASE_ADDED, "Other"),
        (D.BASE_REMOVED, "Base"),
        (D.MEMBER_RENAMED, "bb"),
        (D.MEMBER_ADDED, "d"),
        (D.MEMBER_REMOVED, "c"),
    }


def test_a_rename_alone_has_no_details() -> None:
    change = compare(only(FETCH), only(FETCH.replace("fetch", "fetch_all")))
    assert change.kinds == {ChangeKind.RENAMED}
    assert change.details == ()


def test_a_move_alone_has_no_details() -> None:
    change = compare(only(FETCH), only(FETCH, path="n.py"))
    assert change.kinds == {ChangeKind.MOVED}


def rate(value: str, *, path: str = "rates.py", name: str = "RATE") -> Dependency:
    return Dependency(name, SymbolKind.CONSTANT, path, name, f"digest of {value}", value)


TAX = "def tax(price):\n    return price * RATE\n"


def test_another_value_of_a_constant_it_uses_is_a_dependency() -> None:
    change = compare(only(TAX), only(TAX), [rate("0.2")], [rate("0.25")])
    assert change.details == (Detail(D.DEPENDENCY, "RATE", "0.2", "0.25", "rates.py"),)
    assert change.kinds == {ChangeKind.DEPENDENCY}
    assert change.alters_meaning


def test_a_dependency_that_moved_with_an_equal_value_is_nothing() -> None:
    assert compare(only(TAX), only(TAX), [rate("0.2")], [rate("0.2", path="x.py")]).kinds == frozenset()


def test_a_dependency_that_is_gone_but_used_is_told() -> None:
    change = compare(only(TAX), only(TAX), [rate("0.2")], [])
    assert [(d.kind, d.old, d.new) for d in change.details] == [(D.DEPENDENCY, "0.2", None)]


def test_a_renamed_constant_of_equal_value_changes_nothing_that_matters() -> None:
    new = only(TAX.replace("RATE", "TAX_RATE"))
    change = compare(only(TAX), new, [rate("0.2")], [rate("0.2", name="TAX_RATE")])
    assert not change.alters_meaning


@pytest.mark.parametrize(
    ("path", "old", "new", "kinds"),
    [
        ("a.ts", "function f(a: number): void { g(a) }", "function f(a: string): void { g(a) }", {D.TYPE}),
        ("a.go", "package p\nfunc F(a int) int { return a }", "package p\nfunc F(a int64) int { return a }", {D.TYPE}),
        ("a.rs", "fn f(a: u8) -> u8 { g(a) }", "fn f(a: u8) -> u16 { g(a) }", {D.RETURN_TYPE}),
        (
            "A.java",
            "class A { int f(int a) { return a; } }",
            "class A { long f(int a) { return a; } }",
            {D.RETURN_TYPE},
        ),
    ],
)
def test_types_count_where_the_compiler_reads_them(path: str, old: str, new: str, kinds: set[DetailKind]) -> None:
    name = {"a.go": "F", "A.java": "A.f"}.get(path, "f")
    change = compared(old, new, name, path)
    assert {d.kind for d in change.details} == kinds
    assert change.kinds == {ChangeKind.SIGNATURE}


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        ("a.js", "{a, b = 2}", "{a, b = 3, c}", {(D.PARAMETER_ADDED, "c"), (D.DEFAULT, "b")}),
        ("a.js", "{a, b} = {}", "{b} = {}", {(D.PARAMETER_REMOVED, "a")}),
        ("a.js", "{a, b}", "{z, b}", {(D.PARAMETER_RENAMED, "z")}),
        (
            "a.js",
            "{a: [one, two] = [1, 2], b}",
            "{a: [one, two] = [1, 2], b, ...rest}",
            {(D.PARAMETER_ADDED, "...rest")},
        ),
        ("a.js", "{a: one}", "{a: two}", set[tuple[DetailKind, str]]()),
        ("a.ts", "{a}: {a: A}", "{a, b}: {a: A; b?: B}", {(D.PARAMETER_ADDED, "b")}),
        ("a.ts", "{a, b}: {a: A; b?: B}", "{a, b}: {a: A; b?: C}", {(D.TYPE, "b")}),
        ("a.ts", "{a, b}: P", "{a, b}: Q", {(D.TYPE, "{a, b}")}),
        ("a.js", "{a} = {}", "{a, b}", {(D.PARAMETER_ADDED, "{a, b}"), (D.PARAMETER_REMOVED, "{a}")}),
    ],
)
def test_what_is_taken_out_of_an_object_is_a_parameter(
    path: str, old: str, new: str, told: set[tuple[DetailKind, str]]
) -> None:
    change = compared(f"function f({old}, x) {{ g(x) }}", f"function f({new}, x) {{ g(x) }}", "f", path)
    assert {(detail.kind, detail.name) for detail in change.details} == told


def test_a_whole_edit_reads_like_a_colleague() -> None:
    new = FETCH.replace("tries=3", "tries=3, timeout=30").replace("except IOError", "except HTTPError")
    assert sentence(compared(FETCH, new)) == ("`fetch` gained `timeout=30`, catches `HTTPError` instead of `IOError`.")
