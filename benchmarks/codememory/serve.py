"""The adapter's side of the line protocol; needs the standard library alone.

An adapter has three methods: `learn(notes)`, with a list of dictionaries that have `id`, `text` and `at`; `recall(text,
k)`, which gives ids back, best first; `close()`. One JSON object a line comes in, one goes out.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Protocol


class Adapter(Protocol):
    """Another memory, as CodeMemory asks it."""

    def learn(self, notes: Sequence[Mapping[str, str]]) -> None:
        """Take in what was done since the last question, oldest first."""
        ...

    def recall(self, text: str, k: int) -> Sequence[str]:
        """The ids of the notes that a task needs, best first, at most `k`."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


def serve(adapter: Adapter) -> None:
    """Answer until the other end closes. What the memory itself prints goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8")
    try:
        for line in requests:
            asked = json.loads(line)
            if "learn" in asked:
                adapter.learn(asked["learn"])
                answer: dict[str, object] = {"learnt": len(asked["learn"])}
            else:
                answer = {"ids": list(adapter.recall(asked["recall"], asked["k"]))}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()
    finally:
        adapter.close()
