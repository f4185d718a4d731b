"""Git operations in a checkout, from the reflogs of HEAD and of the stash.

Git appends a line whenever HEAD moves, in any program, whether or not memlsp ran. Each log is read from where
it was read before; the first look only remembers its end, since earlier operations are read from commits. The lines of
a rebase count as one operation, reported when it ends.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from memlsp.capture.redaction.redaction import redact
from memlsp.model.event import EventKind

MOST_LINES = 500
"""Lines that are read at once, the latest ones."""

_TAIL = 256 * 1024  # bytes read of a log at the most
_LINE = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*?(\d{1,12}) [+-]\d{4}\t?(.*)")
_MOVING = re.compile(r"moving from (\S+) to (\S+)")
_COMMITS = frozenset({"commit", "cherry-pick", "revert", "am"})
_ENDS = ("(finish)", "(abort)", "finished", "aborting")
_ZERO = re.compile(r"0+")


@frozen
class GitStep:
    """A git operation. `kind` is None for a part of another operation: then only `new`, the commit that is checked out
    afterwards, counts. `at` is in milliseconds since 1970, the end of the second that git noted."""

    kind: EventKind | None
    key: str
    at: int
    old: str
    new: str
    text: str = ""
    branch: str = ""


@frozen
class GitSteps:
    """The operations since the last look, in order; pass `mark` to the next call."""

    steps: tuple[GitStep, ...]
    mark: str


def git_steps(
    git_folder: Path, common: Path, mark: str, branch: str, since: int | None = None, *, personal: Sequence[str] = ()
) -> GitSteps:
    """The operations in the checkout of `git_folder` (and on the stash in `common`) since `mark`; for the first look
    ("") only those from the moment `since` (milliseconds since 1970, None for now) on.

    `branch` is checked out now; `redact` removes `personal` data from messages besides secrets. Never raises for the
    contents of the logs."""
    seen = _marks(mark)
    heads, head_mark = _new_lines(git_folder / "logs" / "HEAD", seen.get("head"), since)
    stashes, stash_mark = _new_lines(common / "logs" / "refs" / "stash", seen.get("stash"), since)
    steps = list(_named(heads, branch, personal))
    steps += [_stash(line, branch, personal) for line in stashes]
    steps.sort(key=lambda step: step.at)  # stable: those of one log stay in their order
    return GitSteps(tuple(steps), json.dumps({"head": head_mark, "stash": stash_mark}, separators=(",", ":")))


def has_moved(git_folder: Path, common: Path, mark: str) -> bool:
    """True when a log has another size than at `mark`, so there may be steps to read. False before the first look."""
    seen = _marks(mark)
    for name, path in (("head", git_folder / "logs" / "HEAD"), ("stash", common / "logs" / "refs" / "stash")):
        try:
            size = path.stat().st_size
        except OSError:
            size = 0
        if name in seen and seen[name][:1] != [size]:
            return True
    return False


@frozen
class _ReflogEntry:
    old: str
    new: str
    at: int
    message: str


def _marks(mark: str) -> dict[str, list[object]]:
    try:
        found: object = json.loads(mark) if mark else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] - looked at below


def _new_lines(path: Path, seen: list[object] | None, since: int | None) -> tuple[list[_ReflogEntry], list[object]]:
    """The lines added since `seen` (the size of the log and a digest of its last line), and the present value of it."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for its other end
            return [], [0, ""]
        size = found.st_size
        with path.open("rb") as file:
            start = max(0, size - _TAIL)
            file.seek(start)
            data = file.read(size - start)
    except OSError:
        return [], [0, ""]
    end = data.rfind(b"\n") + 1  # a line that is being written is for the next time
    lines = data[:end].splitlines(keepends=True)
    if start and lines:
        lines = lines[1:]  # the first was cut
    now: list[object] = [start + end, _digest(lines[-1]) if lines else ""]
    if seen is None or len(seen) != 2:
        read = [] if since is None else [line for each in lines[-MOST_LINES:] if (line := _read(each)) is not None]
        # git notes seconds: a step may have come before `since` in the same second
        return [line for line in read if since is not None and line.at - 999 >= since], now
    fresh = lines if seen == [0, ""] else _after(lines, seen, start + end)
    return [line for each in fresh[-MOST_LINES:] if (line := _read(each)) is not None], now


def _after(lines: list[bytes], seen: list[object], end: int) -> list[bytes]:
    """The lines after the line that was last seen: at its former end, else wherever it is now, since git drops old
    lines and removes a stash from the middle. Empty when it is gone."""
    size, digest = seen
    position = end
    moved: list[bytes] | None = None
    for number in range(len(lines), 0, -1):
        if _digest(lines[number - 1]) == digest:
            if position == size:
                return lines[number:]
            moved = moved if moved is not None else lines[number:]
        position -= len(lines[number - 1])
    return moved or []


def _digest(line: bytes) -> str:
    return hashlib.blake2b(line, digest_size=8).hexdigest()


def _read(raw: bytes) -> _ReflogEntry | None:
    found = _LINE.match(raw.rstrip(b"\r\n"))
    if found is None:
        return None
    old, new, seconds, message = found.groups()
    return _ReflogEntry(
        old.decode("ascii"), new.decode("ascii"), int(seconds) * 1000 + 999, message.decode("utf-8", "replace").strip()
    )


def _named(lines: list[_ReflogEntry], branch: str, personal: Sequence[str]) -> Iterator[GitStep]:
    """The operations of HEAD's log; the checkouts after an operation tell its branch."""
    steps: list[GitStep] = []
    for line in reversed(lines):
        kind, text = _kind(line.message)
        said = redact(text, personal).text
        steps.append(GitStep(kind, _key(line, kind), line.at, _commit(line.old), _commit(line.new), said, branch))
        moving = _MOVING.search(line.message) if kind is EventKind.CHECKOUT else None
        if moving:
            branch = "" if re.fullmatch(r"[0-9a-f]{7,64}", moving[1]) else moving[1]
    return reversed(steps)


def _kind(message: str) -> tuple[EventKind | None, str]:
    head, _, rest = message.partition(": ")
    verb = head.split(" ", 1)[0]
    if verb == "rebase" or "--rebase" in head or (head.startswith("pull") and "(" in head):
        return (EventKind.REBASE if any(end in head for end in _ENDS) else None), rest or message
    if verb in _COMMITS:
        return (EventKind.MERGE if "(merge)" in head else EventKind.COMMIT), rest
    if verb == "checkout" and _MOVING.search(rest):
        return EventKind.CHECKOUT, rest
    if verb in ("merge", "pull"):
        return EventKind.MERGE, f"{head.removeprefix('merge ')}: {rest}"
    if verb == "reset":
        return EventKind.RESET, rest
    return None, ""


def _key(line: _ReflogEntry, kind: EventKind | None) -> str:
    # a commit is the same wherever it is seen; other operations are known by their line
    if kind is EventKind.COMMIT:
        return f"commit:{line.new}"
    return f"git:{line.old}:{line.new}:{line.at}:{line.message}"


def _stash(line: _ReflogEntry, branch: str, personal: Sequence[str]) -> GitStep:
    on = re.match(r"(?:WIP on|On) ([^:]+):", line.message)
    return GitStep(
        EventKind.STASH,
        f"stash:{line.new}",
        line.at,
        "",
        "",  # the commit that is checked out stays
        redact(line.message, personal).text,
        on[1] if on and on[1] != "(no branch)" else branch,
    )


def _commit(text: str) -> str:
    return "" if _ZERO.fullmatch(text) else text
