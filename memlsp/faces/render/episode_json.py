"""The JSON of episodes and of the timeline, the same in every face. Its keys are a contract, as in `shapes`."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, moment
from memlsp.model.episode import CommandRun, Episode, TimelineEntry


def episode_shape(episode: Episode) -> Json:
    """One task episode."""
    return {
        "id": episode.id,
        "title": episode.title,
        "intent": episode.intent,
        "outcome": episode.outcome.value,
        "open": episode.is_open,
        "began_at": moment(episode.began_at),
        "last_at": moment(episode.last_at),
        "closed_at": moment(episode.closed_at) if episode.closed_at else None,
        "closed_by": episode.closed_by,
        "branch": episode.branch,
        "sources": list(episode.sources),
        "sessions": list(episode.sessions),
        "events": episode.events,
        "paths": list(episode.paths),
        "symbols": [{"path": path, "symbol": name} for path, name in episode.symbols],
        "changes": list(episode.sentences),
        "commands": [_run_shape(run) for run in episode.commands],
        "commits": list(episode.commits),
    }


def timeline_shape(entry: TimelineEntry) -> Json:
    """One line of the timeline."""
    return {
        "at": moment(entry.at),
        "until": moment(entry.until) if entry.until else None,
        "what": entry.what,
        "id": entry.id,
        "title": entry.title,
        "detail": entry.detail,
        "source": entry.source,
        "paths": list(entry.paths),
    }


def _run_shape(run: CommandRun) -> Json:
    return {"command": run.command, "worked": run.worked, "at": moment(run.at), "exit": run.exit_code}
