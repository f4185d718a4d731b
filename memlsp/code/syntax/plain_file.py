"""Reads a file of an unknown language as one symbol, by its lines."""

from __future__ import annotations

from memlsp.code.syntax.fingerprints import digest, digest_bytes, sketch
from memlsp.model.place import Span
from memlsp.model.symbol import Facts, Fingerprint, Symbol, SymbolKind

_MOST = 4000  # line tokens kept


def plain_module(path: str, source: bytes) -> Symbol:
    """The MODULE symbol of a file, with its lines as tokens. Blank lines and line ends mean nothing."""
    return lines_symbol(path, "", SymbolKind.MODULE, source, 0, source.count(b"\n") + 1)


def lines_symbol(path: str, name: str, kind: SymbolKind, source: bytes, first: int, after: int) -> Symbol:
    """A symbol made of the lines `first` to `after` (0-based, half open)."""
    rows = source.split(b"\n")
    first, after = max(0, first), min(len(rows), after)
    start = sum(len(row) + 1 for row in rows[:first])
    body = b"\n".join(rows[first:after])
    tokens = tuple(
        text
        for row in rows[first:after]
        if (text := " ".join(row.decode("utf-8", "replace").replace("\ufeff", "").split()))
    )
    span = Span(start, min(len(source), start + len(body)), first, max(first, after - 1))
    meaning = digest(tokens)
    fingerprint = Fingerprint(digest_bytes(body), meaning, digest(()), digest(()), sketch(tokens), len(tokens))
    return Symbol(path, name, kind, span, Span(start, start, first, first), fingerprint, Facts(tokens=tokens[:_MOST]))
