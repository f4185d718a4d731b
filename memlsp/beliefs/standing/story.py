"""The explanation of a belief that does not hold, in a few plain sentences."""

from __future__ import annotations

from memlsp.model.belief import AuthorKind
from memlsp.model.standing import Judgement, Standing, Tie

_VERDICT = {
    Standing.CONTRADICTED: "Contradicted",
    Standing.CHANGED: "May no longer hold",
    Standing.ORPHANED: "Lost its code",
    Standing.EXPIRED: "Expired",
}
_MOST_TEXT = 400


def story_of(judgement: Judgement, tie: Tie | None = None) -> str:
    """The statement, why it does not hold, its author and date; one line of plain text. Agents that read an editor's
    diagnostics see this text alone. With `tie` the reasons are those of that place."""
    belief = judgement.belief
    standing = tie.standing if tie is not None and not tie.standing.holds else judgement.standing
    reasons = (tie.reasons if tie is not None and tie.standing is standing else ()) or judgement.reasons
    verdict = _VERDICT.get(standing, str(standing).capitalize())
    quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{_short(belief.text)}\N{RIGHT DOUBLE QUOTATION MARK}"
    parts = [f"{verdict}: {belief.kind} {quoted}."]
    # one difference can break two claims; it is told once
    messages = {reason.message.partition("; the statement says")[0]: reason.message for reason in reversed(reasons)}
    parts += [_sentence(message) for message in list(messages.values())[::-1][:3]]
    if tie is not None and tie.candidates:
        places = ", ".join(f"{c.path}#{c.symbol}" if c.symbol else c.path for c in tie.candidates[:3])
        parts.append(f"It may be {places} now.")
    who = belief.author.name if belief.author.kind is AuthorKind.PERSON else f"{belief.author.name} (agent)"
    parts.append(f"Said by {who} on {belief.created_at:%Y-%m-%d}; id {belief.id}.")
    return " ".join(parts)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TEXT else line[: _MOST_TEXT - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _sentence(message: str) -> str:
    message = " ".join(message.split())
    if not message:
        return message
    return message if message[-1] in ".!?" else message + "."
