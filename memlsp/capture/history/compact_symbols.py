"""Symbols as compressed JSON without empty fields, and back. Any other bytes raise ValueError."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import cast

from attrs import fields

from memlsp.model.place import Span
from memlsp.model.symbol import Facts, Fingerprint, NamedValue, Parameter, Symbol, SymbolKind

_LARGEST = 4_000_000  # bytes of JSON; more is not one of ours
_FACTS = tuple(field.name for field in fields(Facts))


def pack(symbols: Sequence[tuple[Symbol, int]]) -> bytes:
    """Symbols of one file, each with the offset of its text in the file."""
    entries = [[_plain(symbol), offset] for symbol, offset in symbols]
    return zlib.compress(
        json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1
    )


def unpack(data: bytes, path: str) -> list[tuple[Symbol, int]]:
    """The symbols of `pack`, at `path`. Raises ValueError for anything else."""
    try:
        stream = zlib.decompressobj()
        text = stream.decompress(data, _LARGEST)
        if stream.unconsumed_tail or not stream.eof:
            raise ValueError("too large, or cut off")  # noqa: TRY301 - said below in other words
        entries = cast("list[tuple[list[object], int]]", json.loads(text.decode("utf-8", "surrogatepass")))
        return [(_symbol(entry, path), int(offset)) for entry, offset in entries]
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError("not a packed symbol") from error


def _plain(symbol: Symbol) -> list[object]:
    print_, facts = symbol.fingerprint, symbol.facts
    filled: dict[str, object] = {name: value for name in _FACTS if (value := getattr(facts, name))}
    if facts.parameters:
        filled["parameters"] = [[each.name, each.type, each.default] for each in facts.parameters]
    if facts.values:
        filled["values"] = [[each.name, each.value] for each in facts.values]
    return [
        symbol.name,
        symbol.kind.value,
        _numbers(symbol.span),
        _numbers(symbol.name_span),
        [print_.text, print_.meaning, print_.signature, print_.shape, print_.sketch, print_.size],
        symbol.ordinal,
        filled,
    ]


def _symbol(fields_: Sequence[object], path: str) -> Symbol:
    name, kind, span, name_span, digests, ordinal, facts = fields_
    text, meaning, signature, shape, sketch, size = cast("tuple[str, str, str, str, list[int], int]", digests)
    return Symbol(
        path,
        str(name),
        SymbolKind(str(kind)),
        Span(*cast("list[int]", span)),
        Span(*cast("list[int]", name_span)),
        Fingerprint(text, meaning, signature, shape, tuple(sketch), size),
        _facts(cast("dict[str, object]", facts)),
        int(cast("int", ordinal)),
    )


def _facts(entries: dict[str, object]) -> Facts:
    read: dict[str, object] = {}
    for name, value in entries.items():
        if name not in _FACTS:
            raise ValueError("facts of another version")
        if name == "parameters":
            read[name] = tuple(Parameter(*each) for each in cast("list[list[str]]", value))
        elif name == "values":
            read[name] = tuple(NamedValue(*each) for each in cast("list[list[str]]", value))
        elif name == "members":
            read[name] = tuple((member, digest) for member, digest in cast("list[tuple[str, str]]", value))
        else:
            read[name] = tuple(cast("list[str]", value)) if isinstance(value, list) else value
    return Facts(**read)  # pyright: ignore[reportArgumentType] - names and shapes are those of `pack`


def _numbers(span: Span) -> list[int]:
    return [getattr(span, field.name) for field in fields(Span)]
