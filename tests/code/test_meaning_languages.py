# ruff: noqa: E501 - a line of the table is a case
"""What changes the meaning of JavaScript, TypeScript, Go, Rust and Java, and what does not."""

from __future__ import annotations

import re

import pytest

from memlsp.code.syntax.outline import Outline, outline

SOURCES = {
    "a.js": """\
import { send } from "./send";
import fs from "fs";

const RATE = 0.20;
export const NAMES = ["a", "b"];

/** Applies the default rate. */
export function computeTax(order, rate = RATE) {
  let total = 0;
  for (const line of order.lines) {
    if (line.taxable && (line.price > 0)) {
      total += line.price * rate;
    }
  }
  if (total < 0) throw new RangeError("negative");
  return Math.round(total);
}

export class Courier extends Base {
  speed = 3;
  deliver(parcel, { fast, tries: count = 2 }) {
    try {
      return this.post({ parcel, fast, n: count, timeout: 30 });
    } catch (error) {
      if (error instanceof TypeError) log(`failed ${parcel}: ${error}`);
      return null;
    }
  }
  post = async (parcel) => {
    return await send(parcel, (x) => x + 1);
  };
}
""",
    "a.ts": """\
import { b, a } from "./x";
export enum Colour { RED = 1, GREEN, BLUE }
export interface Parcel { id: string; weight?: number; send(to: string): void }
type Id = string | number;
export abstract class Box<T> implements Parcel {
  private static readonly LIMIT: number = 1_000;
  constructor(private readonly store: Store, public size = 1) { super(); }
  @log("x")
  public async open(id: Id, retry: number = 3): Promise<T> {
    const found = await this.store.find(id)!;
    const { name: label, ...rest } = found;
    if (!label) { throw new Error(`no ${id}`); }
    return { label, rest, n: found.n as number };
  }
}
""",
    "a.go": """\
package shop

import (
	"errors"
	"fmt"
)

const Rate = 0.20

const (
	Red = iota
	Green
)

// ErrEmpty says that nothing was ordered.
var ErrEmpty = errors.New("empty")

type Courier struct {
	Speed int `json:"speed"`
	Name  string
}

// Deliver brings it.
func (c *Courier) Deliver(order Order, tries int) (int, error) {
	total := 0
	for i, line := range order.Lines {
		if line.Taxable && (line.Price > 0) {
			total += line.Price * i
		}
	}
	if total, err := c.price(order); err != nil {
		return total, fmt.Errorf("price: %w", err)
	}
	send := func(n int) int { return n + total }
	if total == 0 {
		return 0, ErrEmpty
	}
	return send(total), nil
}
""",
    "a.rs": """\
use crate::rates::{Rate, RATE};
use std::fmt;

pub const LIMIT: u32 = 1_000;

#[derive(Debug, Clone)]
pub struct Courier {
    pub speed: u32,
    name: String,
}

pub enum Colour {
    Red,
    Green(u32),
}

impl Courier {
    /// Delivers it.
    pub fn deliver(&self, order: &Order, tries: u32) -> Result<u32, Error> {
        let total = order.total();
        let total = total * RATE;
        for (i, line) in order.lines.iter().enumerate() {
            if line.taxable && (line.price > i) {
                println!("{total} {}", line);
            }
        }
        match self.send(total) {
            Ok(found) if found > 3 => Ok(found),
            Err(Error::Late(why)) => Err(Error::Lost(why)),
            _ => {
                let add = |x| x + tries;
                Ok(add(total))
            }
        }
    }
}
""",
    "A.java": """\
package shop;

import java.util.List;
import java.io.IOException;

/** Brings parcels. */
public final class Courier extends Base implements Sender {
    private static final double RATE = 0.20;
    int speed = 3;

    public Courier(int speed) {
        this.speed = speed;
    }

    /** Delivers. */
    @Override
    public int deliver(Order order, int tries) throws IOException {
        int total = 0;
        for (Line line : order.lines()) {
            if (line.taxable() && (line.price() > 0)) {
                total += line.price() * tries;
            }
        }
        try (Wire wire = open()) {
            wire.send(order, x -> x + 1);
        } catch (RuntimeException error) {
            throw new IOException("lost: " + error);
        }
        return total;
    }

    enum Colour { RED, GREEN }
}
""",
}

