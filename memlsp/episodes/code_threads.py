"""Threads of remarks (TODO) and stubs in the code: opens new ones, follows moved ones, closes resolved ones.

Two states of some files are compared. A remark of the present state is matched with the open threads, then with the
remarks of the former state; what is left was added. The rules stand in one module because each works on what those
before it left over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from attrs import define, evolve, field, frozen

from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.unfinished import LooseEnd, words_of
from memlsp.episodes.drafts import derived_id
from memlsp.episodes.file_comparison import FileComparison
from memlsp.model.symbol import Facts, Symbol
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.tables.threads import KeptThread, LostRemark

CODE = (ThreadKind.TODO, ThreadKind.STUB)
"""The kinds found in code."""

SAID = (ThreadKind.PLAN, ThreadKind.NEXT)
"""The kinds found in what an agent said."""

BY_HAND = "closed by "
"""Prefix of `closed_by` where a person or an agent closed a thread: no code reopens it."""

REMOVED = "its code was removed"

MOST_OPENED = 40
"""Beyond so many new remarks, an event is taken for an import or a vendored folder and opens none."""

_ALIKE = 0.34
_TELLING = 3  # words of a remark by which it is known in another file


@frozen
class EventContext:
    """The event whose effect on threads is computed."""

    key: str
    at: datetime
    source: str = ""
    session: str = ""
    episode: str = ""

    def is_of(self, thread: Thread) -> bool:
        """True for a thread of the same session."""
        return (thread.source, thread.session) == (self.source, self.session)

    def opened(self, kind: ThreadKind, text: str, mark: str, *parts: str) -> Thread:
        """A new thread without a place. `parts` tell it apart from the others of this event and kind."""
        return Thread(
            id=derived_id("t", self.key, kind, *parts),
            kind=kind,
            text=text,
            opened_at=self.at,
            mark=mark,
            source=self.source,
            session=self.session,
            episode=self.episode,
        )


@frozen
class ThreadLookup:
    """Look-ups of threads in other files, by kind and mark."""

    marked: Callable[[ThreadKind, str], Sequence[KeptThread]]
    lost: Callable[[ThreadKind, str], Sequence[LostRemark]]
    provided: Callable[[LooseEnd], bool]  # whether a class derived from a stub's class has the body


@frozen
class ThreadUpdates:
    """The changes to store. `dropped` has the ids of threads that turned out to be none."""

    states: tuple[KeptThread, ...] = ()
    dropped: tuple[str, ...] = ()
    lost: tuple[LostRemark, ...] = ()


def thread_updates(
    files: FileComparison,
    lookup: ThreadLookup,
    origin: EventContext,
    *,
    open_: Sequence[KeptThread],
    closed: Sequence[KeptThread],
    opens: bool,
) -> ThreadUpdates:
    """The effect of an event on the threads of the files in `files`, whose threads are `open_` and `closed`. With
    `opens`, added remarks become threads; without (after a checkout or pull) only former threads come back."""
    return _ThreadMatcher(files, lookup, origin, opens).run(open_, closed)


@define(eq=False)
class _KnownEnd:
    """A thread, or a remark of the former state, that is searched in the present state."""

    kind: ThreadKind
    path: str
    symbol: str
    mark: str
    line: int
    trace: Symbol | None = None


@define(eq=False)
class _ThreadMatcher:
    files: FileComparison
    lookup: ThreadLookup
    origin: EventContext
    opens: bool
    ends: list[LooseEnd] = field(init=False)
    free: set[int] = field(init=False)
    states: list[KeptThread] = field(factory=list[KeptThread])
    dropped: list[str] = field(factory=list[str])
    lost: list[LostRemark] = field(factory=list[LostRemark])

    def __attrs_post_init__(self) -> None:
        self.ends = [end for each in self.files.now.values() if each for end in each.ends]
        self.free = set(range(len(self.ends)))

    def run(self, open_: Sequence[KeptThread], closed: Sequence[KeptThread]) -> ThreadUpdates:
        threads = [_known_end(kept.thread, kept.symbol) for kept in open_]
        found = self._assign(threads, self.free)
        ended: list[KeptThread] = []
        for kept, wanted in zip(open_, threads, strict=True):
            at = found.get(id(wanted))
            if at is None:
                ended.append(kept)
            else:
                self.free.discard(at)
                self._carry(kept, self.ends[at])
        self._reopen(closed)
        self._set_aside_old()
        for kept in ended:
            self._end(kept)
        if self.opens and len(self.free) <= MOST_OPENED:
            for number in sorted(self.free):
                self._open(self.ends[number])
        return ThreadUpdates(tuple(self.states), tuple(self.dropped), tuple(self.lost))

    # -- matching --------------------------------------------------------------------------------------------------

    def _assign(self, wanted: Sequence[_KnownEnd], among: set[int], *, exact: bool = False) -> dict[int, int]:
        """Match known ends with present ones (indexes, by `id` of the known): at the same place, then elsewhere in the
        file, then in the symbol by its new name or in other words, then in another file."""
        left, found = list(wanted), dict[int, int]()
        remaining = set(among)
        for rule in (_same_place,) if exact else (_same_place, _same_file, self._same_symbol, self._moved):
            still: list[_KnownEnd] = []
            for each in left:
                candidates = [number for number in remaining if self.ends[number].kind is each.kind]
                candidates = [number for number in candidates if rule(each, self.ends[number])]
                if not candidates:
                    still.append(each)
                    continue
                best = min(candidates, key=lambda number: _distance(each, self.ends[number]))
                found[id(each)] = best
                remaining.discard(best)
            left = still
        if not exact:
            self._assign_renamed_stubs(left, remaining, found)
        return found

    def _same_symbol(self, wanted: _KnownEnd, end: LooseEnd) -> bool:
        """True in the same symbol, renamed or not; a remark may be reworded."""
        if wanted.kind is ThreadKind.TODO and _alike(wanted.mark, end.mark) < _ALIKE:
            return False
        return self.files.place_now(wanted.path, wanted.symbol, wanted.trace) == (end.path, end.symbol)

    def _moved(self, wanted: _KnownEnd, end: LooseEnd) -> bool:
        return wanted.path != end.path and self._stands_no_more(wanted) and _known_elsewhere(wanted, end)

    def _stands_no_more(self, wanted: _KnownEnd) -> bool:
        now = self.files.now.get(wanted.path)
        return now is None or not any(
            end.kind is wanted.kind and end.mark == wanted.mark and end.symbol == wanted.symbol for end in now.ends
        )

    def _assign_renamed_stubs(self, left: Sequence[_KnownEnd], remaining: set[int], found: dict[int, int]) -> None:
        """Match the one stub that went with the one that came in a class: a stub has no words to be matched by."""
        gone: defaultdict[tuple[str, str], list[_KnownEnd]] = defaultdict(list)
        for each in left:
            if each.kind is ThreadKind.STUB and self.files.symbol_at(each.path, each.symbol) is None:
                gone[each.path, _container(each.symbol)].append(each)
        new: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for number in remaining:
            if self.ends[number].kind is ThreadKind.STUB:
                new[self.ends[number].path, _container(self.ends[number].symbol)].append(number)
        for holder, stubs in gone.items():
            if len(stubs) == 1 and len(new[holder]) == 1:
                found[id(stubs[0])] = new[holder][0]
                remaining.discard(new[holder][0])

    def _set_aside_old(self) -> None:
        """Remove from the free ends those of the former state, and record the lost ones."""
        old = [_known_end(end) for each in self.files.before.values() if each for end in each.ends]
        claimed = set(range(len(self.ends))) - self.free
        self.free -= set((known := self._assign(old, self.free, exact=True)).values())
        rest = [each for each in old if id(each) not in known]
        taken = self._assign(rest, claimed, exact=True)  # these have threads of their own
        rest = [each for each in rest if id(each) not in taken]
        known = self._assign(rest, self.free)
        self.free -= set(known.values())
        for each in rest:
            if id(each) not in known:
                self._lose(each)

    def _lose(self, each: _KnownEnd) -> None:
        self.lost.append(LostRemark(each.kind, each.mark, each.path, each.symbol))
        if not self.opens:
            return
        known = self.lookup.marked(each.kind, each.mark)
        if any((kept.thread.path, kept.thread.symbol) == (each.path, each.symbol) for kept in known):
            return  # it has a thread of its own, and so have its copies elsewhere
        for kept in known:
            thread = kept.thread
            mine = self.origin.is_of(thread)
            if thread.is_open and mine and thread.path != each.path and _known_elsewhere(each, thread):
                self.dropped.append(thread.id)  # it was added there before it was removed here
                return

    # -- effects on a thread -------------------------------------------------------------------------------------------

    def _carry(self, kept: KeptThread, end: LooseEnd, **more: object) -> None:
        trace = self._trace(end)
        thread = evolve(
            kept.thread, path=end.path, symbol=end.symbol, line=end.line, text=end.text, mark=end.mark, **more
        )
        if thread != kept.thread or _meaning(trace) != _meaning(kept.symbol):
            self.states.append(KeptThread(thread, trace))

    def _trace(self, end: LooseEnd) -> Symbol | None:
        """The symbol around an end, as it is stored with a thread; None at the top of a file."""
        symbol = self.files.symbol_at(end.path, end.symbol)
        return evolve(symbol, facts=Facts()) if symbol is not None and symbol.name else None

    def _end(self, kept: KeptThread) -> None:
        thread = kept.thread
        heir = self._heir(kept)
        if heir is not None:
            self.dropped.append(heir.thread.id)
            here = heir.thread
            moved = evolve(thread, path=here.path, symbol=here.symbol, line=here.line, text=here.text, mark=here.mark)
            self.states.append(KeptThread(moved, heir.symbol))
            return
        over = evolve(thread, closed_at=self.origin.at, closed_by=self._resolved_by(kept), note="")
        self.states.append(KeptThread(over, kept.symbol))

    def _resolved_by(self, kept: KeptThread) -> str:
        thread = kept.thread
        place = self.files.place_now(thread.path, thread.symbol, kept.symbol)
        if place is None or self.files.now.get(place[0]) is None:
            return REMOVED
        if thread.kind is ThreadKind.STUB:
            return "it has a body now"
        there = "" if place == (thread.path, thread.symbol) else f" from {place[1] or place[0]}"
        return f"the remark is gone{there}"

    def _heir(self, kept: KeptThread) -> KeptThread | None:
        """A thread opened for the same remark in another file, before it was removed here."""
        thread = kept.thread
        if not self.opens:
            return None
        for other in self.lookup.marked(thread.kind, thread.mark):
            there = other.thread
            later = there.is_open and there.id != thread.id and there.opened_at > thread.opened_at
            mine = there.path != thread.path and self.origin.is_of(there)
            if later and mine and _known_elsewhere(thread, there):
                return other
        return None

    def _reopen(self, closed: Sequence[KeptThread]) -> None:
        """Reopen threads whose remark is back; those that somebody closed by hand only move with it."""
        by_hand = [kept for kept in closed if kept.thread.closed_by.startswith(BY_HAND)]
        by_code = [kept for kept in closed if not kept.thread.closed_by.startswith(BY_HAND)]
        for group in (by_hand, by_code):
            threads = [_known_end(kept.thread, kept.symbol) for kept in group]
            # exact only: a closed remark may come back, but not as another one
            found = self._assign(threads, self.free, exact=True)
            for kept, wanted in zip(group, threads, strict=True):
                at = found.get(id(wanted))
                if at is None:
                    continue
                self.free.discard(at)
                if group is by_code:
                    self._carry(kept, self.ends[at], closed_at=None, closed_by="")
                elif self.ends[at].line != kept.thread.line:
                    self._carry(kept, self.ends[at])

    def _open(self, end: LooseEnd) -> None:
        if end.kind is ThreadKind.STUB and _container(end.symbol) and self.lookup.provided(end):
            return
        if any(_known_elsewhere(lost, end) for lost in self.lookup.lost(end.kind, end.mark)):
            return  # an old remark, moved here from another file
        for kept in self.lookup.marked(end.kind, end.mark):
            thread = kept.thread
            gone = not thread.is_open and not thread.closed_by.startswith(BY_HAND)
            if gone and self.origin.is_of(thread) and thread.path != end.path and _known_elsewhere(end, thread):
                self._carry(kept, end, closed_at=None, closed_by="")  # it was removed there before it came here
                return
        same = [each for each in self.ends if (each.path, each.symbol, each.mark) == (end.path, end.symbol, end.mark)]
        place = (end.path, end.symbol, end.mark, str(same.index(end)))
        thread = self.origin.opened(end.kind, end.text, end.mark, *place)
        thread = evolve(thread, path=end.path, symbol=end.symbol, line=end.line)
        self.states.append(KeptThread(thread, self._trace(end)))


def provides(derived: Symbol, outlined: Outline, holder: str, member: str) -> bool:
    """True when a class derives from `holder` (a simple name) and has a member of that name."""
    bases = {_simple(base.partition("[")[0].partition("<")[0].partition("(")[0]) for base in derived.facts.bases}
    return holder in bases and outlined.find(f"{derived.name}.{member}") is not None


def alike(first: str, second: str) -> float:
    """The share of words that two texts have in common, 0 to 1."""
    return _alike(words_of(first), words_of(second))


def newest_first(threads: Iterable[Thread]) -> tuple[Thread, ...]:
    """The threads in display order."""
    order = sorted(threads, key=lambda each: (-each.opened_at.timestamp(), each.path, each.line or 0, each.id))
    return tuple(order)


def _known_end(each: Thread | LooseEnd, trace: Symbol | None = None) -> _KnownEnd:
    return _KnownEnd(each.kind, each.path, each.symbol, each.mark, each.line or 0, trace)


def _distance(wanted: _KnownEnd, end: LooseEnd) -> tuple[float, int, int]:
    return -_alike(wanted.mark, end.mark), wanted.path != end.path, abs(wanted.line - end.line)


def _same_place(wanted: _KnownEnd, end: LooseEnd) -> bool:
    return (wanted.path, wanted.symbol, wanted.mark) == (end.path, end.symbol, end.mark)


def _same_file(wanted: _KnownEnd, end: LooseEnd) -> bool:
    # all stubs have the same mark, so that only the symbol tells them apart
    return wanted.kind is ThreadKind.TODO and (wanted.path, wanted.mark) == (end.path, end.mark)


def _known_elsewhere(wanted: _KnownEnd | LooseEnd | LostRemark | Thread, end: LooseEnd | Thread) -> bool:
    """True for the same remark in another file: it has enough words, or a symbol of the same name."""
    if wanted.mark != end.mark:
        return False
    same_name = bool(wanted.symbol) and _simple(wanted.symbol) == _simple(end.symbol)
    if wanted.kind is ThreadKind.STUB:
        return same_name
    return same_name or (not wanted.mark.startswith("~") and len(wanted.mark.split()) >= _TELLING)


def _alike(first: str, second: str) -> float:
    if first == second:
        return 1.0
    one, other = set(first.split()), set(second.split())
    return len(one & other) / len(one | other) if one and other else 0.0


def _meaning(symbol: Symbol | None) -> str:
    return symbol.fingerprint.meaning if symbol else ""


def _simple(name: str) -> str:
    return name.rpartition(".")[2]


def _container(name: str) -> str:
    return name.rpartition(".")[0]
