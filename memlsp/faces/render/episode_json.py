"""The JSON of episodes and of the timeline, the same in every face. Its keys are a contract, as in `belief_json`."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.episode import CommandRun, Episode, TimelineEntry


def episode_shape(episode: Episode) -> Json:
    """One task episode."""
    return {
        **picked(episode, "id title intent outcome"),
        "open": episode.is_open,
        **picked(episode, "began_at last_at closed_at closed_by branch sources sessions events paths"),
        "symbols": [{"path": path, "symbol": name} for path, name in episode.symbols],
        "changes": list(episode.sentences),
        "commands": [_run_shape(run) for run in episode.commands],
        "commits": list(episode.commits),
    }


def timeline_shape(entry: TimelineEntry) -> Json:
    """One line of the timeline."""
    return picked(entry, "at until what id title detail source paths")


def _run_shape(run: CommandRun) -> Json:
    return {**picked(run, "command worked at"), "exit": run.exit_code}
