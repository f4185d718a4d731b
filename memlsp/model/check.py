"""What `memlsp check` finds in the files in which a repository speaks of itself."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

SHOWN = 200
"""Characters of a statement in a finding, at the most."""


class CheckRule(StrEnum):
    """What was found of a statement: the stable id of the rule."""

    PATH_GONE = "path-gone"
    PATH_MOVED = "path-moved"
    LINE_MOVED = "line-moved"
    COMMAND_GONE = "command-gone"
    NAME_GONE = "name-gone"
    SYMBOL_MOVED = "symbol-moved"
    COUNT_CHANGED = "count-changed"
    VALUE_CHANGED = "value-changed"
    BEHAVIOUR_CHANGED = "behaviour-changed"
    RULE_CONFLICT = "rule-conflict"
    RULE_REPEATED = "rule-repeated"
    NEVER_TRUE = "never-true"
    BELIEF_CONTRADICTED = "belief-contradicted"
    BELIEF_CHANGED = "belief-changed"
    ANCHOR_GONE = "anchor-gone"
    GUARD_BROKEN = "guard-broken"
    BELIEF_UNREADABLE = "belief-unreadable"

    @property
    def is_doubt(self) -> bool:
        """True where what is named is still there, at another place, or where the code moved on and may still agree."""
        return self in _DOUBTS


_DOUBTS = {
    CheckRule.PATH_MOVED,
    CheckRule.LINE_MOVED,
    CheckRule.SYMBOL_MOVED,
    CheckRule.BELIEF_CHANGED,
    CheckRule.RULE_CONFLICT,
    CheckRule.RULE_REPEATED,
    CheckRule.NEVER_TRUE,
}


@frozen
class StatementFinding:
    """A line of a document that held once and does not hold now.

    `line` is from 1; `start` and `end` are characters of the line, of the words that are false. `replacement` is what
    would make them true, "" where that is not known. `code_path` and `code_line` (from 1, None for a whole file) are
    where the code says so, "" where it is gone. `held_at` is the commit at which it held, "" for a statement that
    never did.
    """

    rule: CheckRule
    path: str
    line: int
    start: int
    end: int
    statement: str
    message: str
    replacement: str = ""
    code_path: str = ""
    code_line: int | None = None
    held_at: str = ""


@frozen
class DocumentLine:
    """A line of a document that names a place of the code; `line` is from 1, `text` without marks."""

    document: str
    line: int
    text: str
