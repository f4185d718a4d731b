"""The JSON of episodes, the timeline, threads and differences. Its keys are a contract, as in `belief_json`."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.change import SymbolRef
from memlsp.model.difference import BeliefTouched, Difference, FileDifference, SymbolDifference
from memlsp.model.episode import Episode, TimelineEntry
from memlsp.model.symbol import SymbolKind
from memlsp.model.thread import Thread


def episode_shape(episode: Episode) -> Json:
    """One task episode."""
    return {
        **picked(episode, "id title intent outcome open=is_open began_at last_at closed_at closed_by branch sources"),
        **picked(episode, "sessions events paths"),
        "symbols": [{"path": path, "symbol": name} for path, name in episode.symbols],
        **picked(episode, "changes=sentences"),
        "commands": [picked(run, "command worked at exit=exit_code") for run in episode.commands],
        **picked(episode, "commits"),
    }


def timeline_shape(entry: TimelineEntry) -> Json:
    """One line of the timeline."""
    return picked(entry, "at until what id title detail source paths")


def thread_shape(thread: Thread) -> Json:
    """One thread. `closed_by` names its resolution; `note` is a sign of completion while it is open."""
    names = "id kind text open=is_open path symbol line source session episode opened_at closed_at closed_by note"
    return picked(thread, names)


def difference_shape(found: Difference) -> Json:
    """The differences between two states."""
    return {**picked(found, "old? new"), "files": [_file_shape(file) for file in found.files]}


def _file_shape(file: FileDifference) -> Json:
    return {
        **picked(file, "path status=fate nature former cosmetic=is_cosmetic symbols lines_added lines_removed"),
        **picked(file, "imports_added imports_removed syntax_errors=broken mode?"),
        "changes": [_symbol_shape(entry) for entry in file.changes],
        "beliefs": [_touched_shape(touched) for touched in file.beliefs],
    }


def _symbol_shape(entry: SymbolDifference) -> Json:
    change = entry.change
    return {
        "symbol": (change.new or change.old or _NOWHERE).name,
        "line": entry.line,
        "kinds": sorted(str(kind) for kind in change.kinds),
        "old": _ref_shape(change.old),
        "new": _ref_shape(change.new),
        "similarity": round(change.similarity, 3),
        **picked(entry, "sentence follows clauses"),
        "details": [picked(detail, "kind name old new path") for detail in change.details],
        "alternatives": [_ref_shape(other) for other in change.alternatives],
        "beliefs": [_touched_shape(touched) for touched in entry.beliefs],
    }


_NOWHERE = SymbolRef("", "", SymbolKind.MODULE)


def _ref_shape(ref: SymbolRef | None) -> Json | None:
    return None if ref is None else picked(ref, "path name kind")


def _touched_shape(touched: BeliefTouched) -> Json:
    judgement = touched.judgement
    return {**picked(judgement.belief, "id text"), **picked(judgement, "standing"), "reason": touched.reason}
