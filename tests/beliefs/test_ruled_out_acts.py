"""A new part that does what a statement rules out is told, though it shares no word with the statement."""

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.standing import Standing

RING = """
pub struct Ring {
    slots: Box<[f32]>,
    head: usize,
}

impl Ring {
    pub fn with_size(n: usize) -> Self {
        Ring { slots: vec![0.0; n].into_boxed_slice(), head: 0 }
    }

    pub fn head(&self) -> usize {
        self.head
    }
}
"""
PARSE = "def parse(line):\n    name, _, value = line.partition('=')\n    return name, value\n"
ROUTES = """
class Account {
  constructor(owner) {
    this.owner = owner;
  }

  label() {
    return `account of ${this.owner}`;
  }
}
"""
BOARD = """
package board;

public class Board {
    private final java.util.Deque<String> notes = new java.util.ArrayDeque<>();

    public synchronized void put(String note) {
        notes.addLast(note);
    }
}
"""


@pytest.mark.parametrize(
    ("path", "source", "end", "place", "statement", "breaking", "keeping"),
    [
        (
            "src/ring.rs", RING, "}\n", "src/ring.rs#Ring", "Nothing here allocates once it is built",
            "\n    pub fn all(&self) -> Vec<f32> {\n        self.slots.to_vec()\n    }\n}\n",
            "\n    pub fn first(&self) -> f32 {\n        self.slots[0]\n    }\n}\n",
        ),
        (
            "parse.py", PARSE, "", "parse.py", "This file does no I/O",
            "\n\ndef load(path):\n    with open(path) as file:\n        return [parse(each) for each in file]\n",
            "\n\ndef load(lines):\n    return [parse(each) for each in lines]\n",
        ),
        (
            "parse.py", PARSE, "", "parse.py", "None of these functions looks at the clock",
            "\n\ndef stamped(line):\n    return time.time(), parse(line)\n",
            "\n\ndef stamped(line, now):\n    return now, parse(line)\n",
        ),
        (
            "account.js", ROUTES, "}\n", "account.js#Account", "An account is immutable",
            "\n  rename(owner) {\n    this.owner = owner;\n  }\n}\n",
            "\n  renamed(owner) {\n    return new Account(owner);\n  }\n}\n",
        ),
        (
            "Board.java", BOARD, "}\n", "Board.java#Board", "Nobody reads the notes without the monitor",
            "\n    public int count() {\n        return notes.size();\n    }\n}\n",
            "\n    public synchronized int count() {\n        return notes.size();\n    }\n}\n",
        ),
    ],
)  # fmt: skip
def test_a_new_member_that_does_it_breaks_the_statement_and_another_does_not(
    bench: Bench, path: str, source: str, end: str, place: str, statement: str, breaking: str, keeping: str
) -> None:
    bench.write(path, source)
    belief = bench.remember(statement, place)
    text = bench.read(path)
    assert text.endswith(end)
    for added, holds in ((keeping, True), (breaking, False)):
        bench.write(path, text.removesuffix(end) + added)
        assert bench.judge(belief).holds is holds, bench.told(belief)


def test_what_was_there_before_is_not_what_is_ruled_out(bench: Bench) -> None:
    bench.write("parse.py", PARSE + "\n\ndef first(path):\n    return open(path).readline()\n")
    belief = bench.remember("No I/O beside the first line", "parse.py")
    bench.write("parse.py", bench.read("parse.py") + "\n\ndef last(path):\n    return open(path).readlines()[-1]\n")
    assert bench.standing(belief) is Standing.CURRENT, bench.told(belief)


@pytest.mark.parametrize(
    ("statement", "holds"),
    [("Never blocks", False), ("Must not block without a deadline", True), ("Nothing works without the disk", True)],
)
def test_only_the_act_itself_is_ruled_out(bench: Bench, statement: str, holds: bool) -> None:
    bench.write("poll.py", "def poll(queue):\n    if not queue:\n        return None\n    return queue.pop()\n")
    belief = bench.remember(statement, "poll.py")
    bench.write("poll.py", bench.read("poll.py") + "\n\ndef later(queue):\n    time.sleep(1)\n    return open(queue)\n")
    assert bench.judge(belief).holds is holds, bench.told(belief)
