"""Remarks and stubs as threads: which are new, which went on under another name, and which are done.

Two states of some files are compared, as they were and as they are. A remark of the present state belongs first to the
thread that is open about it, then to its like in the former state, which makes it one of long standing; what is left
was added. Nothing here knows a clock or a disk. The rules stand together, which makes the module longer than its
neighbours, because each is about what those before it left over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from hashlib import blake2b

from attrs import define, evolve, field, frozen

from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.unfinished import LooseEnd, words_of
from memlsp.episodes.file_states import FileStates
from memlsp.model.symbol import Facts, Symbol
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.tables.threads import KeptThread, LostRemark

CODE = (ThreadKind.TODO, ThreadKind.STUB)
"""The kinds that stand in the code itself."""

SAID = (ThreadKind.PLAN, ThreadKind.NEXT)
"""The kinds that stand in what an agent said."""

BY_HAND = "closed by "
"""How `closed_by` begins when a person or an agent closed it: no code opens it again."""

REMOVED = "its code was removed"

MOST_OPENED = 40
"""What one event adds beyond this was not written by anybody just now: an import, a vendored folder."""

_ALIKE = 0.34
_TELLING = 3  # words of a remark by which it is known in another file
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_DIGITS = 7


@frozen
class EventContext:
    """The event that is looked at."""

    key: str
    at: datetime
    source: str = ""
    session: str = ""
    episode: str = ""


@frozen
class ThreadLookup:
    """What is known of threads elsewhere than in the files looked at, asked for by kind and mark."""

    marked: Callable[[ThreadKind, str], Sequence[KeptThread]]
    lost: Callable[[ThreadKind, str], Sequence[LostRemark]]
    provided: Callable[[LooseEnd], bool]  # whether a class derived from a stub's class has the body


@frozen
class ThreadUpdates:
    """What is to be written. `dropped` are the ids of threads that turned out to be none."""

    states: tuple[KeptThread, ...] = ()
    dropped: tuple[str, ...] = ()
    lost: tuple[LostRemark, ...] = ()


def thread_updates(
    scene: FileStates,
    archive: ThreadLookup,
    origin: EventContext,
    *,
    open_: Sequence[KeptThread],
    closed: Sequence[KeptThread],
    opens: bool,
) -> ThreadUpdates:
    """What an event did to the remarks and stubs of the files in `scene`.

    `open_` and `closed` are the threads about these files. With `opens` what was added becomes a thread; without (after
    a checkout, a pull) only threads that were there before come back.
    """
    return _ThreadMatcher(scene, archive, origin, opens).run(open_, closed)


@define(eq=False)
class _KnownEnd:
    """Something that is looked for in the present state: a thread, or a remark of the former one."""

    kind: ThreadKind
    path: str
    symbol: str
    mark: str
    line: int
    trace: Symbol | None = None


@define(eq=False)
class _ThreadMatcher:
    scene: FileStates
    archive: ThreadLookup
    origin: EventContext
    opens: bool
    ends: list[LooseEnd] = field(init=False)
    free: set[int] = field(init=False)
    states: list[KeptThread] = field(factory=list[KeptThread])
    dropped: list[str] = field(factory=list[str])
    lost: list[LostRemark] = field(factory=list[LostRemark])

    def __attrs_post_init__(self) -> None:
        self.ends = [end for each in self.scene.now.values() if each for end in each.ends]
        self.free = set(range(len(self.ends)))

    def run(self, open_: Sequence[KeptThread], closed: Sequence[KeptThread]) -> ThreadUpdates:
        threads = [_wanted(kept) for kept in open_]
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

    # -- who is who ------------------------------------------------------------------------------------------------

    def _assign(self, wanted: Sequence[_KnownEnd], among: set[int], *, exact: bool = False) -> dict[int, int]:
        """Which end is which, by the identity of what is wanted: first where it stood, then elsewhere in the file,
        then in the symbol by its new name or with other words, then in another file."""
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
                best = min(candidates, key=lambda number: self._distance(each, self.ends[number]))
                found[id(each)] = best
                remaining.discard(best)
            left = still
        if not exact:
            self._assign_renamed_stubs(left, remaining, found)
        return found

    def _distance(self, wanted: _KnownEnd, end: LooseEnd) -> tuple[float, int, int]:
        return -_alike(wanted.mark, end.mark), wanted.path != end.path, abs(wanted.line - end.line)

    def _same_symbol(self, wanted: _KnownEnd, end: LooseEnd) -> bool:
        """In the same symbol, whatever it is called now; a remark may have been put in other words."""
        if wanted.kind is ThreadKind.TODO and _alike(wanted.mark, end.mark) < _ALIKE:
            return False
        return self.scene.place_now(wanted.path, wanted.symbol, wanted.trace) == (end.path, end.symbol)

    def _moved(self, wanted: _KnownEnd, end: LooseEnd) -> bool:
        return wanted.path != end.path and self._stands_no_more(wanted) and _known_elsewhere(wanted, end)

    def _stands_no_more(self, wanted: _KnownEnd) -> bool:
        now = self.scene.now.get(wanted.path)
        return now is None or not any(
            end.kind is wanted.kind and end.mark == wanted.mark and end.symbol == wanted.symbol for end in now.ends
        )

    def _assign_renamed_stubs(self, left: Sequence[_KnownEnd], remaining: set[int], found: dict[int, int]) -> None:
        """A stub has too little in it to be known by: when one is gone and one is new in a class, it is the same."""
        holders = {(each.path, _container(each.symbol)) for each in left if each.kind is ThreadKind.STUB}
        for path, container in holders:
            gone = [
                each
                for each in left
                if each.kind is ThreadKind.STUB
                and (each.path, _container(each.symbol)) == (path, container)
                and self.scene.symbol_at(path, each.symbol) is None
            ]
            new = [
                number
                for number in remaining
                if self.ends[number].kind is ThreadKind.STUB
                and (self.ends[number].path, _container(self.ends[number].symbol)) == (path, container)
            ]
            if len(gone) == 1 and len(new) == 1:
                found[id(gone[0])] = new[0]
                remaining.discard(new[0])

    def _set_aside_old(self) -> None:
        """Take out of what is free all that stood there before, and note what a file lost of it."""
        old = [
            _KnownEnd(end.kind, end.path, end.symbol, end.mark, end.line)
            for each in self.scene.before.values()
            if each
            for end in each.ends
        ]
        claimed = set(range(len(self.ends))) - self.free
        self.free -= set((known := self._assign(old, self.free, exact=True)).values())
        rest = [each for each in old if id(each) not in known]
        taken = self._assign(rest, claimed, exact=True)  # these have threads: they are not what was there before
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
        known = self.archive.marked(each.kind, each.mark)
        if any((kept.thread.path, kept.thread.symbol) == (each.path, each.symbol) for kept in known):
            return  # it has a thread of its own, and so has what is like it elsewhere
        for kept in known:
            thread = kept.thread
            mine = (thread.source, thread.session) == (self.origin.source, self.origin.session)
            if thread.is_open and mine and thread.path != each.path and _like_elsewhere(each, thread):
                self.dropped.append(thread.id)  # it was written there before it was taken away here
                return

    # -- what becomes of a thread ------------------------------------------------------------------------------------

    def _carry(self, kept: KeptThread, end: LooseEnd, **more: object) -> None:
        symbol = self.scene.symbol_at(end.path, end.symbol)
        trace = evolve(symbol, facts=Facts()) if symbol is not None and symbol.name else None
        thread = evolve(
            kept.thread, path=end.path, symbol=end.symbol, line=end.line, text=end.text, mark=end.mark, **more
        )
        if thread != kept.thread or _meaning(trace) != _meaning(kept.symbol):
            self.states.append(KeptThread(thread, trace))

    def _end(self, kept: KeptThread) -> None:
        thread = kept.thread
        heir = self._heir(kept)
        if heir is not None:
            self.dropped.append(heir.thread.id)
            here = heir.thread
            moved = evolve(thread, path=here.path, symbol=here.symbol, line=here.line, text=here.text, mark=here.mark)
            self.states.append(KeptThread(moved, heir.symbol))
            return
        self.states.append(
            KeptThread(
                evolve(thread, closed_at=self.origin.at, closed_by=self._resolved_by(kept), note=""), kept.symbol
            )
        )

    def _resolved_by(self, kept: KeptThread) -> str:
        thread = kept.thread
        place = self.scene.place_now(thread.path, thread.symbol, kept.symbol)
        if place is None or self.scene.now.get(place[0]) is None:
            return REMOVED
        if thread.kind is ThreadKind.STUB:
            return "it has a body now"
        return (
            "the remark is gone"
            if place == (thread.path, thread.symbol)
            else f"the remark is gone from {place[1] or place[0]}"
        )

    def _heir(self, kept: KeptThread) -> KeptThread | None:
        """A thread that was opened for the same thing in another file, before it was taken away here."""
        thread = kept.thread
        if not self.opens:
            return None
        for other in self.archive.marked(thread.kind, thread.mark):
            there = other.thread
            if (
                there.is_open
                and there.id != thread.id
                and there.path != thread.path
                and there.opened_at > thread.opened_at
            ):
                same_hand = (there.source, there.session) == (self.origin.source, self.origin.session)
                if same_hand and _like_elsewhere(_wanted(kept), there):
                    return other
        return None

    def _reopen(self, closed: Sequence[KeptThread]) -> None:
        """Give back what is there again, and leave alone what somebody closed although it is there."""
        by_hand = [kept for kept in closed if kept.thread.closed_by.startswith(BY_HAND)]
        by_code = [kept for kept in closed if not kept.thread.closed_by.startswith(BY_HAND)]
        for group in (by_hand, by_code):
            threads = [_wanted(kept) for kept in group]
            # never in other words: what was closed may come back, and not turn into something else
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
        if end.kind is ThreadKind.STUB and _container(end.symbol) and self.archive.provided(end):
            return
        wanted = _KnownEnd(end.kind, end.path, end.symbol, end.mark, end.line)
        for lost in self.archive.lost(end.kind, end.mark):
            there = _KnownEnd(lost.kind, lost.path, lost.symbol, lost.mark, 0)
            if _known_elsewhere(there, end):
                return  # of long standing, and brought here from another file
        for kept in self.archive.marked(end.kind, end.mark):
            thread = kept.thread
            gone = not thread.is_open and not thread.closed_by.startswith(BY_HAND)
            same_hand = (thread.source, thread.session) == (self.origin.source, self.origin.session)
            if gone and same_hand and thread.path != end.path and _like_elsewhere(wanted, thread):
                self._carry(kept, end, closed_at=None, closed_by="")  # it was taken away there before it came here
                return
        symbol = self.scene.symbol_at(end.path, end.symbol)
        thread = Thread(
            id=self._id(end),
            kind=end.kind,
            text=end.text,
            opened_at=self.origin.at,
            mark=end.mark,
            path=end.path,
            symbol=end.symbol,
            line=end.line,
            source=self.origin.source,
            session=self.origin.session,
            episode=self.origin.episode,
        )
        self.states.append(KeptThread(thread, evolve(symbol, facts=Facts()) if symbol and symbol.name else None))

    def _id(self, end: LooseEnd) -> str:
        same = [each for each in self.ends if (each.path, each.symbol, each.mark) == (end.path, end.symbol, end.mark)]
        return thread_id(self.origin.key, end.kind, end.path, end.symbol, end.mark, str(same.index(end)))


def provides(derived: Symbol, outlined: Outline, holder: str, member: str) -> bool:
    """True when a class says that it derives from `holder` (a simple name) and has a member of that name."""
    bases = {_simple(base.partition("[")[0].partition("<")[0].partition("(")[0]) for base in derived.facts.bases}
    return holder in bases and outlined.find(f"{derived.name}.{member}") is not None


def thread_id(*parts: str) -> str:
    """The id of a thread: the same for the same event and place, so that what is delivered twice opens one."""
    number = int.from_bytes(blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest())
    digits: list[str] = []
    for _ in range(_ID_DIGITS):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "t" + "".join(digits)


def alike(first: str, second: str) -> float:
    """How many words two texts share, 0 to 1."""
    return _alike(words_of(first), words_of(second))


def newest_first(threads: Iterable[Thread]) -> tuple[Thread, ...]:
    """In the order in which they are shown."""
    return tuple(
        sorted(threads, key=lambda thread: (-thread.opened_at.timestamp(), thread.path, thread.line or 0, thread.id))
    )


def _wanted(kept: KeptThread) -> _KnownEnd:
    thread = kept.thread
    return _KnownEnd(thread.kind, thread.path, thread.symbol, thread.mark, thread.line or 0, kept.symbol)


def _same_place(wanted: _KnownEnd, end: LooseEnd) -> bool:
    return (wanted.path, wanted.symbol, wanted.mark) == (end.path, end.symbol, end.mark)


def _same_file(wanted: _KnownEnd, end: LooseEnd) -> bool:
    # all stubs have the same mark, so that only the symbol tells them apart
    return wanted.kind is ThreadKind.TODO and (wanted.path, wanted.mark) == (end.path, end.mark)


def _known_elsewhere(wanted: _KnownEnd, end: LooseEnd) -> bool:
    """The same in another file: by words enough, or by few words in a symbol of the same name."""
    if wanted.mark != end.mark:
        return False
    same_name = bool(wanted.symbol) and _simple(wanted.symbol) == _simple(end.symbol)
    if wanted.kind is ThreadKind.STUB:
        return same_name
    return same_name or (not wanted.mark.startswith("~") and len(wanted.mark.split()) >= _TELLING)


def _like_elsewhere(wanted: _KnownEnd, thread: Thread) -> bool:
    end = LooseEnd(thread.kind, thread.text, thread.path, thread.symbol, thread.line or 0, thread.mark)
    return _known_elsewhere(wanted, end)


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
