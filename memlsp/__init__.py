"""memlsp: the language server that remembers why the code is the way it is.

The package's one public value is `Memory`, the memory of one workspace (`from memlsp import Memory`).
"""

from __future__ import annotations

from memlsp.version import VERSION

TYPE_CHECKING = False  # as in typing, without importing it: a hook's whole process has 40 ms
if TYPE_CHECKING:
    from memlsp.memory import Memory as Memory

__version__ = VERSION
__all__ = ["Memory", "__version__"]


def __getattr__(name: str) -> object:
    # loaded when first asked for, so that `memlsp --version` and other short ways in stay short
    if name == "Memory":
        from memlsp.memory import Memory

        return Memory
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
