"""Where the data lies: in `fixtures/` of a checkout, or beside the modules in an installation."""

from __future__ import annotations

from pathlib import Path

from .errors import BadData

_HERE = Path(__file__).resolve().parent


def data_folder() -> Path:
    """The folder with `edits`, `edits-unseen` and `contradictions`. Raises BadData when there is none."""
    for folder in (_HERE / "fixtures", _HERE.parents[1] / "fixtures"):
        if (folder / "edits").is_dir():
            return folder
    raise BadData("the data is not here: install the package from a checkout, or name a folder with --fixtures")


def kept_answers() -> Path:
    """The folder of answers that were kept."""
    return _HERE / "kept"
