"""Write beliefs with their history as lines of JSON, and validate such lines when they are read back.

A line holds the present belief and its revisions, oldest first. Each revision stores in `before` only the fields that
it changed. The same belief always gives the same line.
"""

from __future__ import annotations

import json
import math
import os
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from attrs import evolve, fields

from memlsp.beliefs.lifecycle.admission import LONGEST_STATEMENT, checked_statement
from memlsp.beliefs.lifecycle.guards import MOST_GUARDS
from memlsp.capture.redaction.redaction import redact
from memlsp.code.syntax.patterns import check_guard
from memlsp.model.belief import Anchor, Author, AuthorKind, Belief, Revision, RevisionAction
from memlsp.model.copy import BeliefRecord
from memlsp.model.errors import BadValue, MemlspError
from memlsp.model.review import Conflict
from memlsp.model.symbol import Facts
from memlsp.store.tables.conflicts import KeptConflict

if TYPE_CHECKING:
    import cattrs

LONGEST_LINE = 32 << 20
"""Bytes of one line, which may hold many former states with many anchors."""

_ID = re.compile(r"[0-9a-z]{4,32}")
_FORBIDDEN_CHARACTERS = "\\:" if os.name == "nt" else ""
"""Characters that make a Windows path absolute or name a stream, anywhere in the path."""

_MOST_REVISIONS = 10_000
_MOST_ANCHORS = 200
_MOST_PAIRS = 64
_LONGEST_NAME = 1_000
_LONGEST_NOTE = 8_000
_LONGEST_SNAPSHOT = 80 * 1024  # characters
_CONFLICT_TEXTS = ("subject", "predicate", "reason", "settled_by", "note")
_LAST_DAY = datetime(9000, 1, 1, tzinfo=UTC)


def line_of(record: BeliefRecord) -> str:
    """A belief record as one line of ASCII JSON, without the line end."""
    as_json = _converter().unstructure
    present: dict[str, Any] = as_json(record.belief)
    after = present
    revisions: list[dict[str, Any]] = []
    for revision, before in zip(reversed(record.history), reversed(record.former), strict=True):
        line: dict[str, Any] = as_json(revision)
        del line["belief_id"], line["number"]
        if before is not None:
            former: dict[str, Any] = as_json(before)
            line["before"] = {name: value for name, value in former.items() if value != after[name]}
            after = former
        revisions.append(line)
    return json.dumps({"belief": present, "revisions": revisions[::-1]}, separators=(",", ":"))


def belief_record_of(value: object) -> BeliefRecord:
    """Validate a parsed line and return its belief record. Raises BadValue with the fault."""
    if not isinstance(value, dict):
        raise BadValue("it is no object")
    line = cast("dict[str, Any]", value)
    try:
        return _checked(_record_of(line["belief"], line["revisions"]))
    except BadValue:
        raise
    except KeyError as error:
        raise BadValue(f"{error.args[0]} is missing") from error
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise BadValue(f"it cannot be read: {str(error)[:200]}") from error


def without_secrets(record: BeliefRecord) -> BeliefRecord:
    """Redact every text of a record that another machine wrote. Raises BadValue for a statement or a guard that cannot
    be kept."""
    cleaned: dict[int, Belief] = {}

    def clean(belief: Belief) -> Belief:
        known = cleaned.get(id(belief))
        if known is None:
            known = cleaned[id(belief)] = _clean_belief(belief)
        return known

    return record.changed(clean, _clean_revision)


def conflict_line(stored: KeptConflict) -> dict[str, Any]:
    """A conflict with its settlement as a JSON object."""
    return {**_converter().unstructure(stored.conflict), "wording": stored.said.hex()}


def conflict_of(value: dict[str, Any], *, clean: bool) -> KeptConflict:
    """Validate a parsed conflict; with `clean`, redact its texts. Raises BadValue."""
    try:
        rest = dict(value)
        wording = bytes.fromhex(_strict(str)(rest.pop("wording"), str))
        conflict: Conflict = _structure(rest, Conflict)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise BadValue(f"a conflict cannot be read: {str(error)[:200]}") from error
    texts = {name: str(getattr(conflict, name)) for name in _CONFLICT_TEXTS}
    if not all(_ID.fullmatch(id) for id in (conflict.first, conflict.second)) or conflict.first >= conflict.second:
        raise BadValue("a conflict is not between two beliefs")
    if len(wording) > 64 or any(len(text) > _LONGEST_NOTE for text in (*texts.values(), *conflict.values)):
        raise BadValue("a conflict has too much text")
    if clean:
        values = (_redacted(conflict.values[0]), _redacted(conflict.values[1]))
        conflict = evolve(conflict, values=values, **{name: _redacted(text) for name, text in texts.items()})
    return KeptConflict(conflict, wording)


