"""The suite `secrets`: does any part of a secret reach the store, and is text that only looks like one kept whole?

Every case arrives as a record of a hook (`memory.ingest.hook_ingest`), half of them while there is no store, so that
they are spooled and drained. Then the data folder is searched: the store's files with their write-ahead log byte by
byte, packed content unpacked, the spool, and the store's own answers.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
from attrs import frozen

from benchmarks.privacy.secret_samples import CARRIERS, Shape, fits, look_alikes, shapes
from benchmarks.privacy.secrets_baselines import with_detect_secrets, with_patterns
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, table
from memlsp.memory import Memory
from memlsp.memory.ingest.hook_ingest import ingest_payload
from memlsp.memory.ingest.records import seen
from memlsp.model.event import Event
from memlsp.store.tables.journal import TEXT, key_of, shortened

MOST_CHANGED = 0.02
"""Of the look-alikes, those that may lose something."""

_SIGNS = 8  # of a secret, in a row, are a recognisable part
_FILLER = "The build was quiet all night and nobody looked at it.\n"
_AT_ONCE = 50


@frozen
class Case:
    """One text with one secret in it, or with none. `group` is `carriers`, `caps` or `look-alikes`."""

    key: str
    group: str
    shape: str
    text: str
    secret: str = ""

    def parts(self) -> Iterator[str]:
        """Of the secret, every row of signs that would be recognised, as it is written and as JSON escapes it."""
        lines = [line for line in self.secret.split("\n") if line]
        for line in lines:
            size = min(_SIGNS, len(line))
            yield from (line[start : start + size] for start in range(len(line) - size + 1))


@frozen
class Outcome:
    """What one way of cleaning did with one set: how many of how many, and the cases that failed."""

    shapes: tuple[int, int]
    carriers: tuple[int, int]
    caps: tuple[int, int]
    changed: tuple[int, int]
    failed: tuple[Case, ...]


def run_secrets(folder: Path, *, quick: bool = False) -> Report:
    """Measure both sets under `folder` (`secrets` and `secrets-unseen`) and print the table.

    `quick` leaves detect-secrets out, which takes most of the time. Passes when of the first set no part of any shape
    is found and fewer than `MOST_CHANGED` of the look-alikes lose anything; the second set decides nothing.
    """
    rows: list[Sequence[str]] = []
    failures: list[str] = []
    cases: list[Mapping[str, object]] = []
    scores: dict[str, dict[str, float]] = {}
    passed = False
    for name in ("secrets", "secrets-unseen"):
        made = list(_cases(folder / name, name))
        ways = ("memlsp, what is in the store", "14 patterns, cut first", "detect-secrets, all plugins")
        for way in ways[:2] if quick else ways:
            outcome = _outcome(way, made)
            rows.append(_row(way if name == "secrets" else f"{way}, unseen", outcome))
            scores[f"{name}: {way}"] = _score(outcome)
            if not way.startswith("memlsp"):
                continue
            failures += _rows(name, outcome)
            cases += [
                {"set": name, "shape": case.shape, "case": case.key, "group": case.group} for case in outcome.failed
            ]
            if name == "secrets":
                changed, of = outcome.changed
                passed = outcome.shapes[0] == outcome.shapes[1] and changed < MOST_CHANGED * of
        rows.append(())
    print(table(("", "shapes", "in carriers", "cut at a cap", "look-alikes changed"), rows[:-1]))
    print("\nshapes: those of which no eight signs in a row are left, in any carrier, at any cap")
    if failures:
        print("memlsp failed:")
        print("\n".join(failures))
    score = scores.pop("secrets: memlsp, what is in the store")
    return Report("secrets", score, scores, cases, passed=passed)


def _outcome(way: str, cases: Sequence[Case]) -> Outcome:
    if way.startswith("memlsp"):
        return _through_the_door(cases)
    if way.startswith("14"):
        return _cleaned(cases, with_patterns, cut_first=True)
    with with_detect_secrets() as clean:  # it cuts nothing, and takes 0.5 s for a text as long as those that are cut
        return _cleaned([case for case in cases if case.group != "caps"], clean, cut_first=False)


def _rows(name: str, outcome: Outcome) -> Iterator[str]:
    """The failures, one line for each shape."""
    by_shape: dict[str, list[str]] = {}
    for case in outcome.failed:
        by_shape.setdefault(case.shape, []).append(case.key.removeprefix(f"{case.shape}/"))
    for shape, keys in by_shape.items():
        told = ", ".join(keys[:6]) + (f" and {len(keys) - 6} more" if len(keys) > 6 else "")
        yield f"  {name}: {shape}: {told}"


def _cases(folder: Path, seed: str) -> Iterator[Case]:
    for shape in shapes(folder):
        for carrier in CARRIERS:
            if fits(shape, carrier):
                secret, text = shape.made(f"{seed} {carrier.name}")
                yield Case(
                    f"{shape.name}/{carrier.name}", "carriers", shape.name, carrier.written(shape.key, text), secret
                )
        yield from _at_caps(shape, seed)
    for number, text in enumerate(look_alikes(folder)):
        yield Case(f"{number}", "look-alikes", text[:60], text)


def _at_caps(shape: Shape, seed: str) -> Iterator[Case]:
    """A secret of which the cap leaves a part on one side: of a text's beginning and of its end, and where a very long
    text is not even looked at."""
    head, tail = TEXT - TEXT // 4, TEXT // 4
    for where, (before, after) in {"beginning": (head, 0), "end": (0, tail), "window": (seen(TEXT), 0)}.items():
        for share in (0.25, 0.75) if where == "window" else (0.02, 0.25, 0.5, 0.75, 0.98):
            secret, text = shape.made(f"{seed} {where} {share}")
            carried = f"{shape.key}={text}\n" if "\n" not in text else f"{text}\n"
            place = carried.find(secret) + max(1, min(len(secret) - 1, round(len(secret) * share)))
            long = _FILLER * (3 * max(before, after, TEXT) // len(_FILLER))
            if before:
                whole = _filler(before - place) + carried + long
            else:
                whole = long + carried + _filler(after - (len(carried) - place))
            yield Case(f"{shape.name}/{where}/{share}", "caps", shape.name, whole, secret)


def _filler(length: int) -> str:
    text = (_FILLER * (length // len(_FILLER) + 1))[: max(0, length)]
    return text[:-1] + "\n" if text else ""


# -- the door ---------------------------------------------------------------------------------------------------------


def _through_the_door(cases: Sequence[Case]) -> Outcome:
    with tempfile.TemporaryDirectory() as name, _no_settler():
        top = Path(name).resolve()
        root, data = top / "project", top / "data"
        (root / ".memlsp").mkdir(parents=True)
        half = len(cases) // 2
        _bring(cases[:half], root, data)  # there is no store yet
        spooled = _everything(data)
        with Memory.open(root, data_dir=data):
            pass
        _bring(cases[half:], root, data)
        with Memory.open(root, data_dir=data) as memory:
            memory.events.settle(60.0)
            events = {event.key: event for event in memory._store.journal.events(limit=100_000)}  # pyright: ignore[reportPrivateUsage]
            found = spooled + _everything(data)
        return _judged(cases, lambda case: _left_of(case, events, found))


@contextmanager
def _no_settler() -> Generator[None]:
    changed = {"MEMLSP_SETTLER": "off", "MEMLSP_CONFIG": os.devnull, "MEMLSP_CAPTURE": "on"}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _bring(cases: Sequence[Case], root: Path, data: Path) -> None:
    for start in range(0, len(cases), _AT_ONCE):
        records: list[dict[str, object]] = [_record(case, start) for case in cases[start : start + _AT_ONCE]]
        ingest_payload(records, str(root), data=str(data))


def _record(case: Case, after: int) -> dict[str, object]:
    return {
        "key": key_of(case.key).hex(),
        "at": 1_800_000_000_000 + after,
        "kind": "prompt",
        "source": "claude-code",
        "session": "one",
        "text": case.text,
        "output": case.text,
        "extra": {} if case.group == "caps" else {"body": case.text, "inner": {"deep": [case.text]}},
    }


def _everything(data: Path) -> bytes:
    """All bytes of all files below, and what is packed in the rows of each store, unpacked."""
    parts: list[bytes] = []
    for path in sorted(data.rglob("*")):
        if not path.is_file():
            continue
        parts.append(path.read_bytes())
        if path.suffix == ".db":
            parts += _unpacked(path)
    return b"\n".join(parts)


def _unpacked(path: Path) -> Iterator[bytes]:
    connection: Any = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = (row for name in names for row in connection.execute(f'SELECT * FROM "{name}"'))  # noqa: S608  our own
        for value in (value for row in rows for value in row if isinstance(value, bytes)):
            try:
                yield zlib.decompress(value)
            except zlib.error:
                continue
    finally:
        connection.close()


def _left_of(case: Case, events: dict[str, Event], found: bytes) -> bool:
    """True when something of its secret is left, or of a look-alike something is missing."""
    event = events.get(key_of(case.key).hex())
    if event is None:
        return True
    if not case.secret:
        return not (event.text == event.output == case.text) or bool(event.found)
    told = "\n".join([event.text, event.output, *(value for _, value in event.extra)])
    if any(part in told for part in case.parts()):
        return True
    parts = list(case.parts())
    return any(part.encode() in found for part in (parts[0], parts[len(parts) // 2], parts[-1]))


# -- others -----------------------------------------------------------------------------------------------------------


def _cleaned(cases: Sequence[Case], clean: Callable[[str], str], *, cut_first: bool) -> Outcome:
    def fails(case: Case) -> bool:
        if not case.secret:
            return clean(case.text) != case.text
        text = case.text
        if case.group == "caps":
            text = clean(shortened(text, TEXT)[0]) if cut_first else shortened(clean(text), TEXT)[0]
        else:
            text = clean(text)
        return any(part in text for part in case.parts())

    return _judged(cases, fails)


def _judged(cases: Sequence[Case], fails: Callable[[Case], bool]) -> Outcome:
    failed = tuple(case for case in cases if fails(case))
    leaking = {case.shape for case in failed if case.secret}
    every = {case.shape for case in cases if case.secret}

    def right(group: str) -> tuple[int, int]:
        of = sum(case.group == group for case in cases)
        return of - sum(case.group == group for case in failed), of

    whole, looked = right("look-alikes")
    return Outcome(
        (len(every) - len(leaking), len(every)), right("carriers"), right("caps"), (looked - whole, looked), failed
    )


def _row(name: str, outcome: Outcome) -> tuple[str, ...]:
    changed, of = outcome.changed
    share = f"{changed}/{of} ({100 * changed / of:.1f} %)"
    return name, fraction(*outcome.shapes), fraction(*outcome.carriers), fraction(*outcome.caps), share


def _score(outcome: Outcome) -> dict[str, float]:
    return {
        "shapes": outcome.shapes[0] / outcome.shapes[1],
        "carriers": outcome.carriers[0] / outcome.carriers[1],
        "caps": outcome.caps[0] / max(1, outcome.caps[1]),
        "look_alikes_changed": outcome.changed[0] / outcome.changed[1],
    }
