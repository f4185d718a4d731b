# ruff: noqa: E501 - a line of the table is a case
"""What a symbol depends on, in its file and one file away."""

from __future__ import annotations

from collections.abc import Mapping

from memlsp.code.syntax.outline import Outline, outline
from memlsp.code.workspace.dependencies import dependencies
from memlsp.model.symbol import Dependency, SymbolKind


def _all(files: Mapping[str, str], path: str, name: str) -> dict[str, Dependency]:
    outlines = {each: outline(each, text.encode()) for each, text in files.items()}
    asked: list[str] = []

    def lookup(wanted: str) -> Outline | None:
        asked.append(wanted)
        return outlines.get(wanted)

    here = outlines[path]
    symbol = here.find(name)
    assert symbol is not None
    siblings = [each for each in files if each.rpartition("/")[0] == path.rpartition("/")[0] and each != path]
    found = dependencies(symbol, here, lookup, siblings=siblings)
    assert len(asked) <= 60
    return {each.name: each for each in found}


def _moves(files: Mapping[str, str], path: str, name: str, where: str, old: str, new: str, use: str) -> bool:
    """True when the edit changes the digest of the dependency called `use`."""
    assert old in files[where]
    before = _all(files, path, name)
    after = _all({**files, where: files[where].replace(old, new)}, path, name)
    assert use in before, sorted(before)
    assert use in after, sorted(after)
    return before[use].digest != after[use].digest


PYTHON = {
    "src/shop/tax.py": """\
from __future__ import annotations
import json
from shop.rates import RATE as R, CONFIG, Colour
from . import rates
import shop.rates as r
from shop import LIMIT
from .base import Base, cached, price

ALIAS = TABLE = 0.1
HALF = R / 2
TWICE = HALF * 2
PLAIN = R


class Tax(Base):
    SCALE = 3

    def __init__(self):
        self.depth = 4

    @cached
    def due(self, order):
        a = order.total * R + rates.RATE + r.RATE + LIMIT
        b = CONFIG["rate"] + CONFIG["deep"]["max"]
        if order.colour is Colour.RED:
            return price(order, HALF) + self.SCALE + Tax.SCALE + self.depth
        return self.helper(a, b) + TWICE + PLAIN + self.FACTOR

    def helper(self, a, b=1):
        return a + b


def configured():
    return json.load(open("config.toml"))["tax"]["rate"]
""",
    "src/shop/rates.py": (
        'from enum import Enum\nRATE = 0.20\nCONFIG = {"rate": 1, "other": 2, "deep": {"max": 3}}\n'
        "class Colour(Enum):\n    RED = 1\n    BLUE = 2\n"
    ),
    "src/shop/__init__.py": "from .limits import LIMIT\n",
    "src/shop/limits.py": "LIMIT = 7\n",
    "src/shop/base.py": (
        "class Base:\n    FACTOR = 2\n    def run(self):\n        return 1\n\n"
        "def cached(f):\n    return f\n\ndef price(order, rate=0.5):\n    return order\n"
    ),
    "config.toml": "[tax]\nrate = 0.2\nother = 1\n",
}


def _python(where: str, old: str, new: str, use: str, name: str = "Tax.due") -> bool:
    return _moves(PYTHON, "src/shop/tax.py", name, where, old, new, use)


def test_a_constant_reaches_its_users_however_it_is_imported() -> None:
    for use in ("R", "rates.RATE", "r.RATE"):
        assert _python("src/shop/rates.py", "0.20", "0.25", use)
        assert not _python("src/shop/rates.py", "0.20", "0.2  # same", use)


def test_a_constant_made_of_constants_moves_with_them() -> None:
    assert _python("src/shop/rates.py", "0.20", "0.25", "HALF")
    assert _python("src/shop/rates.py", "0.20", "0.25", "TWICE")
    assert _all(PYTHON, "src/shop/tax.py", "Tax.due")["PLAIN"].value == "0.2"


def test_a_name_that_a_package_passes_on_is_followed() -> None:
    assert _python("src/shop/limits.py", "7", "8", "LIMIT")


def test_one_key_of_a_table_is_one_dependency() -> None:
    assert _python("src/shop/rates.py", '"rate": 1', '"rate": 9', 'CONFIG["rate"]')
    assert not _python("src/shop/rates.py", '"other": 2', '"other": 9', 'CONFIG["rate"]')
    assert _python("src/shop/rates.py", '"max": 3', '"max": 9', 'CONFIG["deep"]["max"]')


def test_an_enum_member_is_its_value() -> None:
    assert _python("src/shop/rates.py", "RED = 1", "RED = 5", "Colour.RED")
    assert not _python("src/shop/rates.py", "BLUE = 2", "BLUE = 5", "Colour.RED")


def test_a_callee_is_its_signature_and_not_its_body() -> None:
    assert _python("src/shop/base.py", "rate=0.5", "rate=0.6", "price")
    assert not _python("src/shop/base.py", "    return order", "    return order.x", "price")
    assert _python("src/shop/tax.py", "def helper(self, a, b=1)", "def helper(self, a, b=2)", "self.helper")
    assert not _python("src/shop/tax.py", "return a + b", "return a - b", "self.helper")


