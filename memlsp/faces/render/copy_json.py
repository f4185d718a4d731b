"""JSON shapes of exports, imports, backups, restores, moves and merges."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.copy import Backup, Copy, ExportResult, ImportResult, MovedMemory, RestoreResult, StrandedMemory


def exported_shape(done: ExportResult) -> Json:
    """A written export."""
    return {"path": str(done.path), **picked(done, "beliefs revisions conflicts")}


def taken_shape(done: ImportResult) -> Json:
    """The result of an import or merge: ids, and both wordings of beliefs that both sides changed."""
    return {
        "source": str(done.source),
        "format": done.kind.value,
        **picked(done, "sealed trusted batch dry_run known ended past added advanced proposed unlocked"),
        "joined": [{"theirs": theirs, "ours": ours} for theirs, ours in done.joined],
        "clashes": [{**picked(clash, "id here there reason"), "proposal": clash.there_id} for clash in done.clashes],
        "contradictions": list(done.conflicts),
        "passed_over": [picked(each, "name reason") for each in done.passed],
    }


def backup_shape(done: Backup) -> Json:
    """A backup and its contents."""
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
    """The restored contents, and where the former memory is."""
    return {
        "path": str(done.path),
        "holds": dict(done.counts),
        "aside": str(done.aside) if done.aside else None,
        "kept_forgotten": done.forgotten,
        "observations": done.observations,
    }


def copy_shape(copy: Copy, *, there: bool) -> Json:
    """A written copy."""
    return {"path": str(copy.path), "format": copy.kind.value, "at": copy.at.isoformat(), "there": there}


def moved_shape(done: MovedMemory) -> Json:
    """A memory that followed its project."""
    return {"from": done.former, "to": done.key, "beliefs": done.beliefs}


def stranded_shape(found: StrandedMemory) -> Json:
    """A memory whose folders are gone."""
    return {"key": found.key, "roots": list(found.roots), "beliefs": found.beliefs, "this_folder": found.same_root}
