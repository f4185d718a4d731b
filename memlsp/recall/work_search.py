"""Work that bears on a question: commits that were read, and episodes."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, frozen

from memlsp.model.recall import Omission, WorkHit
from memlsp.recall.budget import matched_clause, shortened, tokens_of
from memlsp.recall.candidates import CANDIDATES, has_enough_words, word_scores
from memlsp.recall.change_graph import VoteSpread, spread_votes
from memlsp.recall.question import ParsedQuestion
from memlsp.recall.score_fusion import beyond_words, fuse
from memlsp.recall.work_archive import SymbolKey, WorkArchive, WorkItem

_SPREAD = 1.0
"""Weight of changed symbols beside words (`change_graph`): .4 gives R@10 .520, .7 .532, 1 .541 on the same tasks."""

TYPICAL = 400
"""Tokens up to which work is added to an answer."""

_LEAST = 120
"""Tokens that work may take behind beliefs that took more."""

_STRONGEST = 12
_SMALLEST = 12  # tokens of the shortest line
_WHOLE = 2  # the best hits, which show what they changed
_MOST_SENTENCES = 2
_TITLE, _WHO, _SENTENCE = 100, 40, 140


@frozen
class WorkAnswer:
    """The hits, their tokens, and the omissions."""

    hits: tuple[WorkHit, ...] = ()
    tokens: int = 0
    left_out: tuple[Omission, ...] = ()


@frozen
class FoundWork:
    """Ranked work before it is packed: keys with scores, best first, the matched words of each, and the spread."""

    ranked: tuple[tuple[str, float], ...] = ()
    matched: Mapping[str, tuple[str, ...]] = field(factory=dict[str, tuple[str, ...]])
    web: VoteSpread = field(factory=VoteSpread)

    @property
    def strongest(self) -> list[SymbolKey]:
        """The symbols with the most votes, strongest first."""
        return list(self.web.symbols)[:_STRONGEST]

    def led_to(self, symbol: SymbolKey) -> str:
        """The clause that says what led to a symbol."""
        voter = self.web.from_.get(symbol, "")
        kind, _, id = voter.partition(":")
        return f"which {kind} {id[:10]} changed" if voter else "which the question names"


def find_work(asked: ParsedQuestion, archive: WorkArchive, *, limit: int) -> FoundWork:
    """The work that bears on a question, best first, by its words and by the symbols that such work changed."""
    if not asked.terms or limit < 1:
        return FoundWork()
    hits = archive.best(asked.terms, limit=max(CANDIDATES, 2 * limit))
    top_share = max((hit.share for hit in hits), default=0.0)
    near = archive.near(asked.text)
    relevant = {hit.id for hit in hits if has_enough_words(asked, hit.matched, hit.share, top_share)}
    wordless = beyond_words(near, {hit.id for hit in hits})
    if not relevant and not wordless:
        return FoundWork()
    scores = fuse({**word_scores(hits), **dict.fromkeys(wordless, 0.0)}, near)
    relevant.update(wordless)
    web = spread_votes(asked.text, scores, archive)
    best = max(scores.values())
    total = {
        key: scores.get(key, 0.0) + _SPREAD * best * web.work.get(key, 0.0)
        for key in dict.fromkeys([*scores, *web.work])
        if key in relevant or key in web.work
    }
    ranked = sorted(total.items(), key=lambda entry: (-entry[1], entry[0]))
    return FoundWork(tuple(ranked), {hit.id: hit.matched for hit in hits}, web)


def serve_work(found: FoundWork, archive: WorkArchive, *, used: int, budget: int, limit: int) -> WorkAnswer:
    """At most `limit` hits, in the budget that beliefs with `used` tokens leave."""
    hits: list[WorkHit] = []
    left_out: list[Omission] = []
    tokens, room = 0, min(budget - used, max(TYPICAL - used, _LEAST))
    for key, score in found.ranked:
        if len(hits) >= limit or tokens + _SMALLEST > room:
            break
        piece = archive.piece(key)
        if piece is None:
            continue
        forms = [("line", _line(piece))]
        if len(hits) < _WHOLE:
            forms.insert(0, ("full", _full(piece)))
        fitting = next(((detail, text) for detail, text in forms if tokens + tokens_of(text) <= room), None)
        if fitting is None:
            left_out.append(Omission(piece.id, "budget"))
            continue
        tokens += tokens_of(fitting[1])
        detail, served = fitting
        hits.append(WorkHit(piece.id, piece.title, piece.at, piece.who, piece.symbols, score, (key,), detail, served))
    places = archive.places(list({found.web.by[hit.why[0]] for hit in hits if hit.why[0] in found.web.by}))
    explained = (evolve(hit, why=_why(hit.why[0], found, places)) for hit in hits)
    return WorkAnswer(tuple(explained), tokens, tuple(left_out))


def _why(key: str, found: FoundWork, places: Mapping[SymbolKey, tuple[str, str]]) -> tuple[str, ...]:
    clauses = [matched_clause(found.matched[key])] if found.matched.get(key) else []
    symbol = found.web.by.get(key)
    if symbol is not None and symbol in places:
        path, name = places[symbol]
        clauses.append(f"changed {path}#{name}, {_voter(found.web.from_.get(symbol, ''), key)}")
    return tuple(clauses)


def _voter(voter: str, key: str) -> str:
    if not voter:
        return "which the question names"
    if voter == key:
        return "as does other work that matches"
    kind, _, id = voter.partition(":")
    return f"as did {kind} {id[:10]}"


def _line(piece: WorkItem) -> str:
    id = piece.id[:10] if piece.kind == "commit" else piece.id
    head = f"[{piece.kind} {id}] {piece.at:%Y-%m-%d}"
    who = f" {shortened(piece.who, _WHO)}" if piece.who else ""
    return f"{head}{who} · {shortened(piece.title, _TITLE)}"


def _full(piece: WorkItem) -> str:
    sentences = [f"  {shortened(sentence, _SENTENCE)}" for sentence in piece.sentences[:_MOST_SENTENCES]]
    return "\n".join((_line(piece), *sentences))
