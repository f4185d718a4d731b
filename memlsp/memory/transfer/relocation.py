"""Let a memory follow its project when the folder was renamed or the remote changed.

A workspace's key comes from its remote, else from its folder; so a renamed folder without a remote gets a new key and
an empty memory. Each store notes the folders in which it was used. When all of them are gone, the memory is *stranded*.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memlsp.capture.workspace.identity import choose_name, keep_name, keys_for, resolve, sample_commits
from memlsp.memory.context import Context
from memlsp.model.errors import MemlspError, NoWorkspace, Refused, StoreUnavailable
from memlsp.model.place import Workspace
from memlsp.store.core.locations import data_folder, store_path
from memlsp.store.core.other_memories import (
    COMMITS,
    ROOTS,
    StoreSummary,
    listed,
    move_store,
    store_summaries,
    store_summary,
)
from memlsp.store.store import Store, open_store

if TYPE_CHECKING:
    from memlsp.model.copy import MovedMemory, StrandedMemory

_MOST_ROOTS = 32
_MOST_COMMITS = 64
_MOST_LISTED = 6
_REFUSED = "refused"  # the note of the memory that was asked for and refused, so that it is said once


NOTICES_LEFT = "notices left"
"""The note of a store that holds messages for the next process that a person sees, one a line."""


def note_root(store: Store, workspace: Workspace, data: Path, *, chosen: bool = False) -> None:
    """Add a folder to the store's list of folders where it was used, and some of its commits to those by which a clone
    is known. A read-only store is left as it is.

    A folder that was found by an id, not `chosen` for this process alone, keeps its memory on branches without it."""
    with suppress(MemlspError, OSError):
        if workspace.basis == "id" and not chosen:
            keep_name(workspace, data)
        if workspace.refused and store.workspace_info(_REFUSED) != workspace.refused:
            store.set_info(_REFUSED, workspace.refused)
            store.set_info(NOTICES_LEFT, refusal(workspace))
        roots, root = listed(store.workspace_info(ROOTS)), str(workspace.root)
        commits = listed(store.workspace_info(COMMITS))
        if store.read_only or (root in roots and (commits or not workspace.git)):
            return
        if root not in roots:
            store.set_info(ROOTS, json.dumps([*roots, root][-_MOST_ROOTS:]))
        if found := sample_commits(workspace.root) if workspace.git else []:
            store.set_info(COMMITS, json.dumps(list(dict.fromkeys((*commits, *found)))[-_MOST_COMMITS:]))


def stranded(workspace: Workspace, data: Path) -> tuple[StrandedMemory, ...]:
    """The memories that this workspace may have lost: of this very folder under another key, or of folders that are
    gone. Sorted by: this folder, the same folder name, the key."""
    from memlsp.model.copy import StrandedMemory  # late: few memories were moved

    found: list[StrandedMemory] = []
    for each in store_summaries(data):
        if each.key == workspace.key or not each.beliefs or not each.roots:
            continue
        here = str(workspace.root) in each.roots and not _live_folders(each, workspace.root)
        if here or not any(Path(root).is_dir() for root in each.roots):
            found.append(StrandedMemory(each.key, each.path, each.roots, each.beliefs, same_root=here))
    name = workspace.root.name
    found.sort(key=lambda s: (not s.same_root, all(Path(root).name != name for root in s.roots), s.key))
    return tuple(found)


def hints(context: Context) -> Iterator[str]:
    """Messages for a workspace that may not share the memory which it names, and for one without active beliefs when
    stranded memories exist."""
    if context.workspace.refused:
        yield refusal(context.workspace)
    if context.store.counts()["active"]:
        return
    for each in stranded(context.workspace, context.data_dir)[:_MOST_LISTED]:
        what = "1 belief" if each.beliefs == 1 else f"{each.beliefs} beliefs"
        where = "this folder under another name" if each.same_root else f"{each.roots[-1]}, which is gone"
        yield f"nothing is remembered here; {what} of {where}: memlsp move --from {each.key}"


def refusal(workspace: Workspace) -> str:
    """One line for a person about the memory that a workspace names and may not share yet."""
    asked = f"this folder asks to share the memory {workspace.refused}"
    return f"{asked}, and nothing shows that it is that project: memlsp join"


def join(start: Path, name: str | None, *, data_dir: Path | None = None, leave: bool = False) -> Workspace:
    """Let the workspace that holds `start` share the memory `name` from now on, an id or a remote's address; None for
    the one that it asks for. With `leave`, take that back. Returns the workspace as it is then.

    Raises BadValue when it asks for none, NoWorkspace, and StoreUnavailable when the choice cannot be kept."""
    data = data_dir or data_folder()
    try:
        choose_name(start, name, data, leave=leave)
    except OSError as error:
        raise StoreUnavailable(f"{data} cannot be written: {error.strerror or error}") from error
    return resolve(start, data=data)


def origin_of(text: str, workspace: Workspace, data: Path) -> StoreSummary:
    """Find the memory named by a key, a folder (which may be gone), a remote's address or an id. Raises NoWorkspace
    when none fits, and Refused when it is this workspace's own or several fit."""
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
        told = "memlsp move --list shows those without folder"
        raise NoWorkspace(f"no memory on this machine is that of {text}", told)
    if len(found) > 1:
        raise Refused(f"{text} fits several memories: {', '.join(sorted(found))}", "name one by its key")
    return next(iter(found.values()))


