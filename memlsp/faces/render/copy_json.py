"""JSON shapes of exports, imports, backups, restores, moves and merges."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.copy import Backup, Copy, ExportResult, ImportResult, MovedMemory, RestoreResult, StrandedMemory


def exported_shape(done: ExportResult) -> Json:
    """A written export."""
    return picked(done, "path beliefs revisions conflicts")


def taken_shape(done: ImportResult) -> Json:
    """The result of an import or merge: ids, and both wordings of beliefs that both sides changed."""
    return {
        **picked(done, "source format=kind sealed trusted batch dry_run known ended past added advanced proposed"),
        **picked(done, "unlocked"),
        "joined": [{"theirs": theirs, "ours": ours} for theirs, ours in done.joined],
        "clashes": [picked(clash, "id here there reason proposal=there_id") for clash in done.clashes],
        **picked(done, "contradictions=conflicts"),
        "passed_over": [picked(each, "name reason") for each in done.passed],
    }


def backup_shape(done: Backup) -> Json:
    """A backup and its contents."""
    return {
        **picked(done, "path bytes digest"),
        "at": done.at.isoformat() if done.at else None,
        **picked(done, "sealed problem holds=counts{}"),
    }


def restored_shape(done: RestoreResult) -> Json:
    """The restored contents, and where the former memory is."""
    return picked(done, "path holds=counts{} aside kept_forgotten=forgotten observations")


def copy_shape(copy: Copy, *, there: bool) -> Json:
    """A written copy."""
    return {**picked(copy, "path format=kind"), "at": copy.at.isoformat(), "there": there}


def moved_shape(done: MovedMemory) -> Json:
    """A memory that followed its project."""
    return picked(done, "from=former to=key beliefs")


def stranded_shape(found: StrandedMemory) -> Json:
    """A memory whose folders are gone."""
    return picked(found, "key roots beliefs this_folder=same_root")
