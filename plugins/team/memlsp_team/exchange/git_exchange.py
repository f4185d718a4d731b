"""An exchange over git: one reference for each writer, whose commit without parents has all lines of that writer.

The tree of the commit has segments of at most 500 lines, `KEY SPACE TEXT` each: what is appended changes the last one
alone. Only its writer moves a reference, by force, so that writers never wait for each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from memlsp.model.errors import ExchangeUnavailable
from memlsp.model.one_line import plain
from memlsp_team.exchange.addresses import shown
from memlsp_team.exchange.lines import MOST_BYTES, MOST_LINES, Line, Pull, check_lines, fault_of, is_writer
from memlsp_team.exchange.side_repository import ObjectReader, SideRepository, UnreadableObject

_PLACES = ("refs/memlsp/v1/", "refs/heads/memlsp/v1/")  # the second for hosts that know only branches and tags
_SEGMENT_LINES, _SEGMENT_BYTES = 500, 8 << 20
_MOST_SEGMENTS = MOST_LINES // _SEGMENT_LINES + MOST_BYTES // (_SEGMENT_BYTES >> 1)
_ENOUGH = 64 << 20  # bytes that one pull reads, before it leaves the other writers to the next
_ENTRY = re.compile(rb"100644 \d{5}\.lines\0(.{20})", re.DOTALL)


class GitExchange:
    """The references below refs/memlsp/v1/ of a git repository. Its host says who may write: whoever may push can also
    move another writer's reference. What was taken away leaves the host when it collects what nothing reaches."""

    def __init__(self, address: str, folder: Path) -> None:
        self._side = SideRepository(address, folder)

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        """See `Exchange`."""
        check_lines(writer, lines)
        self._side.whole(lambda: self._publish(writer, lines))

    def _publish(self, writer: str, lines: Sequence[Line]) -> None:
        side, names = self._side, [place + writer for place in _PLACES]
        former = self._fetched(writer)
        commit = self._commit(lines) if lines else ""
        if list(former.values()) != ([commit] if commit else []):
            with ObjectReader(side) as objects:
                if any(_Change(objects, commit, old).taken_away for old in former.values()):
                    side.sweep_later()
            for name in former:  # before the push: then whoever sweeps after it finds the old commit unreached
                side.run("update-ref", "-d", name)
            taken = self._push(names[1:] if list(former) == names[1:] else names, commit, former)
            if commit:
                side.run("update-ref", taken, commit)
        side.sweep()

    def _push(self, names: Sequence[str], commit: str, former: dict[str, str]) -> str:
        """Move the first of `names` that the host takes to `commit`, and delete the `former` others; that name."""
        refused = ""
        for name in names:
            refspecs = [f"+{commit}:{name}"] if commit else []
            refspecs += [f":{other}" for other in former if other != name or not commit]
            done = self._side.connect("push", "--porcelain", "--", self._side.address, *refspecs)
            answers = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("!")]
            if done.returncode == 0:
                return name
            if not answers:
                raise self._side.unreachable(done)
            refused = plain(answers[0].rpartition("\t")[2], 200)
        raise ExchangeUnavailable(
            f"{shown(self._side.address)} does not take what is pushed to {names[-1]}: {refused}",
            "ask its owner for the right to push there",
        )

    def own(self, writer: str) -> frozenset[str] | None:
        """See `Exchange`."""
        return self._side.whole(lambda: self._own(writer))

    def _own(self, writer: str) -> frozenset[str] | None:
        commits = self._fetched(writer).values()
        with ObjectReader(self._side) as objects:
            found = [_Change(objects, commit) for commit in commits]
        self._side.sweep()
        return frozenset(line.key for each in found for line in each.lines) if found else None

    def pull(self, cursor: str) -> Pull:
        """See `Exchange`."""
        return self._side.whole(lambda: self._pull(_seen(cursor)))

    def _pull(self, seen: dict[str, str]) -> Pull:
        complete = self._side.fetch(*(f"{place}*" for place in _PLACES))
        references = self._side.references()
        there = {name: commit for name, commit in references.items() if is_writer(_writer(name))}
        cursor = {name: commit for name, commit in seen.items() if name in there}
        faults = list(_faults_of_names([name for name in references if name not in there], complete))
        lines: list[tuple[str, Line]] = []
        changed = [name for name, commit in there.items() if cursor.get(name) != commit]
        size, taken_away = 0, len(cursor) < len(seen)
        with ObjectReader(self._side) as objects:
            while changed and size < _ENOUGH:
                name = changed.pop()
                change = _Change(objects, there[name], cursor.get(name, ""))
                lines += [(_writer(name), line) for line in change.lines]
                faults += [(_writer(name), fault) for fault in change.faults]
                size, taken_away = size + change.size, taken_away or change.taken_away
                cursor[name] = there[name]
        if taken_away:
            self._side.sweep_later()
        self._side.sweep()
        return Pull(tuple(lines), json.dumps(cursor, separators=(",", ":")), bool(changed), tuple(faults))

    def check(self) -> str:
        """See `Exchange`."""
        places = [f"{place}*" for place in _PLACES]
        done = self._side.whole(lambda: self._side.connect("ls-remote", "--", self._side.address, *places))
        if done.returncode:
            raise self._side.unreachable(done)
        count = len(done.stdout.splitlines())
        return f"{shown(self._side.address)}: git reaches it, {count} writers; git tells no clock"

    def close(self) -> None:
        """See `Exchange`."""

    def _fetched(self, writer: str) -> dict[str, str]:
        """The references of a writer as they are at the address now, with their commits."""
        patterns = [f"{place}{writer}*" for place in _PLACES]  # a name that is missing would be an error
        if not self._side.fetch(*patterns):
            raise ExchangeUnavailable(f"git could not write the references of {writer[:16]}", "try again in a minute")
        names = [place + writer for place in _PLACES]
        return {name: commit for name, commit in self._side.references().items() if name in names}

    def _commit(self, lines: Sequence[Line]) -> str:
        """Write a commit of `lines`, which is the same one for the same lines."""
        blobs = [self._side.run("hash-object", "-w", "--stdin", data=segment).strip() for segment in _segments(lines)]
        entries = [b"100644 blob %s\t%05d.lines\n" % (blob, number) for number, blob in enumerate(blobs)]
        tree = self._side.run("mktree", data=b"".join(entries)).decode().strip()
        return self._side.run("commit-tree", tree).decode().strip()


