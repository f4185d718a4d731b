"""Symbols as compressed JSON without empty fields, and back. Any other bytes raise ValueError."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.model.symbol import Symbol
from memlsp.store.core.rows import converter, pack, unpack

if TYPE_CHECKING:
    import cattrs

_LARGEST = 4_000_000  # bytes of JSON; more is not one of ours
_Placed = list[tuple[Symbol, int]]


def pack_symbols(symbols: Sequence[tuple[Symbol, int]]) -> bytes:
    """Symbols of one file, each with the offset of its text in the file."""
    return pack(_converter().unstructure(symbols, _Placed))


def unpack_symbols(data: bytes) -> list[tuple[Symbol, int]]:
    """The symbols of `pack_symbols`. Raises ValueError for anything else."""
    try:
        return _converter().structure(unpack(data, _LARGEST), _Placed)
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError("not a packed symbol") from error


def _converter() -> cattrs.Converter:
    return converter(omit_defaults=True)
