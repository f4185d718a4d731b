"""Values to columns and back: queried fields become columns, the rest JSON, and large values are compressed."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memlsp.model.belief import (
    Anchor,
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    BeliefStatus,
    Evidence,
    Guard,
    Reference,
    Revision,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.store.core.database import Database, Row, Value

if TYPE_CHECKING:
    import cattrs

BELIEF_COLUMNS = (
    "id, authority_rank, status, kind, scope, pattern, authority, confidence, author, author_kind, source,"
    " created_at, updated_at, superseded_by, expires_at, text, conditions, refs, guards, evidence,"
    " because_of, stale_after, confirmed_at, branch, commit_hash, session"
)
"""In the order of `belief_row` and `belief_of`."""

REVISION_COLUMNS = "number, action, author, author_kind, source, at, note, undoes, session"

LARGEST_VALUE = 64 << 20
"""Bytes that a packed anchor or former state may have."""


def given(*asked: tuple[str, Value]) -> tuple[list[str], list[Value]]:
    """The conditions whose value is given, and these values."""
    wanted = [(condition, value) for condition, value in asked if value is not None]
    return [each for each, _ in wanted], [clean(value) if isinstance(value, str) else value for _, value in wanted]


def belief_row(belief: Belief) -> tuple[Value, ...]:
    """The columns of a belief; its anchors are rows of their own."""
    return (
        belief.id,
        belief.authority.rank,
        belief.status.value,
        belief.kind.value,
        belief.scope.kind.value,
        clean(belief.scope.pattern),
        belief.authority.value,
        float(belief.confidence),
        clean(belief.author.name),
        belief.author.kind.value,
        clean(belief.source),
        stamp(belief.created_at),
        stamp(belief.updated_at),
        belief.superseded_by,
        stamp(belief.expires_at) if belief.expires_at else None,
        clean(belief.text),
        json_text(belief.conditions),
        json_text(converter().unstructure(belief.references)) if belief.references else "[]",
        json_text(converter().unstructure(belief.guards)) if belief.guards else "[]",
        json_text(converter().unstructure(belief.evidence)) if belief.evidence else "[]",
        json_text(belief.because_of) if belief.because_of else "[]",
        belief.stale_after,
        stamp(belief.confirmed_at) if belief.confirmed_at else None,
        clean(belief.branch),
        clean(belief.commit),
        clean(belief.session),
    )


def belief_of(row: Row, anchors: tuple[Anchor, ...]) -> Belief:
    """The belief of a row with its anchors."""
    return Belief(
        id=row[0],
        status=BeliefStatus(row[2]),
        kind=BeliefKind(row[3]),
        scope=Scope(ScopeKind(row[4]), row[5]),
        authority=Authority(row[6]),
        confidence=row[7],
        author=Author(row[8], AuthorKind(row[9])),
        source=row[10],
        created_at=moment(row[11]),
        updated_at=moment(row[12]),
        superseded_by=row[13],
        expires_at=moment(row[14]) if row[14] else None,
        text=row[15],
        conditions=() if row[16] == "[]" else tuple((key, value) for key, value in json.loads(row[16])),
        references=() if row[17] == "[]" else converter().structure(json.loads(row[17]), tuple[Reference, ...]),
        guards=() if row[18] == "[]" else converter().structure(json.loads(row[18]), tuple[Guard, ...]),
        evidence=() if row[19] == "[]" else converter().structure(json.loads(row[19]), tuple[Evidence, ...]),
        because_of=() if row[20] == "[]" else tuple(json.loads(row[20])),
        stale_after=row[21],
        confirmed_at=moment(row[22]) if row[22] else None,
        branch=row[23],
        commit=row[24],
        session=row[25],
        anchors=anchors,
    )


def blob_of(whole: Anchor | Belief) -> bytes:
    """A whole anchor, or a whole belief with its anchors, compressed."""
    return pack(converter().unstructure(whole))


@lru_cache(maxsize=4_096)
def anchor_of(blob: bytes) -> Anchor:
    """The anchor of a blob. Kept for a while: values are frozen, and a file's anchors are asked for again and again."""
    return converter().structure(unpack(blob), Anchor)


