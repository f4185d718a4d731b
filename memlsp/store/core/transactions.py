"""How repositories reach the store's connection: each of their methods is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from attrs import frozen

from memlsp.store.core.database import Database, Row, Value, scalar, text_column

Transaction = Callable[[], AbstractContextManager[Database]]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Function = Callable[Concatenate[Database, _Parameters], _Result]


@frozen
class Transactions:
    """The transactions of the store at `path`. `reading` sees one state; `writing` commits all or nothing; `changing`
    also advances the version that other processes poll; `alone` gives the connection with no transaction open."""

    path: Path
    reading: Transaction
    writing: Transaction
    changing: Transaction
    alone: Transaction


class StoreRepository:
    """A part of the store. Its methods raise what those of `Store` do."""

    def __init__(self, transactions: Transactions) -> None:
        self._transactions = transactions
        self._reading = transactions.reading
        self._writing = transactions.writing
        self._changing = transactions.changing

    def _rows(self, query: str, values: Sequence[Value] = ()) -> list[Row]:
        with self._reading() as connection:
            return connection.execute(query, values).fetchall()

    def _number(self, query: str, values: Sequence[Value] = ()) -> int:
        with self._reading() as connection:
            return scalar(connection, query, values)

    def _texts(self, query: str, values: Sequence[Value] = ()) -> list[str]:
        with self._reading() as connection:
            return text_column(connection, query, values)

    def _run(self, statement: str, values: Sequence[Value] = ()) -> None:
        with self._writing() as connection:
            connection.execute(statement, values)


_Method = Callable[Concatenate[StoreRepository, _Parameters], _Result]


def _within(kind: str, function: _Function[_Parameters, _Result]) -> _Method[_Parameters, _Result]:
    @wraps(function)
    def method(self: StoreRepository, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        with getattr(self, kind)() as connection:
            return function(connection, *args, **kwargs)

    return method


def read(function: _Function[_Parameters, _Result]) -> _Method[_Parameters, _Result]:
    """The method that runs `function`, whose first parameter is the connection, in a reading transaction."""
    return _within("_reading", function)


def write(function: _Function[_Parameters, _Result]) -> _Method[_Parameters, _Result]:
    """The same in a writing transaction."""
    return _within("_writing", function)


def changing(function: _Function[_Parameters, _Result]) -> _Method[_Parameters, _Result]:
    """The same in a writing transaction that advances the version which other processes poll."""
    return _within("_changing", function)
