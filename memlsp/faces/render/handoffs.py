"""Handoffs and catch-ups as plain lines, the same in every face; a face escapes them for its medium."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memlsp.faces.render.wording import WORDS, age, count_of, plain, reason_line, short_id
from memlsp.model.event import source_name
from memlsp.model.thread import ThreadKind

if TYPE_CHECKING:
    from memlsp.model.episode import Episode
    from memlsp.model.handoff import Handoff
    from memlsp.model.standing import Judgement
    from memlsp.model.thread import Thread
    from memlsp.model.view import CatchUp, RevisedBelief

_LINE = 200
_SHOWN = {"digest": 5, "story": 25}
_SENTENCES = 3
_BYTES_PER_TOKEN = 4


def handoff_head(handoff: Handoff, now: datetime) -> str:
    """The id, source, age, branch and state of a handoff, on one line."""
    made = "as observed" if handoff.made_by == "episode" else f"written by the {handoff.made_by}"
    said = [handoff.id, source_name(handoff.source) or "somebody", age(handoff.created_at, now), made]
    if handoff.branch:
        said.insert(3, f"on {plain(handoff.branch, 60)}")
    if not handoff.ended:
        said.append("its end was not seen")
    if handoff.successor:
        said.append(f"followed by {handoff.successor}")
    if handoff.is_claimed and handoff.claimed_at is not None:
        said.append(f"taken by {plain(handoff.claimed_by, 60)} {age(handoff.claimed_at, now)}")
    elif handoff.expires_at <= now:
        said.append(f"expired {handoff.expires_at:%Y-%m-%d}")
    else:
        said.append(f"waits until {handoff.expires_at:%Y-%m-%d}" if handoff.is_open else "nothing left open")
    return " · ".join(said)


def handoff_body(handoff: Handoff) -> list[str]:
    """The parts of a handoff, a plain line each, most useful first."""
    lines = [f"task: {handoff.task}"]
    lines += [f"asked last: {handoff.asked_besides}"] if handoff.asked_besides else []
    lines += [f"stuck: {handoff.stuck}"] if handoff.stuck else []
    lines += [f"next: {step}" for step in handoff.next_steps]
    lines += [f"question: {question}" for question in handoff.questions]
    lines += [f"done: {done}" for done in handoff.done]
    lines += [f"where: {', '.join(handoff.places)}"] if handoff.places else []
    return [plain(line, 2 * _LINE) for line in lines]


def catch_up_lines(found: CatchUp, now: datetime, *, size: str = "") -> list[str]:
    """A catch-up as plain lines: one line, a digest or the whole story by `size` (default: by the time that has
    passed)."""
    size = size or found.size
    summary = _summary(found, now)
    if found.is_empty or size == "line":
        return [_line_of(found, summary)]
    most = _SHOWN[size]
    commits = [f"{commit.commit[:10]} {plain(commit.subject, 100)}" for commit in found.commits]
    lines = [summary]
    for heading, entries, total in (
        ("Done:", _episodes(found.episodes[:most], now, full=size == "story"), len(found.episodes)),
        ("Decided:", [_decided(each, now) for each in found.decided[:most]], len(found.decided)),
        ("No longer holds:", [_fallen(each) for each in found.fallen[:most]], len(found.fallen)),
        ("Open since then:", [_thread(each) for each in found.threads[:most]], len(found.threads)),
        ("Left for whoever takes it:", [_left(each, now) for each in found.handoffs[:most]], len(found.handoffs)),
        ("Commits:", commits[:most] if size == "story" else [], len(commits)),
    ):
        if entries:
            lines.append(heading)
            lines += [f"  {line}" for line in entries]
            if total > most:
                lines.append(f"  and {total - most} more")
    return lines


def _summary(found: CatchUp, now: datetime) -> str:
    parts = [
        count_of(len(found.episodes), "task") if found.episodes else "",
        count_of(len(found.commits), "commit") if found.commits else "",
        f"{count_of(len(found.decided), 'belief')} learned or revised" if found.decided else "",
        f"{count_of(len(found.fallen), 'belief')} to look at" if found.fallen else "",
        f"{count_of(len(found.threads), 'open end')} added" if found.threads else "",
        f"{count_of(len(found.handoffs), 'handoff')} waiting" if found.handoffs else "",
    ]
    summary = ", ".join(filter(None, parts)) or "nothing happened"
    return f"Since {found.since.astimezone(UTC):%Y-%m-%d %H:%M} UTC ({age(found.since, now)}): {summary}."


def _line_of(found: CatchUp, summary: str) -> str:
    named = [plain(each.title, 70) for each in found.episodes[:2]]
    if found.fallen:
        named.append(f"no longer holds: {plain(found.fallen[0].belief.text, 70)}")
    if found.handoffs:
        first = found.handoffs[0]
        known = any(first.title.startswith(each.title.rstrip("…")) for each in found.episodes[:2])
        named.append(f"waits: {first.id}" if known else f"waits: {plain(first.title, 70)} ({first.id})")
    return f"{summary} {'; '.join(named)}" if named else summary


def _episodes(episodes: Iterable[Episode], now: datetime, *, full: bool) -> list[str]:
    lines: list[str] = []
    for episode in episodes:
        who = ", ".join(source_name(source) for source in episode.sources if source not in {"git", "files"})
        parts = [who, age(episode.last_at, now), str(episode.outcome)]
        lines.append(f"{plain(episode.title, 120)} ({', '.join(filter(None, parts))})")
        if full:
            lines += [f"  {plain(sentence, _LINE)}" for sentence in episode.sentences[:_SENTENCES]]
    return lines


def _decided(decided: RevisedBelief, now: datetime) -> str:
    belief = decided.judgement.belief
    by = plain(belief.author.name, 40) or "someone"
    action = WORDS["meanwhile"].get(decided.action, str(decided.action))
    return f"{action}: {plain(belief.text, 140)} ({by}, {age(decided.at, now)}, {short_id(belief.id)})"


def _fallen(judgement: Judgement) -> str:
    why = reason_line(judgement.reasons, 120)
    said = f"{judgement.standing}: {plain(judgement.belief.text, 120)}"
    return f"{said} [{why}] {short_id(judgement.belief.id)}" if why else f"{said} {short_id(judgement.belief.id)}"


def _thread(thread: Thread) -> str:
    kind = {ThreadKind.TEST: "failing test", ThreadKind.PLAN: "planned", ThreadKind.NEXT: "next"}.get(thread.kind)
    where = f"{thread.path}#{thread.symbol}" if thread.symbol else thread.path
    text = plain(thread.text, 120)
    kind = "" if text.lower().startswith(str(thread.kind)) else f"{kind or thread.kind}: "
    return f"{kind}{text}" + (f" ({plain(where, 100)})" if where else "")


def _left(handoff: Handoff, now: datetime) -> str:
    left = len(handoff.next_steps) + len(handoff.questions)
    parts = [source_name(handoff.source), age(handoff.created_at, now), f"{left} open" if left else "stuck"]
    return f"{handoff.id}: {plain(handoff.title, 100)} ({', '.join(parts)})"


def within(lines: Sequence[str], most_tokens: int) -> list[str]:
    """The lines that fit, at four bytes a token, and one that counts those that do not."""
    kept: list[str] = []
    room = most_tokens * _BYTES_PER_TOKEN - 40
    for line in lines:
        room -= len(line.encode("utf-8", "replace")) + 6
        if room < 0:
            return [*kept, f"  ({len(lines) - len(kept)} more lines)"]
        kept.append(line)
    return kept
