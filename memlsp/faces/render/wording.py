"""Beliefs, their standing, histories and ages in words, the same in every face. Stored text is untrusted data: `plain`
makes it one harmless line, and `escape_markdown` makes that line safe inside markdown. All markdown from here has been
through the latter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.model.belief import Authority, AuthorKind, ScopeKind
from memlsp.model.one_line import plain
from memlsp.model.standing import Standing

if TYPE_CHECKING:
    from memlsp.model.belief import Belief
    from memlsp.model.episode import PastChange, SymbolHistory
    from memlsp.model.standing import Judgement, Reason
    from memlsp.model.view import Lens

STATEMENT_LIMIT = 480
"""Characters of a statement that a hover or a list shows; a command shows the whole text."""

REASON_LIMIT = 240

CLAUSES_SHOWN = 6
"""Lines of the newest change in a hover."""

CLAUSE_LIMIT = 160

_MARKS = {
    Standing.CURRENT: "✓",
    Standing.CARRIED: "✓",
    Standing.AHEAD: "»",
    Standing.CHANGED: "≈",
    Standing.CONTRADICTED: "✗",
    Standing.ORPHANED: "∅",
    Standing.EXPIRED: "◷",
    Standing.UNBOUND: "·",
    Standing.SUPERSEDED: "→",
    Standing.RETIRED: "–",  # noqa: RUF001 - the dash is meant
}

_UNCHECKED = "="
"""The code is as it was when this was said, and nothing of the statement could be checked."""

CHECKED_SHOWN = 3

_SHORT = 8

# brackets are harmless inside a code span, but `](` is what a careless renderer takes for a link
_CODE_SPAN = re.compile(r"(?<!`)`(?!`)((?:(?!\]\(|://)[^`<>\\])+)`(?!`)")
_ALWAYS = re.compile(r"[\\`*\[\]|~$]|(?<=\])\(")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ADDRESS = re.compile(r":(?=/)|(?<=www)\.|(?<=[\w.+-])@(?=[\w-])", re.IGNORECASE)
_BLOCK_START = re.compile(r"^([#+=-]|\d{1,9}(?=[.)]))")


def escape_markdown(text: str, limit: int | None = None) -> str:
    """One line of markdown that shows `text` and can do nothing else. No html, links, images, bare addresses, headings,
    lists, emphasis or entities. Code spans that people write with single backticks stay code. `limit` counts characters
    before escaping."""
    line = plain(text, limit)
    parts: list[str] = []
    end = 0
    for found in _CODE_SPAN.finditer(line):
        parts.extend((_escape_words(line[end : found.start()]), found[0]))
        end = found.end()
    parts.append(_escape_words(line[end:]))
    return _BLOCK_START.sub(_escape_start, "".join(parts))


def _escape_words(text: str) -> str:
    escaped = _ALWAYS.sub(lambda found: "\\" + found[0], text)
    escaped = _EDGE_UNDERSCORE.sub(r"\\_", escaped)
    escaped = _ENTITY.sub("&amp;", escaped)
    escaped = _ADDRESS.sub(lambda found: "\\" + found[0], escaped)
    return escaped.replace("<", "&lt;").replace(">", "&gt;")


def _escape_start(found: re.Match[str]) -> str:
    return f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}"


def code_span(text: str) -> str:
    """`text` as a code span, or escaped where it cannot be one."""
    line = plain(text)
    return f"`{line}`" if _CODE_SPAN.fullmatch(f"`{line}`") else escape_markdown(line)


def age(then: datetime, now: datetime) -> str:
    """How long ago: "just now", "5 minutes ago", "yesterday", "3 days ago", "2 years ago". A time without a zone is
    taken for UTC; one in the future (clocks differ) is "just now"."""
    seconds = (_aware(now) - _aware(then)).total_seconds()
    minutes = int(seconds // 60)
    hours = minutes // 60
    days = hours // 24
    if seconds < 60:
        return "just now"
    if minutes < 60:
        return _ago(minutes, "minute")
    if hours < 24:
        return _ago(hours, "hour")
    if days == 1:
        return "yesterday"
    if days < 14:
        return _ago(days, "day")
    if days < 60:
        return _ago(days // 7, "week")
    if days < 365:
        return _ago(days // 30, "month")
    return _ago(days // 365, "year")


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _ago(count: int, unit: str) -> str:
    return f"{count_of(count, unit)} ago"


def count_of(count: int, noun: str) -> str:
    """`1 decision`, `2 decisions`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") and noun != "day" else f"{count} {noun}s"


