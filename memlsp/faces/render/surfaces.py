"""The texts of an editor: diagnostics, lenses and hovers, each within its budget, the same for every client. The reason
comes first; ids, command lines and names of our own sources are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import field, frozen

from memlsp.faces.render import wording
from memlsp.faces.render.threads import episodes_hover, threads_hover, threads_title
from memlsp.faces.render.wording import count_of, cut, plain
from memlsp.model.episode import SymbolHistory
from memlsp.model.standing import Judgement, Standing

if TYPE_CHECKING:
    from memlsp.model.belief import Belief
    from memlsp.model.check import DocumentLine
    from memlsp.model.episode import Episode, PastChange
    from memlsp.model.thread import Thread
    from memlsp.model.view import PlacedConflict, UnheldBelief

DIAGNOSTIC_LIMIT = 100
LENS_LIMIT = 80
HOVER_LINES = 6
HOVER_LIMIT = 100  # characters of a line, as it is shown
STATEMENT_LIMIT = 200
MOST_BELIEFS = 3

_LEAST_QUOTE = 24
_LENS_HEAD = 54
_WARNS = "\N{WARNING SIGN}"
_HASH = 8
_NAKED = re.compile(r"(`[^`]*`|\\_)|_")


def diagnostic_text(finding: UnheldBelief) -> str:
    """Why a belief does not hold, and its statement, on a line of at most 100 characters."""
    kind = finding.judgement.belief.kind.value
    before, after = {
        Standing.CONTRADICTED: (f"; {kind} says ", ""),
        Standing.CHANGED: ("; does ", " still hold?"),
        Standing.ORPHANED: (f"; its {kind}: ", ""),
    }.get(finding.standing, (f": {kind} ", ""))
    least = len(before) + len(after) + _LEAST_QUOTE
    why = cut(finding.brief, DIAGNOSTIC_LIMIT - least)
    room = DIAGNOSTIC_LIMIT - len(why) - len(before) - len(after)
    return f"{why}{before}{_quote(finding.judgement.belief.text, room, finding.said)}{after}"


def conflict_text(clashes: Sequence[PlacedConflict]) -> str:
    """The open conflicts of one symbol, in one line of at most 100 characters."""
    first = clashes[0]
    about = plain(first.conflict.subject, 24)
    sides = {id for each in clashes for id in (each.here.id, each.other.id)}
    few = len(sides) == 2
    begin = f"{len(sides)} beliefs conflict{f' about {about}' if about else ''}{': ' if few else ', such as '}"
    end = "?" if few else ""
    room = (DIAGNOSTIC_LIMIT - len(begin) - len(" or ?")) // 2
    values = first.conflict.values if first.here.id == first.conflict.first else first.conflict.values[::-1]
    ours, theirs = _quote(first.here.text, room, values[0]), _quote(first.other.text, room, values[1])
    return f"{begin}{ours} or {theirs}{end}"


def lens_text(
    beliefs: Sequence[Judgement],
    findings: Iterable[UnheldBelief],
    clashing: AbstractSet[str],
    threads: Sequence[Thread],
    *,
    holding: bool,
) -> str:
    """What a lens says in at most 80 characters: what is wrong with the statement first, then the statement; "" for
    nothing to say. With `holding` beliefs that hold are quoted too. `clashing` are the ids in conflict."""
    ids = {each.belief.id for each in beliefs}
    fallen = {each.judgement.belief.id: each for each in findings if each.judgement.belief.id in ids}
    worst = max(fallen.values(), key=lambda each: each.standing.severity, default=None)
    shown, head, rest, conflicts = next(iter(beliefs), None), "", len(fallen) - 1, len(ids & clashing)
    if conflicts and (worst is None or worst.standing is not Standing.CONTRADICTED):
        head = f"{_WARNS} {count_of(conflicts, 'belief')} {'conflicts' if conflicts == 1 else 'conflict'} · "
    elif worst is not None:
        mark = _WARNS if worst.standing is Standing.CONTRADICTED else wording.standing_mark(worst.judgement)
        shown, head = worst.judgement, f"{mark} {cut(worst.brief, _LENS_HEAD)} · "
    elif holding and shown:
        head, rest = f"{wording.standing_mark(shown)} ", len(ids) - 1
    ends = (f" · {rest} more" if rest > 0 else "", f" · {threads_title(threads)}" if threads else "")
    if not head or shown is None:
        return ends[1].removeprefix(" · ")
    return f"{head}{_quote(shown.belief.text, max(LENS_LIMIT - len(head) - sum(map(len, ends)), 4))}{''.join(ends)}"


def _quote(text: str, room: int, around: str = "") -> str:
    """A statement in quotation marks, cut to the words `around` where they would be lost."""
    line, room = plain(text), room - 2
    at = line.lower().find(plain(around).lower()) if around else -1
    if at + len(around) > room - 1 and len(line) > room:
        begin = line.rfind(" ", 0, max(at - room // 3, 1)) + 1
        head = "…" if begin else ""
        return f"“{head}{cut(line[begin:], room - len(head))}”"
    return f"“{cut(line, room)}”"


@frozen
class HoverFacts:
    """What is known of a hovered symbol. `briefs` are the reasons by belief, `told` the beliefs of which a diagnostic
    on that line speaks, `rivals` the beliefs that each conflicts with, `actions` a line of links for each. `page` is
    the address of a commit without its hash, `peek` the link to everything; "" for none. `most` beliefs are shown."""

    symbol: str = ""
    beliefs: Sequence[Judgement] = ()
    briefs: Mapping[str, str] = field(factory=dict[str, str])
    told: frozenset[str] = frozenset()
    rivals: Mapping[str, Sequence[Belief]] = field(factory=dict[str, "Sequence[Belief]"])
    threads: Sequence[Thread] = ()
    episodes: int = 0
    last: Episode | None = None
    mentions: Sequence[DocumentLine] = ()
    actions: Mapping[str, str] = field(factory=dict[str, str])
    page: str = ""
    peek: str = ""
    most: int = MOST_BELIEFS


def hover_text(facts: HoverFacts, history: SymbolHistory | None, now: datetime, *, markdown: bool) -> str:
    """Beliefs, then work, then commits, in at most six lines and the hint that there is more; "" for nothing.
    `history` is None while it is being read: then it is left out."""
    return _HoverLines(facts, now, markdown).text(history or SymbolHistory())


@frozen
class _HoverLines:
    facts: HoverFacts
    now: datetime
    markdown: bool

    def text(self, history: SymbolHistory) -> str:
        facts = self.facts
        most = HOVER_LINES if facts.most == MOST_BELIEFS else 3 * facts.most
        lines: list[str] = []
        told = 0
        for judgement in facts.beliefs[: facts.most]:
            about = self._belief(judgement, alone=len(facts.beliefs) == 1)
            if lines and len(lines) + len(about) >= most:
                break
            lines += about
            told += 1
        work = [
            threads_hover(facts.threads, self.now, markdown=self.markdown),
            episodes_hover(facts.last, facts.episodes, self.now, markdown=self.markdown),
        ]
        work = [each for each in work if each]
        work += [self._shown(f"{each.document}:{each.line} says “{each.text}”") for each in facts.mentions[:1]]
        lines += work[: max(most - len(lines) - bool(history.changes), 0)]
        commits = [self._change(each) for each in history.changes[: max(min(most - len(lines), facts.most), 0)]]
        rest = len(facts.beliefs) - told
        early = wording.earlier_commits(history, len(commits))
        more = ", ".join(filter(None, (count_of(rest, "belief") if rest else "", early)))
        if not self.markdown:
            return "\n".join([*lines, *commits, *([f"more: {more}"] if more else [])])
        hint = f"[more: {more}…]({facts.peek})" if facts.peek else f"_more: {more}_"
        return "\n\n".join(filter(None, ("  \n".join(lines), "\n".join(commits), hint if more else "")))

    def _belief(self, judgement: Judgement, *, alone: bool) -> list[str]:
        """Standing and statement, the reason, and for one that is `alone` its origin."""
        belief, facts = judgement.belief, self.facts
        clashes = judgement.standing.holds and belief.id in facts.rivals
        mark, word = (
            (_WARNS, "in conflict") if clashes else (wording.standing_mark(judgement), judgement.standing.value)
        )
        head = f"{mark} **{word}**" if self.markdown else f"{mark} {word}:"
        foot = (wording.provenance(belief, self.now, source=False), wording.checked_words(judgement)) if alone else ()
        lines = [
            f"{head} {self._shown(belief.text, STATEMENT_LIMIT if alone else HOVER_LIMIT)}",
            self._shown(self._why(judgement, clashes=clashes)),
            self._quiet(" · ".join(filter(None, foot))),
        ]
        lines = [line for line in lines if line]
        if actions := facts.actions.get(belief.id):
            lines[-1] += f" · {actions}"
        return lines

    def _why(self, judgement: Judgement, *, clashes: bool) -> str:
        """The reason, "" where there is none or a diagnostic says it on that line."""
        id, facts = judgement.belief.id, self.facts
        rivals = facts.rivals.get(id, ()) if clashes else ()
        if id in facts.told or (judgement.standing is Standing.CURRENT and not rivals):
            return ""
        others = f" and {len(rivals) - 1} more" if len(rivals) > 1 else ""
        clash = f"not true beside {_quote(rivals[0].text, 70)}{others}" if rivals else ""
        return clash or facts.briefs.get(id) or wording.reason_line(judgement.reasons)

    def _change(self, change: PastChange) -> str:
        """A past commit on a line: hash, subject, author and age, and what it changed here."""
        short, subject = change.commit[:_HASH], cut(change.subject, 44)
        who = f"({plain(change.author, 20)}, {wording.age(change.date, self.now)})"
        what = change.change.rstrip(".").removeprefix(f"`{self.facts.symbol}` ")
        what = "added" if what == f"Added `{self.facts.symbol}`" else what
        room = HOVER_LIMIT - _HASH - len(subject) - len(who) - 6
        what = f": {self._shown(what, room)}" if what and room > _LEAST_QUOTE else ""
        if self.markdown:
            linked = self.facts.page and change.commit.isascii() and change.commit.isalnum()
            short = f"- [`{short}`]({self.facts.page}{change.commit})" if linked else f"- {wording.code_span(short)}"
        return f"{short} {self._shown(subject)} {self._quiet(who)}{what}"

    def _shown(self, text: str, limit: int = HOVER_LIMIT) -> str:
        return wording.escape_markdown(text, limit) if self.markdown else cut(text, limit)

    def _quiet(self, text: str) -> str:
        """In emphasis, whose end no underscore of a name may be."""
        if not self.markdown or not text:
            return text
        escaped = wording.escape_markdown(text.replace("`", "'"))
        return f"_{_NAKED.sub(lambda found: found[1] or chr(92) + '_', escaped)}_"
