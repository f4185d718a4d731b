"""A third transport, written from the docstring of `Exchange`: a folder that all machines mount. For a
bucket, `_files` lists its names and versions, and `replace` is a write of a whole object.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from memlsp_team.exchange.lines import MOST_BYTES, Line, Pull, check_lines, fault_of, is_writer

from memlsp.model.errors import ExchangeUnavailable


class FolderExchange:
    """One file for each writer below `place`, with `KEY SPACE TEXT` lines."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        check_lines(writer, lines)
        content = b"".join(b"%s %s\n" % (line.key.encode(), line.text) for line in lines)
        file, unfinished = self._place / writer, self._place / f"{writer}.{os.getpid()}"
        if not lines:
            file.unlink(missing_ok=True)
        elif not file.exists() or file.read_bytes() != content:
            unfinished.write_bytes(content)
            unfinished.replace(file)

    def own(self, writer: str) -> frozenset[str] | None:
        files = [file for name, _, file in self._files() if name == writer]
        return frozenset(line.key for line in _lines(files[0], [])) if files else None

    def pull(self, cursor: str) -> Pull:
        seen, now = _versions(cursor), dict[str, str]()
        lines: list[tuple[str, Line]] = []
        faults: list[tuple[str, str]] = []
        for writer, version, file in self._files():
            now[writer] = version
            if seen.get(writer) != version:
                wrong: list[str] = []
                lines += [(writer, line) for line in _lines(file, wrong)]
                faults += [(writer, fault) for fault in wrong]
        return Pull(tuple(lines), json.dumps(now), faults=tuple(faults))

    def check(self) -> str:
        return f"{self._place}: {len(list(self._files()))} writers"

    def close(self) -> None:
        pass

    def _files(self) -> Iterator[tuple[str, str, Path]]:
        """Writer, version and file of each; what has another name is left alone."""
        if not self._place.is_dir():
            raise ExchangeUnavailable(f"there is no folder {self._place}", "mount it")
        for file in self._place.iterdir():
            if is_writer(file.name) and file.is_file() and not file.is_symlink():
                state = file.stat()
                yield file.name, f"{state.st_ino} {state.st_mtime_ns} {state.st_size}", file


def _versions(cursor: str) -> dict[str, object]:
    try:
        read: object = json.loads(cursor)
    except ValueError:
        return {}
    return cast("dict[str, object]", read) if isinstance(read, dict) else {}


def _lines(file: Path, faults: list[str]) -> Iterator[Line]:
    if file.stat().st_size > MOST_BYTES:
        faults.append("it is too large")
        return
    for raw in file.read_bytes().splitlines():
        key, _, text = raw.partition(b" ")
        line = Line(key.decode("latin-1"), text)
        if fault := fault_of(line):
            faults.append(fault)
        else:
            yield line