def standing_mark(judgement: Judgement) -> str:
    """One character for the standing, shown beside its word and never alone: not everybody can read shapes. A check
    mark says that the code bore out a claim of the statement."""
    return _UNCHECKED if judgement.is_unchecked else _MARKS[judgement.standing]


def checked_words(judgement: Judgement) -> str:
    """The claims of the statement that the code bears out, or that none was checked; "" where the standing says it."""
    if judgement.is_unchecked:
        return "no claim checked"
    said = [plain(each, 40) for each in judgement.checked[:CHECKED_SHOWN]]
    more = len(judgement.checked) - len(said)
    return f"checked: {', '.join(said)}{f' and {more} more' if more else ''}" if said else ""


def short_id(belief_id: str) -> str:
    """The first characters of an id, which nearly always suffice in a command."""
    return belief_id[:_SHORT]


def provenance(belief: Belief, now: datetime) -> str:
    """Kind, author, age and source on one plain line: "decision, locked · Ann · 3 days ago · cli"."""
    kind = belief.kind.value
    if belief.authority in {Authority.LOCKED, Authority.REVIEWED, Authority.PROPOSED, Authority.MINED}:
        kind = f"{kind}, {belief.authority.value}"
    if belief.scope.kind is not ScopeKind.SYMBOL:
        kind = f"{kind}, {_scope_words(belief)}"
    author = _author(belief)
    parts = [kind, author, age(belief.created_at, now), plain(belief.source, 40)]
    return " · ".join(part for part in parts if part)


def _author(belief: Belief) -> str:
    """The author; for a found statement that nobody has admitted, its source."""
    author = plain(belief.author.name, 60) or "someone"
    if belief.author.kind is not AuthorKind.AGENT:
        return author
    found = belief.evidence[0] if belief.evidence and belief.source in _FOUND else None
    if found is None:
        return f"{author} (agent)"
    if found.path:
        return f"found in {plain(found.path, 60)}"
    return f"found in commit {found.commit[:_SHORT]}" if found.commit else f"found in a {found.kind.value}"


_FOUND = frozenset({"mining", "import"})
"""Sources of beliefs that were found and not stated."""


def _scope_words(belief: Belief) -> str:
    scope = belief.scope
    if scope.kind is ScopeKind.GLOB:
        return f"for {plain(scope.pattern, 60)}"
    return {ScopeKind.USER: "for you", ScopeKind.WORKSPACE: "for the workspace"}.get(scope.kind, "for the file")


def reason_line(reasons: Sequence[Reason], limit: int = REASON_LIMIT) -> str:
    """The reasons on one plain line, "" when there are none."""
    return plain("; ".join(_with_commit(reason) for reason in reasons if reason.message), limit)


def _with_commit(reason: Reason) -> str:
    """The message, with its commit and the commit's age unless it names the commit."""
    message = reason.message.rstrip(". ")
    if reason.commit is None or reason.at is None or reason.commit[:_SHORT] in message:
        return message
    return f"{message}, {reason.commit[:_SHORT]}, {age(reason.at, datetime.now(UTC))}"


def _shown_reasons(judgement: Judgement) -> str:
    # "nothing changed" is no news; a move or a caveat is
    return "" if judgement.standing is Standing.CURRENT else reason_line(judgement.reasons)


def belief_line(judgement: Judgement, now: datetime, *, with_id: bool = False) -> str:
    """A belief on one plain line: mark, standing, statement, reason, provenance and, if asked, the short id."""
    belief = judgement.belief
    reason = _shown_reasons(judgement)
    line = f"{standing_mark(judgement)} {judgement.standing.value}: {plain(belief.text, STATEMENT_LIMIT)}"
    if reason:
        line = f"{line} [{reason}]"
    line = f"{line} ({provenance(belief, now)})"
    return f"{line} {short_id(belief.id)}" if with_id else line


