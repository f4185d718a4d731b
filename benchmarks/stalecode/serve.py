"""The adapter's side of the line protocol, which PROTOCOL.md tells; needs the standard library alone.

    from stalecode.serve import serve

    class Mine:
        name, version = "mine", "1.0"
        def begin(self, folder, data): ...
        def remember(self, id, text, path="", symbol="", lines=None, when=None): ...
        def tree(self, folder): ...
        def ask(self, id): return {"trust": True, "why": ""}

    serve(Mine())

An adapter leaves out the methods of what its memory cannot do. What the memory prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

METHODS = ("begin", "remember", "tree", "ask", "conflicts", "forget", "check", "learn", "recall")
"""Each is called with the request's keys, without `op`."""


def serve(adapter: object) -> None:
    """Answer until the other end closes its side. An exception of a method is the answer to that request."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8")
    try:
        for line in requests:
            answers.write(json.dumps(_answer(adapter, json.loads(line))) + "\n")
            answers.flush()
    finally:
        if close := getattr(adapter, "close", None):
            close()


def _answer(adapter: object, request: dict[str, Any]) -> dict[str, Any]:
    op = request.pop("op")
    if op == "hello":
        can = [method for method in METHODS if hasattr(adapter, method)]
        return {"name": getattr(adapter, "name", "?"), "version": getattr(adapter, "version", ""), "can": can}
    try:
        return getattr(adapter, op)(**request) or {}
    except Exception as error:  # noqa: BLE001 - whatever the memory raises is told, and the next case is asked
        return {"error": f"{type(error).__name__}: {error}"[:500]}
