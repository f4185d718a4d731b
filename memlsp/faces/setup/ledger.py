"""The list of written files and copies of their former contents. In the data folder, for its owner alone."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from memlsp.faces.setup.edits import files
from memlsp.model.errors import UnreadableSource

_FORM = 1


@frozen
class LedgerLine:
    """One file that setup wrote. `before` names the copy of the former file, "" when there was none."""

    path: Path
    before: str
    after: str


@frozen
class Ledger:
    """All written files, and the folders made for them. A value: `store` writes it."""

    folder: Path
    lines: tuple[LedgerLine, ...] = field(default=())
    made: tuple[Path, ...] = field(default=())

    @classmethod
    def load(cls, data_folder: Path) -> Ledger:
        """Read the ledger; empty when it is unreadable, for our entries can be recognised without it."""
        folder = data_folder / "setup"
        try:
            found = files.read(folder / "ledger.json")
            kept: Any = json.loads(found.text) if found else {}
            lines = tuple(
                LedgerLine(Path(line["path"]), str(line["before"]), str(line["after"]))
                for line in kept.get("files", [])
            )
            made = tuple(Path(place) for place in kept.get("folders", []))
        except (UnreadableSource, ValueError, KeyError, TypeError, AttributeError):
            return cls(folder)
        return cls(folder, lines, made)

    def line(self, path: Path) -> LedgerLine | None:
        """The line of that file."""
        return next((line for line in self.lines if line.path == path), None)

    def former(self, path: Path) -> bytes | None:
        """The former bytes of that file; None when there was no file, or its copy is lost."""
        line = self.line(path)
        if line is None or not line.before:
            return None
        try:
            found = files.read(self.folder / line.before)
        except UnreadableSource:
            return None
        return found.data if found else None

    def has_copy(self, line: LedgerLine) -> bool:
        """Whether the former contents are still known: a copy, or that there was no file."""
        return not line.before or (self.folder / line.before).is_file()

    def noted(self, path: Path, before: bytes | None, after: bytes) -> Ledger:
        """Add a file that is about to be written. Its copy is on disk when this returns."""
        name = ""
        if before is not None:
            name = f"{path.name.lstrip('.')}.{digest(str(path).encode() + before)[:16]}.before"
            files.write_private(self.folder / name, before)
        others = tuple(line for line in self.lines if line.path != path)
        return evolve(self, lines=(*others, LedgerLine(path, name, digest(after))))

    def without_empty_folders(self) -> Ledger:
        """Remove our folders that are empty again, also on disk; innermost first."""
        left: list[Path] = []
        for place in sorted(self.made, key=lambda place: len(place.parts), reverse=True):
            try:
                place.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                left.append(place)
        return evolve(self, made=tuple(left))

    def without(self, path: Path) -> Ledger:
        """Remove that file and its copy."""
        line = self.line(path)
        if line and line.before:
            (self.folder / line.before).unlink(missing_ok=True)
        return evolve(self, lines=tuple(other for other in self.lines if other.path != path))

    def store(self) -> None:
        """Write the ledger; an empty one leaves no file."""
        place = self.folder / "ledger.json"
        if not self.lines:
            # a folder with files of others is theirs now
            place.unlink(missing_ok=True)
            if self.folder.exists() and not any(self.folder.iterdir()):
                self.folder.rmdir()
            return
        lines = [{"path": str(line.path), "before": line.before, "after": line.after} for line in self.lines]
        whole = {"form": _FORM, "files": lines, "folders": [str(place) for place in self.made]}
        files.write_private(place, json.dumps(whole, indent=1).encode())


def digest(data: bytes) -> str:
    """A hash of contents."""
    return hashlib.sha256(data).hexdigest()
