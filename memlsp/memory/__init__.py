"""One workspace's memory: the only door. Every face calls `Memory`, and nothing below it."""

from memlsp.memory.door import Memory, Watching
from memlsp.store import data_folder

__all__ = ["Memory", "Watching", "data_folder"]
