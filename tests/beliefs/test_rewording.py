"""The same code in other words keeps a belief; the same words with another value do not."""

from __future__ import annotations

import pytest
from bench import Bench

RUST = """
use std::time::Duration;
use crate::store::{Store, StoreError};

#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    pub kwh: f64,
    pub at: u64,
}

impl Reading {
    pub fn new(kwh: f64, at: u64) -> Self {
        Self { kwh, at }
    }

    pub fn plausible(&self, last: &Reading) -> bool {
        if self.kwh < last.kwh {
            return false;
        }
        self.kwh - last.kwh < 500.0
    }
}

pub fn sum(readings: &[Reading], store: &Store) -> Result<f64, StoreError> {
    let mut total = 0.0;
    for reading in readings {
        if reading.kwh > 900.0 {
            return Err(StoreError::Implausible);
        }
        total += reading.kwh;
    }
    store.wait(Duration::from_secs(30))?;
    return Ok(total);
}
"""
STORE = """
pub enum StoreError { Implausible, Refused }

pub struct Store;

impl Store {
    pub fn wait(&self, time: std::time::Duration) -> Result<(), StoreError> { Ok(()) }
}
"""
GO = """
package depot

import (
	"context"
	"net/http"
	"sort"
	"time"
)

type Source interface {
	Fetch(ctx context.Context, shelf string) ([]string, error)
}

type Depot struct {
	source Source
}

func (d *Depot) Load(ctx context.Context) ([]string, error) {
	names, err := d.source.Fetch(ctx, "all")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	return names, nil
}

func slow(took time.Duration) bool {
	return took > 100*time.Millisecond
}

func statusOf(err error) int {
	if err != nil {
		return http.StatusBadGateway
	}
	return http.StatusOK
}
"""
TYPESCRIPT = """
import { rateOf } from './rates';
import * as path from 'path';

export const KINDS = Object.freeze({ letter: 1, box: 2 });

export class Desk {
  private queue: number[] = [];

  accept(weight: number): string {
    if (this.queue.length >= 100) {
      throw new RangeError('full');
    }
    const rate = rateOf(weight);
    this.queue.push(rate * 2);
    return path.join('parcels', String(weight));
  }
}
"""
RATES = """
export function rateOf(weight: number): number {
  return weight * 3;
}
"""
JAVA = """
package arena;

import java.util.List;

class Line {
    private final List<Ticket> tickets;

    Line(List<Ticket> tickets) {
        this.tickets = tickets;
    }

    Ticket take(long now) {
        Ticket oldest = tickets.get(0);
        if (oldest.waited(now) > 3000) {
            throw new IllegalStateException("late");
        }
        return oldest;
    }
}
"""
TICKET = """
package arena;

class Ticket {
    long waited(long now) {
        return now;
    }
}
"""
PYTHON = """
from time import sleep

from app.settings import KEEP, TIMEOUT


def post(client, body):
    sleep(0.1)
    return client.post(body, timeout=TIMEOUT)


def cleanup(files):
    return [file for file in files if file.age > KEEP]
"""
SETTINGS = """
TIMEOUT = 15
KEEP = 14 * 86400
WORKERS = 15
"""
FILES = {
    "src/meter.rs": RUST,
    "src/store.rs": STORE,
    "depot/store.go": GO,
    "web/desk.ts": TYPESCRIPT,
    "web/rates.ts": RATES,
    "arena/Line.java": JAVA,
    "arena/Ticket.java": TICKET,
    "app/__init__.py": "",
    "app/main.py": PYTHON,
    "app/settings.py": SETTINGS,
}
Step = tuple[str, str, str]
ROWS: list[tuple[str, str, str, str, list[Step]]] = []


def row(what: str, place: str, text: str, standing: str, *steps: Step) -> None:
    ROWS.append((what, place, text, standing, list(steps)))