class _Change:
    """The lines of a writer in segments of `commit` that `old` did not have, and whether lines of `old` are gone."""

    def __init__(self, objects: ObjectReader, commit: str, old: str = "") -> None:
        self.lines: list[Line] = []
        self.faults: list[str] = []
        self.size = 0
        now, before = dict[str, int](), dict[str, int]()
        known = True
        try:
            before = _segments_of(objects, old) if old else before
        except UnreadableObject:
            known = False
        try:
            now = _segments_of(objects, commit) if commit else now
            for segment in now.keys() - before.keys():
                self.size += now[segment]
                self.lines += _lines_of(objects, segment, self.faults)
        except UnreadableObject as error:
            self.lines, self.faults = [], [str(error)]
        keys = {line.key for line in self.lines}
        gone = (line.key for each in before.keys() - now.keys() for line in _lines_of(objects, each, []))
        self.taken_away = not known or any(key not in keys for key in gone)


def _segments_of(objects: ObjectReader, commit: str) -> dict[str, int]:
    """The segments of a commit with their bytes. Raises UnreadableObject where it is not as a writer makes it."""
    tree = re.match(rb"tree ([0-9a-f]{40})\nauthor ", objects.content(commit, "commit", 4 << 10))
    if not tree:
        raise UnreadableObject("the commit has parents, so that nothing can be taken away")
    raw = objects.content(tree[1].decode(), "tree", 64 << 10)
    entries = _ENTRY.findall(raw)
    if 39 * len(entries) != len(raw) or len(entries) > _MOST_SEGMENTS:
        raise UnreadableObject("the tree has something else than segments, or too many of them")
    sizes = {name.hex(): objects.size(name.hex(), "blob") for name in entries}
    if sum(sizes.values()) > MOST_BYTES:
        raise UnreadableObject(f"there are more than {MOST_BYTES >> 20} MiB")
    return sizes


def _lines_of(objects: ObjectReader, segment: str, faults: list[str]) -> list[Line]:
    """The lines of a segment; what is refused is added to `faults`, each reason once."""
    content = objects.content(segment, "blob", MOST_BYTES)
    if content.count(b"\n") > _SEGMENT_LINES:
        raise UnreadableObject(f"a segment has more than {_SEGMENT_LINES} lines")
    lines: list[Line] = []
    for raw in content.removesuffix(b"\n").split(b"\n"):
        key, _, text = raw.partition(b" ")
        line = Line(key.decode("latin-1"), text)
        fault = fault_of(line)
        if not fault:
            lines.append(line)
        elif fault not in faults:
            faults.append(fault)
    return lines


def _segments(lines: Sequence[Line]) -> Iterator[bytes]:
    """`lines` in their order, cut so that lines which are added at the end leave all but the last segment as it was."""
    rows: list[bytes] = []
    size = 0
    for line in lines:
        row = b"%s %s\n" % (line.key.encode(), line.text)
        if len(rows) == _SEGMENT_LINES or size + len(row) > _SEGMENT_BYTES:
            yield b"".join(rows)
            rows, size = [], 0
        rows.append(row)
        size += len(row)
    yield b"".join(rows)


def _faults_of_names(strange: Sequence[str], complete: bool) -> Iterator[tuple[str, str]]:
    if strange:
        yield "", f"{len(strange)} references have a name that is no writer's, such as {plain(strange[0], 80)}"
    if not complete:
        yield "", "some references could not be written here, so that their writers are not read"


def _writer(name: str) -> str:
    """The writer whose reference has this name; "" where it is no place of ours."""
    return next((name.removeprefix(place) for place in _PLACES if name.startswith(place)), "")


def _seen(cursor: str) -> dict[str, str]:
    """The references that a cursor says were read; none where it is not one of ours."""
    try:
        values: object = json.loads(cursor)
    except (ValueError, RecursionError):
        return {}
    read = cast("dict[str, object]", values) if isinstance(values, dict) else {}
    return {
        name: commit
        for name, commit in read.items()
        if isinstance(commit, str) and re.fullmatch("[0-9a-f]{40}", commit) and is_writer(_writer(name))
    }
