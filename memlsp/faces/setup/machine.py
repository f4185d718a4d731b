"""The user's machine as setup sees it: home, project, environment, programs. A value, so that a test has its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from attrs import field, frozen


class Extent(StrEnum):
    """Whether the user's own files are edited, or the project's."""

    USER = "user"
    PROJECT = "project"


@frozen
class UserMachine:
    """`project` is the top of the repository, or the folder itself where there is none. `enforces` is True where the
    person's settings let locked rules ask or deny."""

    home: Path
    project: Path
    environ: Mapping[str, str] = field(factory=dict[str, str], repr=False)
    platform: str = sys.platform
    enforces: bool = False

    @classmethod
    def here(cls, folder: Path, *, enforces: bool = False) -> UserMachine:
        """The machine of this process, with the project that holds `folder`."""
        folder = folder.absolute()
        top = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
        return cls(Path.home(), top, dict(os.environ), enforces=enforces)

    def hook_events(self, extent: Extent, events: Mapping[str, Mapping[str, Any]]) -> list[str]:
        """The events of an agent to set up; one that `decides` only for a person whose settings ask for a decision."""
        decides = self.enforces and extent is Extent.USER
        return [event for event, said in events.items() if decides or not said.get("decides")]

    def folder(self, variable: str, *default: str) -> Path:
        """The folder that an environment variable names, else a default below home."""
        named = self.environ.get(variable, "").strip()
        return Path(named).expanduser().absolute() if named else self.home.joinpath(*default)

    @property
    def config(self) -> Path:
        """The folder of programs' settings: XDG's, also on macOS, as terminal programs do there."""
        if self.platform == "win32":
            return self.folder("APPDATA", "AppData", "Roaming")
        return self.folder("XDG_CONFIG_HOME", ".config")

    @property
    def application(self) -> Path:
        """The folder of desktop programs' settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`."""
        return self.home / "Library" / "Application Support" if self.platform == "darwin" else self.config

    def program(self, *names: str) -> bool:
        """True when one of these is on the PATH."""
        return any(shutil.which(name, path=self.environ.get("PATH", "")) for name in names)

    def version(self, name: str) -> tuple[int, ...]:
        """What a program on the PATH answers to `--version`, as numbers; () without one."""
        program = shutil.which(name, path=self.environ.get("PATH", ""))
        try:
            words = [program or "", "--version"]
            done = subprocess.run(words, capture_output=True, timeout=10, check=False)  # noqa: S603 - the user's own
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return ()
        found = re.search(r"\d+(\.\d+)+", done.stdout.decode("utf-8", "replace"))
        return tuple(map(int, found[0].split("."))) if found else ()

    def shown(self, path: Path) -> str:
        """A path as a person writes it: relative to the project, or to home with ~."""
        roots = sorted(((self.project, ""), (self.home, "~")), key=lambda root: len(root[0].parts), reverse=True)
        for root, sign in roots:
            if path.is_relative_to(root):
                inner = path.relative_to(root).as_posix()
                return f"{sign}/{inner}" if sign else inner
        return str(path)
