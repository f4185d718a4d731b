"""What a statement names in the workspace: found when it is verified, looked up again when it is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.beliefs.standing.files import Files
from memlsp.beliefs.standing.reasons import ReasonCode, reason
from memlsp.model.belief import Anchor, Reference, ReferenceKind
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Reason, Standing

if TYPE_CHECKING:
    from memlsp.beliefs.claims.claims import NamedThing

_LEAST_MOVED = 16  # bytes: a smaller file says too little to be known again


def verified_references(text: str, worktree: Files, anchors: Sequence[Anchor] = ()) -> tuple[Reference, ...]:
    """The references of the statement that are there now; what is not there is no reference.

    Identifiers that name an anchor's own symbol or what holds it are left to the anchor.
    """
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
        path = _path(wording.text, worktree)
        return None if path is None else Reference(wording.kind, wording.text, path, _digest(path, worktree))
    if wording.kind is ReferenceKind.COMMAND:
        from memlsp.beliefs.claims.commands import command_source  # late: few statements name a command

        source = command_source(wording.text, worktree)
        return None if source is None else Reference(wording.kind, wording.text, source)
    needle = _needle(wording.text)
    for path in homes:
        if _holds(path, needle, worktree):
            return Reference(wording.kind, wording.text, path)
    defining = _definition(wording.text, needle, worktree)
    return None if defining is None else Reference(wording.kind, wording.text, defining)


def _path(text: str, worktree: Files) -> str | None:
    """The file or folder that a path in prose means: from the root, else the only one that ends so."""
    wanted = text.removeprefix("./").strip("/")
    if not wanted or ".." in wanted.split("/"):
        return None
    if worktree.exists(wanted):
        return wanted
    ends = [path for path in worktree.paths() if path.endswith("/" + wanted)]
    return ends[0] if len(ends) == 1 else None


def _digest(path: str, worktree: Files) -> str:
    try:
        data = worktree.read(path)
    except (MemlspError, OSError):
        return ""
    return blake2b(data, digest_size=16).hexdigest() if data is not None and len(data) >= _LEAST_MOVED else ""


def _needle(name: str) -> bytes:
    return re.split(r"\.|::|#|->", name)[-1].encode()


def _holds(path: str, needle: bytes, worktree: Files) -> bool:
    try:
        data = worktree.read(path)
    except (MemlspError, OSError):
        return False
    return data is not None and re.search(rb"(?<![\w])" + re.escape(needle) + rb"(?![\w])", data) is not None


def _definition(name: str, needle: bytes, worktree: Files) -> str | None:
    """`path#symbol` where the name is defined, else the first file that has it as a whole word."""
    simple = needle.decode()
    first: str | None = None
    for path in worktree.containing([needle], limit=30):
        if not _holds(path, needle, worktree):
            continue
        first = first or path
        outline = worktree.outline(path)
        if outline is None:
            continue
        for symbol in outline.symbols:
            if symbol.name and (symbol.name == name or symbol.simple_name == simple):
                return f"{path}#{symbol.name}"
    return first


@frozen
class ReferenceCheck:
    """What became of one reference."""

    standing: Standing
    reason: Reason | None = None


def check_reference(reference: Reference, worktree: Files) -> ReferenceCheck:
    """Is it still there? Looks where it was found first, so that the usual answer costs one file."""
    if reference.kind is ReferenceKind.PATH:
        return _check_path(reference, worktree)
    if reference.kind is ReferenceKind.COMMAND:
        from memlsp.beliefs.claims.commands import command_source  # late, as above

        if command_source(reference.text, worktree) is not None:
            return ReferenceCheck(Standing.CURRENT)
        message = f"`{reference.text}` is named, and {reference.target} does not define it any more"
        return ReferenceCheck(Standing.CONTRADICTED, reason(ReasonCode.COMMAND_REMOVED, message, reference.target))
    if reference.kind is ReferenceKind.IDENTIFIER:
        return _check_identifier(reference, worktree)
    return ReferenceCheck(Standing.CURRENT)


def _check_path(reference: Reference, worktree: Files) -> ReferenceCheck:
    target = reference.target
    if worktree.exists(target):
        return ReferenceCheck(Standing.CURRENT)
    moved = _same_content(reference, worktree)
    if len(moved) == 1:
        message = f"`{reference.text}` is {moved[0]} now, with the same content"
        return ReferenceCheck(Standing.CARRIED, reason(ReasonCode.PATH_MOVED, message, moved[0]))
    beside = f"; {' and '.join(moved[:3])} hold the same" if moved else ""
    message = f"`{reference.text}` is named, and {target} is gone{beside}"
    return ReferenceCheck(Standing.CONTRADICTED, reason(ReasonCode.PATH_REMOVED, message, target))


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


def _check_identifier(reference: Reference, worktree: Files) -> ReferenceCheck:
    path = reference.target.partition("#")[0]
    needle = _needle(reference.text)
    if _holds(path, needle, worktree):
        return ReferenceCheck(Standing.CURRENT)
    if any(_holds(other, needle, worktree) for other in worktree.containing([needle], limit=20)):
        return ReferenceCheck(Standing.CURRENT)
    message = f"`{reference.text}` is named, and is nowhere in the workspace any more; it was in {path}"
    symbol = reference.target.partition("#")[2] or None
    return ReferenceCheck(Standing.CONTRADICTED, reason(ReasonCode.IDENTIFIER_REMOVED, message, path, symbol))