R, S = "src/meter.rs", "src/store.rs"
PLAUSIBLE, SUM = f"{R}#Reading.plausible", f"{R}#sum"
row("a written-out type", SUM, "too much is implausible", "current", (R, "let mut total =", "let mut total: f64 ="))
row("a suffix", PLAUSIBLE, "a jump of 500 is too much", "current", (R, "500.0", "500.0_f64"))
row("another value with a suffix", PLAUSIBLE, "a jump of 500 is too much", "contradicted", (R, "500.0", "600.0_f64"))
row("a last return", SUM, "too much is implausible", "current", (R, "return Ok(total);", "Ok(total)"))
row("order of derives", f"{R}#Reading", "a reading can be cloned", "current", (R, "Debug, Clone", "Clone, Debug"))
row("a derive less", f"{R}#Reading", "a reading can be cloned", "contradicted", (R, "Debug, Clone", "Debug"))
row("Self by name", f"{R}#Reading.new", "makes a reading", "current", (R, "Self {", "Reading {"))
row("a type renamed", SUM, "too much is implausible", "current", (R, "Reading", "Sample"))
row(
    "an enum renamed", SUM, "too much is refused", "current", (R, "StoreError", "Failure"), (S, "StoreError", "Failure")
)
row(
    "another variant",
    SUM,
    "too much is implausible",
    "contradicted",
    (R, "StoreError::Implausible", "StoreError::Refused"),
)
row(
    "a qualified name",
    SUM,
    "it waits 30 seconds",
    "current",
    (R, "use std::time::Duration", "use std::time"),
    (R, "(Duration", "(time::Duration"),
)
row(
    "a constant of the type",
    PLAUSIBLE,
    "a jump of 500 is too much",
    "carried",
    (R, "< 500.0", "< Self::JUMP"),
    (R, "    pub fn new", "    const JUMP: f64 = 500.0;\n\n    pub fn new"),
)
row(
    "a constant of another value",
    PLAUSIBLE,
    "a jump of 500 is too much",
    "contradicted",
    (R, "< 500.0", "< Self::JUMP"),
    (R, "    pub fn new", "    const JUMP: f64 = 800.0;\n\n    pub fn new"),
)
row(
    "a condition in a helper",
    PLAUSIBLE,
    "a meter never falls",
    "carried",
    (R, "if self.kwh < last.kwh {", "if self.fell(last) {"),
    (
        R,
        "    pub fn plaus",
        "    fn fell(&self, other: &Reading) -> bool {\n        self.kwh < other.kwh\n    }\n\n    pub fn plaus",
    ),
)
row(
    "a condition turned in a helper",
    PLAUSIBLE,
    "a meter never falls",
    "changed",
    (R, "if self.kwh < last.kwh {", "if self.fell(last) {"),
    (
        R,
        "    pub fn plaus",
        "    fn fell(&self, other: &Reading) -> bool {\n        other.kwh < self.kwh\n    }\n\n    pub fn plaus",
    ),
)
row("unwrapped", SUM, "summing never panics", "contradicted", (R, "(30))?", "(30)).unwrap()"))

G = "depot/store.go"
row(
    "an expression named",
    f"{G}#slow",
    "slow is 100 ms",
    "carried",
    (G, "100*time.Millisecond", "limit"),
    (G, "type Source", "const limit = 100 * time.Millisecond\n\ntype Source"),
)
row(
    "a value named and altered",
    f"{G}#slow",
    "slow is 100 ms",
    "contradicted",
    (G, "100*time.Millisecond", "limit"),
    (G, "type Source", "const limit = 200 * time.Millisecond\n\ntype Source"),
)
row(
    "an interface's method",
    f"{G}#Depot.Load",
    "errors are handed on",
    "changed",
    (G, "shelf string)", "shelf string, limit int)"),
)
row("sorting lost", f"{G}#Depot.Load", "names come out sorted", "contradicted", (G, "\tsort.Strings(names)\n", ""))
row("sorts of things", f"{G}#Depot.Load", "every sort of name comes out", "changed", (G, "\tsort.Strings(names)\n", ""))
row(
    "a status by number",
    f"{G}#statusOf",
    "errors answer 502",
    "contradicted",
    (G, "StatusBadGateway", "StatusBadRequest"),
)
row(
    "another number",
    f"{G}#statusOf",
    "errors answer in 504 places",
    "changed",
    (G, "StatusBadGateway", "StatusBadRequest"),
)
row(
    "a status by words",
    f"{G}#statusOf",
    "errors answer bad gateway",
    "contradicted",
    (G, "StatusBadGateway", "StatusInternalServerError"),
)
row(
    "a word of a status",
    f"{G}#statusOf",
    "the gateway wants a number",
    "changed",
    (G, "StatusBadGateway", "StatusInternalServerError"),
)
row(
    "an import's alias",
    f"{G}#slow",
    "slow is 100 ms",
    "current",
    (G, '"time"', 'clock "time"'),
    (G, "time.Dur", "clock.Dur"),
    (G, "time.Milli", "clock.Milli"),
)