def test_a_decorator_and_a_base_are_what_they_do() -> None:
    assert _python("src/shop/base.py", "    return f\n", "    return f.x\n", "cached")
    assert _python("src/shop/base.py", "        return 1", "        return 2", "Base", "Tax")


def test_attributes_of_the_own_object_are_followed() -> None:
    assert _python("src/shop/tax.py", "SCALE = 3", "SCALE = 4", "self.SCALE")
    assert _python("src/shop/tax.py", "SCALE = 3", "SCALE = 4", "Tax.SCALE")
    assert _python("src/shop/tax.py", "self.depth = 4", "self.depth = 5", "self.depth")
    assert _python("src/shop/base.py", "FACTOR = 2", "FACTOR = 3", "self.FACTOR")


def test_a_key_of_a_configuration_file_is_a_dependency() -> None:
    name = "config.toml#tax.rate"
    assert _python("config.toml", "rate = 0.2", "rate = 0.3", name, "configured")
    assert not _python("config.toml", "other = 1", "other = 2", name, "configured")
    found = _all(PYTHON, "src/shop/tax.py", "configured")[name]
    assert (found.kind, found.value, found.symbol) == (SymbolKind.KEY, "0.2", "tax.rate")


def test_what_a_symbol_defines_itself_is_no_dependency() -> None:
    found = _all(PYTHON, "src/shop/tax.py", "Tax")
    assert "self.SCALE" not in found
    assert "self.helper" not in found
    assert "R" in found


def test_other_peoples_packages_give_nothing() -> None:
    files = {"a.py": "import requests\nimport os\n\ndef f():\n    return requests.get(os.path.join('a'))\n"}
    assert _all(files, "a.py", "f") == {}


JAVASCRIPT = {
    "src/a.ts": '''\
import { RATE as R, price } from "./rates.js";
import * as rates from "./rates";
import limits from "./limits";
import { LIMIT } from "./lib";
const { DEEP } = require("./old");
const old = require("./old");
const CONFIG = { rate: 1, other: 2 };

export class Tax extends Base {
  static SCALE = 3;
  due(order) {
    return order.total * R + rates.RATE + limits.MAX + LIMIT + CONFIG.rate + Tax.SCALE + price(order) + this.helper(1) + DEEP + old.DEEP;
  }
  helper(a) { return a; }
}
''',
    "src/rates.ts": "export const RATE = 0.2;\nexport function price(order, rate = 0.5) { return order; }\n",
    "src/limits.ts": "export default { MAX: 5, MIN: 1 };\n",
    "src/lib/index.ts": 'export { LIMIT } from "./inner";\n',
    "src/lib/inner.ts": "export const LIMIT = 7;\n",
    "src/old.js": "const DEEP = 3;\nmodule.exports = { DEEP };\n",
}  # fmt: skip


def test_javascript_imports_are_followed() -> None:
    def moves(where: str, old: str, new: str, use: str) -> bool:
        return _moves(JAVASCRIPT, "src/a.ts", "Tax.due", where, old, new, use)

    assert moves("src/rates.ts", "0.2", "0.3", "R")
    assert moves("src/rates.ts", "0.2", "0.3", "rates.RATE")
    assert moves("src/rates.ts", "rate = 0.5", "rate = 0.6", "price")
    assert not moves("src/rates.ts", "return order", "return order.x", "price")
    assert moves("src/limits.ts", "MAX: 5", "MAX: 6", "limits.MAX")
    assert not moves("src/limits.ts", "MIN: 1", "MIN: 2", "limits.MAX")
    assert moves("src/lib/inner.ts", "7", "8", "LIMIT")
    assert moves("src/a.ts", "rate: 1", "rate: 9", "CONFIG.rate")
    assert not moves("src/a.ts", "other: 2", "other: 9", "CONFIG.rate")
    assert moves("src/a.ts", "SCALE = 3", "SCALE = 4", "Tax.SCALE")
    assert moves("src/a.ts", "helper(a)", "helper(a, b)", "this.helper")
    assert moves("src/old.js", "DEEP = 3", "DEEP = 4", "DEEP")
    assert moves("src/old.js", "DEEP = 3", "DEEP = 4", "old.DEEP")


GO = {
    "shop/a.go": """\
package shop

import "example.com/app/rates"

type Courier struct{ speed int }

func (c *Courier) Deliver(n int) int {
	if c.late(n) {
		return n * Rate
	}
	return price(n) + int(Green) + rates.Max + c.near(n)
}

func (c *Courier) near(n int) int { return n }
""",
    "shop/b.go": """\
package shop

const Rate = 20

const (
	Red = iota
	Green
)

func price(n int) int { return n }

func (k *Courier) late(n int) bool { return n > 1 }
""",
    "rates/rates.go": "package rates\n\nconst Max = 9\n",
}


