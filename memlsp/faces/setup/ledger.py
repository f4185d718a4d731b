"""The list of what was written where, and copies of what was there before. In the data folder, for its owner alone."""

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
class Line:
    """One file that we wrote. `before` names the copy of what was there; "" when there was no file."""

    path: Path
    before: str
    after: str


@frozen
class Ledger:
    """All lines, and the folders that were made for the files. A value: `store` writes it."""

    folder: Path
    lines: tuple[Line, ...] = field(default=())
    made: tuple[Path, ...] = field(default=())

    @classmethod
    def load(cls, data_folder: Path) -> Ledger:
        """What was kept; empty when it cannot be understood, for entries of ours are also known by their looks."""
        folder = data_folder / "setup"
        try:
            found = files.read(folder / "ledger.json")
            kept: Any = json.loads(found.text) if found else {}
            lines = tuple(
                Line(Path(line["path"]), str(line["before"]), str(line["after"])) for line in kept.get("files", [])
            )
            made = tuple(Path(place) for place in kept.get("folders", []))
        except (UnreadableSource, ValueError, KeyError, TypeError, AttributeError):
            return cls(folder)
        return cls(folder, lines, made)

    def line(self, path: Path) -> Line | None:
        """What is known of that file."""
        return next((line for line in self.lines if line.path == path), None)

    def former(self, path: Path) -> bytes | None:
        """The bytes that were there before us; None when there was no file, or it is not known."""
        line = self.line(path)
        if line is None or not line.before:
            return None
        try:
            found = files.read(self.folder / line.before)
        except UnreadableSource:
            return None
        return found.data if found else None

    def has_copy(self, line: Line) -> bool:
        """Whether what was there before is still known: its copy, or that there was nothing."""
        return not line.before or (self.folder / line.before).is_file()

    def noted(self, path: Path, before: bytes | None, after: bytes) -> Ledger:
        """With a line for what is about to be written. The copy is on disk when this returns."""
        name = ""
        if before is not None:
            name = f"{path.name.lstrip('.')}.{digest(str(path).encode() + before)[:16]}.before"
            files.write_private(self.folder / name, before)
        others = tuple(line for line in self.lines if line.path != path)
        return evolve(self, lines=(*others, Line(path, name, digest(after))))

    def with_folders(self, made: list[Path]) -> Ledger:
        """With folders that were made just now."""
        return evolve(self, made=(*self.made, *made))

    def without_empty_folders(self) -> Ledger:
        """Without the folders that we made and that are empty again, on disk too; innermost first."""
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
        """Without that file and its copy."""
        line = self.line(path)
        if line and line.before:
            (self.folder / line.before).unlink(missing_ok=True)
        return evolve(self, lines=tuple(other for other in self.lines if other.path != path))

    def store(self) -> None:
        """Write it; an empty one leaves nothing behind."""
        place = self.folder / "ledger.json"
        if not self.lines:
            # a folder that somebody put something into is theirs now
            place.unlink(missing_ok=True)
            if self.folder.exists() and not any(self.folder.iterdir()):
                self.folder.rmdir()
            return
        lines = [{"path": str(line.path), "before": line.before, "after": line.after} for line in self.lines]
        whole = {"form": _FORM, "files": lines, "folders": [str(place) for place in self.made]}
        files.write_private(place, json.dumps(whole, indent=1).encode())


def digest(data: bytes) -> str:
    """What two equal contents share."""
    return hashlib.sha256(data).hexdigest()
