"""The standing of a belief: what the code says of it now."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from attrs import frozen

from memlsp.model.belief import Anchor, Belief
from memlsp.model.symbol import SymbolKind


class Standing(StrEnum):
    """Whether a belief holds. The first eight come from the code and the clock, the last two from people and agents."""

    CURRENT = "current"  # the code is as it was verified
    CARRIED = "carried"  # it was renamed or moved, and means the same
    AHEAD = "ahead"  # a decision, rule or plan that the code does not follow yet
    CHANGED = "changed"  # the code moved on in ways the statement may cover
    CONTRADICTED = "contradicted"  # something the statement names is no longer so
    ORPHANED = "orphaned"  # the code it spoke of is gone
    EXPIRED = "expired"  # past its date
    UNBOUND = "unbound"  # tied to nothing that could be checked
    SUPERSEDED = "superseded"
    RETIRED = "retired"

    @property
    def holds(self) -> bool:
        """True when nothing contradicts the belief. One that is ahead of the code stands until the code arrives."""
        return self in _HOLDS

    @property
    def has_caveat(self) -> bool:
        """True when the reason belongs beside the statement: it does not hold, or not yet."""
        return self is Standing.AHEAD or not self.holds

    @property
    def severity(self) -> int:
        """0 when it holds; larger is worse. Orders reasons and picks the standing of several anchors."""
        return _SEVERITY[self]


_HOLDS = frozenset({Standing.CURRENT, Standing.CARRIED, Standing.AHEAD, Standing.UNBOUND})
_UNCHANGED = frozenset({Standing.CURRENT, Standing.CARRIED})
_SEVERITY = {
    Standing.UNBOUND: 0,
    Standing.CURRENT: 0,
    Standing.CARRIED: 1,
    Standing.AHEAD: 2,
    Standing.CHANGED: 3,
    Standing.EXPIRED: 4,
    Standing.ORPHANED: 5,
    Standing.CONTRADICTED: 6,
    Standing.SUPERSEDED: 7,
    Standing.RETIRED: 8,
}


@frozen
class Reason:
    """Why a standing is what it is. `code` is stable (`literal-changed`, `symbol-removed`); `message` is a sentence."""

    code: str
    message: str
    path: str | None = None
    symbol: str | None = None
    commit: str | None = None  # the full hash of the commit that did it, where that is known
    at: datetime | None = None  # when that commit was made


@frozen
class Candidate:
    """A place that an orphaned anchor's symbol may have moved to. `similarity` is 0..1."""

    path: str
    symbol: str
    kind: SymbolKind
    line: int  # from 1
    similarity: float


@frozen
class Tie:
    """An anchor with its present place: `path`, `symbol` and `line` (from 1), or the last known ones when `found` is
    False. Columns are in bytes, of the defining name on that line."""

    anchor: Anchor
    standing: Standing
    path: str
    symbol: str
    line: int
    start_column: int = 0
    end_column: int = 0
    found: bool = True
    reasons: tuple[Reason, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    likely: bool = False  # it changed in a way that mostly makes such a statement false
    aside: bool = False  # it changed in nothing that the statement speaks of, so nobody is interrupted


@frozen
class Judgement:
    """A belief with its standing at one moment."""

    belief: Belief
    standing: Standing
    reasons: tuple[Reason, ...] = ()
    ties: tuple[Tie, ...] = ()

    @property
    def checked(self) -> tuple[str, ...]:
        """The words of the statement that the code was seen to bear out, while the code means the same as then. Without
        any, CURRENT says that the code is as it was, and nothing of whether the statement is true."""
        if self.standing not in _UNCHANGED:
            return ()
        met = [said for tie in self.ties if tie.standing in _UNCHANGED for said in tie.anchor.met]
        return tuple(dict.fromkeys((*met, *(reference.text for reference in self.belief.references))))

    @property
    def is_unchecked(self) -> bool:
        """True where the code is as it was and no claim of the statement was held against it."""
        return self.standing in _UNCHANGED and not self.checked

    @property
    def holds(self) -> bool:
        """True when the code still bears the statement out, or changed in nothing that it speaks of."""
        return self.standing.holds or self.aside

    @property
    def has_caveat(self) -> bool:
        """True when the reason belongs beside the statement: it does not hold, or not yet."""
        return self.standing is Standing.AHEAD or not self.holds

    @property
    def aside(self) -> bool:
        """True when it changed, and at each place that changed in nothing that the statement speaks of."""
        loud = [tie for tie in self.ties if not tie.standing.holds]
        return self.standing is Standing.CHANGED and bool(loud) and all(tie.aside for tie in loud)
