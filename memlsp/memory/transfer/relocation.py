"""A memory that follows its project: when its folder was renamed, its remote changed, or it goes on elsewhere.

A workspace is known by its remote, else by its folder, so one without a remote that is renamed has another key, and an
empty memory. Each store notes the folders in which it was used; a memory of which all are gone is *stranded*.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from memlsp.capture.workspace.identity import keys_for, resolve
from memlsp.model.copy import CopyKind, MovedMemory, StrandedMemory
from memlsp.model.errors import MemlspError, NoWorkspace, Refused
from memlsp.model.place import Workspace
from memlsp.store import Store, data_folder, open_store, store_path
from memlsp.store.core.other_memories import ROOTS, StoreSummary, move_store, roots_in, store_summaries, store_summary

_MOST_ROOTS = 32
_SHOWN = 6


def note_root(store: Store, root: Path) -> None:
    """Note that a store is used in this folder, once; where it cannot be written, it is not."""
    with suppress(MemlspError):
        known = roots_in(store.workspace_info(ROOTS))
        if str(root) not in known and not store.read_only:
            store.set_info(ROOTS, json.dumps([*known, str(root)][-_MOST_ROOTS:]))


def stranded(workspace: Workspace, data: Path) -> tuple[StrandedMemory, ...]:
    """The memories that this workspace may be missing: kept for this very folder under another key, or for folders that
    are gone. Those of this folder first, then those whose folder had the same name."""
    found: list[StrandedMemory] = []
    for each in store_summaries(data):
        if each.key == workspace.key or not each.beliefs or not each.roots:
            continue
        here = str(workspace.root) in each.roots and not _is_used(each, apart=workspace.root)
        if here or not any(Path(root).is_dir() for root in each.roots):
            found.append(StrandedMemory(each.key, each.path, each.roots, each.beliefs, same_root=here))
    name = workspace.root.name
    found.sort(key=lambda s: (not s.same_root, all(Path(root).name != name for root in s.roots), s.key))
    return tuple(found)


def hints(workspace: Workspace, store: Store) -> Iterator[str]:
    """What to say where nothing is remembered, and another memory waits for its folder to come back."""
    if store.counts()["active"]:
        return
    for each in stranded(workspace, store.path.parents[2])[:_SHOWN]:
        what = "1 belief" if each.beliefs == 1 else f"{each.beliefs} beliefs"
        where = "this folder under another name" if each.same_root else f"{each.roots[-1]}, which is gone"
        yield f"nothing is remembered here; {what} of {where}: memlsp move --from {each.key}"


def origin_of(text: str, workspace: Workspace, data: Path) -> StoreSummary:
    """The memory that is meant: by its key, a folder (also one that is gone), a remote's address or an id. Raises
    NoWorkspace, Refused when it is this one's own or several fit."""
    keys = dict.fromkeys((text, *keys_for(text)))
    with suppress(MemlspError):
        keys[resolve(Path(text)).key] = None
    found = {each.key: each for key in keys if _is_key(key) and (each := store_summary(store_path(key, data)))}
    if not found:
        folder = str(Path(text).expanduser().absolute())
        found = {each.key: each for each in store_summaries(data) if folder in each.roots}
    if set(found) == {workspace.key}:
        raise Refused(f"{text} is this workspace, {workspace.key}", "name another one")
    found.pop(workspace.key, None)
    if not found:
        raise NoWorkspace(
            f"no memory on this machine is that of {text}", "memlsp move --list shows those without folder"
        )
    if len(found) > 1:
        raise Refused(f"{text} fits several memories: {', '.join(sorted(found))}", "name one by its key")
    return next(iter(found.values()))


def move(
    start: Path, origin: str | None = None, *, data_dir: Path | None = None, anyway: bool = False, dry_run: bool = False
) -> MovedMemory:
    """Let the workspace that holds `start` have the memory of `origin`; without it, the one that is stranded.

    Refused where something is remembered here already (that is for `merge`), when several are stranded, and, unless
    `anyway`, while the other is still used in a folder of its own. Raises NoWorkspace, StoreUnavailable.
    """
    workspace = resolve(start)
    data = data_dir or data_folder()
    other = _only_stranded(workspace, data) if origin is None else origin_of(origin, workspace, data)
    if not anyway and _is_used(other, apart=workspace.root):
        raise Refused(
            f"{other.key} is still used in {', '.join(_alive(other, workspace.root))}",
            "memlsp merge takes its beliefs along; --anyway moves it all the same",
        )
    path = store_path(workspace.key, data)
    present = store_summary(path)
    if path.exists() and (present is None or present.kept):
        number = present.kept if present is not None else "unreadable"
        raise Refused(
            f"{workspace.key} remembers something already ({number} beliefs and observations)",
            f"memlsp merge {other.key} takes the beliefs of that one along",
        )
    done = MovedMemory(other.key, workspace.key, other.beliefs)
    if dry_run:
        return done
    left = move_store(other.path, path)
    with open_store(path) as store:
        _settle_in(store, other.path.parent, workspace.root)
    if left is not None:
        raise Refused("it was moved, and something came in at this moment", f"it is kept in {left}")
    return done


def _settle_in(store: Store, former: Path, root: Path) -> None:
    """The folders that are gone are forgotten, and copies that lay beside the store lie elsewhere now."""
    with suppress(MemlspError):
        roots = [each for each in roots_in(store.workspace_info(ROOTS)) if Path(each).is_dir() and each != str(root)]
        store.set_info(ROOTS, json.dumps([*roots, str(root)]))
        for copy in store.copies.all():
            if former in copy.path.parents:
                store.copies.strike(copy.path)
                store.copies.add(store.path.parent / copy.path.relative_to(former), CopyKind(copy.kind), copy.at)


def _only_stranded(workspace: Workspace, data: Path) -> StoreSummary:
    found = stranded(workspace, data)
    own = [each for each in found if each.same_root]
    chosen = own or list(found)
    if not chosen:
        raise NoWorkspace("no memory on this machine has lost its folder", "--from names the one to move")
    if len(chosen) > 1:
        names = "; ".join(f"{each.key} ({each.roots[-1]})" for each in chosen[:_SHOWN])
        raise Refused(f"several memories have lost their folders: {names}", "--from names the one to move")
    found_again = store_summary(chosen[0].path)
    assert found_again is not None
    return found_again


def _is_used(other: StoreSummary, *, apart: Path) -> bool:
    return bool(_alive(other, apart))


def _alive(other: StoreSummary, apart: Path) -> list[str]:
    """The folders that still are workspaces of this memory."""
    alive: list[str] = []
    for root in other.roots:
        if root != str(apart) and Path(root).is_dir():
            with suppress(MemlspError, OSError):
                found = resolve(Path(root))
                if str(found.root) == root and found.key == other.key:
                    alive.append(root)
    return alive


def _is_key(text: str) -> bool:
    return 0 < len(text) <= 80 and "/" not in text and "\\" not in text and text not in {".", ".."}