T = "web/desk.ts"
ACCEPT = f"{T}#Desk.accept"
row("a written-out type", ACCEPT, "a desk takes 100", "current", (T, "const rate =", "const rate: number ="))
row(
    "a named import",
    ACCEPT,
    "they lie in `parcels`",
    "current",
    (T, "import * as path from", "import { join } from"),
    (T, "path.join", "join"),
)
row(
    "a callee renamed",
    ACCEPT,
    "a desk takes 100",
    "current",
    (T, "rateOf", "tariff"),
    ("web/rates.ts", "rateOf", "tariff"),
)
row(
    "a number named in a class",
    f"{T}#Desk",
    "a desk takes 100",
    "carried",
    (T, ">= 100", ">= Desk.MOST"),
    (T, "  private queue", "  static readonly MOST = 100;\n  private queue"),
)
row(
    "frozen no longer",
    f"{T}#KINDS",
    "kinds are frozen",
    "contradicted",
    (T, "Object.freeze({ letter: 1, box: 2 })", "{ letter: 1, box: 2 }"),
)

J = "arena/Line.java"
TAKE = f"{J}#Line.take"
row("var", TAKE, "the limit is 3000", "current", (J, "Ticket oldest", "var oldest"))
row("final", TAKE, "the limit is 3000", "current", (J, "Ticket oldest", "final Ticket oldest"))
row(
    "a method of a local",
    TAKE,
    "the first is taken",
    "changed",
    ("arena/Ticket.java", "waited(long now)", "waited(long now, long grace)"),
)
row(
    "a number named in a class",
    f"{J}#Line",
    "the limit is 3000",
    "carried",
    (J, "> 3000", "> LIMIT"),
    (J, "    private final", "    static final int LIMIT = 3000;\n    private final"),
)

P, C = "app/main.py", "app/settings.py"
POST = f"{P}#post"
row("a timeout in words", POST, "a post times out after 15 s", "contradicted", (C, "TIMEOUT = 15", "TIMEOUT = 60"))
row("another 15", POST, "a post times out after 15 s", "current", (C, "WORKERS = 15", "WORKERS = 9"))
row("weeks", f"{P}#cleanup", "files are kept for two weeks", "contradicted", (C, "14 * 86400", "30 * 86400"))
row(
    "the standard library's name",
    POST,
    "a post takes a while",
    "current",
    (P, "from time import sleep", "import time"),
    (P, "    sleep", "    time.sleep"),
)
row(
    "another library's name",
    POST,
    "a post takes a while",
    "changed",
    (P, "from time import sleep", "import trio"),
    (P, "    sleep", "    trio.sleep"),
)
row(
    "a parameter of Python",
    POST,
    "a post takes a while",
    "changed",
    (P, "client, body", "client, data"),
    (P, "post(body", "post(data"),
)


@pytest.mark.parametrize(
    ("place", "text", "standing", "steps"), [pytest.param(*rest, id=f"{rest[0]}: {what}") for what, *rest in ROWS]
)
def test_what_is_said_in_other_words_is_told_from_what_changed(
    bench: Bench, place: str, text: str, standing: str, steps: list[Step]
) -> None:
    for path, content in FILES.items():
        bench.write(path, content)
    belief = bench.remember(text, place)
    for path, old, new in steps:
        bench.replace(path, old, new)
    assert bench.standing(belief) == standing, bench.told(belief)


def test_a_function_moved_and_made_visible_is_carried(bench: Bench) -> None:
    bench.write(
        "src/meter.rs",
        "fn gap(a: u64, b: u64) -> u64 {\n    let d = if a > b { a - b } else { b - a };\n    d / 60\n}\n",
    )
    belief = bench.remember("the gap comes in minutes", "src/meter.rs#gap")
    moved = bench.read("src/meter.rs")
    bench.write("src/meter.rs", "use crate::gaps::gap;\n")
    bench.write("src/gaps.rs", f"pub(crate) {moved}")
    assert bench.standing(belief) == "carried", bench.told(belief)


def test_a_function_made_visible_where_it_stands_is_changed(bench: Bench) -> None:
    bench.write(
        "src/meter.rs",
        "fn gap(a: u64, b: u64) -> u64 {\n    let d = if a > b { a - b } else { b - a };\n    d / 60\n}\n",
    )
    belief = bench.remember("the gap comes in minutes", "src/meter.rs#gap")
    bench.replace("src/meter.rs", "fn gap", "pub fn gap")
    assert bench.standing(belief) == "changed", bench.told(belief)
