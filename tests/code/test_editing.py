"""Reading a file again after an edit gives what reading it for the first time gives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import examples

from memlsp.code.incremental.edited_file import parse_file, reparse_file
from memlsp.code.syntax import parser
from memlsp.code.syntax.outline import outline

_EDITS = Path(__file__).parents[2] / "fixtures" / "edits"
_KINDS = (
    ".py",
    ".js",
    ".ts",
    ".tsx",
    ".go",
    ".rs",
    ".java",
    ".c",
    ".cpp",
    ".h",
    ".hpp",
    ".cs",
    ".kt",
    ".rb",
    ".php",
    ".sh",
)
_FILES = {
    str(path.relative_to(_EDITS)): path.read_bytes()
    for path in sorted(_EDITS.glob("*/base/**/*"))
    if path.suffix in _KINDS and path.stat().st_size > 600
}
_TYPED = [
    *(
        "x",
        " ",
        "\n",
        "\n    ",
        "(",
        ")",
        '"',
        "'",
        "{",
        "}",
        ":",
        ";",
        ".",
        ",",
        "=",
        "#",
        "//",
        "/* ",
        "*/",
        "`",
        "0",
    ),
    *(
        "@",
        "[",
        "]",
        "->",
        "&",
        "é",
        "def f():",
        "class A:",
        "fn f() {",
        "import os\n",
        "# note\n",
        "/// note\n",
        "\r\n",
    ),
    *("return 1\n", "if x:\n", "async ", "static ", "impl A for B {}\n", "iota", "\ufeff", "\t", "__init__", '"""'),
]

PYTHON = """import os
from dataclasses import dataclass

LIMIT = 3
RATE, STEP = 1, 2


def outer(a):
    # first
    def inner():
        return a

    return inner


@dataclass
class Box:
    \"\"\"A box.\"\"\"

    size: int = 3

    def grow(self, by=1):
        import math
        self.size += math.ceil(by)  # up
        return outer(self.size)

    def __eq__(self, other):
        return self.size == other.size


def outer(a, b):
    return Box(a + b)
"""

GO = """package shelf

import "fmt"

// Sizes.
const (
	Small = iota
	Large
)

// Box holds.
type Box struct {
	Size int
}

// Grow makes it larger.
func (b *Box) Grow(by int) error {
	if by < 0 {
		return fmt.Errorf("no %d", by)
	}
	b.Size += by
	return nil
}

func Open() *Box { return &Box{Size: Large} }
"""

TYPESCRIPT = """import { log } from "./log";

export interface Sized { size: number; }

/** A box. */
export class Box implements Sized {
  size = 3;
  grow(by: number): number {
    log(by);
    return (this.size += by);
  }
}

export const open = (size: number): Box => { const box = new Box(); box.size = size; return box; };
"""

JAVASCRIPT = """const log = require("./log");

// Opens.
function open(size) {
  return { size, grow(by) { this.size += by; log(size); } };
}

class Box {
  constructor(size) { this.size = size; }
  grow(by) { return open(this.size + by); }
}

const Crate = Box.extend({ lift(by) { return this.size - by; } });

extend(Box.prototype, { tip(by) { log(by); } });

exports.open = open;
"""

RUST = """use std::fmt;

/// A box.
#[derive(Debug)]
pub struct Box { size: u32 }

impl Box {
    /// Larger.
    #[inline]
    pub fn grow(&mut self, by: u32) -> u32 {
        let more = by * 2;
        self.size += more;
        self.size
    }
}

impl fmt::Display for Box {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{}", self.size) }
}

pub fn open() -> Box { Box { size: 3 } }
"""

JAVA = """package shelf;

import java.util.List;

/** A box. */
public class Box {
    private static final int LIMIT = 3;
    private int size;

    public Box(int size) { this.size = size; }

    /** Larger. */
    @Deprecated
    public int grow(int by) {
        if (by > LIMIT) { throw new IllegalArgumentException("no"); }
        return size += by;
    }

    public int grow() { return grow(1); }

    enum Kind { FLAT, TALL; int height() { return ordinal(); } }
}
"""

TEXTS = {"a.py": PYTHON, "a.go": GO, "a.ts": TYPESCRIPT, "a.js": JAVASCRIPT, "a.rs": RUST, "A.java": JAVA}

