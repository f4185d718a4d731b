"""The one place with SQL."""

from memlsp.store.locations import data_folder, inherit, store_path, user_store_path
from memlsp.store.search import SearchHit
from memlsp.store.store import Store, open_store

__all__ = ["SearchHit", "Store", "data_folder", "inherit", "open_store", "store_path", "user_store_path"]
