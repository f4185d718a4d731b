"""The memory of one workspace: `Memory`, the API that every face calls, and the rooms behind it. It may import
everything but the faces; hooks store events through `ingest.hook_ingest`, which loads faster than `Memory`. Begin with
`memory`."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it: a hook's whole process has 40 ms
if TYPE_CHECKING:
    from memlsp.memory.erasure.deletion import clear_everything as clear_everything
    from memlsp.memory.erasure.deletion import clear_workspace as clear_workspace
    from memlsp.memory.memory import Memory as Memory
    from memlsp.memory.memory import Watching as Watching
    from memlsp.store.core.locations import data_folder as data_folder

_HOMES = {
    "Memory": "memlsp.memory.memory",
    "clear_everything": "memlsp.memory.erasure.deletion",
    "clear_workspace": "memlsp.memory.erasure.deletion",
    "Watching": "memlsp.memory.memory",
    "data_folder": "memlsp.store.core.locations",
}

__all__ = ["Memory", "Watching", "clear_everything", "clear_workspace", "data_folder"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # late, for the hook's sake

    return getattr(import_module(_HOMES[name]), name)
