"""The machine as setting up sees it: home, project, environment, programs. A value, so that a test can have its own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from attrs import field, frozen


class Extent(StrEnum):
    """Whose files are written."""

    USER = "user"
    PROJECT = "project"


@frozen
class Surroundings:
    """`project` is the top of the repository, or the folder itself where there is none."""

    home: Path
    project: Path
    environ: Mapping[str, str] = field(factory=dict[str, str], repr=False)
    platform: str = sys.platform

    @classmethod
    def here(cls, folder: Path) -> Surroundings:
        """Those of this process, for a project that holds `folder`."""
        folder = folder.absolute()
        top = next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
        return cls(Path.home(), top, dict(os.environ))

    def folder(self, variable: str, *default: str) -> Path:
        """The folder that an environment variable names, else one below home."""
        named = self.environ.get(variable, "").strip()
        return Path(named).expanduser().absolute() if named else self.home.joinpath(*default)

    @property
    def config(self) -> Path:
        """Where programs keep settings: XDG's folder, also on macOS, where the terminal's programs use it too."""
        if self.platform == "win32":
            return self.folder("APPDATA", "AppData", "Roaming")
        return self.folder("XDG_CONFIG_HOME", ".config")

    @property
    def application(self) -> Path:
        """Where desktop programs keep settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`."""
        return self.home / "Library" / "Application Support" if self.platform == "darwin" else self.config

    def program(self, *names: str) -> bool:
        """True when one of these is on the PATH."""
        return any(shutil.which(name, path=self.environ.get("PATH", "")) for name in names)

    def shown(self, path: Path) -> str:
        """A path as a person writes it: below the project without it, below home with ~."""
        roots = sorted(((self.project, ""), (self.home, "~")), key=lambda root: len(root[0].parts), reverse=True)
        for root, sign in roots:
            if path.is_relative_to(root):
                inner = path.relative_to(root).as_posix()
                return f"{sign}/{inner}" if sign else inner
        return str(path)