# -- reading ---------------------------------------------------------------------------------------------------------


def _record_of(belief: Any, lines: Any) -> BeliefRecord:
    if not isinstance(lines, list) or not lines:
        raise BadValue("it has no revision")
    revisions = cast("list[dict[str, Any]]", lines)
    if len(revisions) > _MOST_REVISIONS:
        raise BadValue(f"it has more than {_MOST_REVISIONS} revisions")
    state = cast("dict[str, Any]", belief)
    present = _structure(state, Belief)
    history: list[Revision] = []
    former: list[Belief | None] = []
    for number in range(len(revisions), 0, -1):
        each = dict(revisions[number - 1])
        before = each.pop("before", None)
        history.append(_structure({**each, "belief_id": present.id, "number": number}, Revision))
        if (before is None) != (number == 1):
            raise BadValue("its history has a gap")
        if before is not None:
            unknown = set(before) - set(state)
            if unknown:
                raise BadValue(f"it has fields that no belief has: {', '.join(sorted(unknown))[:100]}")
            state = {**state, **before}
        former.append(None if before is None else _structure(state, Belief))
    return BeliefRecord(present, tuple(history[::-1]), tuple(former[::-1]))


def _structure(value: Any, type_: Any) -> Any:
    unknown = set(value) - {each.name for each in fields(type_)}
    if unknown:
        raise BadValue(f"it has fields that are not known: {', '.join(sorted(map(str, unknown)))[:100]}")
    return _converter().structure(value, type_)


def _checked(record: BeliefRecord) -> BeliefRecord:
    seen: set[int] = set()
    for state in (record.belief, *record.former):
        if state is None or id(state) in seen:
            continue
        seen.add(id(state))
        _check_belief(state)
        if state.id != record.belief.id:
            raise BadValue("a former state is that of another belief")
    if record.history[0].action not in {RevisionAction.REMEMBER, RevisionAction.PROPOSE, RevisionAction.SUPERSEDE}:
        raise BadValue(f"its history begins with {record.history[0].action}")
    for revision in record.history:
        _check_names(revision.author.name, revision.source, revision.session)
        _check_time(revision.at)
        if len(revision.note) > _LONGEST_NOTE:
            raise BadValue("a note is too long")
        if revision.undoes is not None and not 1 <= revision.undoes < revision.number:
            raise BadValue("a revision takes back one that is not before it")
    return record


def _check_belief(belief: Belief) -> None:
    for id in (belief.id, *belief.because_of, *([] if belief.superseded_by is None else [belief.superseded_by])):
        if not _ID.fullmatch(id):
            raise BadValue(f"not an id: {id[:40]!r}")
    if not belief.text.strip() or len(belief.text) > LONGEST_STATEMENT + 200:  # redaction may have made it longer
        raise BadValue("its statement is empty or too long")
    if not (math.isfinite(belief.confidence) and 0 <= belief.confidence <= 1):
        raise BadValue(f"{belief.confidence} is no confidence")
    if belief.stale_after is not None and not 1 <= belief.stale_after <= 36_500:
        raise BadValue(f"{belief.stale_after} is no number of days")
    for time in (belief.created_at, belief.updated_at, belief.expires_at, belief.confirmed_at):
        if time is not None:
            _check_time(time)
    _check_names(belief.author.name, belief.source, belief.scope.pattern, belief.branch, belief.commit, belief.session)
    for key, value in belief.conditions:
        _check_names(key, value)
    _check_counts(belief)
    for evidence in belief.evidence:
        if len(evidence.quote) > _LONGEST_NOTE:
            raise BadValue("a quotation is too long")
        _check_names(evidence.path, evidence.session, evidence.source, evidence.commit)
    for anchor in belief.anchors:
        _check_anchor(anchor)


def _check_counts(belief: Belief) -> None:
    counts = (belief.conditions, belief.because_of, belief.references, belief.evidence)
    if any(len(each) > _MOST_PAIRS for each in counts) or len(belief.anchors) > _MOST_ANCHORS:
        raise BadValue("it has too many anchors, conditions, references, sources or bases")
    if len(belief.guards) > MOST_GUARDS:
        raise BadValue(f"it carries more than {MOST_GUARDS} guards")


