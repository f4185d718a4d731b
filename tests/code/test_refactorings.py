"""What a change set did to symbols beyond single edits: swaps, extractions, inlinings, splits, merges, ties."""

from __future__ import annotations

from time import process_time

from memlsp.code.diff.change_set import diff
from memlsp.code.diff.matching import match
from memlsp.code.syntax.outline import Outline, outline
from memlsp.model.change import ChangeKind, SymbolChange

PRICE = """def price(rows, rate):
    total = 0
    for row in rows:
        if row.count > 0:
            total += row.count * row.unit_price
    return round(total * (1 + rate), 2)
"""
LABEL = """def label(parcel):
    lines = [parcel.name.upper(), parcel.street]
    if parcel.country != "DE":
        lines.append(parcel.country)
    return "\\n".join(lines)
"""
WEIGH = """def weigh(parcel, scale):
    reading = scale.read()
    while reading.unstable:
        reading = scale.read()
    parcel.grams = reading.grams - parcel.tare
    return parcel.grams
"""


def outlines(*files: tuple[str, str]) -> list[Outline]:
    return [outline(path, text.encode()) for path, text in files]


def changed(old: list[Outline], new: list[Outline]) -> dict[str, SymbolChange]:
    """The changes by the symbol's name: the new one, or the old one of what is gone."""
    found: dict[str, SymbolChange] = {}
    for change in diff(old, new):
        ref = change.new or change.old
        assert ref is not None
        found[ref.name or ref.path] = change
    return found


def pairs(old: list[Outline], new: list[Outline]) -> dict[str, str]:
    found = match([s for o in old for s in o.symbols], [s for o in new for s in o.symbols])
    return {f"{p.old.path}#{p.old.name}": f"{p.new.path}#{p.new.name}" for p in found.pairs}


def method(text: str) -> str:
    body = text.replace("(", "(self, ", 1)
    return "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())


# --- renames


def test_names_that_were_passed_on_in_one_commit_follow_their_bodies() -> None:
    old = outlines(("m.py", f"{PRICE}\n{LABEL.replace('label', 'show')}"))
    new = outlines(("m.py", f"{PRICE.replace('def price', 'def show')}\n{LABEL}"))
    assert pairs(old, new)["m.py#price"] == "m.py#show"
    assert pairs(old, new)["m.py#show"] == "m.py#label"


def test_names_that_were_passed_on_follow_their_bodies_when_these_were_edited_too() -> None:
    old = outlines(("m.py", f"{PRICE}\n{LABEL.replace('label', 'show')}"))
    edited = PRICE.replace("def price", "def show").replace("> 0", ">= 1")
    new = outlines(("m.py", f"{edited}\n{LABEL.replace('upper()', 'title()')}"))
    assert pairs(old, new)["m.py#price"] == "m.py#show"
    assert pairs(old, new)["m.py#show"] == "m.py#label"


def test_files_that_passed_on_their_names_follow_their_content() -> None:
    one = f"{PRICE}\n{LABEL}\n{WEIGH}"
    two = one.replace("parcel", "letter").replace("> 0", "> 9").replace("rate", "tax")
    two = (
        two.replace("lines.append", "lines.extend").replace("scale.read()", "scale.settle(3)").replace("upper", "fold")
    )
    old = outlines(("joint.py", one), ("single.py", two))
    new = outlines(("single.py", one), ("scalar.py", two))
    assert pairs(old, new)["joint.py#"] == "single.py#"
    assert pairs(old, new)["single.py#"] == "scalar.py#"


def test_a_caller_bears_witness_to_the_new_name_of_a_function_that_was_rewritten() -> None:
    caller = 'def send(parcel):\n    parcel.code = {name}(parcel.street)\n    return parcel.post("now")\n'
    before = "def old_code(street):\n    return street[:4] + str(len(street))\n"
    after = "def zone(street):\n    key = street.lower().strip()\n    return TABLE.get(key, 0)\n"
    old = outlines(("m.py", "TABLE = {}\n" + before + caller.format(name="old_code")))
    new = outlines(("m.py", "TABLE = {}\n" + after + caller.format(name="zone")))
    assert pairs(old, new)["m.py#old_code"] == "m.py#zone"


def test_without_a_witness_a_rewritten_function_is_another_one() -> None:
    before = "def old_code(street):\n    return street[:4] + str(len(street))\n"
    after = "def zone(street):\n    key = street.lower().strip()\n    return TABLE.get(key, 0)\n"
    old = outlines(("m.py", "TABLE = {}\n" + before))
    new = outlines(("m.py", "TABLE = {}\n" + after))
    assert "m.py#old_code" not in pairs(old, new)


