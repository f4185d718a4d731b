"""One import of a source file, as a value."""

from __future__ import annotations

from attrs import frozen


@frozen
class Import:
    """One name that an import statement brings in.

    `local` is the name inside the file ("" when the statement brings everything or nothing), `module` the source as
    written, `name` the thing imported from there: None for the module itself, "*" for everything, "default" for a
    JavaScript default export. `line` counts from 0.
    """

    local: str
    module: str
    name: str | None = None
    line: int = 0
