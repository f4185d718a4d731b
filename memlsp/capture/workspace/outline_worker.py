"""The process that outlines large files: `python -m memlsp.capture.workspace.outline_worker`, started by `outliner`.

It has its own interpreter lock, so the server answers its editor meanwhile. It reads frames with a path and a text from
stdin and writes outlines to stdout. It ends when stdin is closed, and when one text takes too long to parse.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO

from memlsp.capture.child_process import Head, be_modest, read_frame, write_frame
from memlsp.capture.history.compact_symbols import pack_symbols
from memlsp.code.incremental.edited_file import FileVersion, parse_file, reparse_file

_BATCH = 40  # symbols in a frame, so that unpacking one is short
_NICENESS = 5


def work(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Answer every frame until the input ends."""
    requests: SimpleQueue[tuple[Head, bytes] | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(stdin, requests), daemon=True).start()
    before: FileVersion | None = None
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        while (request := requests.get()) is not None:
            head, source = request
            path = str(head["path"])
            faulthandler.dump_traceback_later(float(str(head["patience"])), exit=True, file=nowhere)
            same = before is not None and before.path == path
            before = reparse_file(before, source) if before is not None and same else parse_file(path, source)
            _answer(before, stdout)
            faulthandler.cancel_dump_traceback_later()


def _listen(stdin: BinaryIO, requests: SimpleQueue[tuple[Head, bytes] | None]) -> None:
    """Queue requests. End the process with its input, even in the middle of a parse."""
    with suppress(OSError, ValueError):
        while (frame := read_frame(stdin)) is not None:
            requests.put(frame)
    os._exit(0)


def _answer(reading: FileVersion, stdout: BinaryIO) -> None:
    outline = reading.outline
    batches = [outline.symbols[at : at + _BATCH] for at in range(0, len(outline.symbols), _BATCH)]
    head: Head = {
        "path": outline.path,
        "language": outline.language,
        "imports": [[each.local, each.module, each.name, each.line] for each in outline.imports],
        "has_errors": outline.has_errors,
        "generated": outline.generated,
        "lines": outline.lines,
        "batches": len(batches),
    }
    write_frame(stdout, head)
    for batch in batches:
        write_frame(stdout, {}, pack_symbols([(symbol, 0) for symbol in batch]))


def main() -> None:
    """Answer requests on stdin with outlines on stdout."""
    be_modest(_NICENESS)
    stdout = sys.stdout.buffer
    sys.stdout = sys.stderr  # stdout is the wire
    with suppress(OSError):
        work(sys.stdin.buffer, stdout)


if __name__ == "__main__":
    main()
