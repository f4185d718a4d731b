"""One workspace's memory: the only door. Every face calls `Memory`, and nothing below it.

`doorstep` is the door's own short way in for hooks, which have no time to open it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it: a hook's whole process has 40 ms
if TYPE_CHECKING:
    from memlsp.memory.clearing import clear_everything as clear_everything
    from memlsp.memory.clearing import clear_workspace as clear_workspace
    from memlsp.memory.door import Memory as Memory
    from memlsp.memory.door import Watching as Watching
    from memlsp.store.locations import data_folder as data_folder

_HOMES = {
    "Memory": "memlsp.memory.door",
    "clear_everything": "memlsp.memory.clearing",
    "clear_workspace": "memlsp.memory.clearing",
    "Watching": "memlsp.memory.door",
    "data_folder": "memlsp.store.locations",
}

__all__ = ["Memory", "Watching", "clear_everything", "clear_workspace", "data_folder"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # late, for the hook's sake

    return getattr(import_module(_HOMES[name]), name)
