"""One of the processes of the soak: it leaves events on the doorstep, as a hook would, and says which were taken.

`python -m benchmarks.speed.soak_writer ROOT DATA WRITER COUNT`. It goes on after the last event that it said was taken,
so that it can be killed at any moment and started again; that one event more or less is delivered twice is part of the
soak.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from memlsp.memory.ingest.hook_ingest import ingest_payload

STEP = 10_000
"""Milliseconds between two events of one writer, by its own clock: 100,000 events are two days."""

BEGIN = 1_760_000_000_000
"""Milliseconds since 1970 at which that clock begins."""

FILES = ("client.py", "pricing/tax.py", "pricing/rates.py", "docs/notes.md")
_OUTPUT = "\n".join(f"tests/test_{n}.py::test_case_{n} PASSED [ {n} %]" for n in range(40))
_KINDS = ("read", "edit", "command", "read", "tool", "read", "command", "edit", "read", "read", "command", "tool")
_TURN = 60  # events from one request to the next: ten minutes
_COMMIT = 120  # events from one commit to the next
_SESSION = 2_000  # events of a session


def key_of(writer: int, number: int) -> str:
    """The key of a writer's event."""
    return f"soak:{writer}:{number}"


def record_of(writer: int, number: int) -> dict[str, object]:
    """A writer's event: of all kinds, some with outputs that repeat, some with a secret."""
    place = number % _SESSION
    if place == _SESSION - 1:
        kind = "session-end"
    elif place % _COMMIT == _COMMIT - 1:
        kind = "commit"
    elif place % _TURN == 0:
        kind = "prompt"
    elif place % _TURN == _TURN - 1:
        kind = "say"
    else:
        kind = _KINDS[number % len(_KINDS)]
    record: dict[str, object] = {
        "key": key_of(writer, number),
        "at": BEGIN + number * STEP,
        "kind": kind,
        "source": ("claude-code", "cursor", "codex", "gemini", "copilot-cli")[writer % 5],
        "session": f"session-{writer}-{number // _SESSION}",
    }
    path = FILES[(number // _TURN + writer) % len(FILES)]
    if kind in ("read", "edit"):
        record["paths"] = [path]
    elif kind == "commit":
        record |= {"paths": [path, FILES[(number // _TURN + writer - 1) % len(FILES)]], "text": f"Case {number % 211}"}
    elif kind == "command":
        record |= {"text": f"pytest -q {path} -k case_{number % 97}", "output": _OUTPUT + str(number % 7)}
        record |= {"ok": number % 5 != 0, "exit": int(number % 5 == 0)}
    elif kind == "tool":
        record |= {"tool": "Grep", "text": f"def case_{number % 53}"}
    elif number % 101 == 0:
        record["text"] = f"deploy with ghp_{'0123456789abcdefghij' * 2} to stage {number}"
    else:
        record["text"] = f"Now make case {number % 211} of {path} return the rounded value, writer {writer}"
    return record


def main(arguments: list[str]) -> int:
    """Write what is left to write. The numbers taken are appended to a file of the writer's own, one a line."""
    root, data, writer, count = arguments[0], arguments[1], int(arguments[2]), int(arguments[3])
    done = taken(data, writer)
    handle = os.open(_log(data, writer), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in range(done, count):
        records = [record_of(writer, number)]
        for _ in range(2 if number % 10 == 0 else 1):  # some deliveries come twice
            came = ingest_payload(records, root, now_ms=BEGIN + number * STEP, data=data)
            if came.fate not in {"stored", "spooled"}:
                sys.stderr.write(f"{number}: {came.fate} {came.trouble}\n")
                return 1
        os.write(handle, b"%d\n" % number)
    return 0


def taken(data: str, writer: int) -> int:
    """How many events of a writer were taken so far."""
    try:
        lines = _log(data, writer).read_bytes().split(b"\n")
    except OSError:
        return 0
    return int(lines[-2]) + 1 if len(lines) > 1 else 0


def _log(data: str, writer: int) -> Path:
    return Path(data) / f"taken-{writer}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
