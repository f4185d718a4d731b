"""Turns a statement into a belief: checks and cleans it, and supplies kind, scope and id where nobody gave them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import datetime
from random import SystemRandom

from attrs import evolve, field, frozen

from memlsp.beliefs.lifecycle.confidence import starting_confidence
from memlsp.capture.redaction.redaction import redact
from memlsp.code.vocabulary import patterns
from memlsp.model.belief import (
    Anchor,
    Author,
    Authority,
    AuthorKind,
    Belief,
    BeliefKind,
    Guard,
    Limits,
    Revision,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.errors import BadValue

LONGEST_STATEMENT = 4_000  # characters
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower-case
_LETTERS = _ALPHABET[10:]
_ID_LENGTH = 8


def checked_statement(text: str) -> str:
    """The statement as stored: Unicode NFC, plain line ends and outer space, no control or bidirectional characters,
    secrets redacted. Raises BadValue when nothing is left or when it is longer than 4,000 characters."""
    plain = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    plain = "".join(
        c for c in plain if c == "\n" or (unicodedata.category(c) not in {"Cc", "Cs"} and c not in _BIDIRECTIONAL)
    )
    lines = [line.rstrip() for line in plain.split("\n")]
    plain = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not plain or not any(unicodedata.category(c)[0] in "LNPS" for c in plain):
        raise BadValue(
            "there is nothing to remember: the statement is empty", "say one thing that is true, in a sentence"
        )
    if len(plain) > LONGEST_STATEMENT:
        raise BadValue(
            f"the statement has {len(plain):,} characters, and {LONGEST_STATEMENT:,} is the most",
            "say it in a few sentences, or in several beliefs",
        )
    return redact(plain).text


def checked_conditions(conditions: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Conditions as stored, each once, in the order given: keys in lower case, secrets redacted. Raises BadValue for
    more than 12, for a key that is no word, and for a value that is empty or longer than 200."""
    found: dict[tuple[str, str], None] = {}
    for key, value in conditions:
        name, meant = key.strip().lower(), " ".join(value.split())
        if not _KEY.fullmatch(name):
            raise BadValue(f"not a condition's key: {key[:40]!r}", "a word such as env, os, branch or version")
        if not meant or len(meant) > _LONGEST_VALUE or not meant.isprintable():
            raise BadValue(f"not a value for {name}: {value[:40]!r}", "a few words, such as staging")
        found[name, redact(meant).text] = None
    if len(found) > _MOST_CONDITIONS:
        raise BadValue(f"{len(found)} conditions are too many", f"{_MOST_CONDITIONS} at the most")
    return tuple(found)


_KEY = re.compile(r"[\w][\w.-]{0,39}")
_LONGEST_VALUE = 200
_MOST_CONDITIONS = 12
_BIDIRECTIONAL = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def kind_of(text: str) -> BeliefKind:
    """The kind that the wording suggests; a fact when nothing does."""
    fitting = (BeliefKind(kind) for kind, pattern in patterns(__name__).items() if pattern.search(text))
    return next(fitting, BeliefKind.FACT)


def said_kind(text: str) -> BeliefKind:
    """The kind of a statement about the workspace, for which orders and moves count too: "we use pnpm, not npm"."""
    said = {BeliefKind(kind): pattern for kind, pattern in patterns(f"{__package__}.said_kinds").items()}
    found = kind_of(text)
    return next((kind for kind in said if said[kind].search(text)), found) if found is BeliefKind.FACT else found


def scope_of(anchors: Sequence[Anchor]) -> Scope:
    """The scope that the places suggest: symbol, else file, else the whole workspace."""
    if any(anchor.symbol for anchor in anchors):
        return Scope(ScopeKind.SYMBOL)
    return Scope(ScopeKind.FILE if anchors else ScopeKind.WORKSPACE)


def authority_of(author: Author) -> Authority:
    """The authority of a new statement by this author."""
    return Authority.PERSON if author.kind is AuthorKind.PERSON else Authority.AGENT


def new_id() -> str:
    """A fresh id: 8 characters of Crockford's base 32, a letter first so that no tool takes it for a number."""
    choice = SystemRandom().choice  # as `secrets` has it, without OpenSSL
    return choice(_LETTERS) + "".join(choice(_ALPHABET) for _ in range(_ID_LENGTH - 1))


Revised = tuple[Belief, Revision]
"""A belief in its next state, and the revision to record."""


@frozen
class Maker:
    """The author of an action, its source and time, and the author's note."""

    author: Author
    source: str
    now: datetime
    note: str = ""
    session: str = ""


@frozen
class Draft:
    """A statement before it is checked, with what was said about it; what is None is read from the statement or the
    anchors. `branch` and `commit` are what was checked out."""

    text: str
    kind: BeliefKind | None = None
    limits: Limits = field(factory=Limits)
    anchors: Sequence[Anchor] = ()
    guards: Sequence[Guard] = ()
    because_of: Sequence[str] = ()
    branch: str = ""
    commit: str = ""


Verify = Callable[[Belief], Belief]
"""Holds a belief against the workspace; its statement is cleaned and redacted by then."""


def admit(draft: Draft, maker: Maker, *, verify: Verify | None = None, authority: Authority | None = None) -> Revised:
    """Make a belief and the first entry of its history. Raises BadValue for a statement that cannot be kept, a scope
    that needs a place and has none, and a passed date."""
    statement, limits = checked_statement(draft.text), draft.limits
    scope = limits.scope or scope_of(draft.anchors)
    if scope.kind in {ScopeKind.FILE, ScopeKind.SYMBOL} and not draft.anchors:
        raise BadValue(f"the scope {scope} needs a place", "say where with --at PATH, PATH:LINE or PATH#Qualified.name")
    if limits.expires_at is not None and limits.expires_at <= maker.now:
        raise BadValue(f"it would have expired already, on {limits.expires_at:%Y-%m-%d}", "give a date to come")
    if limits.stale_after is not None and limits.stale_after < 1:
        raise BadValue(
            f"{limits.stale_after} days are too few", "give one day or more after which it is to be confirmed"
        )
    checked = evolve(limits, scope=scope, conditions=checked_conditions(limits.conditions or ()))
    draft = evolve(draft, text=statement, limits=checked)
    belief = new_belief(new_id(), draft, maker, authority or authority_of(maker.author), verify)
    return belief, Revision(
        belief.id, 0, RevisionAction.REMEMBER, maker.author, maker.source, maker.now, session=maker.session
    )


def new_belief(id: str, draft: Draft, maker: Maker, authority: Authority, verify: Verify | None = None) -> Belief:
    """The belief of a draft that was checked, with the confidence that this authority starts with."""
    belief = Belief(
        id=id,
        text=draft.text,
        kind=draft.kind or kind_of(draft.text),
        scope=draft.limits.scope or scope_of(draft.anchors),
        authority=authority,
        confidence=starting_confidence(authority),
        author=maker.author,
        source=maker.source,
        created_at=maker.now,
        updated_at=maker.now,
        expires_at=draft.limits.expires_at,
        conditions=draft.limits.conditions or (),
        guards=tuple(draft.guards),
        anchors=tuple(draft.anchors),
        because_of=tuple(dict.fromkeys(draft.because_of)),
        stale_after=draft.limits.stale_after,
        branch=draft.branch,
        commit=draft.commit,
        session=maker.session,
    )
    return verify(belief) if verify else belief