_INSIDE = [
    ("a.py", "math.ceil(by)", "math.floor(by)"),
    ("a.py", "return a\n", "return a +\n"),
    ("a.py", "# first", "# the very first\n    # of all"),
    ("a.py", "LIMIT = 3", "LIMIT = 30"),
    ("a.py", "def grow(self", "def shrink(self"),
    ("a.py", "def inner()", "def within(c)"),
    ("a.go", "b.Size += by", "b.Size += by * 2\n\tfmt.Println(by)"),
    ("a.go", "// Grow makes it larger.", "// Grow makes it larger,\n// by some."),
    ("a.ts", "log(by);", "log(by"),
    ("a.ts", "size = 3", "size = 4"),
    ("a.ts", "/** A box. */", "/** A big box. */"),
    ("a.js", "log(size)", "log(this.size)"),
    ("a.js", "return open(this.size + by)", "return open(this.size - by, 2)"),
    ("a.js", "return this.size - by", "return this.size + by"),
    ("a.rs", "let more = by * 2;", "let most = by * 3;"),
    ("a.rs", "/// Larger.", "/// Larger."[:-1]),
    ("A.java", "by > LIMIT", "by >= LIMIT"),
    ("A.java", "/** Larger. */", "/** Much larger. */"),
    ("A.java", "return ordinal();", "return ordinal() + 1;"),
]

_BEYOND = [
    ("a.go", "Small = iota", "Small = iota + 1"),
    ("a.py", "other.size\n", "other.size\n\n    # a last word\n"),
    ("a.py", "import os\n", "import os, sys\n"),
    ("a.py", "class Box:", "class Box(Base):"),
    ("a.py", "def grow(self", "def __init__(self"),
    ("a.py", "def outer(a, b)", "def outside(a, b)"),
    ("a.py", "def outer(a):", "def outside(a):"),
    ("a.py", "    def __eq__", "def __eq__"),
    ("a.py", '"""A box."""', '"""A box.'),
    ("a.py", "    return inner\n", "return inner\n"),
    ("a.py", "RATE, STEP = 1, 2", "RATE = 1"),
    ("a.go", "\tLarge\n", "\tMiddle\n\tLarge\n"),
    ("a.go", "\treturn nil\n}", "\treturn nil\n"),
    ("a.ts", "implements Sized", "implements Sized, Other"),
    ("a.ts", "export class", "class"),
    ("a.js", "exports.open = open;", "exports.open = Box;"),
    ("a.rs", "self.size += more;", "impl fmt::Debug for Box { }"),
    ("a.rs", "#[inline]\n", "#[inline]\n    #[must_use]\n"),
    ("a.rs", "impl fmt::Display for", "impl fmt::Write for"),
    ("a.rs", "#[derive(Debug)]", "#[derive(Debug, Clone)]"),
    ("A.java", "FLAT, TALL;", "FLAT, LONG, TALL;"),
    ("A.java", "public int grow()", "public int shrink()"),
    ("A.java", "private int size;", "private int size, height;"),
]


def edited(path: str, old: str, new: str) -> tuple[bytes, bytes]:
    """The text before and after an edit."""
    before = TEXTS[path]
    assert before.count(old) == 1
    return before.encode(), before.replace(old, new).encode()


@pytest.mark.parametrize(("path", "old", "new"), _INSIDE)
def test_an_edit_inside_of_a_definition_reads_that_one_alone(path: str, old: str, new: str) -> None:
    before, after = edited(path, old, new)
    reading = reparse_file(parse_file(path, before), after)
    assert reading.partly
    assert reading.outline == outline(path, after)


@pytest.mark.parametrize(("path", "old", "new"), _INSIDE + _BEYOND)
def test_an_edit_and_its_undoing_give_what_reading_anew_gives(path: str, old: str, new: str) -> None:
    before, after = edited(path, old, new)
    there = reparse_file(parse_file(path, before), after)
    assert there.outline == outline(path, after)
    back = reparse_file(there, before)
    assert back.outline == outline(path, before)


@pytest.mark.parametrize("path", TEXTS)
def test_typing_character_by_character(path: str) -> None:
    text = TEXTS[path].encode()
    at = text.lower().index(b"grow") + 4
    reading = parse_file(path, text[:at])
    for end in range(at, len(text), 5):
        reading = reparse_file(reading, text[:end])
        assert reading.outline == outline(path, text[:end])


