"""The JSON that scripts and editor extensions read, the same in every face.

Its keys are a contract (docs/reference/json.md): added to, never changed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memlsp.model.belief import Breach, Revision
from memlsp.model.episode import OnboardingProgress, PastChange, SymbolHistory
from memlsp.model.handoff import Handoff
from memlsp.model.standing import Judgement
from memlsp.model.view import CatchUp, HealthCheck, Stats, Status, Why

Json = dict[str, Any]


def moment(value: datetime) -> str:
    """UTC, ISO 8601, to the second: 2026-11-21T10:30:00Z."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def belief_shape(judgement: Judgement) -> Json:
    """One belief with its standing now. Anchors are where the code is now, or where it last was."""
    belief = judgement.belief
    return {
        "id": belief.id,
        "text": belief.text,
        "kind": str(belief.kind),
        "scope": str(belief.scope),
        "authority": str(belief.authority),
        "confidence": round(belief.confidence, 3),
        "standing": str(judgement.standing),
        "reasons": [
            {
                "code": reason.code,
                "message": reason.message,
                "path": reason.path,
                "symbol": reason.symbol,
                "commit": reason.commit,
                "at": moment(reason.at) if reason.at else None,
            }
            for reason in judgement.reasons
        ],
        "anchors": [{"path": tie.path, "symbol": tie.symbol, "line": tie.line} for tie in judgement.ties],
        "candidates": [
            {"path": c.path, "symbol": c.symbol, "line": c.line, "similarity": round(c.similarity, 3)}
            for tie in judgement.ties
            for c in tie.candidates
        ],
        "author": {"name": belief.author.name, "kind": str(belief.author.kind)},
        "source": belief.source,
        "created_at": moment(belief.created_at),
        "updated_at": moment(belief.updated_at),
        "expires_at": moment(belief.expires_at) if belief.expires_at else None,
        "superseded_by": belief.superseded_by,
        "conditions": [f"{key}={value}" for key, value in belief.conditions],
        "because_of": list(belief.because_of),
        "stale_after_days": belief.stale_after,
        "confirmed_at": moment(belief.confirmed_at) if belief.confirmed_at else None,
        "session": belief.session or None,
        "guards": [str(guard) for guard in belief.guards],
    }


def breach_shape(breach: Breach) -> Json:
    """A place that breaks a guard."""
    return {
        "guard": str(breach.guard),
        "path": breach.path,
        "symbol": breach.symbol,
        "line": breach.span.start_line + 1,
        "text": breach.excerpt,
    }


def change_shape(change: PastChange) -> Json:
    """One commit of a symbol's history."""
    return {
        "commit": change.commit,
        "author": change.author,
        "date": moment(change.date),
        "subject": change.subject,
        "change": change.change,
        "clauses": list(change.clauses),
        "parts": list(change.parts),
    }


def why_shape(why: Why) -> Json:
    """What is known about a place."""
    return {
        "beliefs": [belief_shape(judgement) for judgement in why.beliefs],
        "history": history_shape(why.history),
    }


def history_shape(history: SymbolHistory) -> list[Json]:
    """A symbol's past, newest first."""
    return [change_shape(change) for change in history.changes]


def revision_shape(revision: Revision) -> Json:
    """One entry of a belief's history."""
    return {
        "number": revision.number,
        "action": str(revision.action),
        "author": {"name": revision.author.name, "kind": str(revision.author.kind)},
        "source": revision.source,
        "at": moment(revision.at),
        "note": revision.note,
        "undoes": revision.undoes,
    }


def status_shape(status: Status) -> Json:
    """A workspace's memory in numbers."""
    return {
        "version": status.version,
        "workspace": {
            "key": status.workspace.key,
            "name": status.workspace.name,
            "basis": status.workspace.basis,
            "root": str(status.workspace.root),
        },
        "store": str(status.store_path),
        "branch": status.branch,
        "head": status.head,
        "standings": {str(standing): count for standing, count in status.standings},
        "counts": dict(status.counts),
        "notices": list(status.notices),
    }


def onboarding_shape(state: OnboardingProgress) -> Json:
    """How far the history was read."""
    return {
        "commits": state.total,
        "present": state.present,
        "read": state.read,
        "changes": state.changes,
        "complete": state.complete,
        "stopped": state.stopped,
    }


def stats_shape(stats: Stats) -> Json:
    """What is kept, in numbers."""
    history = stats.history
    return {
        "onboarded": stats.onboarded,
        "history": {
            "commits": history.commits,
            "episodes": history.episodes,
            "passed_over": dict(history.passed_over),
            "changes": history.changes,
            "cosmetic": history.cosmetic,
            "more": history.more,
            "symbols": history.symbols,
            "newest": moment(history.newest) if history.newest else None,
            "oldest": moment(history.oldest) if history.oldest else None,
            "bytes": history.bytes,
            "state_bytes": history.state_bytes,
            "git_bytes": history.git_bytes,
            "saved": None if history.saved is None else round(history.saved, 4),
        },
        "standings": {str(standing): count for standing, count in stats.standings},
        "kinds": dict(stats.kinds),
        "counts": dict(stats.counts),
        "caches": dict(stats.caches),
        "disk": dict(stats.disk),
    }


def check_shape(check: HealthCheck) -> Json:
    """One thing that doctor looked at."""
    return {"name": check.name, "ok": check.ok, "message": check.message, "advice": check.advice}


def handoff_shape(handoff: Handoff) -> Json:
    """A handoff."""
    return {
        "id": handoff.id,
        "title": handoff.title,
        "source": handoff.source,
        "session": handoff.session,
        "made_by": handoff.made_by,
        "created_at": moment(handoff.created_at),
        "expires_at": moment(handoff.expires_at),
        "ended": handoff.ended,
        "branch": handoff.branch,
        "commit": handoff.commit,
        "asked": handoff.asked,
        "stuck": handoff.stuck,
        "next": list(handoff.next_steps),
        "questions": list(handoff.questions),
        "done": list(handoff.done),
        "places": list(handoff.places),
        "claimed_by": handoff.claimed_by or None,
        "claimed_at": moment(handoff.claimed_at) if handoff.claimed_at else None,
        "successor": handoff.successor or None,
    }


def catch_up_shape(found: CatchUp) -> Json:
    """What happened meanwhile; the latest first, of what no longer holds the worst."""
    return {
        "since": moment(found.since),
        "until": moment(found.until),
        "size": found.size,
        "episodes": [
            {
                "id": episode.id,
                "title": episode.title,
                "outcome": str(episode.outcome),
                "last_at": moment(episode.last_at),
                "sources": list(episode.sources),
                "sentences": list(episode.sentences),
            }
            for episode in found.episodes
        ],
        "commits": [
            {"commit": commit.commit, "subject": commit.subject, "at": moment(commit.at)} for commit in found.commits
        ],
        "decided": [
            {"action": str(each.action), "at": moment(each.at), "belief": belief_shape(each.judgement)}
            for each in found.decided
        ],
        "fallen": [belief_shape(judgement) for judgement in found.fallen],
        "threads": [
            {
                "id": thread.id,
                "kind": str(thread.kind),
                "text": thread.text,
                "path": thread.path,
                "symbol": thread.symbol,
                "line": thread.line,
            }
            for thread in found.threads
        ],
        "handoffs": [handoff_shape(handoff) for handoff in found.handoffs],
    }
