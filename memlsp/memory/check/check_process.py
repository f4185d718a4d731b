"""`memlsp check` in a process of its own: a server keeps none of the history, and nothing waits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from memlsp.capture.child_process import environment

_LONGEST = 300  # seconds


def findings_of(root: Path, *question: str) -> list[dict[str, Any]]:
    """The findings of a document, or with `--changed` of all since HEAD, as JSON has them; none where it is no document
    of the repository, or without git."""
    command = (sys.executable, "-P", "-m", "memlsp", "-C", str(root), "check", "--format", "json", *question)
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            command, capture_output=True, stdin=subprocess.DEVNULL, env=environment(), timeout=_LONGEST, check=False
        )
        return json.loads(done.stdout)["findings"]
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return []
