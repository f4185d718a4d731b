"""C: declarators, declarations and definitions, macros, and what the preprocessor does to a text."""

from __future__ import annotations

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.sentences import sentence
from memlsp.code.languages.c_family.preprocessor import shown
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.change import ChangeKind
from memlsp.model.symbol import Symbol, SymbolKind


def read(text: str, path: str = "a.c") -> Outline:
    return outline(path, text.encode())


def names(text: str, path: str = "a.c") -> list[tuple[str, str]]:
    return [(symbol.kind.value, symbol.name) for symbol in read(text, path).symbols[1:]]


def symbol(text: str, name: str, path: str = "a.c") -> Symbol:
    found = read(text, path).find(name)
    assert found is not None
    return found


def same(old: str, new: str, name: str = "f", path: str = "a.c") -> bool:
    return compare(symbol(old, name, path), symbol(new, name, path)).kinds <= {ChangeKind.COSMETIC, ChangeKind.DOCS}


def test_a_name_is_found_in_any_declarator() -> None:
    text = """
    static inline long *find(struct point *p, int n, ...) { return 0; }
    int (*handler)(int) = 0;
    void (*signal(int sig, void (*func)(int)))(int);
    static const double tax[] = {0.1};
    typedef int (*callback)(int, void *);
    int old(a, b) int a; char *b; { return a; }
    """
    assert names(text) == [
        ("function", "find"),
        ("constant", "handler"),
        ("function", "signal"),
        ("constant", "tax"),
        ("type", "callback"),
        ("function", "old"),
    ]
    old = symbol(text, "old").facts.parameters
    assert [(each.name, each.type) for each in old] == [("a", "int"), ("b", "char *")]
    find = symbol(text, "find").facts
    assert find.return_type == "long *"
    assert find.modifiers == ("static", "inline")
    assert [each.name for each in find.parameters] == ["p", "n", "..."]


def test_a_structure_with_a_typedef_is_one_symbol_by_the_typedefs_name() -> None:
    text = "typedef struct redis_object { int refs; union { int u; }; } robj;\nstruct node { robj *next; };"
    assert names(text) == [
        ("class", "robj"),
        ("field", "robj.refs"),
        ("field", "robj.u"),
        ("class", "node"),
        ("field", "node.next"),
    ]


def test_enumerators_count_on_from_the_one_that_has_a_number() -> None:
    text = "enum color { RED = 1, GREEN,\n#ifdef MORE\n PINK,\n#endif\n BLUE };\nenum { LIMIT = 6 };"
    values = {each.name: each.facts.values[0].value for each in read(text).symbols if each.kind is SymbolKind.MEMBER}
    assert values == {"color.RED": "1", "color.GREEN": "2", "color.PINK": "3", "color.BLUE": "4", "LIMIT": "6"}


def test_a_prototype_is_a_symbol_only_where_no_definition_is() -> None:
    header = read("int f(int);\nextern int limit;\n", "a.h")
    assert [each.name for each in header.symbols[1:]] == ["f", "limit"]
    source = read("int f(int);\nextern int limit;\nint limit = 3;\nint f(int x) { return x; }\n")
    assert [(each.name, each.span.start_line) for each in source.symbols[1:]] == [("limit", 2), ("f", 3)]


def test_the_names_of_a_prototypes_parameters_say_nothing() -> None:
    assert same("int f(int width, char *name);", "int f(int w, char *);")
    assert not same("int f(int width, char *name);", "int f(long width, char *name);")
    assert same("int f(void) { return 1; }", "int f() { return 1; }")


def test_macros_that_loop_are_loops() -> None:
    text = "int f(void) {\n  list_for_each(x, list) {\n    g(x);\n  }\n  return 0;\n}\n"
    assert not read(text).has_errors
    assert symbol(text, "f").facts.loops == ("list_for_each(x, list)",)
    assert symbol(text, "f").facts.calls == ("g",)
    assert not same(text, text.replace("(x, list)", "(x, other)"))


def test_a_macro_before_a_statement_is_no_type() -> None:
    text = "void f(int a) {\n  IGNORE_BEGIN\n  switch (a)\n  {\n    default: g();\n  }\n  IGNORE_END\n}\n"
    assert names(text) == [("function", "f")]


def test_macros_are_constants_and_functions_with_values_and_uses() -> None:
    text = "#ifndef A_H\n#define A_H\n#define RATE (20) /* per cent */\n"
    text += "#define AREA(w, h) ((w) * scale(h, RATE))\n#endif\n"
    assert names(text) == [("constant", "RATE"), ("function", "AREA")]
    assert symbol(text, "RATE").facts.values[0].value == "20"
    area = symbol(text, "AREA").facts
    assert area.calls == ("scale",)
    assert area.uses == ("RATE", "scale")


def test_a_macros_caution_says_nothing_and_its_grouping_does() -> None:
    assert same("#define R 20\n", "#define R   (0x14) // twenty\n", "R")
    assert same("#define R(a) (a * 2)\n", "#define R(b) b * \\\n   2\n", "R")
    assert not same("#define R(a, b) (a + b) * 2\n", "#define R(a, b) a + (b * 2)\n", "R")
    assert not same("#define R -1\n", "#define R 1\n", "R")


