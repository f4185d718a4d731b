"""Another memory, in its own process and environment, asked by the line protocol of StaleCode."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.codememory.records import Note
from benchmarks.codememory.systems import Answer
from benchmarks.stalecode.__main__ import named_command
from benchmarks.stalecode.errors import AdapterFault, StaleCodeError
from benchmarks.stalecode.process import AdapterProcess
from memlsp.model.errors import BadValue

_PATIENCE = 3600.0  # seconds: half a history is learnt at a time


class Peer:
    """A program that serves an adapter. Raises BadValue when it ends before its time or says what nobody asked."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        try:
            self._process = AdapterProcess(name, command, patience=_PATIENCE)
        except AdapterFault as fault:
            raise BadValue(str(fault)) from fault
        data = self._process.sandbox.root / "data"
        data.mkdir()
        self._ask("begin", folder=str(self._process.sandbox.home), data=str(data))

    def learn(self, notes: Sequence[Note]) -> None:
        """Hand them over: id, text and date."""
        self._ask("learn", notes=[{"id": note.id, "text": note.text, "at": note.at.isoformat()} for note in notes])

    def recall(self, text: str, k: int) -> Answer:
        """What it answers."""
        ids = self._ask("recall", text=text, k=k).get("ids")
        if not isinstance(ids, list):
            raise BadValue(f"{self.name} gave no ids")
        return Answer(tuple(map(str, ids)))  # pyright: ignore[reportUnknownArgumentType] - whatever it is, as text

    def close(self) -> None:
        """End it: it is given ten seconds to let go of what it holds."""
        self._process.close()

    def _ask(self, op: str, **keys: object) -> dict[str, object]:
        try:
            answer = dict(self._process.ask(op, **keys))
        except AdapterFault as fault:
            raise BadValue(str(fault)) from fault
        if "error" in answer:
            raise BadValue(f"{self.name}: {answer['error']}")
        return answer


def peers_of(entries: Sequence[str]) -> dict[str, Callable[[], Peer]]:
    """The peers of `NAME=COMMAND` entries. Raises BadValue for one that has another form."""
    found: dict[str, Callable[[], Peer]] = {}
    for entry in entries:
        try:
            name, command = named_command(entry)
        except StaleCodeError as error:
            raise BadValue(str(error), "--peer 'other=venv/bin/python adapter.py'") from error
        found[name] = _maker(name, command)
    return found


def _maker(name: str, command: Sequence[str]) -> Callable[[], Peer]:
    return lambda: Peer(name, command)
