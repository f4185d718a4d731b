"""The texts of an editor: diagnostics, lenses and hovers, each within its budget, the same for every client. The reason
comes first; ids, command lines and names of our own sources are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import field, frozen

from memlsp.faces.render.threads import episodes_hover, threads_hover, threads_title
from memlsp.faces.render.wording import (
    age,
    checked_words,
    code_span,
    count_of,
    cut,
    escape_markdown,
    plain,
    provenance,
    reason_line,
    standing_mark,
)
from memlsp.model.standing import Judgement, Standing

if TYPE_CHECKING:
    from memlsp.model.belief import Belief
    from memlsp.model.check import DocumentLine
    from memlsp.model.episode import Episode, PastChange, SymbolHistory
    from memlsp.model.thread import Thread
    from memlsp.model.view import Lens, PlacedConflict, UnheldBelief

DIAGNOSTIC_LIMIT = 100
LENS_LIMIT = 80
HOVER_LINES = 6
HOVER_LIMIT = 100  # characters of a line, as it is shown
STATEMENT_LIMIT = 200
MOST_BELIEFS = 3
MOST_CHANGES = 3

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
    begin, end = f"{about}: " if about else "", "?"
    if len(sides) > 2:
        begin, end = f"{len(sides)} beliefs conflict{f' about {about}' if about else ''}, such as ", ""
    room = (DIAGNOSTIC_LIMIT - len(begin) - len(" or ?")) // 2
    values = first.conflict.values if first.here.id == first.conflict.first else first.conflict.values[::-1]
    ours, theirs = _quote(first.here.text, room, values[0]), _quote(first.other.text, room, values[1])
    return f"{begin}{ours} or {theirs}{end}"


def lens_text(
    lens: Lens, findings: Iterable[UnheldBelief], clashing: int, threads: Sequence[Thread] = (), *, holding: bool
) -> str:
    """What a lens says in at most 80 characters: what is wrong with the statement first, then the statement; "" for
    nothing to say. With `holding` beliefs that hold are quoted too. `clashing` of the beliefs are in conflict."""
    ids = {each.belief.id for each in lens.judgements}
    fallen = {each.judgement.belief.id: each for each in findings if each.judgement.belief.id in ids}
    worst = max(fallen.values(), key=lambda each: each.standing.severity, default=None)
    shown, head, rest = lens.judgements[0], "", len(fallen) - 1
    if clashing and (worst is None or worst.standing is not Standing.CONTRADICTED):
        head = f"{_WARNS} {count_of(clashing, 'belief')} {'conflicts' if clashing == 1 else 'conflict'} · "
    elif worst is not None:
        mark = _WARNS if worst.standing is Standing.CONTRADICTED else standing_mark(worst.judgement)
        shown, head = worst.judgement, f"{mark} {cut(worst.brief, _LENS_HEAD)} · "
    elif holding:
        head, rest = f"{standing_mark(shown)} ", len(ids) - 1
    ends = (f" · {rest} more" if rest > 0 else "", f" · {threads_title(threads)}" if threads else "")
    if not head:
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
    return _HoverLines(facts, now, markdown).text(history)


@frozen
class _HoverLines:
    facts: HoverFacts
    now: datetime
    markdown: bool

    def text(self, history: SymbolHistory | None) -> str:
        beliefs, left = self._beliefs()
        work = [each for each in self._work() if each]
        changes = history.changes if history is not None else ()
        room = self._most - len(beliefs)
        kept = work[: max(room - 1 if changes else room, 0)]
        commits = [self._change(each) for each in changes[: max(min(room - len(kept), MOST_CHANGES), 0)]]
        early = len(changes) > len(commits) or (history is not None and history.stopped == "limit")
        parts = (
            count_of(left, "belief") if left else "",
            f"{len(work) - len(kept)} notes" if len(work) > len(kept) else "",
            "earlier commits" if early and commits else "commits" if early else "",
        )
        more = ", ".join(part for part in parts if part)
        blocks = ["\n".join(commits)] if commits and self.markdown else commits
        paragraph = ("  \n" if self.markdown else "\n").join([*beliefs, *kept])
        text = ("\n\n" if self.markdown else "\n").join(filter(None, (paragraph, *blocks)))
        return f"{text}{self._more(more)}" if text and more else text

    @property
    def _most(self) -> int:
        return HOVER_LINES if self.facts.most == MOST_BELIEFS else 3 * self.facts.most

    def _more(self, what: str) -> str:
        if not self.markdown:
            return f"\nmore: {what}"
        return f"\n\n[more: {what}…]({self.facts.peek})" if self.facts.peek else f"\n\n_more: {what}_"

    def _beliefs(self) -> tuple[list[str], int]:
        """The lines about beliefs, and the number of those left out."""
        shown = self.facts.beliefs[: self.facts.most]
        lines: list[str] = []
        for number, judgement in enumerate(shown):
            why = self._why(judgement)
            if lines and len(lines) + 1 + bool(why) >= self._most:
                return lines, len(self.facts.beliefs) - number
            foot = self._foot(judgement) if len(shown) == 1 else ""
            actions = self.facts.actions.get(judgement.belief.id, "")
            lines.append(self._head(judgement, STATEMENT_LIMIT if len(shown) == 1 else HOVER_LIMIT))
            lines += [why] if why else []
            if foot:
                lines.append(" · ".join(filter(None, (foot, actions))))
            elif actions:
                lines[-1] += f" · {actions}"
        return lines, len(self.facts.beliefs) - len(shown)

    def _head(self, judgement: Judgement, limit: int) -> str:
        clashes = judgement.standing.holds and judgement.belief.id in self.facts.rivals
        mark, word = (_WARNS, "in conflict") if clashes else (standing_mark(judgement), judgement.standing.value)
        if self.markdown:
            return f"{mark} **{word}** {escape_markdown(judgement.belief.text, limit)}"
        return f"{mark} {word}: {cut(judgement.belief.text, limit)}"

    def _why(self, judgement: Judgement) -> str:
        """The reason, "" where the belief holds or a diagnostic says it on that line."""
        id, facts = judgement.belief.id, self.facts
        if id in facts.told:
            return ""
        if judgement.standing is Standing.CURRENT or (judgement.standing.holds and id in facts.rivals):
            rivals = facts.rivals.get(id, ())
            others = f" and {len(rivals) - 1} more" if len(rivals) > 1 else ""
            return self._shown(f"not true beside {_quote(rivals[0].text, 70)}{others}") if rivals else ""
        return self._shown(facts.briefs.get(id) or reason_line(judgement.reasons))

    def _foot(self, judgement: Judgement) -> str:
        parts = (provenance(judgement.belief, self.now, source=False), checked_words(judgement))
        return self._quiet(" · ".join(filter(None, parts)))

    def _work(self) -> Iterable[str]:
        facts = self.facts
        yield threads_hover(facts.threads, self.now, markdown=self.markdown)
        yield episodes_hover(facts.last, facts.episodes, self.now, markdown=self.markdown)
        for each in facts.mentions[:1]:
            yield self._shown(f"{each.document}:{each.line} says “{plain(each.text)}”")

    def _change(self, change: PastChange) -> str:
        """A past commit on a line: hash, subject, author and age, and what it changed here."""
        subject = cut(change.subject, 44)
        who = f"({plain(change.author, 20)}, {age(change.date, self.now)})"
        own = f"`{self.facts.symbol}` "
        what = change.change.rstrip(".").removeprefix(own) if change.change else ""
        what = "added" if what == f"Added {own.strip()}" else what
        room = HOVER_LIMIT - _HASH - len(subject) - len(who) - 6
        what = cut(what, room) if room > _LEAST_QUOTE else ""
        if not self.markdown:
            return " ".join(filter(None, (change.commit[:_HASH], subject, f"{who}{':' if what else ''}", what)))
        named = code_span(change.commit[:_HASH])
        if self.facts.page and re.fullmatch(r"[0-9a-f]{7,64}", change.commit):
            named = f"[{named}]({self.facts.page}{change.commit})"
        line = f"- {named} {escape_markdown(subject)} {self._quiet(who)}"
        return f"{line}: {escape_markdown(what)}" if what else line

    def _shown(self, text: str) -> str:
        return escape_markdown(text, HOVER_LIMIT) if self.markdown else cut(text, HOVER_LIMIT)

    def _quiet(self, text: str) -> str:
        """In emphasis, whose end no underscore of a name may be."""
        if not self.markdown:
            return text
        escaped = escape_markdown(text.replace("`", "'"))
        return f"_{_NAKED.sub(lambda found: found[1] or chr(92) + '_', escaped)}_"
