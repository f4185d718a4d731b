"""C++: classes and what is defined outside of them, namespaces, templates, access, and what a header is."""

from __future__ import annotations

import pytest

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.sentences import sentence
from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.change import ChangeKind
from memlsp.model.symbol import Symbol


def read(text: str, path: str = "a.cpp") -> Outline:
    return outline(path, text.encode())


def names(text: str, path: str = "a.cpp") -> list[tuple[str, str]]:
    return [(symbol.kind.value, symbol.name) for symbol in read(text, path).symbols[1:]]


def symbol(text: str, name: str, path: str = "a.cpp") -> Symbol:
    found = read(text, path).find(name)
    assert found is not None
    return found


def same(old: str, new: str, name: str = "f") -> bool:
    return compare(symbol(old, name), symbol(new, name)).kinds <= {ChangeKind.COSMETIC, ChangeKind.DOCS}


BOX = """
namespace shop::goods {
/// A box.
template <typename T> class Box final : public Base<T>, private Other {
public:
    explicit Box(int n = 3) noexcept : n_(n) {}
    ~Box() override = default;
    virtual int total(const std::string& name, int n = 2) const = 0;
    static constexpr int kLimit = 10;
    bool operator==(const Box& o) const { return n_ == o.n_; }
    operator bool() const;
    using value_type = T;
    enum class Kind : int { A = 1, B };
    [[nodiscard]] auto size() -> int;
private:
    int n_{0};
};
}
"""


def test_a_class_and_what_it_holds() -> None:
    assert names(BOX) == [
        ("type", "shop.goods"),
        ("class", "shop.goods.Box"),
        ("method", "shop.goods.Box.Box"),
        ("method", "shop.goods.Box.~Box"),
        ("method", "shop.goods.Box.total"),
        ("constant", "shop.goods.Box.kLimit"),
        ("method", "shop.goods.Box.operator=="),
        ("method", "shop.goods.Box.operator bool"),
        ("type", "shop.goods.Box.value_type"),
        ("enum", "shop.goods.Box.Kind"),
        ("member", "shop.goods.Box.Kind.A"),
        ("member", "shop.goods.Box.Kind.B"),
        ("method", "shop.goods.Box.size"),
        ("field", "shop.goods.Box.n_"),
    ]
    box = symbol(BOX, "shop.goods.Box").facts
    assert box.bases == ("Base<T>", "Other")
    assert box.docs == "A box."
    total = symbol(BOX, "shop.goods.Box.total").facts
    assert total.modifiers == ("virtual", "const", "pure")
    assert [(each.type, each.default) for each in total.parameters] == [("const std::string &", None), ("int", "2")]
    assert symbol(BOX, "shop.goods.Box.size").facts.decorators == ("nodiscard",)
    assert symbol(BOX, "shop.goods.Box.size").facts.return_type == "int"
    field = symbol(BOX, "shop.goods.Box.n_").facts
    assert field.modifiers == ("private",)
    assert field.values[0].value == "0"


def test_what_is_defined_outside_of_its_class_is_owned_by_it() -> None:
    text = "template <class T>\nint shop::Box<T>::total(int n) const { return n; }\nshop::Box<int>::~Box() {}\n"
    assert names(text) == [("method", "shop.Box.total"), ("method", "shop.Box.~Box")]
    inside = "namespace shop { struct Box { int total(int n) const { return n; } }; }"
    outside = "namespace shop { int Box::total(int m) const { return m; } }"
    old, new = symbol(inside, "shop.Box.total"), symbol(outside, "shop.Box.total")
    assert old.fingerprint.meaning == new.fingerprint.meaning


def test_a_declaration_gives_way_to_the_definition_in_the_same_file() -> None:
    text = "struct Box { int total(int n); int total(); int size(); };\nint Box::total(int n) { return n; }\n"
    lines = {(each.name, each.ordinal): each.span.start_line for each in read(text).symbols}
    assert lines["Box.total", 0] == 0, "the overload that is only declared"
    assert lines["Box.total", 1] == 1
    assert ("Box.total", 2) not in lines