def test_what_says_nothing() -> None:
    base = 'int f(int a)\n{\n    int b = a * 020;\n    if (b > 1) {\n        return b;\n    }\n    return g("xy");\n}\n'
    other = 'int\nf(int n) { // why\n  int k = (n * 16);\n  if ((k > 1)) return k;\n  ;\n  return g("x" "y"); }\n'
    assert same(base, other)
    assert not same(base, other.replace("> 1", ">= 1"))


def test_conditionals_around_definitions_keep_the_symbols_of_every_branch() -> None:
    text = "#ifdef A\nint f(void) { return 1; }\n#elif B\nint g(void) { return 2; }\n#else\nint h(void);\n#endif\n"
    assert names(text) == [("function", "f"), ("function", "g"), ("function", "h")]


def test_conditionals_that_cut_through_a_function_do_not_lose_it() -> None:
    text = '#ifdef __cplusplus\nextern "C" {\n#endif\n#ifdef X\nint f(int a) {\n#else\nint f(int a, int b) {\n#endif\n'
    text += "  if (a) {\n#ifdef Y\n  } else if (g()) {\n    return 2;\n#endif\n  }\n  return a;\n}\n"
    text += "int last(void) { return 0; }\n#ifdef __cplusplus\n}\n#endif\n"
    outlined = read(text)
    assert [each.name for each in outlined.symbols[1:]] == ["f", "last"]
    assert not outlined.has_errors
    again = text.replace("int a, int b", "int a, long b")
    assert not same(text, again), "the branch that is not taken is part of what the function means"


def test_what_if_0_holds_is_no_code() -> None:
    assert names("#if 0\nint f(void) { }}} don't\n#else\nint g(void);\n#endif\nint h(void);\n") == [
        ("function", "g"),
        ("function", "h"),
    ]
    assert same("int f(void) {\n  return 1;\n}\n", "int f(void) {\n#if 0\n  old();\n#endif\n  return 1;\n}\n")


def test_macros_before_and_behind_a_head_do_not_hide_it() -> None:
    text = """
    JQ_API int one(void);
    BEGIN_DECLS
    static ALWAYS_INLINE(2) const char *two(int a) { return 0; }
    NORETURN void three(void) NOTHROW {
    }
    END_DECLS
    """
    outlined = read(text)
    assert [each.name for each in outlined.symbols[1:]] == ["one", "two", "three"]
    assert symbol(text, "two").facts.return_type == "const char *"


def test_the_parser_is_shown_as_many_bytes_in_the_same_lines() -> None:
    text = "#if 0\né\n#endif\nAPI int f(void) {\n#ifdef A\n  if (x)\n#endif\n  return 'a';\n}\n".encode()
    assert len(shown(text)) == len(text)
    assert [line.count(b"\n") for line in shown(text).splitlines(True)] == [1] * text.count(b"\n")


def test_errors_are_what_is_returned_set_or_asserted() -> None:
    text = "int f(int a) { assert(a > 0); if (a == 3) return -EINVAL; errno = ERANGE; if (g(a)) exit(1); return RATE; }"
    facts = symbol(text, "f").facts
    assert facts.raises == ("EINVAL", "ERANGE", "exit")
    assert facts.conditions == ("a > 0", "a == 3", "g(a)")


def test_names_lead_through_includes_to_macros_enumerators_and_the_values_of_declared_constants() -> None:
    files = {
        "src/rates.h": '#include "kinds.h"\n#define FREE 40\nextern const double LOSS;\ndouble net(double x);\n',
        "src/rates.c": '#include "rates.h"\nconst double LOSS = 0.08;\ndouble net(double x) { return x; }\n',
        "src/kinds.h": "enum kind { KIND_A = 7 };\n",
        "src/bill.c": '#include "rates.h"\nint bill(double x) { return net(x) * LOSS > FREE ? KIND_A : 0; }\n',
    }
    outlines = {path: read(text, path) for path, text in files.items()}
    bill = outlines["src/bill.c"].find("bill")
    assert bill is not None
    found = {each.name: (each.path, each.value) for each in dependencies(bill, outlines["src/bill.c"], outlines.get)}
    assert found == {
        "FREE": ("src/rates.h", "40"),
        "KIND_A": ("src/kinds.h", "7"),
        "LOSS": ("src/rates.c", "0.08"),
        "net": ("src/rates.h", "net(x: double) -> double"),
    }


def test_a_change_reads_like_a_colleagues_sentence() -> None:
    old = read("static int f(int a) { if (a < 3) return -EINVAL; return g(a); }")
    new = read("static int f(int a, int flags) { if (a < 5) return -ERANGE; return g(a); }")
    (change,) = [each for each in diff([old], [new]) if each.new and each.new.name]
    told = sentence(change)
    assert "`flags: int`" in told
    assert "`ERANGE`" in told


def test_half_typed_text_keeps_its_neighbours() -> None:
    text = "int f(int a) { return a; }\nint g(int b) { b = \n}\nint h(int c) { return c; }\n"
    assert {"f", "g", "h"} <= {each.name for each in read(text).symbols}
    for end in range(len(text)):
        read(text[:end])
