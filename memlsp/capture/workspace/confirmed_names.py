"""The memories that a person let a folder share: one small file in the data folder.

A file of a checkout, or a repository's own configuration, can name a memory. Whoever made an archive wrote both, so
such a name is a request. The answer of a person is kept here, by the folder that all checkouts of a repository share.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from memlsp.capture.private_files import write_private
from memlsp.store.core.locations import data_folder

_LARGEST = 4 << 20  # bytes


def names_file(data: Path | None) -> Path:
    """The file, which may not exist."""
    return (data or data_folder()) / "names.json"


def confirmed_name(folder: Path, data: Path | None) -> tuple[str, str, str] | None:
    """The basis, the subject and the name of the memory that a person chose for `folder`; None without a choice."""
    chosen = _read(data).get(str(folder))
    return None if chosen is None or len(chosen) != 3 else (chosen[0], chosen[1], chosen[2])


def confirm_name(folder: Path, chosen: tuple[str, str, str] | None, data: Path | None) -> None:
    """Keep a person's choice for `folder`; None takes the former one back. Raises OSError."""
    names = _read(data)
    names.pop(str(folder), None)
    if chosen is not None:
        names[str(folder)] = chosen
    write_private(str(names_file(data)), json.dumps(names, indent=1).encode("utf-8", "surrogatepass"))


def _read(data: Path | None) -> dict[str, tuple[str, ...]]:
    try:
        with names_file(data).open("rb") as file:
            found: object = json.loads(file.read(_LARGEST).decode("utf-8", "surrogatepass"))
    except (OSError, ValueError, RecursionError):
        return {}  # without the file nothing is shared but what shows that it is the same project
    pairs = cast("dict[object, object]", found).items() if isinstance(found, dict) else ()
    return {
        str(folder): tuple(str(each) for each in cast("list[object]", value))
        for folder, value in pairs
        if isinstance(value, list)
    }