NOTHING: dict[str, dict[str, tuple[str, str]]] = {
    "a.js": {
        "a comment": ("  let total = 0;\n", "  // start\n  let total = 0; /* zero */\n"),
        "jsdoc": ("Applies the default rate.", "Something\n * else."),
        "quotes": ('"negative"', "'negative'"),
        "a template without code": ('"negative"', "`negative`"),
        "no semicolons": (";\n", "\n"),
        "parentheses": ("(line.price > 0)", "line.price > 0"),
        "more parentheses": ("return Math.round(total)", "return (Math.round(total))"),
        "a local": ("total", "sum"),
        "a loop variable": ("line", "row"),
        "a caught name": ("error", "problem"),
        "an arrow's parameter": ("(x) => x + 1", "y => y + 1"),
        "braces": ('if (total < 0) throw new RangeError("negative");', 'if (total < 0) { throw new RangeError("negative"); }'),
        "numbers": ("0.20", ".2"),
        "import order": ('import { send } from "./send";\nimport fs from "fs";\n', 'import fs from "fs";\nimport { send } from "./send";\n'),
        "trailing commas": ("timeout: 30 }", "timeout: 30, }"),
        "windows line ends": ("\n", "\r\n"),
        "shorthand spelt out": ("fast, n:", "fast: fast, n:"),
        "a destructured local": ("tries: count = 2 }) {\n    try {\n      return this.post({ parcel, fast, n: count", "tries: c = 2 }) {\n    try {\n      return this.post({ parcel, fast, n: c"),
        "a parameter in a shorthand": ("deliver(parcel, {", "deliver(parcel , {"),
        "a quoted key": ("timeout: 30", "'timeout': 30"),
        "a method moved": ("  speed = 3;\n", "  speed = 3;\n\n\n"),
    },
    "a.ts": {
        "a local": ("found", "hit"),
        "quotes": ('"x"', "'x'"),
        "a parameter": ("retry", "again"),
        "a destructured local": ("{ label, rest, n: found.n as number }", "{ label: label, rest: rest, n: found.n as number }"),
        "an import's order": ("b, a", "a, b"),
        "thousands": ("1_000", "1000"),
        "separators in an interface": ("id: string; weight", "id: string, weight"),
    },
    "a.go": {
        "a comment": ("\ttotal := 0\n", "\t// start\n\ttotal := 0 // zero\n"),
        "documentation": ("// Deliver brings it.", "// Deliver does something."),
        "parentheses": ("(line.Price > 0)", "line.Price > 0"),
        "the receiver": ("(c *Courier) Deliver(order Order, tries int) (int, error) {\n\ttotal := 0\n\tfor i, line := range order.Lines {\n\t\tif line.Taxable && (line.Price > 0) {\n\t\t\ttotal += line.Price * i\n\t\t}\n\t}\n\tif total, err := c.price", "(self *Courier) Deliver(order Order, tries int) (int, error) {\n\ttotal := 0\n\tfor i, line := range order.Lines {\n\t\tif line.Taxable && (line.Price > 0) {\n\t\t\ttotal += line.Price * i\n\t\t}\n\t}\n\tif total, err := self.price"),
        "a local": ("line", "row"),
        "a closure": ("send", "dispatch"),
        "raw strings": ('"empty"', "`empty`"),
        "import order": ('"errors"\n\t"fmt"', '"fmt"\n\t"errors"'),
        "numbers": ("0.20", "0.2"),
        "separate imports": ('import (\n\t"errors"\n\t"fmt"\n)\n', 'import "fmt"\nimport "errors"\n'),
    },
    "a.rs": {
        "a comment": ("        let total = order", "        // start\n        let total = order"),
        "documentation": ("/// Delivers it.", "/// Other words.\n    ///\n    /// More."),
        "parentheses": ("(line.price > i)", "line.price > i"),
        "a local that is shadowed": ("let total = total * RATE", "let total = (total) * RATE"),
        "a local in a format string": ("total", "sum_"),
        "a loop variable": ("line", "row"),
        "a bound name": ("found", "hit"),
        "a closure's parameter": ("|x| x + tries", "|y| y + tries"),
        "use order": ("use crate::rates::{Rate, RATE};\nuse std::fmt;\n", "use std::fmt;\nuse crate::rates::{RATE, Rate};\n"),
        "split use": ("use crate::rates::{Rate, RATE};\n", "use crate::rates::Rate;\nuse crate::rates::RATE;\n"),
        "thousands": ("1_000", "1000"),
        "a parameter": ("tries", "attempts"),
    },
    "A.java": {
        "a comment": ("        int total = 0;\n", "        // start\n        int total = 0; /* zero */\n"),
        "javadoc": ("/** Delivers. */", "/**\n     * Other.\n     */"),
        "parentheses": ("(line.price() > 0)", "line.price() > 0"),
        "a parameter": ("tries", "attempts"),
        "a lambda's parameter": ("x -> x + 1", "(y) -> y + 1"),
        "a caught name": ("error", "problem"),
        "a resource": ("wire", "cable"),
        "import order": ("import java.util.List;\nimport java.io.IOException;\n", "import java.io.IOException;\nimport java.util.List;\n"),
        "layout": ("Order order, int tries", "\n            Order order,\n            int tries"),
        "numbers": ("0.20", "0.2"),
    },
}  # fmt: skip


