"""JSON shapes of exports, imports, backups, restores, moves and merges."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json
from memlsp.model.copy import Backup, Copy, ExportResult, ImportResult, MovedMemory, RestoreResult, StrandedMemory


def exported_shape(done: ExportResult) -> Json:
    """What was written where."""
    return {
        "path": str(done.path),
        "format": done.kind.value,
        "beliefs": done.beliefs,
        "revisions": done.revisions,
        "conflicts": done.conflicts,
        "files": done.files,
        "left": [{"file": each.name, "reason": each.reason} for each in done.left],
    }


def taken_shape(done: ImportResult) -> Json:
    """What an import or merge came to; ids, and for what both sides changed both wordings."""
    return {
        "source": str(done.source),
        "format": done.kind.value,
        "sealed": done.sealed,
        "trusted": done.trusted,
        "batch": done.batch,
        "dry_run": done.dry_run,
        "known": done.known,
        "ended": list(done.ended),
        "past": done.past,
        "added": list(done.added),
        "advanced": list(done.advanced),
        "revised": list(done.revised),
        "proposed": list(done.proposed),
        "unlocked": list(done.unlocked),
        "joined": [{"theirs": theirs, "ours": ours} for theirs, ours in done.joined],
        "clashes": [
            {"id": each.id, "here": each.here, "there": each.there, "reason": each.reason, "proposal": each.there_id}
            for each in done.clashes
        ],
        "contradictions": list(done.conflicts),
        "passed_over": [{"name": each.name, "reason": each.reason} for each in done.passed],
    }


def backup_shape(done: Backup) -> Json:
    """A backup and what is in it."""
    return {
        "path": str(done.path),
        "bytes": done.bytes,
        "digest": done.digest,
        "at": done.at.isoformat() if done.at else None,
        "sealed": done.sealed,
        "problem": done.problem,
        "holds": dict(done.counts),
    }


def restored_shape(done: RestoreResult) -> Json:
    """What was brought back, and where the former memory is."""
    return {
        "path": str(done.path),
        "holds": dict(done.counts),
        "aside": str(done.aside) if done.aside else None,
        "kept_forgotten": done.forgotten,
        "observations": done.observations,
    }


def copy_shape(copy: Copy, *, there: bool) -> Json:
    """A copy that was written."""
    return {"path": str(copy.path), "format": copy.kind.value, "at": copy.at.isoformat(), "there": there}


def moved_shape(done: MovedMemory) -> Json:
    """A memory that followed its project."""
    return {"from": done.former, "to": done.key, "beliefs": done.beliefs}


def stranded_shape(found: StrandedMemory) -> Json:
    """A memory whose folders are gone."""
    return {"key": found.key, "roots": list(found.roots), "beliefs": found.beliefs, "this_folder": found.same_root}
