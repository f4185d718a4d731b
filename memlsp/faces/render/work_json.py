"""The JSON of differences. Its keys are a contract, as in `belief_json`."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.difference import BeliefTouched, Difference, FileDifference, SymbolDifference


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
    ref = change.new or change.old
    return {
        "symbol": ref.name if ref else "",
        **picked(entry, "line"),
        "kinds": sorted(str(kind) for kind in change.kinds),
        **picked(change, "old new similarity.3"),
        **picked(entry, "sentence follows clauses"),
        **picked(change, "details alternatives"),
        "beliefs": [_touched_shape(touched) for touched in entry.beliefs],
    }


def _touched_shape(touched: BeliefTouched) -> Json:
    judgement = touched.judgement
    return {**picked(judgement.belief, "id text"), **picked(judgement, "standing"), **picked(touched, "reason")}
