"""The SQLite store of a memory, the only package with SQL.

May import the model and the word splitter of `code`. Begin with `store`, which has the file and its transactions, then
`tables/beliefs`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it: a hook's whole process has 40 ms
if TYPE_CHECKING:
    from memlsp.store.core.locations import data_folder as data_folder
    from memlsp.store.core.locations import inherit as inherit
    from memlsp.store.core.locations import store_path as store_path
    from memlsp.store.core.locations import user_store_path as user_store_path
    from memlsp.store.search.query import SearchHit as SearchHit
    from memlsp.store.store import Store as Store
    from memlsp.store.store import open_store as open_store
    from memlsp.store.tables.acts import FoundBy as FoundBy
    from memlsp.store.tables.beliefs import BranchOrigin as BranchOrigin

_HOMES = {
    "BranchOrigin": "tables.beliefs",
    "FoundBy": "tables.acts",
    "SearchHit": "search.query",
    "Store": "store",
    "data_folder": "core.locations",
    "inherit": "core.locations",
    "open_store": "store",
    "store_path": "core.locations",
    "user_store_path": "core.locations",
}

__all__ = [
    "BranchOrigin",
    "FoundBy",
    "SearchHit",
    "Store",
    "data_folder",
    "inherit",
    "open_store",
    "store_path",
    "user_store_path",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # late, for the hook's sake

    return getattr(import_module(f"memlsp.store.{_HOMES[name]}"), name)