_places = st.tuples(st.floats(0, 1), st.sampled_from([0, 0, 0, 1, 1, 2, 7, 40]), st.sampled_from(["", *_TYPED]))


@pytest.mark.parametrize("path", [*TEXTS, *_FILES])
@settings(max_examples=examples(12))
@given(edits=st.lists(_places, min_size=1, max_size=5))
def test_any_edits_give_what_reading_anew_gives(path: str, edits: list[tuple[float, int, str]]) -> None:
    source = TEXTS[path].encode() if path in TEXTS else _FILES[path]
    reading = parse_file(path, source)
    for place, gone, typed in edits:
        text = source.decode()
        at = int(place * len(text))
        source = (text[:at] + typed + text[at + gone :]).encode()
        reading = reparse_file(reading, source)
        assert reading.outline == outline(path, source)


def test_the_same_text_is_the_same_reading() -> None:
    reading = parse_file("a.py", PYTHON.encode())
    assert reparse_file(reading, PYTHON.encode()) is reading


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.unknown", b"one\n", b"two\n"),
        ("a.py", b"x = 1\n", b"x = '\xff'\n"),  # latin-1
        ("a.py", b"x = '\xff'\n", b"x = 1\n"),
        ("a.py", b"", b"x = 1\n"),
        ("a.py", b"x = 1\n", b""),
        ("package-lock.json", b"{}", b"[]"),
        ("a.toml", b"x = 1\n", b"x = 2\n"),
        ("script", b"#!/bin/cat\nx = 1\n", b"#!/usr/bin/env python3\nx = 1\n"),
    ],
)
def test_files_that_are_read_anew_every_time(path: str, before: bytes, after: bytes) -> None:
    assert reparse_file(parse_file(path, before), after).outline == outline(path, after)


HOSTILE = {
    "deep.py": "x = " + "(" * 3000 + ")" * 3000,
    "open.py": "def f():\n" + "x = [" * 3000,
    "deep.js": "x = " + "[" * 3000 + "]" * 3000,
    "soup.js": "function f() {\n" + "`${" * 2000 + "'" * 2000,
    "generics.ts": "const a = " + "f<" * 500 + "x",
    "casts.java": "class A { int f() { return " + "(a" * 2000 + "; } }",
    "nested.rs": "fn f() { " + "{" * 3000 + "}" * 2990,
    "strings.go": 'package a\nvar x = "' + "\\" * 5000,
}


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_texts_are_followed_too(path: str) -> None:
    text = HOSTILE[path]
    reading = parse_file(path, text.encode())
    for typed in ("x", ")", "\n\ndef f(): pass\n"):
        text += typed
        reading = reparse_file(reading, text.encode())
        assert reading.outline == outline(path, text.encode())


def test_a_text_with_more_nodes_than_can_be_looked_at_is_known_by_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "MOST_NODES", 1000)
    source = b"x = [\n" + b"1,\n" * 1000 + b"]\n"
    found = outline("a.py", source)
    assert found.language == "python"
    assert found.has_errors
    assert len(found.symbols) == 1
    assert reparse_file(parse_file("a.py", b"x = 1\n"), source).outline == found
    assert reparse_file(parse_file("a.py", source), b"x = 1\n").outline == outline("a.py", b"x = 1\n")


def test_a_statement_that_counts_for_nothing_any_more_changes_the_shape_of_its_container() -> None:
    before, after = b"RATE = 0.2\nREDUCED = 0.055\n", b"RATE = 0.2\nREDUCED : 0.055\n"
    assert reparse_file(parse_file("a.py", before), after).outline == outline("a.py", after)


def test_a_text_that_was_read_is_not_kept() -> None:
    """The parser's binding holds on to the bytes that it is handed: a server would keep every version of a file."""
    data = b"def f(n):\n    return n + 1\n" * 400  # less than is handed over at once, which would be a copy
    before = sys.getrefcount(data)
    read = parse_file("a.py", data)
    again = reparse_file(read, data + b"x = 1\n")
    assert again.outline.find("x") is not None
    del read, again
    assert sys.getrefcount(data) == before