def belief_markdown(judgement: Judgement, now: datetime, *, limit: int = STATEMENT_LIMIT) -> str:
    """A belief as two or three lines of one markdown paragraph: standing and statement, reason, provenance."""
    belief, standing = judgement.belief, judgement.standing
    lines = (
        f"{standing_mark(judgement)} **{standing.value}** {escape_markdown(belief.text, limit)}",
        escape_markdown(_shown_reasons(judgement)),
        f"_{_inside_emphasis(_foot(judgement, now))}_",
    )
    return "  \n".join(filter(None, lines))


def belief_text(judgement: Judgement, now: datetime, *, limit: int = STATEMENT_LIMIT) -> str:
    """The same as `belief_markdown` for a client that shows plain text."""
    belief, standing = judgement.belief, judgement.standing
    lines = (
        f"{standing_mark(judgement)} {standing.value}: {plain(belief.text, limit)}",
        _shown_reasons(judgement),
        _foot(judgement, now),
    )
    return "\n  ".join(filter(None, lines))


def _foot(judgement: Judgement, now: datetime) -> str:
    return " · ".join(filter(None, (provenance(judgement.belief, now), checked_words(judgement))))


def _inside_emphasis(text: str) -> str:
    # an underscore inside a name must not close the emphasis around it
    return re.sub(r"(?<!\\)_", r"\\_", escape_markdown(text.replace("`", "'")))


def lens_title(lens: Lens) -> str:
    """The title of a lens: beliefs by kind, then those that no longer hold: "2 decisions · 1 changed"."""
    kinds = [count_of(count, kind) for kind, count in lens.by_kind if count]
    parts = [", ".join(kinds) if 0 < len(kinds) <= 2 else count_of(lens.total, "belief")]
    fallen = sorted(
        ((standing, count) for standing, count in lens.by_standing if count and not standing.holds),
        key=lambda pair: -pair[0].severity,
    )
    parts.extend(f"{count} {standing.value}" for standing, count in fallen)
    return plain(" · ".join(parts))


def history_line(change: PastChange, now: datetime, limit: int = REASON_LIMIT) -> str:
    """A past change on one plain line: short hash, age, author, subject, and the change."""
    head = f"{change.commit[:_SHORT]} {age(change.date, now)}, {plain(change.author, 40)}: {plain(change.subject, 100)}"
    return plain(f"{head} → {change.change}" if change.change else head, limit)


def history_markdown(history: SymbolHistory, now: datetime, limit: int = 3, *, full: bool = False) -> str:
    """The newest `limit` changes, a line each, as one markdown paragraph; "" when there are none. With `full` the
    newest has lines of its own for the clauses that its sentence leaves out."""
    lines: list[str] = []
    for change in history.changes[:limit]:
        subject = escape_markdown(change.subject, 90)
        line = f"{code_span(change.commit[:_SHORT])} {subject} _({_inside_emphasis(_who_and_when(change, now))})_"
        clauses = _clauses(change) if full and not lines else ()
        if change.change and not clauses:
            line = f"{line}: {escape_markdown(change.change, 160)}"
        lines.append(line)
        lines += [f"· {escape_markdown(clause, CLAUSE_LIMIT)}" for clause in clauses]
    return "  \n".join(lines)


def history_text(history: SymbolHistory, now: datetime, limit: int = 3, *, full: bool = False) -> str:
    """The same as `history_markdown` for a client that shows plain text."""
    lines: list[str] = []
    for change in history.changes[:limit]:
        clauses = _clauses(change) if full and not lines else ()
        lines.append(history_line(evolve(change, change="") if clauses else change, now))
        lines += [f"  · {plain(clause, CLAUSE_LIMIT)}" for clause in clauses]
    return "\n".join(lines)


def _clauses(change: PastChange) -> tuple[str, ...]:
    """The clauses of a change whose sentence leaves something out; () for any other."""
    left_out = "…" in change.change or " more change" in change.change or " more" in change.change
    if not left_out or not change.clauses:
        return ()
    shown = change.clauses[:CLAUSES_SHOWN]
    more = len(change.clauses) - len(shown)
    return (*shown, f"and {count_of(more, 'more change')}") if more else shown


def _who_and_when(change: PastChange, now: datetime) -> str:
    return f"{plain(change.author, 40)}, {age(change.date, now)}"
