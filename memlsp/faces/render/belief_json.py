"""The JSON that scripts and editor extensions read, the same in every face. Its keys are a contract
(docs/reference/json.md): added to, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from memlsp.model.belief import Breach, Revision
    from memlsp.model.check import DocumentLine
    from memlsp.model.episode import OnboardingProgress, PastChange, SymbolHistory
    from memlsp.model.handoff import Handoff
    from memlsp.model.recall import Omission, Recall, Receipt, WorkHit
    from memlsp.model.standing import Judgement
    from memlsp.model.view import CatchUp, HealthCheck, Stats, Status, Why

Json = dict[str, Any]


def moment(value: datetime) -> str:
    """UTC, ISO 8601, to the second: 2026-11-21T10:30:00Z."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def picked(value: object, names: str) -> Json:
    """These attributes of a value as JSON, their names split by spaces: times in UTC, enumerations by value, paths as
    text. Of `key=name` the key is another, `name?` is null where it is empty, and `name{}` makes an object of pairs."""
    shape: Json = {}
    for word in names.split():
        key, _, name = word.rstrip("?{}").partition("=")
        found = _plain(getattr(value, name or key))
        if word.endswith("{}"):
            found = dict(found)
        shape[key] = found or None if word.endswith("?") else found
    return shape


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in cast("tuple[Any, ...]", value)]
    if isinstance(value, PurePath):
        return str(value)
    return value.value if isinstance(value, Enum) else value


def belief_shape(judgement: Judgement) -> Json:
    """One belief with its standing now. Anchors are where the code is now, or where it last was."""
    belief = judgement.belief
    return {
        **picked(belief, "id text kind"),
        "scope": str(belief.scope),
        **picked(belief, "authority"),
        "confidence": round(belief.confidence, 3),
        **picked(judgement, "standing"),
        "reasons": [picked(reason, "code message path symbol commit at") for reason in judgement.reasons],
        **picked(judgement, "checked"),
        "anchors": [picked(tie, "path symbol line") for tie in judgement.ties],
        "candidates": [
            {**picked(candidate, "path symbol line"), "similarity": round(candidate.similarity, 3)}
            for tie in judgement.ties
            for candidate in tie.candidates
        ],
        "author": picked(belief.author, "name kind"),
        **picked(belief, "source created_at updated_at expires_at superseded_by"),
        "conditions": [f"{key}={value}" for key, value in belief.conditions],
        **picked(belief, "because_of stale_after_days=stale_after confirmed_at session?"),
        "guards": [str(guard) for guard in belief.guards],
    }


def breach_shape(breach: Breach) -> Json:
    """A place that breaks a guard."""
    return {
        "guard": str(breach.guard),
        **picked(breach, "path symbol"),
        "line": breach.span.start_line + 1,
        "text": breach.excerpt,
    }


def change_shape(change: PastChange) -> Json:
    """One commit of a symbol's history."""
    return picked(change, "commit author date subject change clauses parts")


def why_shape(why: Why, mentions: Sequence[DocumentLine] = ()) -> Json:
    """The beliefs, the lines of documents and the history of a place."""
    return {
        "beliefs": [belief_shape(judgement) for judgement in why.beliefs],
        "documents": [picked(each, "document line text") for each in mentions],
        "history": history_shape(why.history),
    }


def history_shape(history: SymbolHistory) -> list[Json]:
    """A symbol's past, newest first."""
    return [change_shape(change) for change in history.changes]


def revision_shape(revision: Revision) -> Json:
    """One entry of a belief's history."""
    return {
        **picked(revision, "number action"),
        "author": picked(revision.author, "name kind"),
        **picked(revision, "source at note undoes"),
    }


def status_shape(status: Status) -> Json:
    """A workspace's memory in numbers."""
    return {
        **picked(status, "version"),
        "workspace": picked(status.workspace, "key name basis root"),
        **picked(status, "store=store_path branch head standings{} counts{} notices"),
    }


def onboarding_shape(state: OnboardingProgress) -> Json:
    """The progress of reading the history."""
    return picked(state, "commits=total present read changes complete stopped")


def stats_shape(stats: Stats) -> Json:
    """The stored memory in numbers."""
    history = stats.history
    return {
        "onboarded": stats.onboarded,
        "history": {
            **picked(history, "commits episodes passed_over{} changes cosmetic more symbols newest oldest bytes"),
            **picked(history, "state_bytes git_bytes"),
            "saved": None if history.saved is None else round(history.saved, 4),
        },
        **picked(stats, "standings{} kinds{} counts{} caches{} disk{} locked learned"),
        "told": {
            "days": [picked(day, "day asker times tokens") for day in stats.told.days],
            **picked(stats.told, "sessions obeyed broken unknown"),
            "latest": picked(stats.told, "beliefs corrections session=latest?"),
        },
    }


def check_shape(check: HealthCheck) -> Json:
    """One check of `memlsp doctor`."""
    return picked(check, "name ok message advice")


def handoff_shape(handoff: Handoff) -> Json:
    """A handoff."""
    return picked(
        handoff,
        "id title source session made_by created_at expires_at ended branch commit asked stuck next=next_steps"
        " questions done places claimed_by? claimed_at successor?",
    )


def catch_up_shape(found: CatchUp) -> Json:
    """The events since then, the latest first; fallen beliefs with the worst first."""
    return {
        **picked(found, "since until size"),
        "episodes": [picked(episode, "id title outcome last_at sources sentences") for episode in found.episodes],
        "commits": [picked(commit, "commit subject at") for commit in found.commits],
        "decided": [{**picked(each, "action at"), "belief": belief_shape(each.judgement)} for each in found.decided],
        "fallen": [belief_shape(judgement) for judgement in found.fallen],
        "threads": [picked(thread, "id kind text path symbol line") for thread in found.threads],
        "handoffs": [handoff_shape(handoff) for handoff in found.handoffs],
    }


def recall_shape(recall: Recall) -> Json:
    """An answer, best first."""
    return {
        "hits": [
            {
                **picked(hit.judgement.belief, "id text"),
                **picked(hit.judgement, "standing"),
                "score": round(hit.score, 4),
                **picked(hit, "why detail"),
            }
            for hit in recall.hits
        ],
        "work": [work_shape(hit) for hit in recall.work],
        "tokens": recall.tokens,
        "left_out": _left_out(recall.left_out),
    }


def work_shape(hit: WorkHit) -> Json:
    """A commit or an episode that answers."""
    return {**picked(hit, "id title at who symbols"), "score": round(hit.score, 4), **picked(hit, "why detail")}


def receipt_shape(receipt: Receipt) -> Json:
    """The record of what was told once."""
    return {
        **picked(receipt, "id at surface asker session query as_of? served"),
        "left_out": _left_out(receipt.left_out),
        **picked(receipt, "tokens"),
    }


def _left_out(omissions: tuple[Omission, ...]) -> list[Json]:
    return [picked(omission, "id reason") for omission in omissions]
