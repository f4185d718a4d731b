"""Methods without a store: `simple.py KIND`, one of raw-hash, mtime, path-exists, grep, word-overlap, similarity.

The last two judge pairs of statements, the others whether a place is as it was; see `stalecode.baselines`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from stalecode import baselines
from stalecode.serve import serve


class Watcher:
    """Keeps the files as they were at `remember`, and their times."""

    version = ""

    def __init__(self, kind: str) -> None:
        self.name = kind

    def begin(self, folder: str, data: str) -> None:  # noqa: ARG002 - nothing is written
        """Forget all."""
        self._root, self._kept = Path(folder), dict[str, tuple[Any, ...]]()

    def remember(self, id: str, text: str, path: str = "", symbol: str = "", **more: Any) -> None:
        """Keep the statement and the state of its file."""
        here = self._root / path
        kept = here.stat().st_mtime_ns if self.name == "mtime" else self._files([path])
        self._kept[id] = (text, path, symbol, more["lines"], kept)

    def tree(self, folder: str) -> None:
        """The tree is looked at when it is asked about."""
        self._root = Path(folder)

    def ask(self, id: str) -> dict[str, Any]:
        """By the method of this kind."""
        text, path, symbol, lines, kept = self._kept[id]
        if self.name == "mtime":
            here = self._root / path
            verdict = (
                baselines.Verdict.GONE
                if not here.is_file()
                else baselines.Verdict.HOLDS
                if here.stat().st_mtime_ns == kept
                else baselines.Verdict.STALE
            )
        elif self.name == "grep":
            verdict = baselines.grep(text, symbol, self._files())
        else:
            judge = {"raw-hash": baselines.raw_hash, "path-exists": baselines.path_exists}[self.name]
            verdict = judge(path, tuple(lines), kept, self._files([path]))
        here = {"path": path, "symbol": symbol} if verdict is not baselines.Verdict.GONE else None
        return {"trust": verdict.trusted, "why": "" if verdict.trusted else f"{self.name}: {verdict}", "where": here}

    def _files(self, paths: list[str] | None = None) -> dict[str, str]:
        chosen = (
            [self._root / path for path in paths]
            if paths is not None
            else [each for each in self._root.rglob("*") if ".git" not in each.parts]
        )
        return {
            each.relative_to(self._root).as_posix(): each.read_bytes().decode("utf-8", "replace")
            for each in chosen
            if each.is_file()
        }


class PathWatcher(Watcher):
    """By the file's being there; of a document, by those that its lines name."""

    def check(self, folder: str, file: str) -> dict[str, Any]:
        """The lines that name a path which is not there."""
        root = Path(folder)
        files = (each.relative_to(root) for each in root.rglob("*") if ".git" not in each.parts)
        tree = frozenset(each.as_posix() for each in files)
        text = (root / file).read_bytes().decode("utf-8", "replace")
        return {"lines": baselines.missing_path_lines(text, file, tree)}


class Comparer:
    """Two statements conflict when they are alike, from a threshold on."""

    version = ""

    def __init__(self, kind: str) -> None:
        self.name = kind
        self._measure, self._least = {
            "word-overlap": (baselines.word_overlap, baselines.OVERLAP),
            "similarity": (baselines.similarity, baselines.LIKENESS),
        }[kind]

    def begin(self, folder: str, data: str) -> None:  # noqa: ARG002 - nothing is read or written
        """Forget all."""
        self._texts = dict[str, str]()

    def remember(self, id: str, text: str, **more: Any) -> None:  # noqa: ARG002 - it knows no conditions and no places
        """Keep it."""
        self._texts[id] = text

    def conflicts(self, id: str) -> dict[str, Any]:
        """Those that are as like as the threshold asks."""
        asked = self._texts[id]
        near = (1e-9 + self._measure(asked, text) >= self._least for other, text in self._texts.items() if other != id)
        others = [other for other in self._texts if other != id]
        return {"with": [other for other, alike in zip(others, near, strict=True) if alike]}


if __name__ == "__main__":
    kind = sys.argv[1]
    classes = {"word-overlap": Comparer, "similarity": Comparer, "path-exists": PathWatcher}
    serve(classes.get(kind, Watcher)(kind))