def move(start: Path, origin: str | None = None, *, anyway: bool = False, dry_run: bool = False) -> MovedMemory:
    """Give the memory `origin`, or the only stranded one, to the workspace that holds `start`.

    Raises Refused when this workspace has memories already (import its store), when several memories are stranded, and,
    unless `anyway`, while `origin` is still used in another folder. Raises NoWorkspace, StoreUnavailable.
    """
    data = data_folder()
    workspace = resolve(start, data=data)
    other = _only_stranded(workspace, data) if origin is None else origin_of(origin, workspace, data)
    if live := [] if anyway else _live_folders(other, workspace.root):
        raise Refused(
            f"{other.key} is still used in {', '.join(live)}",
            f"memlsp import {other.path} --trust takes its beliefs along; --anyway moves it all the same",
        )
    path = store_path(workspace.key, data)
    present = store_summary(path)
    if path.exists() and (present is None or present.kept):
        number = present.kept if present is not None else "unreadable"
        raise Refused(
            f"{workspace.key} remembers something already ({number} beliefs and observations)",
            f"memlsp import {other.path} --trust takes the beliefs of that one along",
        )
    from memlsp.model.copy import MovedMemory  # late, as above

    done = MovedMemory(other.key, workspace.key, other.beliefs)
    if dry_run:
        return done
    left = move_store(other.path, path)
    with open_store(path) as store:
        _update_folders(store, other.path.parent, workspace.root)
    if left is not None:
        raise Refused("it was moved, and something came in at this moment", f"it is kept in {left}")
    return done


def _update_folders(store: Store, former: Path, root: Path) -> None:
    """Replace the folders that are gone by `root`, and correct the register for copies that moved with the store."""
    from memlsp.model.copy import CopyKind  # late, as above

    with suppress(MemlspError):
        roots = [each for each in listed(store.workspace_info(ROOTS)) if Path(each).is_dir() and each != str(root)]
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
        names = "; ".join(f"{each.key} ({each.roots[-1]})" for each in chosen[:_MOST_LISTED])
        raise Refused(f"several memories have lost their folders: {names}", "--from names the one to move")
    summary = store_summary(chosen[0].path)
    assert summary is not None
    return summary


def _live_folders(other: StoreSummary, other_than: Path) -> list[str]:
    """The folders that are still workspaces of this memory."""
    live: list[str] = []
    for root in other.roots:
        if root != str(other_than) and Path(root).is_dir():
            with suppress(MemlspError, OSError):
                found = resolve(Path(root), data=other.path.parents[2])
                if str(found.root) == root and found.key == other.key:
                    live.append(root)
    return live


def _is_key(text: str) -> bool:
    return 0 < len(text) <= 80 and "/" not in text and "\\" not in text and text not in {".", ".."}


def shown_hints(context: Context) -> tuple[str, ...]:
    """The hints of a memory for a person; none where the disk cannot be read."""
    with suppress(MemlspError, OSError):
        return tuple(hints(context))
    return ()
