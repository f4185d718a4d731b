"""The process that outlines large files: `python -m memlsp.capture.workspace.outline_worker`, started by `outliner`.

It has its own interpreter lock, so that an editor's questions are answered meanwhile. On stdin come frames, a path and
a text each time; an outline goes to stdout. It ends when its stdin is closed, and when one text takes too long: nobody
has to trust a parser to come back.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO

from memlsp.capture.history.compact_symbols import pack
from memlsp.capture.workspace.frames import Head, read_frame, write_frame
from memlsp.code.incremental.edited_file import FileVersion, parse_file, reparse_file

_BATCH = 40  # symbols in a frame: unpacking one takes a moment only
_NICENESS = 5


def work(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Answer every frame until there are no more."""
    orders: SimpleQueue[tuple[Head, bytes] | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(stdin, orders), daemon=True).start()
    before: FileVersion | None = None
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        while (order := orders.get()) is not None:
            head, source = order
            path = str(head["path"])
            faulthandler.dump_traceback_later(float(str(head["patience"])), exit=True, file=nowhere)
            before = (
                reparse_file(before, source) if before is not None and before.path == path else parse_file(path, source)
            )
            _answer(before, stdout)
            faulthandler.cancel_dump_traceback_later()


def _listen(stdin: BinaryIO, orders: SimpleQueue[tuple[Head, bytes] | None]) -> None:
    """Hand over what is asked. When nobody is left who could ask, whatever is under way ends as well."""
    with suppress(OSError, ValueError):
        while (frame := read_frame(stdin)) is not None:
            orders.put(frame)
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
        write_frame(stdout, {}, pack([(symbol, 0) for symbol in batch]))


def main() -> None:
    """Answer on stdout what is asked on stdin."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a key press in a terminal is for the one who waits for us
    with suppress(OSError, AttributeError):
        os.nice(_NICENESS)  # on Windows the starter sees to it
    stdout = sys.stdout.buffer
    sys.stdout = sys.stderr  # stdout is the wire
    with suppress(OSError):
        work(sys.stdin.buffer, stdout)


if __name__ == "__main__":
    main()
