"""Taking ours out of a file when nobody remembers how it got there: by the looks of what is in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from memlsp.faces.setup.edits import marked_block
from memlsp.faces.setup.edits.jsonc import parse
from memlsp.faces.setup.ledger import Ledger
from memlsp.faces.setup.pieces import HookEntries, Piece, ServerEntry, ServerTable

_SERVERS = ("mcpServers", "servers", "mcp", "context_servers", "clients")


@frozen
class Traces:
    """Whatever of ours is in one file."""

    path: Path
    about: str = "entries of memlsp"

    def put(self, text: str) -> str:
        """Nothing is put."""
        return text

    def take(self, text: str, former: str) -> str:
        """Hooks, servers, tables or blocks, by the kind of file."""
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


def of_ledger(ledger: Ledger, known: Iterable[Piece]) -> list[Piece]:
    """Pieces for files that were written once and that no client speaks of now: other projects, former versions."""
    spoken = {piece.path.resolve() for piece in known}
    return [Traces(line.path) for line in ledger.lines if line.path.resolve() not in spoken]
