"""agnix 0.59: a linter of agents' configuration, asked about one document.

pip install agnix, then: agnix_adapter.py FOLDER, the folder with the program `agnix`. Counted are its rules about what
a document refers to (REF, and CC-MEM-004 of scripts that are not there); the others are about form.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from stalecode.serve import serve


class Agnix:
    """A process for each document, over the whole project: some of its rules look at other files."""

    name = "agnix"

    def __init__(self, folder: str) -> None:
        self._program = str(Path(folder) / "agnix")
        told = subprocess.run([self._program, "--version"], capture_output=True, text=True, check=True)
        self.version = told.stdout.split()[-1]

    def check(self, folder: str, file: str) -> dict[str, Any]:
        """The lines with a broken reference."""
        command = [self._program, "--format", "json", "."]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout)["diagnostics"]
        broken = [each for each in found if each["rule"].startswith("REF") or each["rule"] == "CC-MEM-004"]
        return {"lines": sorted({each["line"] for each in broken if Path(folder, each["file"]) == Path(folder, file)})}


if __name__ == "__main__":
    serve(Agnix(sys.argv[1]))
