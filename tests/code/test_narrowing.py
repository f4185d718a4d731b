from __future__ import annotations

import pytest
from attrs import evolve

from memlsp.code.diff.trimmed_source import narrowed
from memlsp.code.syntax.outline import outline

FILLER = 60
SOURCES = {
    "m.py": '"""Docs."""\nimport os\nLIMIT = 3\nclass A:\n    """Docs."""\n    size = 1\n    @property\n'
    "    def one(self):\n        return os.name, LIMIT\n    @cached\n    def two(self):\n        return 2\n"
    + "".join(f"def f{n}(a):\n    return a + {n} * LIMIT\n\n" for n in range(FILLER * 3)),
    "m.js": "const fs = require('fs')\nclass A {\n  one() { return fs.x }\n  two() { return 2 }\n}\n"
    "res.send = function send(a) { return a }\nexport function three() { return 3 }\n"
    + "".join(f"function f{n}(a) {{ return a + {n} * limit }}\n" for n in range(FILLER * 3)),
    "m.go": "package m\n\n// A is one.\ntype A struct{ x int }\n\n// One is.\nfunc (a *A) One() int { return a.x }\n"
    + "".join(f"// F{n} is.\nfunc F{n}(a int) int {{ return a + {n} }}\n" for n in range(FILLER * 3)),
    "m.rs": "struct A { x: u8 }\nimpl A {\n    #[inline]\n    fn one(&self) -> u8 { self.x }\n    fn two(&self) {}\n}\n"
    + "".join(f"#[test]\nfn f{n}(a: u8) -> u8 {{ a + {n} }}\n" for n in range(FILLER * 3)),
    "A.java": "class A {\n  @Override\n  int one() { return x; }\n  int two(int a) { return a; }\n"
    + "".join(f"  @Deprecated int f{n}(int a) {{ return a + {n}; }}\n" for n in range(FILLER * 3))
    + "}\n",
}


@pytest.mark.parametrize("path", SOURCES)
def test_every_definition_reads_the_same_in_its_narrowed_file(path: str) -> None:
    source = SOURCES[path].encode()
    whole = outline(path, source)
    assert not whole.has_errors
    for symbol in [s for s in whole.symbols if s.name][:: max(1, len(whole.symbols) // 12)]:
        rest = narrowed(path, source, symbol.name)
        assert rest is not None
        if not symbol.kind.is_container:
            assert len(rest) < 0.7 * len(source)
        found = outline(path, rest)
        assert not found.has_errors
        again = found.find(symbol.name, symbol.ordinal)
        assert again is not None
        assert evolve(again.fingerprint, text="") == evolve(symbol.fingerprint, text="")
        assert evolve(again.facts, docs="") == evolve(symbol.facts, docs="")


def test_what_cannot_be_narrowed_is_said_so() -> None:
    assert narrowed("m.py", b"def f(): pass\n", "f") is None
    assert narrowed("m.toml", b"a = 1\n" * 2000, "a") is None
    assert narrowed("m.py", b"x = 1\n" * 2000, "") is None
