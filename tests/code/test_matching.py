from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memlsp.code.diff.matching import Matching, match, successors
from memlsp.code.syntax.outline import outline
from memlsp.model.symbol import Symbol

ALPHA = """
def {name}(rows, seen):
    total = 0
    for row in rows:
        if row.key in seen:
            continue
        total += row.price * row.count
    return total
"""
BETA = """
def {name}(path, mode):
    with open(path, mode) as file:
        text = file.read()
    if not text.strip():
        raise ValueError(path)
    return text.splitlines()
"""
GAMMA = """
def {name}(client, url):
    reply = client.get(url, timeout=30)
    reply.raise_for_status()
    return reply.json()["items"]
"""


def symbols(*files: tuple[str, str]) -> list[Symbol]:
    return [symbol for path, text in files for symbol in outline(path, text.encode()).symbols]


def paired(found: Matching) -> dict[str, str]:
    return {f"{p.old.path}#{p.old.name}": f"{p.new.path}#{p.new.name}" for p in found.pairs if p.old.name}


def test_an_identical_body_beats_an_equal_name() -> None:
    old = symbols(("m.py", ALPHA.format(name="a") + BETA.format(name="b")))
    new = symbols(("m.py", ALPHA.format(name="b") + BETA.format(name="c")))
    assert paired(match(old, new)) == {"m.py#a": "m.py#b", "m.py#b": "m.py#c"}


def test_two_functions_that_swap_names_are_told_apart() -> None:
    old = symbols(("m.py", ALPHA.format(name="a") + BETA.format(name="b")))
    new = symbols(("m.py", ALPHA.format(name="b") + BETA.format(name="a")))
    assert paired(match(old, new)) == {"m.py#a": "m.py#b", "m.py#b": "m.py#a"}


def test_a_copy_leaves_the_original_where_it_is() -> None:
    old = symbols(("m.py", ALPHA.format(name="a")))
    new = symbols(("m.py", ALPHA.format(name="z") + ALPHA.format(name="a")))
    found = match(old, new)
    assert paired(found) == {"m.py#a": "m.py#a"}
    assert [s.name for s in found.added] == ["z"]


def test_a_function_that_moved_to_another_file_is_found() -> None:
    old = symbols(("m.py", ALPHA.format(name="a") + BETA.format(name="b")), ("n.py", "X = 1\n"))
    new = symbols(("m.py", BETA.format(name="b")), ("n.py", "X = 1\n" + ALPHA.format(name="a")))
    assert paired(match(old, new))["m.py#a"] == "n.py#a"


def test_a_renamed_function_whose_body_was_edited_is_found_by_similarity() -> None:
    old = symbols(("m.py", ALPHA.format(name="total_of_rows") + BETA.format(name="b")))
    edited = ALPHA.format(name="price_of_rows").replace("continue", "break")
    found = match(old, symbols(("m.py", edited + BETA.format(name="b"))))
    assert paired(found)["m.py#total_of_rows"] == "m.py#price_of_rows"
    assert 0.5 < next(p for p in found.pairs if p.old.name == "total_of_rows").similarity < 1


def test_tiny_equal_bodies_of_other_names_and_classes_are_not_evidence() -> None:
    old = symbols(("m.py", "class A:\n    def close(self):\n        pass\n"))
    new = symbols(("n.py", "class B:\n    def stop(self):\n        pass\n"))
    assert not paired(match(old, new))


def test_a_constant_keeps_its_name_when_its_neighbour_takes_its_value() -> None:
    old = symbols(("m.py", "A = 1\nB = 2\n"))
    new = symbols(("m.py", "A = 2\nB = 3\n"))
    assert paired(match(old, new)) == {"m.py#A": "m.py#A", "m.py#B": "m.py#B"}


def test_a_renamed_constant_of_the_same_file_is_followed() -> None:
    old = symbols(("m.py", "RATE = 0.25\nOTHER = 'x'\n"))
    new = symbols(("m.py", "TAX_RATE = 0.25\nOTHER = 'x'\n"))
    assert paired(match(old, new))["m.py#RATE"] == "m.py#TAX_RATE"