def test_a_constructor_is_not_told_for_the_new_name_of_its_class() -> None:
    text = (
        "class Courier {\n  int load;\n  Courier(int load) { this.load = load; check(load); }\n"
        "  int load() { return load; }\n}\n"
    )
    old = outlines(("a/Courier.java", text))
    new = outlines(("a/Carrier.java", text.replace("Courier", "Carrier")))
    assert [str(c.new.name) for c in diff(old, new) if c.new and ChangeKind.RENAMED in c.kinds] == ["Carrier"]


def test_an_overload_that_stays_does_not_hide_the_new_name_of_another() -> None:
    longer = "  void check(Parcel p, int n) { p.open(); p.weigh(n); p.seal(n + 1); p.post(n); log.add(p); }\n"
    before = "class Post {\n  void check(Parcel p) { for (int i = 0; i < 3; i++) { check(p, i); } }\n" + longer + "}\n"
    renamed = before.replace("check(p, i)", "inspect(p, i)").replace(
        "check(Parcel p, int n)", "inspect(Parcel p, int n)"
    )
    found = pairs(outlines(("Post.java", before)), outlines(("Post.java", renamed)))
    assert "Post.java#Post.inspect" in found.values()


def test_a_class_keeps_its_name_when_its_methods_went_to_a_new_class() -> None:
    old = outlines(("m.py", "class Post:\n" + method(PRICE) + method(LABEL) + method(WEIGH)))
    office = f"class Office:\n    name = 1\n\n{method(PRICE)}{method(LABEL)}{method(WEIGH)}"
    new = outlines(("m.py", f"class Post:\n    office = Office()\n\n\n{office}"))
    assert pairs(old, new)["m.py#Post"] == "m.py#Post"
    assert ChangeKind.MOVED in changed(old, new)["Office.price"].kinds


def test_the_only_implementation_takes_the_name_of_its_interface() -> None:
    bodies = "".join(f"  int {name}(int n) {{ return store.read(n).{name} + store.size() - n; }}\n" for name in "abcd")
    heads = "".join(f"  int {name}(int n);\n" for name in "abcd")
    old = outlines(
        ("Store.java", f"interface Store {{\n{heads}}}\n"),
        ("DiskStore.java", f"class DiskStore implements Store {{\n{bodies}}}\n"),
    )
    new = outlines(("Store.java", f"class Store {{\n{bodies}}}\n"))
    assert pairs(old, new)["DiskStore.java#DiskStore"] == "Store.java#Store"


# --- moves


def test_an_extension_function_that_moved_with_its_file_is_not_told() -> None:
    text = "fun Parcel.weigh(n: Int): Int { return scale.read(n).grams - tare(n) }\n\nclass Post(val n: Int)\n"
    old, new = outlines(("a/Post.kt", "package a\n" + text)), outlines(("b/Post.kt", "package b\n" + text))
    assert "Parcel.weigh" not in changed(old, new)


def test_a_class_that_moved_with_changed_methods_is_moved_and_its_methods_told() -> None:
    text = "class Post:\n" + method(PRICE) + method(LABEL) + method(WEIGH)
    old = outlines(("a.py", text), ("b.py", "X = 1\n"))
    new = outlines(("a.py", "Y = 2\n"), ("b.py", "X = 1\n" + text.replace("> 0", ">= 1")))
    found = changed(old, new)
    assert ChangeKind.MOVED in found["Post"].kinds
    assert found["Post.price"].kinds == {ChangeKind.BEHAVIOUR} or ChangeKind.MOVED not in found["Post.price"].kinds


def test_a_function_that_moved_and_was_edited_is_found() -> None:
    old = outlines(("a.py", f"{PRICE}\n{LABEL}"), ("b.py", WEIGH))
    new = outlines(("a.py", LABEL), ("b.py", f"{WEIGH}\n{PRICE.replace('> 0', '>= 1')}"))
    assert ChangeKind.MOVED in changed(old, new)["price"].kinds


def test_of_many_alike_the_one_of_the_same_name_is_the_one_that_moved() -> None:
    tests = [
        f"    def test_{name}(self):\n        check('{name}', codec.encode('{name}'), strict=True)\n"
        for name in ("int", "long", "float", "list", "dict", "text")
    ]
    old = outlines(("t.py", "class CodecTests:\n" + "".join(tests)))
    inner = "".join(f"    {line}\n" for line in "".join(tests).splitlines())
    new = outlines(("t.py", "class CodecTests:\n    class Encoding:\n" + inner))
    assert pairs(old, new)["t.py#CodecTests.test_float"] == "t.py#CodecTests.Encoding.test_float"


# --- extract and inline


EXTRACTED = """def price(rows, rate):
    total = total_of(rows)
    return round(total * (1 + rate), 2)


def total_of(rows):
    total = 0
    for row in rows:
        if row.count > 0:
            total += row.count * row.unit_price
    return total
"""


