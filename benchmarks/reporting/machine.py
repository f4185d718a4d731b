"""The machine that a figure was measured on: processor, cores, system, Python, date; never who or where."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from attrs import frozen

from memlsp.version import VERSION


@frozen
class Machine:
    """One machine as a reader of the figures needs it."""

    processor: str
    cores: int
    system: str
    python: str
    memlsp: str

    def as_json(self) -> dict[str, str | int]:
        """A JSON object."""
        return {
            "processor": self.processor,
            "cores": self.cores,
            "system": self.system,
            "python": self.python,
            "memlsp": self.memlsp,
        }

    def __str__(self) -> str:
        return f"{self.processor}, {self.cores} cores, {self.system}, Python {self.python}, memlsp {self.memlsp}"


def this_machine() -> Machine:
    """The machine that runs this."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        memlsp=VERSION,
    )


def today() -> str:
    """The date, UTC, ISO 8601."""
    return datetime.now(UTC).date().isoformat()


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown processor"


def resident_megabytes(process: int) -> float | None:
    """Resident memory of a running process in megabytes (10^6 bytes), None where the system does not say."""
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return None
