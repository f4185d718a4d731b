"""Cache the histories of symbols in the store until another commit is checked out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memlsp.model.errors import StoreError
from memlsp.store.core.rows import converter

if TYPE_CHECKING:
    from memlsp.capture.history.parse_cache import ParseCache
    from memlsp.capture.workspace.worktree import Worktree
    from memlsp.model.caller import Cancel
    from memlsp.model.episode import SymbolHistory
    from memlsp.store.store import Store


class HistoryCache:
    """Reads the history of a symbol from the cache, else from git."""

    def __init__(self, store: Store, worktree: Worktree) -> None:
        self._store = store
        self._worktree = worktree
        self._parses: ParseCache | None = None

    def close(self) -> None:
        """Close the parse cache on disk."""
        if self._parses is not None:
            self._parses.close()

    def read(
        self,
        path: str,
        symbol: str,
        *,
        ordinal: int = 0,
        limit: int,
        deadline: float | None,
        cancelled: Cancel | None = None,
    ) -> SymbolHistory:
        """The history of a symbol, newest first, at most `limit` changes; `deadline` is in seconds from now. `ordinal`
        tells overloads apart. A history that a deadline cut short is not cached."""
        from memlsp.model.episode import SymbolHistory

        head = self._worktree.head()
        if head is None:
            from memlsp.capture.git.repository import damage_of  # late, as above

            damaged = damage_of(self._worktree.root) is not None
            return SymbolHistory(complete=not damaged, stopped="damaged" if damaged else "")
        key = f"history:{head}:{limit}:{path}#{symbol}" + (f"~{ordinal}" if ordinal else "")
        kept = self._store.cached_history(key)
        if kept is not None:
            return converter().structure(json.loads(kept), SymbolHistory)
        from memlsp.capture.history.parse_cache import ParseCache
        from memlsp.capture.history.past import WalkBounds, symbol_history  # late, as above

        if self._parses is None and not self._store.read_only:
            self._parses = ParseCache(self._store.path.parent)
        root, source = self._worktree.root, self._worktree.read(path)
        bounds = WalkBounds(limit, deadline, cancelled or (lambda: False))
        history = symbol_history(root, path, symbol, ordinal=ordinal, bounds=bounds, source=source, kept=self._parses)
        if history.complete or history.stopped in {"limit", "shallow"}:
            try:
                self._store.cache_history(key, json.dumps(converter().unstructure(history)))
            except StoreError:
                return history  # the store cannot be written: answer without caching
        return history