def _edited(path: str, old: str, new: str) -> str:
    source = SOURCES[path]
    assert old in source, old
    if old.strip().isidentifier():
        # A name inside another word, a member access or a key is another name.
        return re.sub(rf"(?<![\w.\"`/]){re.escape(old.strip())}\b", new.strip(), source)
    return source.replace(old, new)


def _meanings(found: Outline) -> list[tuple[str, str]]:
    return [(symbol.name, symbol.fingerprint.meaning) for symbol in found.symbols]


@pytest.mark.parametrize(("path", "edit"), [(path, edit) for path, edits in NOTHING.items() for edit in edits])
def test_meaning_survives(path: str, edit: str) -> None:
    before, after = outline(path, SOURCES[path].encode()), outline(path, _edited(path, *NOTHING[path][edit]).encode())
    assert not before.has_errors
    assert not after.has_errors
    assert _meanings(before) == _meanings(after)


MEANING: dict[str, dict[str, tuple[str, str, str]]] = {
    "a.js": {
        "a condition": ("line.price > 0", "line.price >= 0", "computeTax"),
        "a default": ("rate = RATE", "rate = 0.3", "computeTax"),
        "an exception": ("RangeError", "TypeError", "computeTax"),
        "a literal": ("timeout: 30", "timeout: 60", "Courier.deliver"),
        "a key": ("timeout: 30", "wait: 30", "Courier.deliver"),
        "text of a template": ("failed ${", "lost ${", "Courier.deliver"),
        "code of a template": ("${parcel}", "${parcel.id}", "Courier.deliver"),
        "what is caught": ("instanceof TypeError", "instanceof RangeError", "Courier.deliver"),
        "async": ("async (parcel)", "(parcel)", "Courier.post"),
        "a base": ("extends Base", "extends Other", "Courier"),
        "a field": ("speed = 3", "speed = 4", "Courier.speed"),
        "a constant": ("0.20", "0.25", "RATE"),
        "export": ("export function", "function", "computeTax"),
        "a shorthand's key": ("parcel, fast, n:", "parcel, quick: fast, n:", "Courier.deliver"),
        "let to var": ("let total", "var total", "computeTax"),
        "a template that runs code": ('"negative"', "`${negative}`", "computeTax"),
    },
    "a.ts": {
        "a parameter's type": ("id: Id", "id: string", "Box.open"),
        "a result's type": ("Promise<T>", "Promise<T | null>", "Box.open"),
        "visibility": ("public async open", "private async open", "Box.open"),
        "a decorator": ('@log("x")', '@log("y")', "Box.open"),
        "an enum's value": ("RED = 1", "RED = 2", "Colour.GREEN"),
        "the order of enum members": ("GREEN, BLUE", "BLUE, GREEN", "Colour"),
        "an optional field": ("weight?: number", "weight: number", "Parcel.weight"),
        "a type": ("string | number;", "string;", "Id"),
        "a static constant": ("1_000", "1_001", "Box.LIMIT"),
        "a parameter property": ("private readonly store", "readonly store", "Box.constructor"),
    },
    "a.go": {
        "a condition": ("line.Price > 0", "line.Price >= 0", "Courier.Deliver"),
        "a type": ("tries int", "tries uint", "Courier.Deliver"),
        "a message": ("price: %w", "cost: %w", "Courier.Deliver"),
        "an error": ("0, ErrEmpty", "0, ErrOther", "Courier.Deliver"),
        "a tag": ('json:"speed"', 'json:"velocity"', "Courier"),
        "a constant": ("0.20", "0.25", "Rate"),
        "a place in an iota group": ("\tRed = iota\n", "\tRed = iota\n\tBlue\n", "Green"),
        "the receiver's kind": ("(c *Courier)", "(c Courier)", "Courier.Deliver"),
        "field order": ("\tName  string\n", "\tName  string\n\tLast  string\n", "Courier"),
        "which variable": ("return n + total", "return n + tries", "Courier.Deliver"),
    },
    "a.rs": {
        "a condition": ("line.price > i", "line.price >= i", "Courier.deliver"),
        "a guard": ("found > 3", "found > 4", "Courier.deliver"),
        "an error": ("Error::Lost(why)", "Error::Late(why)", "Courier.deliver"),
        "a format string": ('"{total} {}"', '"{total}: {}"', "Courier.deliver"),
        "visibility": ("pub fn deliver", "fn deliver", "Courier.deliver"),
        "a derive": ("Debug, Clone", "Debug", "Courier"),
        "a field's type": ("speed: u32", "speed: u64", "Courier"),
        "a variant's data": ("Green(u32)", "Green(u64)", "Colour"),
        "a constant": ("1_000", "1_001", "LIMIT"),
        "a constant's type": ("LIMIT: u32", "LIMIT: u64", "LIMIT"),
        "which of two shadowed": ("let total = total * RATE", "let other = total * RATE", "Courier.deliver"),
    },
    "A.java": {
        "a condition": ("line.price() > 0", "line.price() >= 0", "Courier.deliver"),
        "a type": ("int tries", "long tries", "Courier.deliver"),
        "an exception": ("RuntimeException", "IllegalStateException", "Courier.deliver"),
        "throws": (" throws IOException", "", "Courier.deliver"),
        "an annotation": ("    @Override\n", "", "Courier.deliver"),
        "visibility": ("public int deliver", "protected int deliver", "Courier.deliver"),
        "a constant": ("0.20", "0.25", "Courier.RATE"),
        "final": ("static final double", "static double", "Courier.RATE"),
        "an interface": ("implements Sender", "implements Other", "Courier"),
        "enum order": ("RED, GREEN", "GREEN, RED", "Courier.Colour"),
        "a char for a string": ('"lost: "', "'l'", "Courier.deliver"),
    },
}  # fmt: skip


