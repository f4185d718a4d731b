"""The values that the parts of a memory share: the workspace, its stores and files, the clock and the data folder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from attrs import frozen

from memlsp.beliefs.files import Files
from memlsp.capture.git.repository import git_author
from memlsp.capture.redaction.event_filter import Screen
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.workspace_cache import find_workspace
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.belief import Author, Belief, ScopeKind
from memlsp.model.errors import NoSuchBelief
from memlsp.model.place import Workspace
from memlsp.store.store import Store


@frozen
class Context:
    """One workspace as every part of `Memory` sees it. A part that needs another part is handed that part as well.

    `user` is the store of beliefs that hold in every workspace; `data_dir` is the folder of all memories on this
    machine.
    """

    workspace: Workspace
    store: Store
    user: Store
    worktree: Worktree
    clock: Callable[[], datetime]
    data_dir: Path

    @property
    def stores(self) -> tuple[Store, Store]:
        """The workspace's store and the user's."""
        return self.store, self.user

    def store_of(self, belief: Belief) -> Store:
        """The store that a belief of this scope belongs to."""
        return self.user if belief.scope.kind is ScopeKind.USER else self.store

    def stored(self, id: str) -> tuple[Store, Belief] | None:
        """The belief with exactly this id, whatever its status, and the store that holds it; None without one."""
        found = ((store, store.belief(id)) for store in self.stores)
        return next(((store, belief) for store, belief in found if belief is not None), None)

    def find(self, id: str) -> tuple[Store, Belief]:
        """The belief with this id or unique beginning of an id, and the store that holds it. Raises NoSuchBelief."""
        missing: NoSuchBelief | None = None
        for store in self.stores:
            try:
                found = store.belief(store.resolve(id))
            except NoSuchBelief as error:
                missing = missing or error
                continue
            if found is not None:
                return store, found
        raise missing or NoSuchBelief(f"no belief {id!r}", "memlsp beliefs lists them")

    def screen(self) -> Screen:
        """The settings as they are now: which events are kept, and what is taken out of them."""
        return Screen(str(self.worktree.root), str(self.data_dir))

    def redacted(self, text: str) -> str:
        """Redact secrets, and the kinds of personal data that the settings name."""
        return redact(text, self.screen().settings.personal).text

    def without_personal_data(self, text: str) -> str:
        """Redact secrets and the kinds of personal data that the settings name; return `text` as it is for none."""
        kinds = self.screen().settings.personal
        return redact(text, kinds).text if kinds and text else text

    def verified(self, belief: Belief, files: Files | None = None) -> Belief:
        """The belief as the code bears out its statement, that of now or that in `files`."""
        from memlsp.beliefs.lifecycle.verification import verified  # late: it loads the reading of claims

        return verified(belief, files or self.worktree)

    def person(self) -> Author:
        """The person at this machine, as git knows them."""
        known = find_workspace(str(self.worktree.root), str(self.data_dir))  # without loading libgit2
        return Author(known.person) if known is not None and known.person else git_author(self.worktree.root)
