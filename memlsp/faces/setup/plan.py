"""From edits to changed files: plan the new texts, then write them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from memlsp.faces.setup.edits import files, marked_block
from memlsp.faces.setup.edits.jsonc import parse
from memlsp.faces.setup.file_edits import HookEntries, ServerEntry, ServerTable, SetupEdit
from memlsp.faces.setup.ledger import Ledger, digest
from memlsp.model.errors import MemlspError, Refused

_SERVERS = ("mcpServers", "servers", "mcp", "context_servers", "clients")


@frozen
class PlannedChange:
    """The change of one file. `after` None: it is deleted. With a `problem`, one line, nothing is touched."""

    path: Path
    before: bytes | None
    after: bytes | None
    about: tuple[str, ...] = ()
    problem: str = ""
    former: bytes | None = field(default=None, repr=False)
    """The bytes without anything of ours; None for no file."""

    @property
    def needed(self) -> bool:
        """Whether the file has to be written."""
        return not self.problem and self.before != self.after

    def diff(self, name: str) -> str:
        """A unified diff under that name; line ends of other systems are shown as plain ones."""
        old, new = (_lines(data) for data in (self.before, self.after))
        from_name = name if self.before is not None else "/dev/null"
        to_name = name if self.after is not None else "/dev/null"
        return "".join(difflib.unified_diff(old, new, from_name, to_name))


def install_plan(edits: Iterable[SetupEdit], ledger: Ledger, project: Path | None = None) -> list[PlannedChange]:
    """The changes that put all edits in place, one for each file. Of a `project` no file changes that its links lead
    out to: a repository does not choose which file of a person's that is."""
    return _planned(edits, lambda path, group: _put(path, group, ledger, project))


def removal_plan(edits: Iterable[SetupEdit], ledger: Ledger) -> list[PlannedChange]:
    """The changes that take all edits out of every file."""
    return _planned(edits, lambda path, group: _taken(path, group, ledger))


def outdated(edits: Iterable[SetupEdit]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The files into which an earlier setup put entries that are not as this one would put them, each with the events
    that have no hook of ours."""
    for edit in edits:
        try:
            present = files.read(edit.path)
            if present is None or edit.take(present.text, "") == present.text or edit.put(present.text) == present.text:
                continue
            yield edit.path, edit.missing(present.text) if isinstance(edit, HookEntries) else ()
        except MemlspError:
            continue  # `memlsp init` says what is the matter with the file


def apply(change: PlannedChange, ledger: Ledger) -> Ledger:
    """Write one file, and return the ledger with it. Raises OSError or Refused; then the file is as it was."""
    if not change.needed:
        return ledger
    if change.after is None:
        files.remove(change.path)
        return ledger.without(change.path).without_empty_folders()
    # the copy is safe before the file is touched
    noted = ledger.noted(change.path, change.former, change.after)
    noted.store()
    noted = evolve(noted, made=(*noted.made, *files.write(change.path, change.after, change.before)))
    return noted.without(change.path) if change.after == change.former else noted


def _planned(
    edits: Iterable[SetupEdit], plan: Callable[[Path, Sequence[SetupEdit]], PlannedChange]
) -> list[PlannedChange]:
    """The change of each file, with the problem of one that cannot be edited."""
    changes: list[PlannedChange] = []
    for path, group in _by_file(edits):
        about = tuple(dict.fromkeys(edit.about for edit in group))
        try:
            changes.append(evolve(plan(path, group), about=about))
        except MemlspError as error:
            changes.append(PlannedChange(path, None, None, about, str(error)))
    return changes


def _put(path: Path, edits: Sequence[SetupEdit], ledger: Ledger, project: Path | None) -> PlannedChange:
    if project and path.is_relative_to(project) and not path.resolve().is_relative_to(project.resolve()):
        raise Refused(f"leads out of the project, to {path.resolve()}")
    present = files.read(path)
    found = present or files.NEW
    text = found.text
    for edit in edits:
        text = edit.put(text)
    before = present.data if present else None
    after = found.encoded(text)
    if after != before:
        files.demand_writable(path)
    return PlannedChange(path, before, after, former=_former(path, before, found, edits, ledger))


def _former(
    path: Path, before: bytes | None, found: files.FileText, edits: Sequence[SetupEdit], ledger: Ledger
) -> bytes | None:
    """The bytes without us: the kept copy when nobody wrote since, else those without our entries."""
    line = ledger.line(path)
    if before is None:
        return None
    if line and line.after == digest(before) and ledger.has_copy(line):
        return ledger.former(path)
    text = found.text
    for edit in edits:
        text = edit.take(text, "")
    left = found.encoded(text)
    return None if line and not line.before and not text.strip() else left


def _taken(path: Path, edits: Sequence[SetupEdit], ledger: Ledger) -> PlannedChange:
    present = files.read(path)
    if present is None:
        return PlannedChange(path, None, None)
    line = ledger.line(path)
    kept = ledger.former(path)
    after: bytes | None
    if line and line.after == digest(present.data) and ledger.has_copy(line):
        after = kept  # nobody wrote since: the former file comes back
    else:
        former = kept.decode("utf-8-sig") if kept is not None else ""
        text = present.text
        for edit in edits:
            text = edit.take(text, former)
        after = present.encoded(text)
        if not text.strip() and (line is None or not line.before) and after != present.data:
            after = None
    if after != present.data:
        files.demand_writable(path)
    return PlannedChange(path, present.data, after, former=kept)


def _by_file(edits: Iterable[SetupEdit]) -> list[tuple[Path, list[SetupEdit]]]:
    """The edits of each file; two paths that lead to one file are one."""
    groups: dict[Path, tuple[Path, list[SetupEdit]]] = {}
    for edit in edits:
        _, group = groups.setdefault(edit.path.resolve(), (edit.path, []))
        if not any(type(other) is type(edit) and other.put("") == edit.put("") for other in group):
            group.append(edit)
    return list(groups.values())


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8-sig", "replace")
    lines = [f"{line}\n" for line in text.splitlines()]
    if lines and not text.endswith(("\n", "\r")):
        lines[-1] += "\\ no line end\n"
    return lines


@frozen
class Leftovers:
    """An edit that takes everything of ours out of one file, by its form."""

    path: Path
    about: str = "entries of memlsp"

    def put(self, text: str) -> str:
        """Put nothing."""
        return text

    def take(self, text: str, former: str) -> str:
        """Remove hooks, servers, tables or blocks, by the kind of file."""
        if self.path.suffix == ".toml":
            return ServerTable(self.path, "", ("mcp_servers", "memlsp"), {}).take(text, former)
        if self.path.suffix in {".json", ".jsonc", ".sublime-settings"}:
            return self._from_json(text, former)
        marks = marked_block.Marks.MARKDOWN if self.path.suffix in {".md", ".mdc"} else marked_block.Marks.SHELL
        return marked_block.without_block(text, marks)

    def _from_json(self, text: str, former: str) -> str:
        if not text.strip():
            return text
        parse(text)
        for key in _SERVERS:
            text = ServerEntry(self.path, "", (key, "memlsp"), {}).take(text, former)
        return HookEntries(self.path, "", {}).take(text, former)


def leftovers(ledger: Ledger, known: Iterable[SetupEdit]) -> list[SetupEdit]:
    """Edits for files that were written once and that no client has now: of other projects, of former versions."""
    present = {edit.path.resolve() for edit in known}
    return [Leftovers(line.path) for line in ledger.lines if line.path.resolve() not in present]
