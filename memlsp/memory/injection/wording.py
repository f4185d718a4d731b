"""A belief as the one line that a hook tells."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from memlsp.store.tables.hook_beliefs import HookBelief

LONGEST = 280
"""Characters of a statement."""

_AUTHOR = 30
_REASON = 120
_HOLDS = frozenset({"", "current", "carried"})


def one_line(text: str, most: int) -> str:
    """Stored text as one harmless line of at most `most` characters. Without `unicodedata`, which a hook cannot afford:
    everything that does not print is a blank."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def told(belief: HookBelief) -> str:
    """The belief with its source; one that the code no longer agrees with is told as such."""
    who = one_line(belief.author, _AUTHOR) or "someone"
    lock = ", locked" if belief.authority == "locked" else ""
    source = f"({belief.kind}, {who}, {belief.created[:10]}{lock}, {belief.id})"
    statement = one_line(belief.text, LONGEST)
    if belief.standing in _HOLDS:
        rival = one_line(belief.rival, _REASON)
        return f"| {statement} {source}" + (f" [nobody settled it: another says “{rival}”]" if rival else "")
    reason = one_line(belief.reason, _REASON)
    if belief.standing == "contradicted":
        return f"| no longer true{f', the code says: {reason}' if reason else ''}. It was: {statement} {source}"
    if belief.standing == "ahead":
        return f"| decided, the code does not follow yet: {statement} {source}"
    if belief.standing == "due":
        return f"| {statement} {source} [not yet judged in the present code]"
    return f"| {statement} {source} [{belief.standing} since{f': {reason}' if reason else ''}]"


def mark(belief: HookBelief) -> str:
    """The mark under which a session is told this once, as the notes of files have it."""
    return f"{belief.id} rule" if belief.standing in {*_HOLDS, "changed"} else f"{belief.id} {belief.standing}"