def belief_of_blob(blob: bytes) -> Belief:
    """The belief of a former state."""
    return converter().structure(unpack(blob), Belief)


def revision_row(revision: Revision, number: int) -> tuple[Value, ...]:
    """The columns of a revision, under the number that the store assigns."""
    return (
        number,
        revision.action.value,
        clean(revision.author.name),
        revision.author.kind.value,
        clean(revision.source),
        stamp(revision.at),
        clean(revision.note),
        revision.undoes,
        clean(revision.session),
    )


def revision_of(belief_id: str, row: Row) -> Revision:
    """The revision of a row."""
    number, action, author, author_kind, source, at, note, undoes, session = row
    person = Author(author, AuthorKind(author_kind))
    return Revision(belief_id, number, RevisionAction(action), person, source, moment(at), note, undoes, session)


def revisions_of(connection: Database, rest: str, values: tuple[Value, ...] = ()) -> list[Revision]:
    """The revisions `r` of beliefs `b` that meet the conditions in `rest`."""
    columns = ", ".join(f"r.{name}" for name in REVISION_COLUMNS.split(", "))
    query = f"SELECT b.id, {columns} FROM revision r JOIN belief b ON b.seq = r.belief {rest}"
    return [revision_of(row[0], row[1:]) for row in connection.execute(query, values)]


def stamp(time: datetime) -> str:
    """A time as text that sorts as the times do: UTC, ISO 8601."""
    return time.astimezone(UTC).isoformat()


def moment(text: str) -> datetime:
    """The aware time of such a text."""
    return datetime.fromisoformat(text)


def clean(text: str) -> str:
    """Text that can be written as UTF-8: half of a surrogate pair, as broken input carries it, becomes `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def json_text(value: object) -> str:
    """A value as JSON in one line, clean."""
    return clean(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def milliseconds(time: datetime) -> int:
    """A time in milliseconds since 1970, UTC."""
    return round(time.timestamp() * 1000)


def from_milliseconds(value: int) -> datetime:
    """The aware time of milliseconds since 1970."""
    return datetime.fromtimestamp(value / 1000, UTC)


def pack(value: object) -> bytes:
    """A JSON value, compressed at level 1, since values are small or written while somebody waits. Half surrogates
    stay: they carry file names that are no text."""
    return zlib.compress(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1
    )


def pack_clean(value: object) -> bytes:
    """A JSON value, clean and compressed."""
    return zlib.compress(json_text(value).encode(), 6)


def unpack(blob: bytes, largest: int = LARGEST_VALUE) -> Any:
    """The JSON value of `pack`. Raises ValueError for one that is cut off or has more than `largest` bytes: a store
    from elsewhere may hold anything."""
    opened = zlib.decompressobj()
    text = opened.decompress(blob, largest)
    if not opened.eof:
        raise ValueError(f"a value is cut off, or unpacks to more than {largest} bytes")
    return json.loads(text)


@lru_cache
def converter(*, in_milliseconds: bool = False, omit_defaults: bool = False) -> cattrs.Converter:
    """The converter between values and JSON values. Times are ISO 8601, or milliseconds. Unknown keys are ignored and
    missing ones take their default, so that the values of a neighbouring version can be read."""
    import cattrs  # late: an empty store needs none

    made = cattrs.Converter(detailed_validation=False, omit_if_default=omit_defaults)
    made.register_unstructure_hook(datetime, milliseconds if in_milliseconds else stamp)
    read = from_milliseconds if in_milliseconds else moment
    made.register_structure_hook(datetime, lambda value, _: read(value))
    # JSON gives these as they are; a look at every element would be most of the time spent
    made.register_structure_hook_func(lambda type_: type_ in _PLAIN_TUPLES, lambda value, _: tuple(value))
    made.register_structure_hook_func(lambda type_: type_ == _TEXT_OR_NONE, lambda value, _: value)
    return made


_PLAIN_TUPLES = (tuple[str, ...], tuple[int, ...])
_TEXT_OR_NONE = str | None
