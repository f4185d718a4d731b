"""Beliefs, their standing, histories and ages in words, the same in every face. Stored text is untrusted data: `plain`
makes it one harmless line, and `escape_markdown` makes that line safe inside markdown. All markdown from here has been
through the latter."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memlsp.model.belief import Authority, AuthorKind, ScopeKind
from memlsp.model.one_line import plain

if TYPE_CHECKING:
    from memlsp.model.belief import Belief
    from memlsp.model.episode import PastChange, SymbolHistory
    from memlsp.model.standing import Judgement, Reason

REASON_LIMIT = 240

WORDS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
"""What the faces call the values of the model."""

_UNCHECKED = "="
"""The code is as it was when this was said, and nothing of the statement could be checked."""

CHECKED_SHOWN = 3

_SHORT = 8

# brackets are harmless inside a code span, but `](` is what a careless renderer takes for a link
_CODE_SPAN = re.compile(r"(?<!`)`(?!`)((?:(?!\]\(|://)[^`\\])+)`(?!`)")
_TAG_SIGNS = re.compile(r"[<>]")
_IDENTIFIER = re.compile(r"(?<![\w`*./$\\])(?:\*{1,2}[A-Za-z]\w*|\w*_\w*[^\W_]\w*)(?:\.\w+)*(?:\(\))?(?![\w`*/$])")
_ALWAYS = re.compile(r"[\\`*\[\]|~$]|(?<=\])\(")
_EDGE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_ADDRESS = re.compile(r":(?=/)|(?<=www)\.|(?<=[\w.+-])@(?=[\w-])", re.IGNORECASE)
_BLOCK_START = re.compile(r"^([#+=-]|\d{1,9}(?=[.)]))")


def escape_markdown(text: str, limit: int | None = None) -> str:
    """One line of markdown that shows `text` and can do nothing else. No html, links, images, bare addresses, headings,
    lists, emphasis or entities. Code spans that people write with single backticks stay code, and names such as
    `__init__` and `*args` become code; code with `<` becomes plain text. `limit` counts characters before all that."""
    line = plain(text) if limit is None else cut(text, limit)
    parts: list[str] = []
    end = 0
    for found in _CODE_SPAN.finditer(line):
        code = _escape_signs(found[1]) if _TAG_SIGNS.search(found[1]) else found[0]
        parts.extend((_escape_words(line[end : found.start()]), code))
        end = found.end()
    parts.append(_escape_words(line[end:]))
    return _BLOCK_START.sub(lambda found: f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}", "".join(parts))


def cut(text: str, limit: int) -> str:
    """The text on one line of at most `limit` characters: whole words where they fit, every code span closed."""
    line = plain(text)
    if len(line) <= limit:
        return line
    short = line[: limit - 1]
    space = short.rfind(" ")
    short = short[:space] if space >= limit // 2 else short
    if short.count("`") % 2 and "`" in line[len(short) :]:
        opened = short.rfind("`")
        short = short[: limit - 2]
        return f"{short}…`" if len(short) - opened > 2 else f"{short[:opened].rstrip()}…"
    return f"{short.rstrip(' ,;:-')}…"


def _escape_words(text: str) -> str:
    parts, end = [""], 0
    for found in _IDENTIFIER.finditer(text):
        parts += (_escape_signs(text[end : found.start()]), f"`{found[0]}`")
        end = found.end()
    return "".join((*parts, _escape_signs(text[end:])))


def _escape_signs(text: str) -> str:
    escaped = _ALWAYS.sub(lambda found: "\\" + found[0], text)
    escaped = _EDGE_UNDERSCORE.sub(r"\\_", escaped)
    escaped = _ENTITY.sub("&amp;", escaped)
    escaped = _ADDRESS.sub(lambda found: "\\" + found[0], escaped)
    return escaped.replace("<", "&lt;").replace(">", "&gt;")


def code_span(text: str) -> str:
    """`text` as a code span, or escaped where it cannot be one."""
    line = plain(text)
    return f"`{line}`" if _CODE_SPAN.fullmatch(f"`{line}`") and not _TAG_SIGNS.search(line) else escape_markdown(line)


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


def listing(names: Sequence[str], most: int) -> str:
    """The first names with commas, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def standing_mark(judgement: Judgement) -> str:
    """One character for the standing, shown beside its word and never alone: not everybody can read shapes. A check
    mark says that the code bore out a claim of the statement."""
    return _UNCHECKED if judgement.is_unchecked else WORDS["marks"][judgement.standing]


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


def provenance(belief: Belief, now: datetime, *, source: bool = True) -> str:
    """Kind, author, age and, if asked, source on one plain line: "decision, locked · Ann · 3 days ago · cli"."""
    kind = belief.kind.value
    if belief.authority not in {Authority.PERSON, Authority.AGENT}:
        kind = f"{kind}, {belief.authority.value}"
    if belief.scope.kind is not ScopeKind.SYMBOL:
        kind = f"{kind}, {_scope_words(belief)}"
    parts = (kind, _author(belief), age(belief.created_at, now), plain(belief.source, 40) if source else "")
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


def history_line(change: PastChange, now: datetime, limit: int = REASON_LIMIT) -> str:
    """A past change on one plain line: short hash, age, author, subject, and the change."""
    head = f"{change.commit[:_SHORT]} {age(change.date, now)}, {plain(change.author, 40)}: {plain(change.subject, 100)}"
    return plain(f"{head} → {change.change}" if change.change else head, limit)


def earlier_commits(history: SymbolHistory, shown: int) -> str:
    """The commits of a history after the first `shown`, by their number where that is known; "" for none."""
    rest, ended = len(history.changes) - shown, history.stopped not in {"limit", "deadline", "cancelled"}
    if rest > 0:
        return count_of(rest, "earlier commit") if ended else f"at least {count_of(rest, 'earlier commit')}"
    return "earlier commits" if history.stopped == "limit" else ""