@pytest.mark.parametrize(("path", "edit"), [(path, edit) for path, edits in MEANING.items() for edit in edits])
def test_meaning_changes(path: str, edit: str) -> None:
    old, new, name = MEANING[path][edit]
    assert old in SOURCES[path]
    before, after = outline(path, SOURCES[path].encode()), outline(path, SOURCES[path].replace(old, new).encode())
    was, now = before.find(name), after.find(name)
    assert was is not None
    assert now is not None
    assert was.fingerprint.meaning != now.fingerprint.meaning
    assert before.module.fingerprint.meaning != after.module.fingerprint.meaning
    assert not after.has_errors


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.js", "Courier", "Van"),
        ("a.ts", "Box", "Crate"),
        ("A.java", "Courier", "Van"),
        ("a.rs", "Courier", "Van"),
        ("a.go", "Courier", "Van"),
    ],
)
def test_a_renamed_type_keeps_its_meaning_and_that_of_its_members(path: str, old: str, new: str) -> None:
    before = outline(path, SOURCES[path].encode())
    after = outline(path, SOURCES[path].replace(old, new).encode())
    for symbol in before.symbols[1:]:
        now = after.find(symbol.name.replace(old, new))
        assert now is not None
        assert now.fingerprint.meaning == symbol.fingerprint.meaning, symbol.name
