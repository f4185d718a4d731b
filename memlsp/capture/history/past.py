"""The history of a symbol: the commits that changed its meaning, found on demand, newest first."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.repository import damage_of
from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.history.commits import clean, episode_of, without_secrets
from memlsp.capture.history.parse_cache import ParseCache
from memlsp.capture.history.predecessors import PredecessorFinder, matched, state_of
from memlsp.capture.history.trace_walk import Touch, TraceWalk
from memlsp.capture.history.traces import Trace
from memlsp.capture.redaction.redaction import redact
from memlsp.code.diff.explanation import explain_from_texts, explain_inside
from memlsp.code.diff.sentences import explanation
from memlsp.code.syntax.outline import outline
from memlsp.model.change import ChangeKind, SymbolChange, SymbolRef
from memlsp.model.episode import PastChange, SymbolHistory


@frozen
class WalkBounds:
    """The bounds of a walk: changes, seconds from now (None for no bound), and a predicate that ends it."""

    limit: int = 20
    deadline: float | None = None
    cancelled: Callable[[], bool] = lambda: False


_BOUNDS = WalkBounds()


def symbol_history(
    root: Path,
    path: str,
    symbol: str,
    *,
    ordinal: int = 0,
    bounds: WalkBounds = _BOUNDS,
    source: bytes | None = None,
    kept: ParseCache | None = None,
) -> SymbolHistory:
    """The history of `symbol` (dotted; "" for the whole file) in `path`, relative to `root`.

    `ordinal` tells overloads of one name apart, in source order. `source` is the present text of an uncommitted file;
    it only serves to find the symbol. `kept` caches what was read. Never raises for the contents of a repository: an
    untracked path, a repository without commits and no repository have an empty history."""
    ancestry = Ancestry.at(root)
    head = ancestry.head() if ancestry else None
    if ancestry is None or head is None:
        return SymbolHistory(complete=False, stopped="damaged") if damage_of(root) else SymbolHistory()
    predecessors = PredecessorFinder(ancestry, _check_of(bounds), kept)
    walk = TraceWalk(predecessors)
    changes: list[PastChange] = []
    try:
        start = _start(predecessors, head, ancestry.prefix + path, symbol, ordinal, source)
        if start is not None:
            for touch in walk.touches(start):
                if touch.origin is not None and touch.change is None:
                    continue
                past = _past_change(predecessors, touch)
                if not past.change:
                    continue
                changes.append(past)
                if len(changes) >= bounds.limit and walk.open:
                    raise _Stopped("limit")  # noqa: TRY301 - one way out for all that ends the walk early
        stopped = "shallow" if walk.shallow else ""
    except _Stopped as reason:
        stopped = str(reason)
    except (pygit2.GitError, KeyError, OSError):
        # an object is missing or damaged; the changes found before it are still true
        stopped = "damaged"
    predecessors.known.keep()
    return SymbolHistory(tuple(changes), not stopped, stopped, walk.commits_read)


class _Stopped(Exception):
    """The walk ends early."""


def _check_of(bounds: WalkBounds) -> Callable[[], None]:
    until = None if bounds.deadline is None else time.monotonic() + bounds.deadline

    def check() -> None:
        if bounds.cancelled():
            raise _Stopped("cancelled")
        if until is not None and time.monotonic() > until:
            raise _Stopped("deadline")

    return check


def _start(
    predecessors: PredecessorFinder, head: pygit2.Commit, path: str, name: str, ordinal: int, source: bytes | None
) -> Trace | None:
    found = predecessors.named(head, path, name, ordinal)
    if found is not None:
        return Trace(head, path, found.symbol, found.written)
    committed = predecessors.outline(head, path)
    if committed is None:
        return None
    symbol = committed.find(name)
    if symbol is None and source is not None:
        # renamed since the last commit
        present = outline(path, source)
        wanted = present.find(name, ordinal)
        symbol = matched([committed], [present], wanted) if wanted else None
    if symbol is None:
        return None
    found = predecessors.at(head, path, symbol)
    return Trace(head, path, symbol, found.written) if found else None


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace")


def _past_change(predecessors: PredecessorFinder, touch: Touch) -> PastChange:
    trace = touch.trace
    named = predecessors.as_named(trace)
    key = f"{state_of(trace)}:{touch.origin.path}#{touch.origin.symbol.fingerprint.text}" if touch.origin else ""
    known = predecessors.known.sentence(key) if key else None
    if known is None:
        known = _sentence_of(touch, SymbolRef(named.path, named.name, named.kind))
        if key:
            predecessors.known.keep_sentence(key, *known)
    episode = episode_of(trace.commit)
    return PastChange(
        commit=episode.commit,
        author=episode.author,
        date=episode.date,  # the walk is in this order; an author's date may be years older
        subject=episode.subject,
        change=known[0],
        clauses=known[1],
        path=trace.path.removeprefix(predecessors.ancestry.prefix),
        symbol=named.name,
    )


def _sentence_of(touch: Touch, named: SymbolRef) -> tuple[str, tuple[str, ...]]:
    """The sentence and its clauses; "" for the same code in another notation."""
    change = touch.change or SymbolChange(frozenset({ChangeKind.ADDED}), None, named)
    if touch.change is not None and touch.origin is not None:
        texts = _text(touch.origin.text), _text(touch.trace.text)
        change = explain_inside(explain_from_texts(touch.change, *texts), *texts)
        if change.kinds <= {ChangeKind.COSMETIC}:
            return "", ()
    (change,) = clean([change])
    (kept,) = without_secrets([change])
    return kept.sentence, tuple(redact(clause).text for clause in explanation(change))