def test_a_new_function_that_holds_what_its_caller_did_is_extracted() -> None:
    change = changed(outlines(("m.py", PRICE)), outlines(("m.py", EXTRACTED)))["total_of"]
    assert change.kinds == {ChangeKind.ADDED, ChangeKind.EXTRACTED}
    assert [other.name for other in change.others] == ["price"]


def test_a_new_function_that_does_something_new_is_only_added() -> None:
    new = PRICE.replace("    return", "    audit(total)\n    return")
    new += "\n\ndef audit(total):\n    with open('audit.log', 'a') as log:\n        log.write(f'{total}\\n')\n"
    change = changed(outlines(("m.py", PRICE)), outlines(("m.py", new)))["audit"]
    assert change.kinds == {ChangeKind.ADDED}


def test_a_whole_body_that_went_into_a_helper_renames_nothing() -> None:
    new = f"def price(rows, rate):\n    return _price(rows, rate)\n\n\n{PRICE.replace('def price', 'def _price')}"
    found = changed(outlines(("m.py", PRICE)), outlines(("m.py", new)))
    assert ChangeKind.EXTRACTED in found["_price"].kinds
    assert ChangeKind.RENAMED not in found["price"].kinds


def test_what_two_functions_did_is_extracted_from_both() -> None:
    loop = (
        "    total = 0\n    for row in rows:\n        if row.count > 0:\n"
        "            total += row.count * row.unit_price\n"
    )
    old = f"def net(rows):\n{loop}    return total\n\n\ndef gross(rows):\n{loop}    return total * 1.19\n"
    new = (
        "def net(rows):\n    return total_of(rows)\n\n\ndef gross(rows):\n    return total_of(rows) * 1.19\n\n\n"
        f"def total_of(rows):\n{loop}    return total\n"
    )
    found = changed(outlines(("m.py", old)), outlines(("m.py", new)))
    assert {other.name for other in found["total_of"].others} == {"net", "gross"}


def test_a_new_class_with_one_member_of_another_among_many_is_not_extracted() -> None:
    others = "".join(f"    def of_{name}(self, n):\n        return self.{name} * n + {len(name)}\n" for name in WORDS)
    old = outlines(("m.py", "class Post:\n" + method(PRICE) + method(LABEL)))
    new = outlines(("m.py", "class Post:\n" + method(LABEL) + "\n\nclass Office:\n" + method(PRICE) + others))
    assert ChangeKind.EXTRACTED not in changed(old, new)["Office"].kinds


WORDS = ("stamp", "counter", "letterbox", "clerk", "drawer")


def test_each_class_has_its_own_helper_of_one_name() -> None:
    def reader(name: str, *, helped: bool) -> str:
        body = "raise self.supplier.make(self.path, 'closed')"
        if not helped:
            return f"class {name}:\n    def read(self):\n        {body}\n\n    def tell(self):\n        return 3\n\n\n"
        return (
            f"class {name}:\n    def read(self):\n        self.fail()\n\n    def tell(self):\n        return 3\n\n"
            f"    def fail(self):\n        {body}\n\n\n"
        )

    old = outlines(("m.py", reader("Broken", helped=False) + reader("Shut", helped=False)))
    new = outlines(("m.py", reader("Broken", helped=True) + reader("Shut", helped=True)))
    found = changed(old, new)
    assert [other.name for other in found["Broken.fail"].others] == ["Broken.read"]
    assert [other.name for other in found["Shut.fail"].others] == ["Shut.read"]


def test_a_function_whose_body_now_stands_in_its_caller_is_inlined() -> None:
    change = changed(outlines(("m.py", EXTRACTED)), outlines(("m.py", PRICE)))["total_of"]
    assert change.kinds == {ChangeKind.REMOVED, ChangeKind.INLINED}
    assert [other.name for other in change.others] == ["price"]


def test_a_function_that_is_gone_with_its_call_is_only_removed() -> None:
    with_audit = PRICE.replace("    return", "    audit(total)\n    return")
    with_audit += "\n\ndef audit(total):\n    with open('audit.log', 'a') as log:\n        log.write(f'{total}\\n')\n"
    change = changed(outlines(("m.py", with_audit)), outlines(("m.py", PRICE)))["audit"]
    assert change.kinds == {ChangeKind.REMOVED}


def test_a_constructor_that_calls_another_of_its_class_was_taken_out_into_it() -> None:
    old = "class Box {\n  Box(int a) { this.a = a; this.b = 2 * a; this.log.add(a, b); }\n}\n"
    new = (
        "class Box {\n  Box(int a) { this(a, 2 * a); }\n"
        "  Box(int a, int b) { this.a = a; this.b = b; this.log.add(a, b); }\n}\n"
    )
    kinds = {kind for change in diff(outlines(("Box.java", old)), outlines(("Box.java", new))) for kind in change.kinds}
    assert ChangeKind.RENAMED not in kinds


# --- split and merge