def test_members_follow_a_renamed_class() -> None:
    def body(name: str) -> str:
        inner = "".join(
            "    " + line + "\n" if line else "\n"
            for part in (ALPHA, BETA)
            for line in part.format(name="one" if part is ALPHA else "two").splitlines()
        )
        return f"class {name}:\n{inner}    def tiny(self):\n        pass\n"

    found = match(symbols(("m.py", body("Courier"))), symbols(("m.py", body("Carrier"))))
    assert paired(found) == {
        "m.py#Courier": "m.py#Carrier",
        "m.py#Courier.one": "m.py#Carrier.one",
        "m.py#Courier.two": "m.py#Carrier.two",
        "m.py#Courier.tiny": "m.py#Carrier.tiny",
    }


def test_members_follow_a_renamed_file() -> None:
    text = ALPHA.format(name="a") + "LIMIT = 3\n" + BETA.format(name="b")
    found = match(symbols(("old/m.py", text)), symbols(("new/m.py", text)))
    assert paired(found) == {f"old/m.py#{n}": f"new/m.py#{n}" for n in ("a", "LIMIT", "b")}


def test_two_equal_candidates_are_reported_and_not_guessed() -> None:
    old = symbols(("m.py", ALPHA.format(name="q") + BETA.format(name="b")))
    new = symbols(("m.py", BETA.format(name="b") + ALPHA.format(name="x") + ALPHA.format(name="y")))
    found = match(old, new)
    assert "m.py#q" not in paired(found)
    (open_end,) = found.ambiguous
    assert open_end.old.name == "q"
    assert {s.name for s, _ in open_end.candidates} == {"x", "y"}
    assert not found.removed


def test_unrelated_functions_are_removed_and_added() -> None:
    found = match(symbols(("m.py", ALPHA.format(name="a"))), symbols(("m.py", GAMMA.format(name="g"))))
    assert [s.name for s in found.removed] == ["a"]
    assert [s.name for s in found.added] == ["g"]


def test_overloads_keep_their_order_when_one_in_front_goes() -> None:
    def java(*parameters: str) -> str:
        methods = "".join(
            f"  int sum({p} a) {{ int t = 0; for (int i = 0; i < a.n{p}(); i++) t += a.get(i); return t; }}\n"
            for p in parameters
        )
        return f"class A {{\n{methods}}}\n"

    old = [s for s in symbols(("A.java", java("Foo", "Bar", "Baz"))) if s.simple_name == "sum"]
    new = [s for s in symbols(("A.java", java("Bar", "Baz"))) if s.simple_name == "sum"]
    found = match(old, new)
    assert [(p.old.ordinal, p.new.ordinal) for p in found.pairs] == [(1, 0), (2, 1)]


def test_successors_ranks_the_likely_heir_first_and_leaves_out_strangers() -> None:
    old = next(s for s in symbols(("m.py", ALPHA.format(name="a"))) if s.name == "a")
    edited = ALPHA.format(name="summed").replace("row.count", "row.number")
    candidates = symbols(("n.py", GAMMA.format(name="g") + edited + BETA.format(name="b")))
    ranked = successors(old, candidates)
    assert [s.name for s, _ in ranked] == ["summed"]
    assert all(0.5 <= score <= 1 for _, score in ranked)


_BODIES = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from([ALPHA, BETA, GAMMA, "\n{name} = 1\n"])),
    max_size=6,
    unique_by=lambda entry: entry[0],
)


@given(_BODIES, _BODIES)
def test_every_symbol_is_accounted_for_once(left: list[tuple[str, str]], right: list[tuple[str, str]]) -> None:
    old = symbols(("m.py", "".join(body.format(name=name) for name, body in left)))
    new = symbols(("m.py", "".join(body.format(name=name) for name, body in right)))
    found = match(old, new)
    olds = [p.old for p in found.pairs] + list(found.removed) + [a.old for a in found.ambiguous]
    news = [p.new for p in found.pairs] + list(found.added)
    assert sorted(s.name for s in olds) == sorted(s.name for s in old)
    assert sorted(s.name for s in news) == sorted(s.name for s in new)


@given(_BODIES)
def test_a_state_matches_itself_completely(entries: list[tuple[str, str]]) -> None:
    state = symbols(("m.py", "".join(body.format(name=name) for name, body in entries)))
    found = match(state, state)
    assert all(p.old is p.new and p.similarity == 1 for p in found.pairs)
    assert len(found.pairs) == len(state)
