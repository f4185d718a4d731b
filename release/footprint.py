"""What an installation takes: bytes on the disk, by package, and the time that its first line needs."""

from __future__ import annotations

import json
import os
from pathlib import Path

from release.checks import CheckFailed, run
from release.installs import environment, first_job, interpreter

WITHOUT = Path(__file__).with_name("left_out.txt")
MOST_BYTES = {"whole": 225_000_000, "small": 150_000_000}
"""The bytes that an installation may have, without bytecode: that of `uv tool install`, and the one without
`left_out.txt`."""

_SIZES = """
import json
from collections import Counter
from importlib.metadata import distributions
sizes = Counter()
for each in distributions():
    for file in each.files or []:
        path = each.locate_file(file)
        if path.is_file() and path.suffix != ".pyc":
            sizes[each.metadata["Name"]] += path.stat().st_size
print(json.dumps(sizes))
"""

_TIMES = """
import json, subprocess, sys, time
def spent(*words):
    best = 9e9
    for _ in range(7):
        before = time.perf_counter()
        subprocess.run([sys.executable, "-I", *words], check=True, capture_output=True)
        best = min(best, time.perf_counter() - before)
    return round(1000 * best)
print(json.dumps({"nothing": spent("-c", ""), "import memlsp": spent("-c", "import memlsp"),
                  "memlsp --version": spent("-m", "memlsp", "--version")}))
"""


def sizes(python: Path) -> dict[str, int]:
    """The bytes of each installed package, the largest first."""
    found: dict[str, int] = json.loads(run([python, "-I", "-c", _SIZES], Path()))
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def whole(python: Path) -> str:
    """Check the bytes of an ordinary installation."""
    found = sizes(python)
    largest = ", ".join(f"{name} {size / 1e6:.0f}" for name, size in list(found.items())[:8])
    return f"{_within('whole', sum(found.values()))}; MB: {largest}"


def small(wheel: Path, version: str, folder: Path) -> str:
    """Check that the installation of `left_out.txt` is small and does the first job."""
    python = environment(folder, wheel, interpreter("3.11"), "--excludes", WITHOUT)
    done = first_job([python, "-m", "memlsp"], folder / "job", version)
    return f"{_within('small', sum(sizes(python).values()))}: {done}"


def _within(name: str, size: int) -> str:
    most = MOST_BYTES[name]
    said = f"{size / 1e6:.0f} MB of at most {most / 1e6:.0f}"
    if size > most:
        raise CheckFailed(said)
    return said


def times(python: Path) -> str:
    """Milliseconds of whole processes, the best of seven: to be read, not to be held."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found: dict[str, int] = json.loads(run([python, "-c", _TIMES], Path("/"), environ))
    return ", ".join(f"{name}: {each} ms" for name, each in found.items())
