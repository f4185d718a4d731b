"""From pieces to files: what would be written, and the writing of it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import field, frozen

from memlsp.faces.setup.edits import files
from memlsp.faces.setup.ledger import Ledger, digest
from memlsp.faces.setup.pieces import Piece
from memlsp.model.errors import MemlspError, Refused


@frozen
class Change:
    """What happens to one file. `after` None: it is deleted. A `problem` is one line, and then nothing is touched."""

    path: Path
    before: bytes | None
    after: bytes | None
    about: tuple[str, ...] = ()
    problem: str = ""
    former: bytes | None = field(default=None, repr=False)
    """What stood there before anything of ours did; None for no file."""

    @property
    def needed(self) -> bool:
        """Whether there is anything to do."""
        return not self.problem and self.before != self.after

    def diff(self, name: str) -> str:
        """As a unified diff under that name; line ends of other systems are shown as plain ones."""
        old, new = (_lines(data) for data in (self.before, self.after))
        from_name = name if self.before is not None else "/dev/null"
        to_name = name if self.after is not None else "/dev/null"
        return "".join(difflib.unified_diff(old, new, from_name, to_name))


def installing(pieces: Iterable[Piece], ledger: Ledger, project: Path | None = None) -> list[Change]:
    """What has to change so that all pieces are in place, one Change for each file. Where it is a `project` that is
    written into, nothing is that its links lead out to: a repository does not choose which file of a person's that is.
    """
    return [_put(path, group, ledger, project) for path, group in _by_file(pieces)]


def removing(pieces: Iterable[Piece], ledger: Ledger) -> list[Change]:
    """What has to change so that none of the pieces is in any file."""
    return [_taken(path, group, ledger) for path, group in _by_file(pieces)]


def apply(change: Change, ledger: Ledger) -> Ledger:
    """Do it. Raises OSError or Refused; then the file is as it was."""
    if not change.needed:
        return ledger
    if change.after is None:
        files.remove(change.path)
        return ledger.without(change.path).without_empty_folders()
    # the copy is safe before the file is touched
    noted = ledger.noted(change.path, change.former, change.after)
    noted.store()
    noted = noted.with_folders(files.write(change.path, change.after, change.before))
    return noted.without(change.path) if change.after == change.former else noted


def _put(path: Path, pieces: Sequence[Piece], ledger: Ledger, project: Path | None) -> Change:
    about = _abouts(pieces)
    try:
        if project is not None and path.is_relative_to(project) and not _lies_in(path, project):
            raise Refused(f"leads out of the project, to {path.resolve()}")
        present = files.read(path)
        found = present or files.NEW
        text = found.text
        for piece in pieces:
            text = piece.put(text)
        before = present.data if present else None
        after = found.encoded(text)
        if after != before:
            files.demand_writable(path)
        return Change(path, before, after, about, former=_former(path, before, found, pieces, ledger))
    except MemlspError as error:
        return Change(path, None, None, about, str(error))


def _former(
    path: Path, before: bytes | None, found: files.Found, pieces: Sequence[Piece], ledger: Ledger
) -> bytes | None:
    """What there would be without us: what was kept when nobody wrote since, else what is left without our entries."""
    line = ledger.line(path)
    if before is None:
        return None
    if line and line.after == digest(before) and ledger.has_copy(line):
        return ledger.former(path)
    text = found.text
    for piece in pieces:
        text = piece.take(text, "")
    left = found.encoded(text)
    return None if line and not line.before and not text.strip() else left


def _taken(path: Path, pieces: Sequence[Piece], ledger: Ledger) -> Change:
    about = _abouts(pieces)
    try:
        present = files.read(path)
        if present is None:
            return Change(path, None, None, about)
        line = ledger.line(path)
        kept = ledger.former(path)
        after: bytes | None
        if line and line.after == digest(present.data) and ledger.has_copy(line):
            after = kept  # nobody wrote since: what was there comes back whole
        else:
            former = kept.decode("utf-8-sig") if kept is not None else ""
            text = present.text
            for piece in pieces:
                text = piece.take(text, former)
            after = present.encoded(text)
            if not text.strip() and (line is None or not line.before) and after != present.data:
                after = None
        if after != present.data:
            files.demand_writable(path)
        return Change(path, present.data, after, about, former=kept)
    except MemlspError as error:
        return Change(path, None, None, about, str(error))


def _by_file(pieces: Iterable[Piece]) -> list[tuple[Path, list[Piece]]]:
    """Grouped by the file that is meant: two names that lead to one file are one."""
    groups: dict[Path, tuple[Path, list[Piece]]] = {}
    for piece in pieces:
        _, group = groups.setdefault(piece.path.resolve(), (piece.path, []))
        if not any(type(other) is type(piece) and other.put("") == piece.put("") for other in group):
            group.append(piece)
    return list(groups.values())


def _abouts(pieces: Sequence[Piece]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(piece.about for piece in pieces))


def _lies_in(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8-sig", "replace")
    lines = [f"{line}\n" for line in text.splitlines()]
    if lines and not text.endswith(("\n", "\r")):
        lines[-1] += "\\ no line end\n"
    return lines
