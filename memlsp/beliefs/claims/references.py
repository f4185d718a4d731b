"""References of a statement to the workspace: found when it is verified, looked up again when it is judged."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.files import Files
from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.code.vocabulary import texts
from memlsp.model.belief import Anchor, Reference, ReferenceKind
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Reason, Standing

if TYPE_CHECKING:
    from memlsp.beliefs.claims.claims import NamedThing

_LEAST_MOVED = 16  # bytes: a smaller file says too little to be known again


def verified_references(text: str, worktree: Files, anchors: Sequence[Anchor] = ()) -> tuple[Reference, ...]:
    """The references of the statement that exist now. Identifiers that name an anchor's own symbol or its container are
    left to the anchor."""
    from memlsp.beliefs.claims.claims import references_in  # late: only what is remembered is read

    own = {part for anchor in anchors for part in anchor.symbol.split(".") if part} | {a.symbol for a in anchors}
    homes = tuple(dict.fromkeys(anchor.path for anchor in anchors))
    found: list[Reference] = []
    for wording in references_in(text):
        if wording.kind is ReferenceKind.IDENTIFIER and (wording.text in own or wording.text.rpartition(".")[2] in own):
            continue
        reference = _verified(wording, worktree, homes)
        if reference is not None:
            found.append(reference)
    return tuple(found)


def _verified(wording: NamedThing, worktree: Files, homes: tuple[str, ...]) -> Reference | None:
    if wording.kind is ReferenceKind.PATH:
        path = path_meant(wording.text, worktree)
        return None if path is None else Reference(wording.kind, wording.text, path, _digest(path, worktree))
    if wording.kind is ReferenceKind.COMMAND:
        source = command_source(wording.text, worktree)
        return None if source is None else Reference(wording.kind, wording.text, source)
    last_part = _last_part(wording.text)
    for path in homes:
        if _holds(path, last_part, worktree):
            return Reference(wording.kind, wording.text, path)
    defining = _definition(wording.text, last_part, worktree)
    return None if defining is None else Reference(wording.kind, wording.text, defining)


def path_meant(text: str, worktree: Files) -> str | None:
    """The file or folder that a path in prose means: from the root, else the only one with that ending."""
    wanted = text.removeprefix("./").strip("/")
    if not wanted or ".." in wanted.split("/"):
        return None
    if worktree.exists(wanted):
        return wanted
    ends = [path for path in worktree.paths() if path.endswith("/" + wanted)]
    return ends[0] if len(ends) == 1 else None


def _digest(path: str, worktree: Files) -> str:
    data = _data_of(path, worktree) or b""
    return blake2b(data, digest_size=16).hexdigest() if len(data) >= _LEAST_MOVED else ""


def _data_of(path: str, worktree: Files) -> bytes | None:
    """The file's bytes, None when it is absent or unreadable."""
    try:
        return worktree.read(path)
    except (MemlspError, OSError):
        return None


def _last_part(name: str) -> bytes:
    return re.split(r"\.|::|#|->", name)[-1].encode()


def _holds(path: str, last_part: bytes, worktree: Files) -> bool:
    whole = rb"(?<![\w])" + re.escape(last_part) + rb"(?![\w])"
    return re.search(whole, _data_of(path, worktree) or b"") is not None


def _definition(name: str, last_part: bytes, worktree: Files) -> str | None:
    """`path#symbol` where the name is defined, else the first file that has it as a whole word."""
    simple = last_part.decode()
    first: str | None = None
    for path in worktree.containing([last_part], limit=30):
        if not _holds(path, last_part, worktree):
            continue
        first = first or path
        outline = worktree.outline(path)
        if outline is None:
            continue
        for symbol in outline.symbols:
            if symbol.name and (symbol.name == name or symbol.simple_name == simple):
                return f"{path}#{symbol.name}"
    return first


_CURRENT: tuple[Standing, None] = (Standing.CURRENT, None)


def check_reference(reference: Reference, worktree: Files) -> tuple[Standing, Reason | None]:
    """Whether a reference still exists: the standing that it gives, and why. The place where it was found comes first,
    so that the usual check costs one file."""
    if reference.kind is ReferenceKind.PATH:
        return _check_path(reference, worktree)
    if reference.kind is ReferenceKind.COMMAND:
        if command_source(reference.text, worktree) is not None:
            return _CURRENT
        message = f"`{reference.text}` is named, and {reference.target} does not define it any more"
        return Standing.CONTRADICTED, reason(ReasonCode.COMMAND_REMOVED, message, reference.target)
    if reference.kind is ReferenceKind.IDENTIFIER:
        return _check_identifier(reference, worktree)
    return _CURRENT


