"""What symbols use, after edits, is what looking at the files anew finds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memlsp.beliefs.standing.symbol_uses import FileEdit, Uses
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.syntax.outline import Outline, outline

_EDITS = Path(__file__).parents[2] / "fixtures" / "edits"
_FILES = {
    "python": "shop/cart.py",
    "typescript": "src/courier.ts",
    "go": "stock/picker.go",
    "rust": "src/meter.rs",
    "java": "src/main/java/org/example/library/Fines.java",
    "javascript": "src/client.js",
}

RUST = """pub struct Disc {
    count: u64,
}

pub enum Fault {
    Stale,
}

impl Disc {
    %s fn update(&self) -> Fault {
        Fault::Stale
    }
}
"""
PYTHON = """from rates import RATE

LIMIT = 3
TOTAL = LIMIT * 2


class Base:
    attempts = 3

    def __init__(self):
        self.rate = 5


class Cart(Base):
    def total(self):
        return self.attempts * TOTAL + self.rate

    def other(self):
        return helper(1)


def helper(a):
    return a


def far():
    return RATE
"""


def read(old: str = "", new: str = "") -> Outline:
    assert old in PYTHON
    return outline("a.py", PYTHON.replace(old, new).encode())


def spared(old: str, new: str) -> set[str]:
    after = read(old, new)
    edit = FileEdit(read(), after)
    return {each.name for each in after.symbols if edit.spares(each)}


def test_an_edit_in_a_function_spares_those_that_do_not_mention_it() -> None:
    kept = spared("return a\n", "return a + 1\n")
    assert {"far", "Cart.total", "Base", "LIMIT"} <= kept
    assert kept.isdisjoint({"helper", "Cart.other"})


def test_a_constant_reaches_who_uses_it_through_another() -> None:
    kept = spared("LIMIT = 3", "LIMIT = 4")
    assert kept.isdisjoint({"LIMIT", "TOTAL", "Cart.total"})
    assert "Cart.other" in kept


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from rates import RATE", "from others import RATE"),
        ("self.rate = 5", "self.rate = 6"),
        ("class Cart(Base)", "class Cart(Other)"),
        ("def helper(a):\n    return a", 'def helper(a):\n    return "app.toml"'),
    ],
)
def test_what_is_found_by_its_place_spares_nobody(old: str, new: str) -> None:
    assert spared(old, new) == set()


def test_a_type_uses_what_its_methods_in_another_block_use() -> None:
    before, after = (outline("a.rs", (RUST % word).encode()) for word in ("pub", "puxfn"))
    disc = after.find("Disc")
    assert disc is not None
    assert not FileEdit(before, after).spares(disc)


_typed = st.sampled_from(["x", " ", "\n", "0", "(", ")", '"', "RATE", "import os\n", "self.", "1", "# note\n", "", ""])
_places = st.tuples(st.floats(0, 1), st.sampled_from([0, 0, 1, 2, 10, 40]), _typed)


@pytest.mark.parametrize("language", _FILES)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(edits=[(0.0, 0, "x"), (0.3125, 0, "x")])  # a private field of JavaScript, named with its sign
@example(edits=[(0.0, 0, "x"), (0.5625, 10, "x")])  # an overload in Java gets another name
@given(edits=st.lists(_places, min_size=1, max_size=5))
def test_any_edits_leave_no_old_answer(tmp_path: Path, language: str, edits: list[tuple[float, int, str]]) -> None:
    if not any(tmp_path.iterdir()):
        shutil.copytree(_EDITS / language / "base", tmp_path, dirs_exist_ok=True)
    path = _FILES[language]
    worktree, uses = Worktree(tmp_path, git=False), Uses()
    text = (tmp_path / path).read_text(encoding="utf-8")
    others = [each for each in worktree.paths() if each != path][:6]
    for number, (place, gone, typed) in enumerate([(0.0, 0, ""), *edits]):
        at = int(place * len(text))
        text = text[:at] + typed + text[at + gone :]
        worktree.set_buffer(path, text, number)
        for each in (path, *others):
            here = worktree.outline(each)
            for symbol in here.symbols if here is not None else ():
                assert here is not None
                assert uses.of(symbol, here, worktree) == Uses().of(symbol, here, worktree)