def _check_anchor(anchor: Anchor) -> None:
    for path in (anchor.path, anchor.verified.path, *(each.path for each in anchor.depends)):
        if not _is_inner(path):
            raise BadValue(f"not a path in a workspace: {path[:100]!r}")
    _check_names(anchor.symbol, anchor.verified.name)
    _check_time(anchor.verified_at)
    if len(anchor.snapshot) > _LONGEST_SNAPSHOT or anchor.line < 1:
        raise BadValue("an anchor has no line or too much text")


def _is_inner(path: str) -> bool:
    """True for a path as anchors have them: relative to the root, with slashes, and inside the workspace."""
    parts = path.split("/")
    return (
        0 < len(path) <= 4_096
        and "\0" not in path
        and not any(part in {"", ".", ".."} for part in parts)
        and not (len(parts[0]) == 2 and parts[0][1] == ":")
        and not any(sign in path for sign in _FORBIDDEN_CHARACTERS)
    )


def _check_time(time: datetime) -> None:
    if time.tzinfo is None or not datetime(1970, 1, 1, tzinfo=UTC) <= time <= _LAST_DAY:
        raise BadValue(f"{time.isoformat()} is no time that a belief can have")


def _check_names(*names: str) -> None:
    if any(len(name) > _LONGEST_NAME for name in names):
        raise BadValue("a name, place or session is too long")


# -- redaction -------------------------------------------------------------------------------------------------------


def _clean_belief(belief: Belief) -> Belief:
    try:
        for guard in belief.guards:
            if redact(guard.pattern).found:
                raise BadValue("a guard's pattern holds what looks like a secret")
            check_guard(guard)
    except MemlspError as error:
        raise BadValue(f"a guard cannot be read: {error}") from error
    return evolve(
        belief,
        text=checked_statement(belief.text),
        author=_clean_author(belief.author),
        source=_redacted(belief.source),
        session=_redacted(belief.session),
        branch=_redacted(belief.branch),
        conditions=tuple((_redacted(key), _redacted(value)) for key, value in belief.conditions),
        references=tuple(each for each in belief.references if not redact(f"{each.text}\n{each.target}").found),
        evidence=tuple(
            evolve(each, quote=_redacted(each.quote), path=_redacted(each.path), source=_redacted(each.source))
            for each in belief.evidence
        ),
        anchors=tuple(_clean_anchor(anchor) for anchor in belief.anchors),
    )


def _clean_revision(revision: Revision) -> Revision:
    source, note, session = map(_redacted, (revision.source, revision.note, revision.session))
    return evolve(revision, author=_clean_author(revision.author), source=source, note=note, session=session)


def _clean_anchor(anchor: Anchor) -> Anchor:
    facts = anchor.verified.facts
    values: dict[str, Any] = {**_converter().unstructure(facts), "members": ()}
    verified = anchor.verified
    if redact("\n".join(_texts(values))).found:
        verified = evolve(verified, facts=Facts())
    return evolve(
        anchor,
        verified=verified,
        snapshot=_redacted(anchor.snapshot),
        depends=tuple(each for each in anchor.depends if not redact(f"{each.name} = {each.value}").found),
        provenance=tuple(_redacted(each) for each in anchor.provenance),
    )


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in cast("dict[str, Any]", value).values() for text in _texts(each)]
    if isinstance(value, list | tuple):
        return [text for each in cast("list[Any]", value) for text in _texts(each)]
    return []


def _clean_author(author: Author) -> Author:
    return Author(_redacted(author.name), AuthorKind(author.kind))


def _redacted(text: str) -> str:
    return redact(text).text if text else text


# -- values ----------------------------------------------------------------------------------------------------------


def _strict(*types: type) -> Any:
    def read(value: Any, wanted: Any) -> Any:
        if type(value) not in types:  # isinstance would accept a bool as an int
            raise TypeError(f"{str(value)[:40]!r} is not {types[0].__name__}")
        if isinstance(value, str) and ("\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value)):
            raise TypeError("a text holds what is no character")
        # enums of the model are read from texts
        return value if wanted in types or not isinstance(value, str) else wanted(value)

    return read


@lru_cache(maxsize=1)
def _converter() -> cattrs.Converter:
    """A strict converter for untrusted input; the store's own converter is lenient."""
    import cattrs  # late: a command that exports nothing needs none

    converter = cattrs.Converter(detailed_validation=False)
    text, number = _strict(str), _strict(float, int)
    converter.register_unstructure_hook(datetime, lambda time: time.astimezone(UTC).isoformat())
    converter.register_structure_hook(
        datetime, lambda value, _: datetime.fromisoformat(text(value, str)).astimezone(UTC)
    )
    for kind in (str, int, bool):
        converter.register_structure_hook(kind, _strict(kind))
    converter.register_structure_hook(float, lambda value, _: float(number(value, float)))
    return converter
