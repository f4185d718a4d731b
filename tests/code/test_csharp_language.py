"""C#: types and their members, properties, patterns, strings in four spellings, and names that lead to other files."""

from __future__ import annotations

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.sentences import sentence
from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.change import ChangeKind
from memlsp.model.symbol import Symbol


def read(text: str, path: str = "A.cs") -> Outline:
    return outline(path, text.encode())


def names(text: str) -> list[tuple[str, str]]:
    return [(symbol.kind.value, symbol.name) for symbol in read(text).symbols[1:]]


def symbol(text: str, name: str) -> Symbol:
    found = read(text).find(name)
    assert found is not None
    return found


def same(old: str, new: str, name: str = "A.F") -> bool:
    return compare(symbol(old, name), symbol(new, name)).kinds <= {ChangeKind.COSMETIC, ChangeKind.DOCS}


def method(body: str, head: str = "int F(int a)") -> str:
    return f"class A {{ {head} {{ {body} }} }}"


CART = """
using System;
namespace Shop.Pricing;

/// <summary>A <see cref="Cart"/>.</summary>
[Serializable, Obsolete("x")]
public sealed partial class Cart<T> : Base<T>, ICart where T : class
{
    public const decimal Rate = 0.20m;
    private static readonly int Max = 3, Min = 1;
    private readonly List<int> items = new();
    public event EventHandler<Args> Changed;
    public string Name { get; private set; } = "x";
    public int Total => items.Count * 2;
    public Cart(int n = 3) : base(n) { }
    public int this[int i] => items[i];
    [Test(1)] public async Task<int> AddAsync(string name, params int[] more) { return 1; }
    public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;
    void IDisposable.Dispose() { }
    public record Point(int X, int Y = 2);
    public enum Kind : byte { A = 4, B }
    public delegate int Callback(int a);
}
public interface ICart { int Count { get; } void Add(int x); }
"""


def test_types_and_what_they_hold() -> None:
    assert names(CART) == [
        ("class", "Cart"),
        ("constant", "Cart.Rate"),
        ("constant", "Cart.Max"),
        ("constant", "Cart.Min"),
        ("field", "Cart.items"),
        ("field", "Cart.Changed"),
        ("field", "Cart.Name"),
        ("method", "Cart.Total"),
        ("method", "Cart.Cart"),
        ("method", "Cart.this"),
        ("method", "Cart.AddAsync"),
        ("method", "Cart.+"),
        ("method", "Cart.Dispose"),
        ("class", "Cart.Point"),
        ("enum", "Cart.Kind"),
        ("member", "Cart.Kind.A"),
        ("member", "Cart.Kind.B"),
        ("type", "Cart.Callback"),
        ("interface", "ICart"),
        ("field", "ICart.Count"),
        ("method", "ICart.Add"),
    ]


def test_heads_say_types_modifiers_attributes_bases_and_accessors() -> None:
    cart = symbol(CART, "Cart").facts
    assert cart.bases == ("Base<T>", "ICart")
    assert cart.decorators == ("Serializable", "Obsolete('x')")
    assert cart.docs == "A Cart ."
    assert symbol(CART, "Cart.Name").facts.modifiers == ("public", "get", "private set")
    assert symbol(CART, "Cart.Kind.B").facts.values[0].value == "5"
    add = symbol(CART, "Cart.AddAsync").facts
    assert [(each.name, each.type) for each in add.parameters] == [("name", "string"), ("...more", "params int[]")]
    assert add.return_type == "Task<int>"
    assert add.modifiers == ("public", "async")
    assert symbol(CART, "Cart.Dispose").facts.modifiers == ("of IDisposable",)
    assert symbol(CART, "Cart.Rate").facts.values[0].value == "0.2"