def _check_path(reference: Reference, worktree: Files) -> tuple[Standing, Reason | None]:
    target = reference.target
    if worktree.exists(target):
        return _CURRENT
    moved = _same_content(reference, worktree)
    if len(moved) == 1:
        message = f"`{reference.text}` is {moved[0]} now, with the same content"
        return Standing.CARRIED, reason(ReasonCode.PATH_MOVED, message, moved[0])
    beside = f"; {' and '.join(moved[:3])} hold the same" if moved else ""
    message = f"`{reference.text}` is named, and {target} is gone{beside}"
    return Standing.CONTRADICTED, reason(ReasonCode.PATH_REMOVED, message, target)


def _same_content(reference: Reference, worktree: Files) -> list[str]:
    if not reference.digest:
        return []
    ending = re.search(r"\.\w+$", reference.target)
    same = [
        path
        for path in worktree.paths()
        if (not ending or path.endswith(ending[0])) and _digest(path, worktree) == reference.digest
    ]
    # Of several copies the one that kept its name is the one that moved.
    name = reference.target.rpartition("/")[2]
    named = [path for path in same if path.rpartition("/")[2] == name]
    return named if len(named) == 1 else same


def _check_identifier(reference: Reference, worktree: Files) -> tuple[Standing, Reason | None]:
    path = reference.target.partition("#")[0]
    last_part = _last_part(reference.text)
    if _holds(path, last_part, worktree):
        return _CURRENT
    if any(_holds(other, last_part, worktree) for other in worktree.containing([last_part], limit=20)):
        return _CURRENT
    message = f"`{reference.text}` is named, and is nowhere in the workspace any more; it was in {path}"
    symbol = reference.target.partition("#")[2] or None
    return Standing.CONTRADICTED, reason(ReasonCode.IDENTIFIER_REMOVED, message, path, symbol)


_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_PACKAGE = "package.json"
_PROJECT = "pyproject.toml"
_TARGET = re.compile(r"^(?P<names>[A-Za-z0-9_.%/ -]+?)[ \t]*::?(?!=)", re.MULTILINE)
_RECIPE = re.compile(r"^@?(?P<name>[A-Za-z_][\w-]*+)[^\n:=]*:(?!=)", re.MULTILINE)
_SCRIPT_TABLES = [tuple(table.split(".")) for table in texts(__name__)["script_tables"].split()]
# Words that the package managers define themselves, which need no script.
_BUILT_IN = word_set("install ci add remove init publish update upgrade login link audit exec create dlx")


def command_source(command: str, worktree: Files) -> str | None:
    """The file that defines a command such as `make test`, `npm run build`, `just lint`, `uv run serve`; else None."""
    parts = command.split()
    if len(parts) < 2:
        return None
    runner, name = parts[0], parts[-1]
    if runner == "make":
        return _first_defining(worktree, _MAKEFILES, _TARGET, name)
    if runner == "just":
        return _first_defining(worktree, _JUSTFILES, _RECIPE, name)
    if runner in {"npm", "pnpm", "yarn", "bun"}:
        if name in _BUILT_IN and len(parts) == 2:
            return None
        return _PACKAGE if name in _keys(_table(_PACKAGE, worktree, json.loads), ("scripts",)) else None
    project = _table(_PROJECT, worktree, tomllib.loads)
    return _PROJECT if any(name in _keys(project, table) for table in _SCRIPT_TABLES) else None


def _first_defining(worktree: Files, paths: tuple[str, ...], pattern: re.Pattern[str], name: str) -> str | None:
    for path in paths:
        for found in pattern.finditer(_text(path, worktree)):
            if name in found[1].split():
                return path
    return None


def _text(path: str, worktree: Files) -> str:
    return (_data_of(path, worktree) or b"").decode("utf-8", errors="replace")


def _table(path: str, worktree: Files, loads: Callable[[str], object]) -> dict[str, Any]:
    """The table that a file of JSON or TOML holds; empty where it cannot be read."""
    try:
        loaded = loads(_text(path, worktree))
    except (ValueError, RecursionError):  # a hostile file may be nested for thousands of levels
        return {}
    return cast("dict[str, Any]", loaded) if isinstance(loaded, dict) else {}


def _keys(table: dict[str, Any], path: tuple[str, ...]) -> frozenset[str]:
    for key in path:
        inner = table.get(key)
        if not isinstance(inner, dict):
            return frozenset()
        table = cast("dict[str, Any]", inner)
    return frozenset(table)