def test_go_packages_share_their_names() -> None:
    def moves(where: str, old: str, new: str, use: str) -> bool:
        return _moves(GO, "shop/a.go", "Courier.Deliver", where, old, new, use)

    assert moves("shop/b.go", "Rate = 20", "Rate = 25", "Rate")
    assert moves("shop/b.go", "price(n int) int", "price(n int64) int", "price")
    assert not moves("shop/b.go", "price(n int) int", "price(m int) int", "price")
    assert moves("shop/b.go", "Red = iota\n", "Red = iota\n\tBlue\n", "Green")
    assert moves("rates/rates.go", "9", "10", "rates.Max")
    assert moves("shop/b.go", "late(n int) bool", "late(n int, m int) bool", "c.late")
    assert not moves("shop/b.go", "n > 1", "n > 2", "c.late")
    assert moves("shop/a.go", "near(n int) int", "near(n uint) int", "c.near")


RUST = {
    "src/shop/tax.rs": """\
use crate::rates::{RATE, Colour as C};
use super::LIMIT;
mod inner;

pub struct Tax;

impl Tax {
    const SCALE: u32 = 3;
    pub fn due(&self, n: u32) -> u32 {
        if n == C::Blue as u32 { return n * RATE + LIMIT; }
        self.helper(n) + Self::SCALE + crate::rates::MAX + inner::DEEP + price(n)
    }
    fn helper(&self, n: u32) -> u32 { n }
}

fn price(n: u32) -> u32 { n }
""",
    "src/rates.rs": "pub const RATE: u32 = 20;\npub const MAX: u32 = 9;\npub enum Colour { Red, Blue }\n",
    "src/shop/mod.rs": "pub mod tax;\npub const LIMIT: u32 = 7;\n",
    "src/shop/tax/inner.rs": "pub const DEEP: u32 = 1;\n",
}


def test_rust_paths_are_followed() -> None:
    def moves(where: str, old: str, new: str, use: str) -> bool:
        return _moves(RUST, "src/shop/tax.rs", "Tax.due", where, old, new, use)

    assert moves("src/rates.rs", "RATE: u32 = 20", "RATE: u32 = 25", "RATE")
    assert moves("src/rates.rs", "Red, Blue", "Red, Green, Blue", "C.Blue")
    assert moves("src/shop/mod.rs", "LIMIT: u32 = 7", "LIMIT: u32 = 8", "LIMIT")
    assert moves("src/shop/tax.rs", "SCALE: u32 = 3", "SCALE: u32 = 4", "Self.SCALE")
    assert moves("src/shop/tax.rs", "fn helper(&self, n: u32)", "fn helper(&self, n: u64)", "self.helper")
    assert moves("src/rates.rs", "MAX: u32 = 9", "MAX: u32 = 10", "crate.rates.MAX")
    assert moves("src/shop/tax/inner.rs", "1", "2", "inner.DEEP")
    assert moves("src/shop/tax.rs", "fn price(n: u32)", "fn price(n: u64)", "price")


JAVA = {
    "src/main/java/shop/Tax.java": '''\
package shop;
import shop.rates.Rates;
import static shop.rates.Rates.LIMIT;
class Tax extends Base {
  private static final int SCALE = 3;
  int due(Order order) {
    return order.total() * Rates.RATE + LIMIT + SCALE + helper(1) + Other.MAX + new Line(2).n() + (c == Colour.RED ? 1 : 2) + FACTOR;
  }
  int helper(int a) { return a; }
}
''',
    "src/main/java/shop/rates/Rates.java": (
        "package shop.rates;\npublic class Rates {\n  public static final int RATE = 20;\n  public static final int LIMIT = 7;\n}\n"
    ),
    "src/main/java/shop/Other.java": "package shop;\nclass Other { static final int MAX = 9; }\n",
    "src/main/java/shop/Line.java": "package shop;\nclass Line { Line(int n) {} int n() { return 1; } }\n",
    "src/main/java/shop/Colour.java": "package shop;\nenum Colour { RED, BLUE }\n",
    "src/main/java/shop/Base.java": "package shop;\nclass Base { static final int FACTOR = 2; }\n",
}  # fmt: skip


def test_java_packages_and_imports_are_followed() -> None:
    def moves(where: str, old: str, new: str, use: str) -> bool:
        return _moves(JAVA, "src/main/java/shop/Tax.java", "Tax.due", "src/main/java/shop/" + where, old, new, use)

    assert moves("rates/Rates.java", "RATE = 20", "RATE = 25", "Rates.RATE")
    assert moves("rates/Rates.java", "LIMIT = 7", "LIMIT = 8", "LIMIT")
    assert moves("Tax.java", "SCALE = 3", "SCALE = 4", "SCALE")
    assert moves("Tax.java", "helper(int a)", "helper(long a)", "helper")
    assert not moves("Tax.java", "return a;", "return a + 1;", "helper")
    assert moves("Other.java", "MAX = 9", "MAX = 10", "Other.MAX")
    assert moves("Line.java", "Line(int n)", "Line(long n)", "Line")
    assert moves("Colour.java", "RED, BLUE", "BLUE, RED", "Colour.RED")
    assert moves("Base.java", "FACTOR = 2", "FACTOR = 3", "FACTOR")