def test_a_class_whose_members_went_into_two_new_ones_is_split() -> None:
    old = outlines(("m.py", "class Post:\n" + method(PRICE) + method(LABEL) + method(WEIGH) + method(EXTRA)))
    new = outlines(
        (
            "m.py",
            "class Counter:\n" + method(PRICE) + method(EXTRA) + "\nclass Depot:\n" + method(LABEL) + method(WEIGH),
        )
    )
    change = next(c for c in diff(old, new) if c.old and c.old.name == "Post")
    assert ChangeKind.SPLIT in change.kinds
    assert {other.name for other in change.others} == {"Counter", "Depot"}


EXTRA = """def stamp(parcel, clock):
    parcel.sent = clock.now()
    parcel.marks.append((parcel.sent, "sent"))
    return len(parcel.marks)
"""


def test_a_class_whose_members_went_into_another_is_merged() -> None:
    old = outlines(("m.py", "class Counter:\n" + method(PRICE) + method(EXTRA) + "\nclass Depot:\n" + method(LABEL)))
    new = outlines(("m.py", "class Depot:\n" + method(LABEL) + method(PRICE) + method(EXTRA)))
    change = changed(old, new)["Counter"]
    assert change.kinds == {ChangeKind.REMOVED, ChangeKind.MERGED}
    assert [other.name for other in change.others] == ["Depot"]


def test_a_new_class_that_took_members_of_one_that_stays_is_extracted() -> None:
    old = outlines(("m.py", "class Depot:\n" + method(LABEL) + method(PRICE) + method(EXTRA)))
    new = outlines(("m.py", "class Depot:\n" + method(LABEL) + "\nclass Counter:\n" + method(PRICE) + method(EXTRA)))
    change = changed(old, new)["Counter"]
    assert change.kinds == {ChangeKind.ADDED, ChangeKind.EXTRACTED}
    assert [other.name for other in change.others] == ["Depot"]


def test_methods_that_were_pulled_up_from_two_classes_are_merged_into_one() -> None:
    old = outlines(("m.py", f"class A(Base):\n{method(WEIGH)}    x = 1\n\nclass B(Base):\n{method(WEIGH)}    y = 2\n"))
    new = outlines(("m.py", f"class Base:\n{method(WEIGH)}\nclass A(Base):\n    x = 1\n\nclass B(Base):\n    y = 2\n"))
    gone = {c.old.name: c for c in diff(old, new) if c.old and c.new is None}
    assert set(gone) == {"A.weigh", "B.weigh"}
    assert all(ChangeKind.MERGED in c.kinds and c.others[0].name == "Base.weigh" for c in gone.values())


# --- ties and size


def test_a_copy_leaves_the_original_where_it_is() -> None:
    old = outlines(("a.py", WEIGH))
    new = outlines(("a.py", WEIGH), ("b.py", WEIGH))
    assert pairs(old, new)["a.py#weigh"] == "a.py#weigh"


def test_two_equal_heirs_are_reported_and_neither_is_chosen() -> None:
    old = outlines(("m.py", f"{WEIGH}\nKEPT = 1\n"))
    new = outlines(("m.py", f"{WEIGH.replace('weigh', 'alpha')}\n{WEIGH.replace('weigh', 'omega')}\nKEPT = 1\n"))
    gone = changed(old, new)["weigh"]
    assert {other.name for other in gone.alternatives} == {"alpha", "omega"}


def test_many_files_cost_in_proportion_to_their_number() -> None:
    def state(count: int, folder: str) -> list[Outline]:
        text = f"{PRICE}\n{LABEL}\n{WEIGH}\n{EXTRA}"
        return outlines(
            *[(f"{folder}/m{k}.py", text.replace("total", f"total_{k}").replace("2)", f"{k})")) for k in range(count)]
        )

    def cost(count: int) -> float:
        old, new = state(count, "a"), state(count, "b")
        began = process_time()
        diff(old, new)
        return process_time() - began

    cost(5)
    assert min(cost(120) for _ in range(3)) < 40 * max(min(cost(12) for _ in range(3)), 0.005)


def test_what_a_nested_function_lost_is_not_told_of_the_function_around_it() -> None:
    body = "var total = 0; for (const row of rows) { total += row.count * row.price; } "
    old = (
        f"module.exports = function (Chart) {{ extend(Chart.prototype, {{draw(rows) {{ {body}show(total); }}}}); }};\n"
    )
    new = old.replace(
        f"draw(rows) {{ {body}show(total); }}",
        f"draw(rows) {{ show(sum(rows)); }}, sum(rows) {{ {body}return total; }}",
    )
    change = changed(outlines(("a.js", old)), outlines(("a.js", new)))["exports.Chart.sum"]
    assert ChangeKind.EXTRACTED in change.kinds
    assert [other.name for other in change.others] == ["exports.Chart.draw"]
