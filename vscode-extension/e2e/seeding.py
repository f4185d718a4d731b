"""Runs several memlsp command lines in one process, for a process each would cost the suite seconds.

Reads a JSON list of argument lists on stdin; writes a JSON list of what each printed, without the newline at its end.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys

from memlsp.faces.cli.app import memlsp


def printed(arguments: list[str]) -> str:
    """What one command line writes to its standard output; raises where it fails."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        memlsp(args=arguments, prog_name="memlsp", standalone_mode=False)
    return output.getvalue().rstrip("\n")


print(json.dumps([printed(arguments) for arguments in json.load(sys.stdin)]))
