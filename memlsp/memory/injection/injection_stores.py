"""The stores that a hook tells from."""

from __future__ import annotations

from memlsp.memory.injection import wording
from memlsp.store.tables import hook_beliefs, hook_notes

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memlsp.store.core.database import Database
    from memlsp.store.tables.hook_beliefs import HookBelief


class InjectionStores:
    """The stores that a hook tells from: the workspace's, and the user's, which is opened when it is first needed and
    may be missing. `stamped(path)` gives the stamp of a file of the workspace, `now` is ISO 8601 in UTC. With
    `colleagues` what came from colleagues is told too."""

    def __init__(
        self, own: Database, open_user: Callable[[], Database | None], key: str, stamped: Callable[[str], str], now: str
    ) -> None:
        self.own = own
        self.open_user = open_user
        self.key = key
        self.stamped = stamped
        self.now = now
        self.colleagues = False
        self._user: list[Database | None] = []

    def all(self) -> list[Database]:
        """The workspace's store, then the user's where there is one."""
        if not self._user:
            self._user.append(self.open_user())
        return [self.own, *(each for each in self._user if each is not None)]

    def tellable(self, connection: Database, seqs: Iterable[int]) -> list[int]:
        """Those of these rows of one store that hooks may tell, in their order."""
        return list(seqs) if self.colleagues else hook_beliefs.without_colleagues(connection, seqs)

    def fresh(self, beliefs: Iterable[HookBelief]) -> list[HookBelief]:
        """The beliefs that have not expired and that this session was not told yet."""
        left = [each for each in beliefs if not each.expires or each.expires > self.now]
        if not self.key:
            return left
        new = {mark for _, mark in hook_notes.unsaid(self.own, self.key, [("", wording.mark(each)) for each in left])}
        return [each for each in left if wording.mark(each) in new]
