"""Beliefs, anchors and revisions for the tests that need values and no workspace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from memlsp.model.belief import (
    Anchor,
    Author,
    Authority,
    Belief,
    BeliefKind,
    BeliefStatus,
    Reference,
    ReferenceKind,
    Revision,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.place import Span
from memlsp.model.symbol import Dependency, Facts, Fingerprint, NamedValue, Parameter, Symbol, SymbolKind

ANN = Author("Ann")
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def symbol_at(path: str, name: str) -> Symbol:
    """A function with something in every part that is stored."""
    return Symbol(
        path=path,
        name=name,
        kind=SymbolKind.FUNCTION,
        span=Span(120, 480, 10, 24),
        name_span=Span(124, 124 + len(name), 10, 10, 4),
        fingerprint=Fingerprint("0a" * 16, "1b" * 16, "2c" * 16, "3d" * 16, tuple(range(64)), 120),
        facts=Facts(
            parameters=(Parameter("url", "str"), Parameter("timeout", "float", "30")),
            return_type="bytes",
            calls=("requests.get", "self.save"),
            conditions=("response.status >= 500",),
            literals=("30", "'utf-8'"),
            values=(NamedValue("timeout", "30"),),
            uses=("RATE", "requests.get"),
            members=(("save", "9f" * 16),),
            docs="Fetch it.",
            tokens=("def", "(", "url", ")", ":", "return", "requests.get") * 12,
        ),
    )


def anchor_at(path: str = "src/net.py", symbol: str = "fetch") -> Anchor:
    """An anchor as it would have been verified."""
    return Anchor(
        path=path,
        symbol=symbol,
        kind=SymbolKind.FUNCTION if symbol else SymbolKind.MODULE,
        line=11,
        verified=symbol_at(path, symbol),
        verified_at=NOON,
        depends=(Dependency("RATE", SymbolKind.CONSTANT, "src/rates.py", "RATE", "4e" * 16, "0.2"),),
        snapshot="def fetch(url, timeout=30):\n    return requests.get(url)\n",
        commit="c0ffee" * 6 + "c0ff",
        provenance=("renamed from get",),
    )


def belief_of(
    id: str,
    text: str,
    *,
    authority: Authority = Authority.PERSON,
    author: Author = ANN,
    kind: BeliefKind = BeliefKind.DECISION,
    scope: Scope | None = None,
    anchors: Sequence[Anchor] | None = None,
    status: BeliefStatus = BeliefStatus.ACTIVE,
    age: timedelta = timedelta(0),
) -> Belief:
    """A belief, tied to `fetch` in src/net.py unless told otherwise."""
    return Belief(
        id=id,
        text=text,
        kind=kind,
        scope=scope or Scope(ScopeKind.SYMBOL),
        authority=authority,
        confidence=0.8,
        author=author,
        source="cli",
        created_at=NOON - age,
        updated_at=NOON - age,
        status=status,
        expires_at=NOON + timedelta(days=30),
        conditions=(("env", "staging"),),
        anchors=(anchor_at(),) if anchors is None else tuple(anchors),
        references=(Reference(ReferenceKind.IDENTIFIER, "RATE", "src/rates.py#RATE"),),
    )


def revision_of(belief: Belief, action: RevisionAction = RevisionAction.REMEMBER, note: str = "") -> Revision:
    """A revision of a belief; the store gives it its number."""
    return Revision(belief.id, 1, action, ANN, "cli", NOON, note)
