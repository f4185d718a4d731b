"""The command line: each command is a module's function, imported when it is called. It may import `render`, `setup`,
`memory` and `model`; late imports keep `memlsp lsp` as fast to start as it is. Begin with `commands.toml`, the table of
commands, and `app.py`, then `options.py` and `console.py`, which all of them use."""

from __future__ import annotations

import io
import sys


def run() -> None:
    """Run `memlsp` on the process's arguments and exit with its status: 0, 1 for an error, 2 for wrong usage."""
    from memlsp.faces.cli.app import memlsp

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() not in {"utf-8", "utf8"}:
            stream.reconfigure(errors="backslashreplace")  # a code page of Windows lacks the marks
    memlsp()
