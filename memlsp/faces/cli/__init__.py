"""The command line.

`run` is its entry; the commands live in one file for each group of them and are imported when one of them is called,
so that `memlsp lsp` does not wait for what `memlsp recall` needs.
"""

from __future__ import annotations


def run() -> None:
    """Run `memlsp` on the process's arguments and exit with its status: 0, 1 for an error, 2 for wrong usage."""
    from memlsp.faces.cli.app import memlsp

    memlsp()