def test_overloads_and_templates_and_lambdas_are_read() -> None:
    text = """
    int f(int a) { return a; }
    template <int N, typename... Args> auto f(Args&&... args) -> decltype(g(args...)) {
        auto twice = [&, n = N](auto x) mutable { return x + n; };
        if (auto it = h(N); it > 3) throw std::out_of_range(R"x(no "such")x");
        for (const auto& [key, value] : table) try { twice(value); } catch (const Bad& e) { } catch (...) { throw; }
        return static_cast<int>(sizeof...(args));
    }
    """
    facts = [each for each in read(text).symbols if each.name == "f"][1].facts
    assert facts.raises == ("std.out_of_range",)
    assert facts.catches == ("Bad", "...")
    assert facts.conditions == ("it > 3",)
    assert "'no \"such\"'" in facts.literals
    assert not {"it", "twice", "key", "value", "n", "x", "args", "N", "Args"} & set(facts.uses)
    assert "static_cast" not in facts.calls


def test_what_says_nothing() -> None:
    old = 'template <typename T> int f(T a) { for (auto x : a) { g(x, 1000); } return A::b<T>("x"); }'
    new = 'template<class U>\nint f(U n) // why\n{\n  for (auto y : n) g(y, 1\'000);\n  return (A::b<U>(R"(x)"));\n}'
    assert same(old.replace("typename", "class"), new)
    assert not same(old, old.replace("A::b", "B::b"))
    assert not same("struct f { int a; };", "struct f { private: int a; };")


def test_an_override_or_const_that_went_is_told() -> None:
    old = read("struct A : B { void f(int a) const override; };", "a.hpp")
    new = read("struct A : B { void f(int a); };", "a.hpp")
    told = [sentence(each) for each in diff([old], [new]) if each.new and each.new.name == "A.f"]
    assert told == ["`A.f` is no longer `const` and `override`."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#ifdef __cplusplus\nextern "C" {\n#include <vector>\n#endif\nint f(void);\n', "c"),
        ("/* class A { public: */ struct a { int new; };\n", "c"),
        ("#include <string>\nint f(std::string s);\n", "cpp"),
        ("namespace a { int f(); }\n", "cpp"),
        ("class Shape {\n public:\n  int area;\n};\n", "cpp"),
        ("template <class T> T max(T a, T b);\n", "cpp"),
    ],
)
def test_a_header_is_what_its_text_says(text: str, expected: str) -> None:
    assert language_of("a.h", text.encode()) == expected
    assert outline("a.h", text.encode()).language == expected
    assert language_of("a.hpp", text.encode()) == "cpp"


def test_macros_around_classes_and_namespaces_do_not_hide_them() -> None:
    text = """
    FMT_BEGIN_NAMESPACE
    class FMT_API Shape : public Base {
        Q_OBJECT
      public:
        FMT_CONSTEXPR20 FMT_INLINE auto area() const FMT_NOEXCEPT -> int { return 1; }
        JSON_NON_NULL(2)
        static bool check(const char* a) { return a; }
    };
    extern template class Box<int>;
    FMT_END_NAMESPACE
    """
    assert [name for _, name in names(text)] == ["Shape", "Shape.area", "Shape.check"]


def test_tests_of_a_macro_are_called_by_their_names() -> None:
    text = "TEST(cart_test, adds_up) { EXPECT_EQ(add(1, 2), 3); }\nBENCHMARK(adding) { add(1, 2); }\n"
    assert names(text) == [("method", "cart_test.adds_up"), ("function", "adding")]


def test_names_lead_to_members_bases_and_namespaces_in_headers() -> None:
    files = {
        "a/base.h": "namespace shop { class Base { protected: int days_ = 21; static const int kFee = 5; }; }\n",
        "a/cart.h": '#include "base.h"\nnamespace shop { constexpr int kMost = 9; enum class Kind { A = 4 };\n'
        "class Cart : public Base { public: int f(); private: int n_ = 3; }; int helper(int a); }\n",
        "a/cart.cpp": '#include "cart.h"\nnamespace shop { int Cart::f() '
        "{ return helper(kMost + n_ + days_ + kFee + this->n_) + static_cast<int>(Kind::A) + shop::kMost; } }\n",
    }
    outlines = {path: read(text, path) for path, text in files.items()}
    method = outlines["a/cart.cpp"].find("shop.Cart.f")
    assert method is not None
    found = {each.name: each.value for each in dependencies(method, outlines["a/cart.cpp"], outlines.get)}
    assert found == {
        "Kind.A": "4",
        "days_": "21",
        "helper": "helper(a: int) -> int",
        "kFee": "5",
        "kMost": "9",
        "n_": "3",
        "shop.kMost": "9",
        "this.n_": "3",
    }


def test_half_typed_text_never_raises() -> None:
    for end in range(len(BOX)):
        read(BOX[:end])