def test_a_body_in_its_parts() -> None:
    text = method("""
        if (name is null || a > Max) throw new ArgumentNullException(nameof(name));
        foreach (var (k, v) in table) { Use(k, v); }
        try { await client.GetAsync($"x {a:N2}"); }
        catch (HttpException e) when (e.Code == 404) { return -1; }
        var x = a switch { 1 => 2, > 5 when Big() => 3, _ => throw new NotSupportedException() };
        if (o is Foo foo && foo.X is int count) { return count; }
        Parse<int>(out var result, retries: 7);
        items?.ForEach(z => Log.Write(z));
        return x ?? this.rate;
    """)
    facts = symbol(text, "A.F").facts
    assert facts.raises == ("ArgumentNullException", "NotSupportedException")
    assert facts.catches == ("HttpException",)
    assert "e.Code == 404" in facts.conditions
    assert "> 5" in facts.conditions
    assert facts.loops == ("for (k, v) in table",)
    assert {"Use", "client.GetAsync", "Parse", "items.ForEach", "Log.Write"} <= set(facts.calls)
    assert ("retries", "7") in [(each.name, each.value) for each in facts.values]
    assert {"Max", "this.rate", "table", "client.GetAsync", "Parse"} <= set(facts.uses)
    assert not {"a", "k", "v", "e", "x", "foo", "count", "result", "z"} & set(facts.uses)


def test_what_says_nothing() -> None:
    old = method('var b = a * 1000; if (b > 1) { return b; } return G("x\\\\y");')
    new = method('\n// why\n#region r\nvar c = (a * 1_000);\nif ((c > 1)) return c;;\nreturn G(@"x\\y");\n#endregion\n')
    assert same(old, new)
    assert not same(old, old.replace("1000", "1000L"))
    assert same(method("return a.B().C;"), method("return a!.B()!.C!;"))
    assert same(method('return """\n    a "b"\n    """;'), method('return @"a ""b""";'))


def test_the_name_of_a_parameter_is_part_of_the_interface() -> None:
    change = compare(symbol(method("return a;"), "A.F"), symbol(method("return b;", "int F(int b)"), "A.F"))
    assert change.kinds == {ChangeKind.SIGNATURE}
    assert same(method("G(x => x);"), method("G(y => y);"))


def test_conditionals_keep_what_stands_in_them() -> None:
    text = """
    class A {
    #if NET8
        public int F(int a)
    #else
        public int F(long a)
    #endif
        { return 1; }
    #if DEBUG
        void G() { }
    #else
        void H() { }
    #endif
    #if false
        }} void no( {
    #endif
        int I;
    }
    """
    assert [name for _, name in names(text)] == ["A", "A.F", "A.G", "A.H", "A.I"]


def test_names_lead_to_the_folder_the_namespace_and_the_base() -> None:
    files = {
        "src/Shop/Cart.cs": "using Shop.Rates; using static Shop.Rates.Fees; namespace Shop;\n"
        "class Cart : Base { private int own = 2; int F() { return own + days + this.own + Tax.Rate + Small"
        " + (int)Kind.A + new Helper(1).Go(); } }\n",
        "src/Shop/Types.cs": "namespace Shop; enum Kind { A = 9 } class Base { protected int days = 21; }\n",
        "src/Shop/Rates/Tax.cs": "namespace Shop.Rates; public static class Tax { public const int Rate = 20; }\n",
        "src/Shop/Rates/Fees.cs": "namespace Shop.Rates; public static class Fees { public const int Small = 5; }\n",
    }
    outlines = {path: read(text, path) for path, text in files.items()}
    here = outlines["src/Shop/Cart.cs"]
    found = here.find("Cart.F")
    assert found is not None
    depends = dependencies(found, here, outlines.get, siblings=["src/Shop/Cart.cs", "src/Shop/Types.cs"])
    assert {each.name: each.value for each in depends} == {
        "Kind.A": "9",
        "Small": "5",
        "Tax.Rate": "20",
        "days": "21",
        "own": "2",
        "this.own": "2",
    }


def test_a_change_reads_like_a_colleagues_sentence() -> None:
    old, new = (
        read(method("return a;")),
        read(method("if (a > 3) throw new BadValue(); return a;", "int F(int a, int n = 2)")),
    )
    told = [sentence(each) for each in diff([old], [new]) if each.new and each.new.name == "A.F"]
    assert len(told) == 1
    assert "BadValue" in told[0]
    assert "`n: int = 2`" in told[0] or "`n = 2`" in told[0]


def test_half_typed_text_never_raises() -> None:
    for end in range(0, len(CART), 3):
        read(CART[:end])
