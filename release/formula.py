"""The formula for Homebrew, filled in from the source archive of a release."""

from __future__ import annotations

import shutil
from pathlib import Path

from release.checks import CannotRun, CheckFailed, run
from release.home import REPOSITORY
from release.packages import digest

TEMPLATE = Path("packaging") / "homebrew" / "memlsp.rb"


def formula(template: str, archive: Path, version: str) -> str:
    """The formula with the address and the digest of the archive."""
    address = f"https://github.com/{REPOSITORY}/releases/download/v{version}/{archive.name}"
    return template.replace("@URL@", address).replace("@SHA256@", digest(archive))


def write(project: Path, archive: Path, version: str, written: Path) -> str:
    """Write the formula of a release and let Ruby read it."""
    written.write_text(formula((project / TEMPLATE).read_text("utf-8"), archive, version), "utf-8")
    if "@" in written.read_text("utf-8").replace("python@", ""):
        raise CheckFailed("a part of the formula was not filled in")
    if shutil.which("ruby") is None:
        raise CannotRun(f"{written.name} is written; no Ruby here to read it, and no Homebrew to install it")
    return run(["ruby", "-c", written], project).strip()
